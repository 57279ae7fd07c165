import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Digest } from "../../lib/delivery/digests/digest.ts";
import { digestMail } from "../../lib/delivery/digests/digest_mail.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { openNewEmbedded } from "../support/databases.ts";

const OWN = "0038_digests_in_groups.sql";

Deno.test({
  name: "A digest queued before the upgrade is readable after it",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: checkUpgrade,
});

async function checkUpgrade(): Promise<void> {
  const database = await openNewEmbedded();
  const migrations = await readMigrations();
  await migrate(database, migrations.filter(({ name }) => name < OWN));
  const item = (number: number, day: string) => ({
    release_item_id: `00000000-0000-4000-8000-00000000000${number}`,
    feature_name: `Feature ${number}`,
    product_name: "Product",
    release_type: "Preview",
    release_status: "Planned",
    release_date: number === 1 ? "Q3 2026" : null,
    day,
    changes: ["Release Status Planned -> Launched", "Roadmap Item Added"],
  });
  const before = {
    items: [item(1, "2026-07-03"), item(2, "2026-05-01")],
    more: 3,
    morePath: "/changelog",
  };
  await database.query(sql`
    insert into digests (content, created_at)
    values (${JSON.stringify(before)}::text::jsonb, now())
  `);
  await migrate(database, migrations);
  const [row] = await database.query<{ content: Digest }>(sql`select content from digests`);
  const { content } = row!;
  assertEquals([content.total, content.days], [5, { first: "2026-05-01", last: "2026-07-03" }]);
  const [group, ...others] = content.groups;
  assertEquals([group!.kind, others], ["edited", []]);
  assertEquals(group!.items.map(({ feature_name, details }) => [feature_name, details]), [
    ["Feature 1", "Product · Planned · Preview · Q3 2026"],
    ["Feature 2", "Product · Planned · Preview"],
  ]);
  assertEquals(group!.items[0]!.changes, before.items[0]!.changes.map((text) => ({ text })));
  const urls = { siteUrl: "https://example.com", pageUrl: "https://example.com/digest" };
  assertEquals(
    digestMail(content, { siteName: "Roadcast", ...urls }).preheader,
    "1 May 2026 to 3 Jul 2026: 5 releases changed",
  );
  await database.close();
}

Deno.test({
  name: "Of several digests that waited before the upgrade, all changes come in one after it",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const database = await openNewEmbedded();
    const migrations = await readMigrations();
    await migrate(database, migrations.filter(({ name }) => name < "0061"));
    await database.query(sql`
      insert into subscriptions (email, variant, requested_at, last_notified_change)
      values ('one@example.com', 'A', now(), 9), ('two@example.com', 'A', now(), 9)
    `);
    const queue = (email: string, after: number, upTo: number) =>
      database.query(sql`
        insert into outbox (
          subscription_id, kind, changes_after, changes_up_to, created_at, due_at, give_up_at
        )
        select subscription_id, 'digest', ${after}::int, ${upTo}::int, now(), now(), now()
        from subscriptions where email = ${email}
      `);
    await queue("one@example.com", 7, 9);
    await queue("two@example.com", 2, 5);
    await queue("two@example.com", 5, 9);
    await migrate(database, migrations);
    const rows = await database.query(sql`
      select email, last_notified_change::int as at, array_agg(status order by changes_after) as mails
      from subscriptions join outbox using (subscription_id)
      group by email, last_notified_change order by email
    `);
    assertEquals(rows.map((row) => ({ ...row as object })), [
      { email: "one@example.com", at: 9, mails: ["waiting"] },
      { email: "two@example.com", at: 2, mails: ["superseded", "superseded"] },
    ]);
    await database.close();
  },
});
