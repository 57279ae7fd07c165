import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { testOnDatabases } from "../support/databases.ts";

const ID = "00000000-0000-4000-8000-000000000001";

testOnDatabases("Stored preferences are the same filter after the upgrade", async (database) => {
  const migrations = await readMigrations();
  await database.script("drop schema public cascade; create schema public");
  // What version 0.1.0 stores: three lists.
  await migrate(database, migrations.filter(({ name }) => name < "0032"));
  await database.query(sql`
    insert into subscriptions (email, variant, requested_at, products, types, statuses) values
      ('all', 'A', now(), '{}', '{}', '{}'),
      ('two', 'A', now(), '{Maps,Mail}', '{}', '{Shipped}'),
      ('same', 'A', now(), '{Mail,Maps}', '{}', '{Shipped}'),
      ('other', 'B', now(), '{Mail,Maps}', '{}', '{Shipped}'),
      ('type', 'A', now(), '{}', array['Pre "view"'], '{}')
  `);
  // What was stored since.
  await migrate(database, migrations.filter(({ name }) => name < "0066"));
  await database.query(sql`
    insert into subscriptions (
      email, variant, requested_at, scope, products, tags, searches, due, kinds, releases, asked
    ) values (
      'every', 'A', now(), 'chosen', '{Maps}', '{Team:B,Team:A}', '{two words,one,one}',
      '{overdue,next7}', '{slipped,added}', ${[ID]}::uuid[],
      ${
    JSON.stringify({
      scope: "watched",
      products: [],
      types: ["B", "A"],
      statuses: [],
      tags: [],
      searches: [],
      due: [],
      kinds: [],
      releases: [ID],
      cadence: null,
      upcoming: null,
      reminders: true,
    })
  }::text::jsonb
    )
  `);
  await migrate(database, migrations);
  const rows = await database.query<Record<string, unknown>>(sql`
    select email, scope, filter, asked, releases::text[] as releases,
      count(*) over (partition by filter_key)::int as in_group
    from subscriptions order by email
  `);
  const mail = { product_name: ["Mail", "Maps"], release_status: ["Shipped"] };
  const plain = { asked: null, releases: [] };
  assertEquals(rows.map((row) => ({ ...row })), [
    { email: "all", scope: "all", filter: {}, ...plain, in_group: 1 },
    {
      email: "every",
      scope: "chosen",
      filter: {
        q: ["one", "two words"],
        due: ["next7", "overdue"],
        tag: ["Team:A", "Team:B"],
        kind: ["added", "slipped"],
        product_name: ["Maps"],
      },
      asked: {
        scope: "watched",
        filter: { release_type: ["A", "B"] },
        cadence: null,
        releases: [ID],
        upcoming: null,
        reminders: true,
      },
      releases: [ID],
      in_group: 1,
    },
    { email: "other", scope: "chosen", filter: mail, ...plain, in_group: 1 },
    { email: "same", scope: "chosen", filter: mail, ...plain, in_group: 2 },
    { email: "two", scope: "chosen", filter: mail, ...plain, in_group: 2 },
    {
      email: "type",
      scope: "chosen",
      filter: { release_type: ['Pre "view"'] },
      ...plain,
      in_group: 1,
    },
  ]);
});
