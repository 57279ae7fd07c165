import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { pruneSubscriptions } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { sql } from "../../lib/database/sql.ts";
import { testOnDatabases } from "../support/databases.ts";

const DAY = 86_400_000;
const NOW = new Date("2026-07-20T12:00:00Z");

testOnDatabases(
  "After 30 days tokens, finished emails and unverified subscriptions are deleted",
  async (database) => {
    for (
      const [name, days, state] of [["fresh", 29, "unverified"], ["stale", 31, "unverified"], [
        "verified",
        400,
        "verified",
      ], ["gone", 400, "unsubscribed"]] as const
    ) {
      const at = new Date(NOW.getTime() - days * DAY).toISOString();
      const [row] = await database.query<{ id: string }>(sql`
      insert into subscriptions (email, variant, requested_at)
      values (${`${name}@example.com`}, 'A', ${at}::timestamptz)
      returning subscription_id as id
    `);
      const { id } = row!;
      if (state !== "unverified") {
        await database.query(sql`
        update subscriptions
        set state = ${state}, verified_at = ${at}::timestamptz, unsubscribed_at = ${at}::timestamptz
        where subscription_id = ${id}::uuid
      `);
      }
      await database.query(sql`
      insert into verification_tokens (token_hash, subscription_id, created_at, expires_at)
      values (sha256(${name}::text::bytea), ${id}::uuid, ${at}::timestamptz, ${at}::timestamptz)
    `);
      await database.query(sql`
      insert into outbox (subscription_id, status, created_at, due_at, give_up_at)
      values (${id}::uuid, 'sent', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz)
    `);
    }
    await pruneSubscriptions(database, NOW);
    const left = await database.query<{ name: string; links: number; mails: number }>(sql`
    select split_part(email, '@', 1) as name,
      (
        select count(*)::int from verification_tokens
        where verification_tokens.subscription_id = subscriptions.subscription_id
      ) as links,
      (
        select count(*)::int from outbox
        where outbox.subscription_id = subscriptions.subscription_id
      ) as mails
    from subscriptions order by name
  `);
    assertEquals(left.map(({ name, links, mails }) => [name, links, mails]), [["fresh", 1, 1], [
      "gone",
      0,
      0,
    ], ["verified", 0, 0]]);
  },
);
