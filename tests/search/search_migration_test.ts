import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { searchText } from "../../lib/text/search_text.ts";
import { openNewEmbedded } from "../support/databases.ts";

const OWN = "0062_typed_words.sql";

const ITEMS = [
  ["Soft\u00adhyphen &amp; “tiles”", "Don’t ask"],
  ["Plain", null],
  ["Caf&eacute; &ndash; Łódź", "&unknown; &#233;t&#xe9; e‑mail\u00a0box & more &quot;"],
] as const;

Deno.test({
  name: "Releases stored before the upgrade are found as those imported after it",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const database = await openNewEmbedded();
    const migrations = await readMigrations();
    await migrate(database, migrations.filter(({ name }) => name < OWN));
    for (const [place, [name, description]] of ITEMS.entries()) {
      const folded = [name, description ?? "", "Atlas"].map((text) => text.toLowerCase());
      await database.query(sql`
        insert into items (
          release_item_id, feature_name, feature_description, release_type, release_status,
          product_name, product_names, last_modified, active, source, search_text
        ) values (
          ${`00000000-0000-4000-8000-00000000000${place}`}::uuid, ${name}, ${description}, 'Preview',
          'Planned', 'Atlas', array['Atlas'], '2026-07-01', true, 'default',
          ${folded.join("\u001f")}
        )
      `);
    }
    await migrate(database, migrations);
    const rows = await database.query<{ search_text: string }>(sql`
      select search_text from items order by release_item_id
    `);
    const expected = ITEMS.map(([feature_name, feature_description]) =>
      searchText({ feature_name, feature_description, product_names: ["Atlas"] })
    );
    assertEquals(rows.map(({ search_text }) => search_text), expected);
    await database.close();
  },
});
