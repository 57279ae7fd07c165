import { deepStrictEqual as assertEquals, notDeepStrictEqual } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Connection, Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { rejectPost, setPost } from "../../lib/import/announcements/update_matches.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { removeSource } from "../../lib/import/remove_source.ts";
import { pauseSource, storeSource } from "../../lib/import/sources/stored_sources_sql.ts";
import { importItems, makeItem, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { stride } from "../support/slow.ts";
import { serveSource } from "../support/servers/source_server.ts";

/** What people and jobs do with sources; each is done once or not at all. */
type Action = (database: Database, url: string) => Promise<unknown>;

const POST = "https://example.com/blog/maps";
const ACTIONS: Readonly<Record<string, Action>> = {
  "an import": (database, url) => importLocation(database, url, { asOf: TODAY, ...OWN }),
  "a removal": (database) => removeSource(database, "plans", TODAY),
  "a change of a source": (database) =>
    storeSource(database, {
      name: "plans",
      entry: { from: "https://example.com/other" },
      secrets: {},
      version: VERSION,
    }),
  "a pause": (database) => pauseSource(database, "plans", true),
  "a rejected post": (database) => rejectPost(database, POST),
  "a post that is set": (database) => setPost(database, { release: "Feature 2", post: POST }),
};

const OWN = { sourceName: "plans", allowMassRemoval: true };
const VERSION = "00000000-0000-4000-8000-0000000000aa";

/** Items 1 to 3 become 2, changed, 3 and 4. */
const [BEFORE, AFTER] = [[1, 2, 3], [2, 3, 4]].map((numbers, turn) =>
  numbers.map((number) =>
    makeItem(number, turn === 1 && number === 2 ? { release_status: "Shipped" } : {})
  )
);

async function prepare(database: Database): Promise<void> {
  await importItems(database, BEFORE!, { asOf: "2026-07-01", ...OWN });
  await database.query(sql`
    insert into stored_sources (name, entry, is_paused, version)
    values ('plans', '{"from": "https://example.com/plans"}', false, ${VERSION}::uuid)
    on conflict (name) do update
    set entry = excluded.entry, is_paused = false, version = excluded.version
  `);
  await database.query(sql`
    insert into announcement_feeds (source, address, read_at)
    values ('plans', 'https://example.com/feed', now())
    on conflict do nothing
  `);
  await database.query(sql`
    insert into announcement_posts (source, post_key, url, title, headings, linked)
    values ('plans', 'example.com/blog/maps', ${POST}, 'Feature 3', '{}', '{}')
    on conflict (source, post_key) do update set rejected = false
  `);
  await database.query(sql`delete from announcement_matches`);
  await database.query(sql`
    insert into source_pages (source, read_as, pages) values ('plans', '{}', '[]')
    on conflict (source) do update set read_as = '{}', pages = '[]'
  `);
  await database.query(sql`
    insert into schedules (name, due_at) values ('sync plans', now() + interval '1 hour')
    on conflict (name) do update set due_at = excluded.due_at
  `);
}

/** What the actions change, but for what only grows. */
async function readState(database: Database): Promise<Record<string, string[]>> {
  const state: Record<string, string[]> = {};
  const tables = {
    items: sql`
      select release_item_id, release_status, source, blog_url from items where active
    `,
    sources: sql`select name, entry, is_paused from stored_sources`,
    posts: sql`select post_key, rejected from announcement_posts`,
    matches: sql`select release_item_id, post_key from announcement_matches`,
    pages: sql`select source, read_as from source_pages`,
    schedules: sql`select name, due_at <= now() as is_due from schedules`,
  };
  for (const [name, rows] of Object.entries(tables)) {
    const texts = await database.query<{ row: string }>(
      sql`select to_jsonb(one)::text as row from (${rows}) as one order by 1`,
    );
    state[name] = texts.map(({ row }) => row);
  }
  return state;
}

/** What has to hold of the tables whatever happened. */
async function checkSound(database: Database, what: string): Promise<void> {
  const wrong = await database.query(sql`
    select 'a version without a row' as what
    from item_versions where release_item_id not in (select release_item_id from item_rows)
    union all
    select 'changes without an entry'
    from changes
    where not exists (
      select from change_entries as entry
      where entry.run_id = changes.run_id and entry.release_item_id = changes.release_item_id
    )
    union all
    select 'a run with changes that is not good'
    from changes join import_runs using (run_id) where not is_good
    union all
    select 'an active item whose last change is a removal'
    from items
    where active <> (
      select kind <> 'removed' from changes
      where changes.release_item_id = items.release_item_id
      order by change_id desc limit 1
    )
  `);
  assertEquals([what, wrong], [what, []]);
}

/** A database whose process is killed before its nth statement: none of its statements runs any more. */
function killedAt(database: Database, nth: number): { database: Database; isKilled(): boolean } {
  let count = 0;
  const check = () => {
    if (++count >= nth) throw new Error("killed");
  };
  const watch = <Watched extends Connection>(connection: Watched): Watched => ({
    ...connection,
    async query<Row>(...words: Parameters<Database["query"]>): Promise<Row[]> {
      check();
      return await (connection as unknown as Database).query<Row>(...words);
    },
    async script(text: string) {
      check();
      await connection.script(text);
    },
  });
  return {
    database: {
      ...watch(database),
      transaction: (work, caller) =>
        database.transaction(async (connection) => {
          const result = await work(watch(connection));
          check();
          return result;
        }, caller),
    },
    isKilled: () => count >= nth,
  };
}

function serveItems(): ReturnType<typeof serveSource> {
  return serveSource(() => Response.json(AFTER));
}

testOnDatabases("A kill at any statement leaves all of an action, or nothing", async (database) => {
  await using server = serveItems();
  for (const [name, action] of Object.entries(ACTIONS)) {
    await prepare(database);
    const before = await readState(database);
    await action(database, server.url);
    const after = await readState(database);
    notDeepStrictEqual([name, after], [name, before]);
    for (let [nth, isDone] = [1, false]; !isDone; nth += stride(database)) {
      await removeSource(database, "plans", TODAY).catch(() => {});
      await prepare(database);
      const killed = killedAt(database, nth);
      await action(killed.database, server.url).catch(() => {});
      isDone = !killed.isKilled();
      const what = `${name}, killed at statement ${nth}`;
      const state = await readState(database);
      const isAfter = isDone || isDeepStrictEqual(state, after);
      assertEquals([what, state], [what, isAfter ? after : before]);
      await checkSound(database, what);
    }
    await removeSource(database, "plans", TODAY).catch(() => {});
  }
});

testOnDatabases("Any two actions at once are as one after the other", async (database) => {
  await using server = serveItems();
  const names = Object.keys(ACTIONS);
  for (const [place, first] of names.entries()) {
    for (const second of names.slice(place)) {
      await prepare(database);
      const both = [first, second].map((name) => ACTIONS[name]!(database, server.url));
      await Promise.allSettled(both);
      const what = `${first} and ${second}`;
      await checkSound(database, what);
      // Whatever came of it, the next import of the source holds.
      await importLocation(database, server.url, { asOf: TODAY, ...OWN });
      await checkSound(database, what);
      const { items } = await readState(database);
      assertEquals([what, items?.length], [what, 3]);
      await removeSource(database, "plans", TODAY);
    }
  }
});
