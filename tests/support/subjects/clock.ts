import type { Database } from "../../../lib/database/database.ts";
import { sql } from "../../../lib/database/sql.ts";

/** Makes jobs due whose names are like this. */
export async function makeDue(database: Database, name = "%"): Promise<void> {
  await database.query(
    sql`update schedules set due_at = now() - interval '1 second' where name like ${name}`,
  );
}

/** Lets the leases of emails that are being sent run out, but for what is finished right now. */
export async function expireLeases(database: Database): Promise<void> {
  await database.query(sql`
    with held as (select mail_id from outbox where leased_until is not null for update skip locked)
    update outbox set leased_until = leased_until - interval '2 minutes'
    from held where outbox.mail_id = held.mail_id
  `);
}

/** Verifies all subscriptions, or that of one address, as a click on the link would. */
export async function verifyAll(database: Database, email: string | null = null): Promise<void> {
  await database.query(sql`
    update subscriptions set state = 'verified', verified_at = now()
    where ${email}::text is null or email = ${email}
  `);
}
