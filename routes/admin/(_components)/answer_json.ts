import { ADMIN_HEADERS } from "../../../lib/ui/admin/admin_page.tsx";

/** Answers an operator with JSON as a file. */
export function answerJson({ method }: Request, value: unknown, fileName: string): Response {
  return new Response(method === "HEAD" ? null : `${JSON.stringify(value, null, 2)}\n`, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
      ...ADMIN_HEADERS,
    },
  });
}
