import type { Connection } from "../lib/database/database.ts";
import { sql } from "../lib/database/sql.ts";
import { compare } from "./scale_imports.ts";

/** A mail as the mail server noted it. */
export interface ReceivedMail {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
  readonly receiver: string;
}

/** Addresses of which all servers have to give the same answer. */
const SAME_PATHS = [
  "/",
  "/?view=board",
  "/?page=2",
  "/changelog",
  "/api/releases",
  "/api/releases?page=7",
  "/api/filter-options",
  "/api/changelog?days=1",
  "/api/changes?limit=5",
  "/rss",
  "/atom.xml",
  "/feed.json",
  "/calendar.ics",
];

/** Reads what the mail server noted. */
export async function readReceived(path: string): Promise<ReceivedMail[]> {
  const lines = (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [at, id, receiver] = line.split(" ");
    return { at: Number(at), id: id!, receiver: receiver! };
  });
}

/** The digests of the outbox after a run, by status. */
export async function countDigests(connection: Connection): Promise<Record<string, number>> {
  const rows = await connection.query<{ status: string; count: number }>(sql`
    select status, count(*)::int as count from outbox where kind = 'digest' group by status
  `);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/**
 * Compares the outbox with those who were to be told of the imports, and with what the mail server
 * got; returns what is wrong.
 */
export async function checkDigests(
  connection: Connection,
  received: readonly ReceivedMail[],
  lastChange: string,
): Promise<string[]> {
  const queued = await connection.query<{ email: string; up_to: string }>(sql`
    select email, changes_up_to::text as up_to
    from outbox join subscriptions using (subscription_id)
    where kind = 'digest'
  `);
  const ends = new Set(queued.map(({ up_to }) => up_to));
  if (ends.size !== 1) return [`The digests were queued up to ${ends.size} different changes`];
  const upTo = [...ends][0]!;
  const wanted = await connection.query<{ email: string }>(sql`
    select email
    from subscriptions
    where state = 'verified' and cadence = 'daily' and products && array(
      select product_name
      from changes join items using (release_item_id)
      where change_id > ${lastChange}::bigint and change_id <= ${upTo}::bigint
    )
  `);
  const sent = await connection.query<{ mail: string }>(sql`
    select mail_id || ' ' || email as mail
    from outbox join subscriptions using (subscription_id)
    where kind = 'digest' and status = 'sent'
  `);
  const [{ repeated, failed } = { repeated: 0, failed: 0 }] = await connection.query<
    { repeated: number; failed: number }
  >(sql`
    select (count(*) filter (where attempts > 1))::int as repeated,
      (count(*) filter (where status = 'failed' or last_error is not null))::int as failed
    from outbox
  `);
  const emails = (rows: readonly { email: string }[]) => rows.map(({ email }) => email);
  return [
    ...compare("mails in the outbox", emails(queued), emails(wanted)),
    ...compare(
      "mails at the mail server",
      received.map(({ id, receiver }) => `${id} ${receiver}`),
      sent.map(({ mail }) => mail),
    ),
    ...compare(
      "receivers",
      received.map(({ receiver }) => receiver),
      sent.map(({ mail }) => mail.split(" ")[1]!),
    ),
    ...repeated > 0 ? [`${repeated} mails were taken more than once`] : [],
    ...failed > 0 ? [`${failed} mails failed`] : [],
  ];
}

/** Compares the answers of all servers; returns the addresses at which they differ. */
export async function checkSameAnswers(
  servers: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  const paths = [
    ...SAME_PATHS,
    ...ids.flatMap((id) => [`/release/${id}`, `/api/releases/history/${id}`]),
  ];
  const wrong: string[] = [];
  for (const path of paths) {
    const answers = await Promise.all(servers.map(async (server) => {
      const response = await fetch(`${server}${path}`);
      return `${response.status} ${response.headers.get("ETag")} ${await response.text()}`;
    }));
    if (new Set(answers).size > 1 || !answers[0]!.startsWith("200 ")) {
      wrong.push(`The servers differ at ${path}: ${answers.map((answer) => answer.slice(0, 40))}`);
    }
  }
  return wrong;
}
