import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { openNewEmbedded } from "../support/databases.ts";

const OWN = "0044_scope_of_subscriptions.sql";
const ID = "00000000-0000-4000-8000-000000000001";

Deno.test({
  name: "Existing subscriptions and requested changes get the scope that they implied",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: checkUpgrade,
});

async function checkUpgrade(): Promise<void> {
  const database = await openNewEmbedded();
  const migrations = await readMigrations();
  await migrate(database, migrations.filter(({ name }) => name < OWN));
  const none = { products: [], types: [], statuses: [], releases: [], cadence: null };
  for (
    const [email, lists] of [
      ["all", {}],
      ["listed", { statuses: ["Shipped"] }],
      ["both", { types: ["Preview"], releases: [ID] }],
      ["watching", { releases: [ID] }],
    ] as const
  ) {
    const { products, types, statuses, releases } = { ...none, ...lists };
    await database.query(sql`
      insert into subscriptions
        (email, variant, requested_at, products, types, statuses, releases, asked)
      values (
        ${email}, 'A', now(), ${products}::text[], ${[...types]}::text[], ${[...statuses]}::text[],
        ${[...releases]}::uuid[],
        ${email === "all" ? "null" : JSON.stringify({ ...none, ...lists })}::text::jsonb
      )
    `);
  }
  await migrate(database, migrations.filter(({ name }) => name <= OWN));
  const rows = await database.query<Record<string, unknown>>(sql`
    select email, scope, asked->>'scope' as asked, asked->'kinds' as kinds,
      count(*) over (partition by filter_key)::int as in_group
    from subscriptions order by email
  `);
  assertEquals(rows.map((row) => ({ ...row })), [
    { email: "all", scope: "all", asked: null, kinds: null, in_group: 1 },
    { email: "both", scope: "chosen", asked: "chosen", kinds: [], in_group: 1 },
    { email: "listed", scope: "chosen", asked: "chosen", kinds: [], in_group: 1 },
    { email: "watching", scope: "watched", asked: "watched", kinds: [], in_group: 1 },
  ]);
  await database.close();
}
