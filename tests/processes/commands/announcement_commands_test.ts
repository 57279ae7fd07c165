import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { openEmbedded } from "../../../lib/database/embedded/embedded.ts";
import { sql } from "../../../lib/database/sql.ts";
import { makeItem } from "../../support/app.ts";
import { follow, postAddress, serveAnnounced } from "../../support/subjects/announcements.ts";
import { runTask, sayHere } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";

const POST = postAddress(10001);
const named = (number: number, feature_name: string, more: Record<string, unknown> = {}) =>
  makeItem(number, { feature_name, ...more });
const OWN = { blog_title: "Own", blog_url: "https://example.com/own" };
const ITEMS = [
  named(1, "Custom pools"),
  named(2, "Identity columns"),
  named(3, "Twice"),
  named(4, "Twice"),
  named(5, "Own words", OWN),
];
const POSTS = [
  { id: 10001, title: "Custom pools" },
  { id: 10002, title: "IDENTITY columns in warehouses (Preview)" },
];

const SOON = ": the next import of its source, which is due now, shows it";

Deno.test("deno task announcements lists matches, and corrects them", async (t) => {
  const folder = await Deno.makeTempDir();
  await using source = serveAnnounced(ITEMS, POSTS);
  await copyMigrated(folder);
  const database = await openEmbedded(folder, { shares: true });

  /** Follows the source, as a server does. */
  async function work() {
    const app = await follow(database, source);
    const { announcements } = await app.work();
    await app[Symbol.asyncDispose]();
    const shown = await database.query<{ feature_name: string; blog_url: string | null }>(
      sql`select feature_name, blog_url from items order by release_item_id limit 2`,
    );
    return { announcements, shown: shown.map(({ blog_url }) => blog_url) };
  }
  async function run(...words: string[]) {
    const { code, out, err } = await sayHere(["announcements", ...words], { DATA_DIR: folder });
    return { code, out: out.replaceAll(source.url, "SOURCE"), err: err.trim() };
  }

  await t.step("without any announcements", async () => {
    const { out } = await runTask(["announcements"], { DATA_DIR: folder });
    match(out, /^To match blog posts, give a source an "announcements" feed in ROADMAP_CONFIG/);
  });
  assertEquals((await work()).shown, [POST, null]);

  await t.step("it lists matches", async () => {
    assertEquals(
      (await run()).out,
      [
        "Plan  SOURCE/feed  2 posts  1 announced release",
        "  Custom pools  General availability  00000000-0000-4000-8000-000000000001",
        `    Custom pools  ${POST}  same name`,
        "",
      ].join("\n"),
    );
  });

  await t.step("--reject rejects a post permanently, by any of its addresses", async () => {
    const moved = "https://community.example.com/blog/updates/pools/10001";
    assertEquals((await run("--reject", moved)).out, `Rejected ${moved}${SOON}\n`);
    assertEquals(await work(), { announcements: { changed: 0 }, shown: [null, null] });
  });

  await t.step("--set assigns a post permanently, by name or ID of the release", async () => {
    const { out } = await run("--set", "Identity columns", postAddress(10002));
    assertEquals(out, `Set ${postAddress(10002)} for "Identity columns"${SOON}\n`);
    const id = "00000000-0000-4000-8000-000000000001";
    assertEquals((await run("--set", id, POST)).out, `Set ${POST} for "Custom pools"${SOON}\n`);
    assertEquals(await work(), {
      announcements: { changed: 0 },
      shown: [POST, postAddress(10002)],
    });
    match((await run()).out, /Custom pools {2}\S+ba-p\/10001 {2}set by you/);
    const { out: own } = await run("--set", "Own words", POST);
    match(own, /but its source gives an announcement of its own, which stays$/m);
  });

  await t.step("mistakes are reported with the reason", async () => {
    const mistakes: [string[], RegExp, number][] = [
      [["--reject", "Custom pools"], /named by its http or https address, not "Custom pools"/, 1],
      [["--reject", "https://example.com/x"], /There is no post https:\/\/example.com\/x among/, 1],
      [["--set", "No such", POST], /There is no active release with the name "No such"/, 1],
      [["--set", "Twice", POST], /Several releases have this name, use an id: 0.*3, 0.*4/, 1],
      [["--set", "Twice"], /--set takes a release and a post\. Usage: /, 2],
      [["--set", "a", "--reject", "b"], /Either --reject or --set\. Usage: /, 2],
      [["https://example.com"], /--set takes a release and a post\. Usage: /, 2],
    ];
    for (const [words, reason, expected] of mistakes) {
      const { code, err } = await run(...words);
      match(err, reason);
      assertEquals(code, expected);
    }
  });
  await database.close();
  await Deno.remove(folder, { recursive: true });
});
