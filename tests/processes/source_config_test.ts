import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { join } from "node:path";
import { SOURCE_KINDS } from "../../lib/config/source_kinds.ts";
import { parseSources, SOURCES_FILE } from "../../lib/import/sources/source_config.ts";
import { formatConfigSchema } from "../../tools/roadmap_config_schema.ts";
import { makeItem } from "../support/app.ts";
import { runHere, runTask } from "../support/command.ts";
import { copyMigrated } from "../support/databases.ts";
import { startServer, startServerByTask } from "../support/server.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";
import { readHealth, waitFor } from "../support/wait_for.ts";

/** A separate folder with a file that lists the sources. */
async function ownFolder() {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "sources.json");
  return {
    folder,
    file,
    settings: { DATA_DIR: join(folder, "data"), ROADMAP_CONFIG: file },
    configure: (sources: unknown) => Deno.writeTextFile(file, JSON.stringify({ sources })),
    write: (name: string, items: unknown) =>
      Deno.writeTextFile(join(folder, name), JSON.stringify(items)),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("A sources file with mistakes stops the start, and all are reported", async () => {
  await using own = await ownFolder();
  const mistakesIn = async (text: string) => {
    await Deno.writeTextFile(own.file, text);
    const { code, out, err } = await runHere(["serve"], own.settings);
    assertEquals([code, out], [78, ""]);
    return err.split("\n");
  };
  const mistakes = await mistakesIn(JSON.stringify({
    $schema: "https://example.com/roadmap-config.schema.json",
    source: [],
    sources: [
      { name: "a", from: "a.json", kind: "excel", every_minutes: 0 },
      { name: "a", from: "b.json", fields: { release_date: { from: "Due", format: "D-D" } } },
      { name: "", from: "c.json", form: "c.json" },
      { from: "github:owner/repository", kind: "jira" },
      { name: "d", from: "https://github.com/a/b", kind: "github" },
      { name: "e", from: "e.csv", fields: { status: "State", feature_name: {} } },
      "f.json",
      { name: "g", from: "g.csv", language: "brazilian portuguese" },
    ],
  }));
  assertEquals(mistakes.shift(), `Cannot use ROADMAP_CONFIG ${own.file}:`);
  const isNamed = (path: string) => mistakes.some((line) => line.startsWith(`  ${path}: `));
  for (
    const path of [
      "source",
      "sources[0].kind",
      "sources[0].every_minutes",
      "sources[1].name",
      "sources[1].fields.release_date.format",
      "sources[2].name",
      "sources[2].form",
      "sources[3].name",
      "sources[3].kind",
      "sources[4].from",
      "sources[5].fields",
      "sources[5].fields.feature_name",
      "sources[6]",
      "sources[7].language",
    ]
  ) assertEquals([path, isNamed(path), mistakes], [path, true, mistakes]);
  assertEquals(mistakes.length, 14, mistakes.join("\n"));

  const { file } = own;
  assertEquals(await mistakesIn("[]"), [
    `Cannot use ROADMAP_CONFIG ${file}:`,
    "  the file: must be an object",
  ]);
  assertEquals(await mistakesIn('{"sources": []}'), [
    `Cannot use ROADMAP_CONFIG ${file}:`,
    "  sources: must have at least one source",
  ]);
  const [reason] = await mistakesIn('{"sources": [}');
  assertMatch(reason!, /^ROADMAP_CONFIG .*sources\.json is not JSON: Unexpected token/);
  await Deno.remove(file);
  const { code, err } = await runHere(["serve"], own.settings);
  assertEquals([code, err], [78, `Cannot read ROADMAP_CONFIG ${file}: there is no such file`]);
});

Deno.test("ROADMAP_SOURCE and ROADMAP_CONFIG are mutually exclusive", async () => {
  const settings = { ROADMAP_SOURCE: "a.json", ROADMAP_CONFIG: "b.json" };
  const { code, err } = await runHere(["serve"], settings);
  assertEquals([code, err], [
    78,
    "Set ROADMAP_SOURCE or ROADMAP_CONFIG, not both: list every source in the file",
  ]);
});

Deno.test("The JSON Schema of the sources file is up to date", async () => {
  const text = await Deno.readTextFile(
    new URL("../../docs/roadmap-config.schema.json", import.meta.url),
  );
  assertEquals(
    JSON.parse(text),
    JSON.parse(formatConfigSchema()),
    "Run `deno task generate`",
  );
});

Deno.test("docs/sources.md describes every key of a source", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/sources.md", import.meta.url));
  const keys = Object.keys(SOURCES_FILE.shape.sources.element.shape);
  const rows = text.match(/^\| `.*$/gm)!.join("\n");
  assertEquals(keys.filter((key) => !rows.includes(`\`${key}\``)), []);
});

