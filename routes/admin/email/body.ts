import { explainNothing, requireKind, writeEmail } from "../(_components)/sample_emails.ts";
import { operatorRoute } from "../(_components)/operator.tsx";
import { readMailBody } from "../../../lib/delivery/mail/mail_body.ts";
import { mailHeaders } from "../../../lib/http/responses/page_headers.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { ADMIN_HEADERS } from "../../../lib/ui/admin/admin_page.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "The HTML of that email, for a frame",
};

/** The HTML of an email, in one theme whatever the browser prefers. */
const GET = operatorRoute(async ({ request, query, context }) => {
  const kind = requireKind(query.get("kind"));
  const mail = await writeEmail(kind, context);
  if (mail === null) throw new Problem(404, explainNothing(kind));
  const isDark = query.get("theme") === "dark";
  const html = readMailBody(mail.html)
    .replace("@media (prefers-color-scheme:dark)", isDark ? "@media all" : "@media not all");
  const { "X-Frame-Options": _, ...headers } = ADMIN_HEADERS;
  return new Response(request.method === "HEAD" ? null : html, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      ...mailHeaders("'self'"),
      ...headers,
      "X-Frame-Options": "SAMEORIGIN",
    },
  });
});

export const handler: ActionHandlers = { GET };
