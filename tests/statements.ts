/**
 * Writes the longest statements, as PostgreSQL gets them, to dist/statements/, where they can be read
 * and explained:
 *
 *     deno task generate
 */
import type { Connection, Database } from "../lib/database/database.ts";
import type { Sql } from "../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "./support/app.ts";
import { openMigratedEmbedded } from "./support/databases.ts";
import { startDigests } from "./support/subjects/digests.ts";

const FOLDER = new URL("../dist/statements/", import.meta.url);
const MOST = 10;

/** What is asked, by the name of the file that its statements get. */
const ADDRESSES: Readonly<Record<string, string>> = {
  list: "/?release_status=Planned&due=next30",
  board: "/?view=board",
  words: "/api/releases?q=feature+passkeys",
  similar: "/api/releases?q=featrue",
  past: "/?as_of=2026-07-16&q=feature",
  changelog: "/changelog",
  changes: "/api/changes?product_name=Product&q=feature",
  release: `/release/${makeItem(1).release_item_id}`,
  insights: "/insights",
  compare: "/compare?from=2026-07-14&to=2026-07-17",
  feed: "/rss.xml?q=feature",
  calendar: "/calendar.ics",
};

if (import.meta.main) {
  await writeStatements();
  Deno.exit();
}

async function writeStatements(): Promise<void> {
  const database = await openMigratedEmbedded();
  try {
    const statements = new Map<string, string>();
    const record = (name: string) => {
      const seen = new Set<string>();
      return recording(database, (text) => {
        if (statements.has(text)) return;
        seen.add(text);
        statements.set(text, seen.size === 1 ? name : `${name}_${seen.size}`);
      });
    };
    const items = [makeItem(1), makeItem(2), makeItem(3, { release_status: "Shipped" })];
    await importItems(record("import"), items, { asOf: "2026-07-14" });
    const later = items.map((item) => ({ ...item, release_date: "Q4 2026" }));
    await importItems(record("import_changed"), later, { asOf: "2026-07-15" });
    for (const [name, path] of Object.entries(ADDRESSES)) {
      await using app = await startApp(record(name));
      const response = await app.fetch(path);
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
      await response.body?.cancel();
    }
    {
      await using digests = await startDigests(record("digest"));
      await digests.verify("ann@example.com");
      await importItems(database, items, { asOf: "2026-07-16" });
      await digests.queue();
      await digests.app.sendMails();
    }
    const longest = [...statements].toSorted(([one], [other]) => other.length - one.length)
      .slice(0, MOST).map(([text, name]) => [`${name}.sql`, tidy(text)] as const);
    await Deno.remove(FOLDER, { recursive: true }).catch(() => {});
    await Deno.mkdir(FOLDER, { recursive: true });
    for (const [name, text] of longest) await Deno.writeTextFile(new URL(name, FOLDER), text);
  } finally {
    await database.close();
  }
}

/** The same database, which tells the text of each statement. */
function recording(database: Database, see: (text: string) => void): Database {
  const watch = (connection: Connection): Connection => ({
    ...connection,
    query: (statement: Sql) => {
      see(statement.compile().text);
      return connection.query(statement);
    },
  });
  return {
    ...database,
    query: (statement, caller) => {
      see(statement.compile().text);
      return database.query(statement, caller);
    },
    transaction: (work, caller) =>
      database.transaction((connection) => work(watch(connection)), caller),
  };
}

/** Without the margin of templates and blank lines of fragments that are empty. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
  const margin = Math.min(...lines.slice(1).map((line) => line.search(/\S/)));
  return lines.map((line, index) => index === 0 ? line.trimStart() : line.slice(margin))
    .join("\n").trim() + "\n";
}