Deno.test("docs/source-kinds.md describes every kind", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/source-kinds.md", import.meta.url));
  assertEquals(SOURCE_KINDS.filter((kind) => !text.includes(`\n| \`${kind}\` `)), []);
});

Deno.test("The examples in the documentation are valid", async () => {
  const names = ["sources.md", "mapping.md", "source-kinds.md", "recipes.md"];
  const text = (await Promise.all(
    names.map((name) => Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url))),
  )).join("");
  const examples = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, json]) => JSON.parse(json!))
    .map((example) => "name" in example && "from" in example ? { sources: [example] } : example)
    .filter((example) => "sources" in example);
  assertEquals(examples.length, 29);
  for (const example of examples) assertEquals(parseSources(example).mistakes, []);
});

Deno.test("Several sources are imported, reported one by one, and reloaded on SIGHUP", async () => {
  await using own = await ownFolder();
  await using source = serveSource((request) =>
    answerConditionally(request, '"1"', JSON.stringify([makeItem(1)]))
  );
  await own.write("b.json", [makeItem(2), makeItem(3)]);
  const [a, b] = [
    { name: "a", from: `${source.url}/items?key=hidden`, every_minutes: 5 },
    { name: "b", from: "b.json" },
  ];
  const broken = { name: "c", from: "c.json" };
  await own.configure([a, b, broken]);
  await copyMigrated(own.settings.DATA_DIR);
  await using server = await startServerByTask(own.settings);
  const get = async (path: string) => await (await fetch(server.url + path)).json();
  const namesOf = async () => (await get("/api/filter-options")).sources;
  assertEquals(await namesOf(), ["a", "b"]);

  const ready = await readHealth(() => get("/ready"));
  assertEquals([ready.ready, ready.roadmap], [false, "c: never imported"]);
  assertEquals(ready.sources, [
    { name: "a", roadmap: "ok" },
    { name: "b", roadmap: "ok" },
    { name: "c", roadmap: "never imported" },
  ]);
  const { sources } = await readHealth(() => get("/health"));
  assertEquals(
    sources.map((
      { name, last_import }: { name: string; last_import: Record<string, unknown> },
    ) => [name, last_import.added, last_import.error]),
    [["a", 1, null], ["b", 2, null], [
      "c",
      null,
      "the source cannot be read",
    ]],
  );
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assertMatch(metrics, /^roadcast_source_last_import_failed\{source="a"\} 0$/m);
  assertMatch(metrics, /^roadcast_source_last_import_failed\{source="c"\} 1$/m);
  assertMatch(metrics, /^roadcast_source_import_age_seconds\{source="b"\} \d/m);
  assertEquals(source.asked.length, 1);

  await own.configure([{ ...a, every_minutes: "often" }]);
  server.kill("SIGHUP");
  await waitFor("the refusal", () => server.output().includes("sources[0].every_minutes: must be"));
  assertMatch(server.output(), /Cannot reload the sources, keeping the current ones/);

  // While the server runs, `a` is removed, `b` gets another file, and `d` is added.
  await own.write("new.json", [makeItem(2), makeItem(4)]);
  await own.write("d.json", [makeItem(5)]);
  await own.configure([{ name: "b", from: "new.json" }, { name: "d", from: "d.json" }]);
  server.kill("SIGHUP");
  await waitFor("the new sources", async () => (await namesOf()).includes("d"));
  await waitFor("the import of b", async () => {
    const { data } = await get("/api/releases?source=b");
    return data.some(({ feature_name }: { feature_name: string }) => feature_name === "Feature 4");
  });
  assertEquals(await namesOf(), ["a", "b", "d"]);
  const after = await readHealth(() => get("/ready"));
  assertEquals([after.ready, after.sources.length], [true, 2]);
  assertEquals(server.output().includes("hidden"), false);
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0);

  const sourcesTask = (...words: string[]) => runHere(["sources", ...words], own.settings);
  const listed = await sourcesTask();
  assertEquals([listed.code, listed.err], [0, ""]);
  // Below each source stands what its statuses count as.
  const lines = listed.out.split("\n").filter((line) => /^\w/.test(line));
  assertEquals(lines.length, 3, listed.out);
  assertMatch(
    lines[0]!,
    /^a {2}not scheduled {2}http.*\/items\?key=… {2}1 active item {2}1 product {2}last import .*: 1 added/,
  );
  assertMatch(
    lines[1]!,
    /^b {2}kind detected {2}\/.*\/new\.json {2}2 active items {2}1 product {2}.* next due 20.*Z$/,
  );
  const refused = await sourcesTask("remove", "b");
  assertEquals([refused.code, refused.err], [
    1,
    'The source "b" is imported on a schedule: remove it from ROADMAP_CONFIG first',
  ]);
  const removed = await sourcesTask("remove", "a");
  assertEquals(removed.code, 0);
  assertMatch(removed.out, /^Removed 1 item of the source "a" as of \d{4}-\d\d-\d\d$/);
  const again = await sourcesTask("remove", "a");
  assertEquals([again.code, again.err], [
    1,
    'There is no source "a" with active items; sources with active items: "b", "d"',
  ]);
  const wrong = await sourcesTask("forget", "a");
  assertEquals([wrong.code, wrong.err], [
    2,
    'Sources can be listed or removed, not "forget". Usage: deno task sources [remove NAME]',
  ]);
  const nameless = await sourcesTask("remove");
  assertEquals([nameless.code, nameless.err], [
    2,
    "Name the source to remove. Usage: deno task sources [remove NAME]",
  ]);
});

