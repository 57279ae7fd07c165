import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { type Sql, sql } from "../../lib/database/sql.ts";
import type { Digest } from "../../lib/delivery/digests/digest.ts";
import { digestMail } from "../../lib/delivery/digests/digest_mail.ts";
import { searchText } from "../../lib/text/search_text.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** Makes a database of version 0.1.0 with some rows, and upgrades it. */
async function upgrade(database: Database, rows: string): Promise<void> {
  const migrations = await readMigrations();
  await database.script("drop schema public cascade; create schema public");
  await migrate(database, migrations.filter(({ name }) => name < "0031"));
  await database.script(rows);
  await migrate(database, migrations);
}

async function read(database: Database, statement: Sql): Promise<unknown[]> {
  return (await database.query<object>(statement)).map((row) => ({ ...row }));
}

slowOnDatabases(
  "An upgrade keeps what subscriptions cover, and counts mailboxes",
  async (database) => {
    await upgrade(
      database,
      `
    insert into subscriptions (email, variant, requested_at, products, types, statuses) values
      ('ann+news@example.com', 'A', '2026-07-01', '{}', '{}', '{}'),
      ('bob@example.com', 'A', '2026-07-01', '{Maps,Mail,Maps}', '{}', '{Shipped}'),
      ('j.ann@googlemail.com', 'A', '2026-07-01', '{Mail,Maps}', '{}', '{Shipped}'),
      ('other@example.com', 'B', '2026-07-01', '{Mail,Maps}', '{}', '{Shipped}'),
      ('+type@example.com', 'A', '2026-07-01', '{}', array['Pre "view"'], '{}');
    update subscriptions set state = 'unsubscribed', unsubscribed_at = '2026-07-04'
    where email = 'bob@example.com';
    update subscriptions set state = 'unverified', requested_at = '2026-07-05'
    where email = 'bob@example.com';
    `,
    );
    const rows = await read(
      database,
      sql`
      select mailbox, scope, filter, mailed_since_unsubscribing_at is not null as mailed,
        count(*) over (partition by filter_key)::int as in_group
      from subscriptions order by email collate "C"
    `,
    );
    const lists = { product_name: ["Mail", "Maps"], release_status: ["Shipped"] };
    assertEquals(rows, [
      {
        mailbox: "+type@example.com",
        scope: "chosen",
        filter: { release_type: ['Pre "view"'] },
        mailed: false,
        in_group: 1,
      },
      { mailbox: "ann@example.com", scope: "all", filter: {}, mailed: false, in_group: 1 },
      { mailbox: "bob@example.com", scope: "chosen", filter: lists, mailed: true, in_group: 2 },
      { mailbox: "jann@gmail.com", scope: "chosen", filter: lists, mailed: false, in_group: 2 },
      { mailbox: "other@example.com", scope: "chosen", filter: lists, mailed: false, in_group: 1 },
    ]);
  },
);

const ID = "00000000-0000-4000-8000-00000000000";

/** An import, and the beginning of the statement that stores its items. */
const INSERT_ITEMS = `
    insert into import_runs (source, as_of, partial, finished_at)
    values ('a', '2026-07-05', false, now());
    insert into items (
      release_item_id, feature_name, release_type, release_status, product_name, last_modified,
      search_text
    )`;

/** A waiting digest of one release, as version 0.1.0 stored it. */
function digestOf(number: number, day: string, more: number): string {
  return JSON.stringify({
    items: [{
      release_item_id: ID + number,
      feature_name: `Feature ${number}`,
      product_name: "Product",
      release_type: "Preview",
      release_status: "Planned",
      release_date: number === 1 ? "Q3 2026" : null,
      day,
      changes: ["Release Status Planned -> Launched"],
    }],
    more,
    morePath: "/changelog",
  });
}

