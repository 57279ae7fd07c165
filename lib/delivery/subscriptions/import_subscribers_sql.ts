import type { Connection } from "../../database/database.ts";
import { json, type Sql, sql, timestamp } from "../../database/sql.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { insertMessages } from "../outbox/messages_sql.ts";
import type { Preferences, SubscriptionState } from "./subscriptions_sql.ts";

/** Counts addresses by what is known of them; `new`: nothing, they would be invited. */
export async function countKnown(
  connection: Connection,
  emails: readonly string[],
): Promise<Partial<Record<SubscriptionState | "new", number>>> {
  const rows = await connection.query<{ state: SubscriptionState | "new"; count: number }>(sql`
    select coalesce(${knownState(sql`given.email`)}, 'new') as state, count(*)::int as count
    from unnest(${[...emails]}::text[]) as given (email)
    group by 1
  `);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/**
 * What is known of an address; null: nothing. Who has unsubscribed, or refused emails, with another
 * address of the mailbox is not written to either.
 */
function knownState(email: Sql): Sql {
  return sql`coalesce(
    (select state from subscriptions where subscriptions.email = ${email}),
    (
      select state from subscriptions
      where mailbox = mailbox_of(${email}) and state in ('unsubscribed', 'bounced')
      limit 1
    )
  )`;
}

/** Puts an email to confirm down for each of whom nothing is known; returns how many there are. */
export async function invite(
  connection: Connection,
  invited: readonly (Preferences & { email: string; variant: VariantName })[],
  now: Date,
): Promise<number> {
  const added = await connection.query(sql`
    with given as (
      select * from jsonb_to_recordset(${json(invited)}) as given (
        email text, variant text, scope text, filter jsonb, releases uuid[], cadence text,
        upcoming boolean, reminders boolean
      )
    ),
    added as (
      insert into subscriptions (
        email, variant, scope, filter, releases, cadence, upcoming, reminders, requested_at
      )
      select email, variant, scope, filter, releases, cadence, upcoming, reminders,
        ${timestamp(now)}
      from given
      where ${knownState(sql`given.email`)} is null
      order by email
      on conflict (email) do nothing
      returning subscription_id
    )
    ${
    insertMessages("invitation", {
      columns: sql`subscription_id, kind`,
      rows: sql`select subscription_id, 'invitation' from added`,
      now,
    })
  }
    returning 1
  `);
  return added.length;
}
