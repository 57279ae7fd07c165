import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import { v5 as uuidV5 } from "uuid";
import { makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

/** Debian's own, for which its python3-feedparser is. */
const PYTHON = "/usr/bin/python3";

/** What feedparser makes of a feed, as JSON. */
const PARSE = `
import feedparser, json, sys
feed = feedparser.parse(sys.argv[1])
print(json.dumps({
  "version": feed.version, "isBroken": bool(feed.bozo), "title": feed.feed.title,
  "entries": [[entry.id, entry.title, [tag.term for tag in entry.tags]] for entry in feed.entries],
}))`;

async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command(command, { args: [...args], env }).output();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Tests with a program of the system, where it is installed. */
async function testWith(
  program: readonly [command: string, ...args: string[]],
  name: string,
  test: Parameters<typeof testOnDatabases>[1],
): Promise<void> {
  const [command, ...args] = program;
  if (await run(command, args) === null) Deno.test.ignore(`${name}: no ${command} here`, () => {});
  else testOnDatabases(name, test);
}

const ITEMS = [
  makeItem(1, { feature_name: "]]> & <b>Ämter</b> \u202e\u0001", product_name: "R&D; x" }),
  makeItem(2),
];

await testWith(
  [PYTHON, "-c", "import feedparser"],
  "feedparser reads RSS and Atom",
  async (database) => {
    await using app = await serve(database, ITEMS);
    await using server = app.listen();
    const guid = `urn:uuid:${ITEMS[0]!.release_item_id}:2026-07-01`;
    const uuid = `urn:uuid:${uuidV5(guid, uuidV5.URL)}`;
    for (
      const [path, version, id, kind] of [
        ["/rss", "rss20", guid, ""],
        ["/atom.xml", "atom10", uuid, "New: "],
      ]
    ) {
      const address = `http://127.0.0.1:${server.port}${path}?product_name=R%26D%3B+x`;
      assertEquals(JSON.parse((await run(PYTHON, ["-c", PARSE, address]))!), {
        version,
        isBroken: false,
        title: "R&D; x · Roadcast",
        entries: [[id, `${kind}]]> & <b>Ämter</b>`, ["R&D; x", "General availability", "Planned"]]],
      });
    }
  },
);

await testWith(["newsboat", "-v"], "newsboat reads RSS and Atom", async (database) => {
  await using app = await serve(database, ITEMS);
  await using server = app.listen();
  for (const path of ["/rss.xml", "/atom.xml?limit=1"]) {
    const folder = await Deno.makeTempDir();
    const [urls, config] = [join(folder, "urls"), join(folder, "config")];
    await Deno.writeTextFile(urls, `http://127.0.0.1:${server.port}${path}\n`);
    await Deno.writeTextFile(config, "");
    const files = ["-u", urls, "-C", config, "-c", join(folder, "cache.db")];
    const newsboat = (command: string) =>
      run("newsboat", [...files, "-x", command], { HOME: folder });
    assert(await newsboat("reload") !== null);
    const count = path.includes("limit") ? 1 : 2;
    assertEquals((await newsboat("print-unread"))!.trim(), `${count} unread articles`);
    // It makes this folder whatever files it is given.
    assert((await Deno.stat(join(folder, ".newsboat"))).isDirectory);
    await Deno.remove(folder, { recursive: true });
  }
});

await testWith(
  ["newsboat", "-v"],
  "newsboat imports the feeds of the products",
  async (database) => {
    await using app = await serve(database, ITEMS);
    const folder = await Deno.makeTempDir();
    const [opml, urls] = [join(folder, "feeds.opml"), join(folder, "urls")];
    await Deno.writeTextFile(opml, await (await app.fetch("/feeds.opml")).text());
    await Deno.writeTextFile(urls, "");
    const files = ["-u", urls, "-C", urls, "-c", join(folder, "cache.db")];
    assert(await run("newsboat", [...files, "-i", opml], { HOME: folder }) !== null);
    const addresses = ["Product", "R%26D%3B%20x"].map((name) =>
      `http://localhost:8000/rss.xml?product_name=${name}`
    );
    const imported = (await Deno.readTextFile(urls)).trim().split("\n");
    assertEquals(imported.map((line) => line.split(" ")[0]!.replaceAll('"', "")), addresses);
    await Deno.remove(folder, { recursive: true });
  },
);