testOnDatabases(
  "Digests that wait during an upgrade come in one, and lose nothing",
  async (database) => {
    await upgrade(
      database,
      `
    ${INSERT_ITEMS}
    select ('${ID}' || number)::uuid, 'Feature', 'Preview', 'Planned', 'Product', '2026-07-05', ''
    from generate_series(1, 3) as number;
    insert into changes (release_item_id, run_id, day, kind)
    select release_item_id, 1, '2026-07-05', 'restored' from items order by release_item_id;
    insert into subscriptions (email, variant, requested_at, told_up_to)
    values ('one@example.com', 'A', now(), 3);
    insert into outbox (subscription_id, kind, status, digest, created_at, due_at, give_up_at)
    select subscription_id, 'digest', status, digest::jsonb, created_at, now(), now()
    from subscriptions cross join (values
      ('waiting', '${digestOf(2, "2026-05-01", 0)}', timestamptz '2026-07-05 10:00'),
      ('waiting', '${digestOf(3, "2026-07-03", 3)}', timestamptz '2026-07-05 11:00'),
      ('failed', '${digestOf(1, "2026-07-01", 0)}', timestamptz '2026-07-05 09:00')
    ) as mails (status, digest, created_at);
    `,
    );
    const mails = await read(
      database,
      sql`
      select status, changes_up_to::int, last_notified_change::int
      from outbox join subscriptions using (subscription_id) order by outbox.created_at
    `,
    );
    // From before the first change of their releases, of which the first was given up.
    const last_notified_change = 1;
    assertEquals(mails, [
      { status: "failed", changes_up_to: null, last_notified_change },
      { status: "superseded", changes_up_to: null, last_notified_change },
      { status: "waiting", changes_up_to: 3, last_notified_change },
    ]);
    const [row, ...others] = await database.query<{ content: Digest }>(
      sql`select content from digests`,
    );
    const { total, days, groups: [group, ...groups] } = row!.content;
    assertEquals([total, days], [5, { first: "2026-05-01", last: "2026-07-03" }]);
    assertEquals([others, group!.kind, groups], [[], "edited", []]);
    assertEquals(group!.items.map(({ feature_name, details }) => [feature_name, details]), [
      ["Feature 2", "Product · Planned · Preview"],
      ["Feature 3", "Product · Planned · Preview"],
    ]);
    assertEquals(group!.items[0]!.changes, [{ text: "Release Status Planned -> Launched" }]);
    const urls = { siteUrl: "https://example.com", pageUrl: "https://example.com/digest" };
    assertEquals(
      digestMail(row!.content, { siteName: "Roadcast", ...urls }).preheader,
      "1 May 2026 to 3 Jul 2026: 5 releases changed",
    );
  },
);

const TEXTS = [
  ["Soft\u00adhyphen &amp; “tiles”", "Don’t ask"],
  ["Plain", null],
  ["Caf&eacute; &ndash; Łódź", "&unknown; &#233;t&#xe9; e‑mail\u00a0box & more &quot;"],
] as const;

testOnDatabases(
  "Releases stored before an upgrade are found as those imported after it",
  async (database) => {
    const quote = (text: string | null) =>
      text === null ? "null" : `'${text.replaceAll("'", "''")}'`;
    const rows = TEXTS.map(([name, description], place) => {
      const folded = [name, description ?? "", "Atlas"].map((text) => text.toLowerCase());
      const texts = [name, description, folded.join("\u001f")].map(quote);
      return `('${ID}${place}', 'Preview', 'Planned', 'Atlas', '2026-07-01', ${texts})`;
    });
    await upgrade(
      database,
      `insert into items (
      release_item_id, release_type, release_status, product_name, last_modified, feature_name,
      feature_description, search_text
    ) values ${rows}`,
    );
    assertEquals(
      await read(database, sql`select search_text from items order by release_item_id`),
      TEXTS.map(([feature_name, feature_description]) => ({
        search_text: searchText({ feature_name, feature_description, product_names: ["Atlas"] }),
      })),
    );
  },
);

testOnDatabases(
  "What was first seen in an import has its day after an upgrade",
  async (database) => {
    await upgrade(
      database,
      `
    ${INSERT_ITEMS}
    values ('${ID}1', 'Feature', 'Preview', 'Planned', 'Product', '2026-06-01', '');
    insert into changes (release_item_id, run_id, day, kind, fields)
    values ('${ID}1', 1, '2026-06-01', 'added', '{}');
    `,
    );
    assertEquals(
      await read(
        database,
        sql`
        select changes.day::text, change_entries.day::text as entry_day
        from changes join change_entries on entry_id = change_id
      `,
      ),
      [{ day: "2026-07-05", entry_day: "2026-07-05" }],
    );
  },
);

testOnDatabases("An upgrade removes the imports that a sample left behind", async (database) => {
  await upgrade(
    database,
    `
    insert into import_runs (source, as_of, partial, finished_at) values
      ('the sample roadmap', '2024-07-05', false, now()),
      ('the sample roadmap', '2026-07-04', false, now());
    ${INSERT_ITEMS}
    values ('${ID}1', 'Feature', 'Preview', 'Planned', 'Product', '2026-06-01', '');
    insert into changes (release_item_id, run_id, day, kind, fields)
    values ('${ID}1', 3, '2026-06-01', 'added', '{}');
    `,
  );
  assertEquals(await read(database, sql`select source, as_of::text from import_runs`), [
    { source: "a", as_of: "2026-07-05" },
  ]);
});
