import { strictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { sql } from "../../../lib/database/sql.ts";
import { startApp, type TestApp } from "../app.ts";
import { type MailServer, startMailServer } from "../servers/mail_server.ts";

/** A service with its own mail server. */
export async function startWithMail(
  database: Database,
  settings: Record<string, string> = {},
  mailServer: Parameters<typeof startMailServer>[0] = {},
) {
  const mail = await startMailServer(mailServer);
  const app = await startApp(database, {
    SMTP_URL: mail.url,
    MAIL_FROM: "roadmap@example.com",
    SUBSCRIBE_LIMIT: "1000000",
    ...settings,
  });
  return {
    mail,
    app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    },
  };
}

/** The lists of a stored subscription, by their names in the API. */
export const STORED_LISTS = sql`
  coalesce(filter -> 'product_name', '[]') as products,
  coalesce(filter -> 'release_type', '[]') as types,
  coalesce(filter -> 'release_status', '[]') as statuses
`;

/** Sends a subscribe request as JSON; the path is that of the site. */
export function subscribe(
  app: TestApp,
  body: unknown,
  headers: Record<string, string> = {},
  path = "",
) {
  return app.fetch(`${path}/api/subscribe`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Submits a form, as a browser does. */
export function postForm(app: TestApp, path: string, fields: Record<string, string>) {
  return app.fetch(path, { method: "POST", body: new URLSearchParams(fields) });
}

/** Subscribes an address and returns its newest email. */
export async function subscribeAndRead(
  { app, mail }: { app: TestApp; mail: MailServer },
  email: string,
  preferences: Record<string, unknown> = {},
) {
  const response = await subscribe(app, { email, ...preferences });
  assertEquals(response.status, 202);
  await app.sendMails();
  return mail.received.findLast(({ envelopeTo }) => envelopeTo.includes(email))!;
}

/** The state of an address in the database. */
export async function stateOf(database: Database, email: string): Promise<string | undefined> {
  const [row] = await database.query<{ state: string }>(
    sql`select state from subscriptions where email = ${email}`,
  );
  return row?.state;
}
