import { ADMIN_HEADERS } from "../../../lib/ui/admin/admin_page.tsx";

const TYPES = { json: "application/json", csv: "text/csv" } as const;

/** Answers an operator with a file, whose name says what it is. */
export function download(
  { method }: Request,
  name: `${string}.${keyof typeof TYPES}`,
  body: BodyInit,
): Response {
  const type = TYPES[name.split(".").at(-1) as keyof typeof TYPES];
  return new Response(method === "HEAD" ? null : body, {
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Disposition": `attachment; filename="${name}"`,
      ...ADMIN_HEADERS,
    },
  });
}

/** Answers an operator with JSON as a file. */
export function downloadJson(
  request: Request,
  name: `${string}.json`,
  value: unknown,
): Response {
  return download(request, name, `${JSON.stringify(value, null, 2)}\n`);
}
