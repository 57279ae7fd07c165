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
