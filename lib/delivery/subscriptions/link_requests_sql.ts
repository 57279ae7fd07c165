import { ADVISORY_LOCKS } from "../../database/advisory_locks.ts";
import type { Connection, Database } from "../../database/database.ts";
import { sql, timestamp } from "../../database/sql.ts";
import { insertMessages } from "../outbox/messages_sql.ts";
import { isMailAllowed, readStanding } from "./subscription_requests_sql.ts";
import { lockVerified, supersedeMails } from "./subscriptions_sql.ts";

/** Stores a request for the link to the preferences of an address, whatever is known of it. */
export async function storeLinkRequest(
  connection: Connection,
  email: string,
  now: Date,
): Promise<void> {
  await connection.query(sql`
    insert into link_requests (email, requested_at)
    values (${email}, ${timestamp(now)})
    on conflict (email) do update set requested_at = excluded.requested_at
  `);
}

/** Queues a mail for each address that asked for its link, is subscribed, and is within the limits. */
export async function queueRequestedLinks(
  database: Database,
  limits: { mailsAnHour: number; now: Date },
  ending?: AbortSignal,
): Promise<void> {
  while (!ending?.aborted && await takeLinkRequest(database, limits));
}

/** Answers one request; false if none is waiting. */
function takeLinkRequest(
  database: Database,
  { mailsAnHour, now }: { mailsAnHour: number; now: Date },
): Promise<boolean> {
  return database.transaction(async (connection) => {
    const [request] = await connection.query<{ email: string }>(sql`
      delete from link_requests
      where email = (select email from link_requests limit 1 for update skip locked)
      returning email
    `);
    if (!request) return false;
    const { email } = request;
    await connection.query(sql`
      select pg_advisory_xact_lock(${ADVISORY_LOCKS.mailbox}::int, hashtext(mailbox_of(${email})))
    `);
    const id = await lockVerified(connection, email);
    if (id === null) return true;
    const standing = await readStanding(connection, id, { preferences: null, now });
    if (!isMailAllowed({ ...standing, asks_otherwise: true }, mailsAnHour)) return true;
    await supersedeMails(connection, id, { now, kinds: ["preferences"] });
    await connection.query(insertMessages("mail", {
      columns: sql`subscription_id, kind`,
      rows: sql`select ${id}::uuid, 'preferences'::text`,
      now,
    }));
    return true;
  });
}