Deno.test("A sources file in any folder can name files in any folder", async () => {
  await using own = await ownFolder();
  await using other = await ownFolder();
  await other.write("a.json", [makeItem(1)]);
  await other.write("b.json", [makeItem(2)]);
  const elsewhere = { name: "a", from: join(other.folder, "a.json") };
  await own.write("c.json", [makeItem(3)]);
  await own.configure([elsewhere, { name: "c", from: "c.json" }]);
  await copyMigrated(own.settings.DATA_DIR);
  const doctor = await runTask(["doctor"], own.settings);
  assertMatch(
    doctor.out,
    /^ok +sources +2 sources can be read: a \(json, 1 item\), c \(json, 1 item\)$/m,
  );
  await using server = await startServerByTask(own.settings);
  const { sources } = await (await fetch(`${server.url}/api/filter-options`)).json();
  assertEquals(sources, ["a", "c"]);

  await own.configure([elsewhere, { name: "b", from: join(other.folder, "b.json") }]);
  server.kill("SIGHUP");
  await waitFor("the new source", async () => {
    const { data } = await (await fetch(`${server.url}/api/releases?source=b`)).json();
    return data.length === 1;
  });
  const listed = await runHere(["sources"], own.settings);
  assertMatch(listed.out, /^a {2}.*\/a\.json {2}1 active item /m);
});

Deno.test("SIGHUP stops no server, whatever its settings are", async () => {
  await using own = await ownFolder();
  await own.write("a.json", [makeItem(1)]);
  const settings = { DATA_DIR: own.settings.DATA_DIR, ROADMAP_SOURCE: join(own.folder, "a.json") };
  await copyMigrated(settings.DATA_DIR);
  await using server = await startServer(settings);
  server.kill("SIGHUP");
  await waitFor("the answer", () => server.output().includes("Reloaded the sources"));
  const { data } = await (await fetch(`${server.url}/api/releases`)).json();
  assertEquals(data.length, 1);
});
