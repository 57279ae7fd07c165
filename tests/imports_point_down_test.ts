import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));

/** Files right below lib/: settings, log and small tools that every floor may use. */
const TOOLS = "lib/*.ts";

const TEXT = ["lib/text/"];
const DATABASE = [...TEXT, "lib/database/", TOOLS];
const HTTP = [...DATABASE, "lib/http/"];
const ROADMAP = [...HTTP, "lib/roadmap/"];

/** The rooms that stand side by side on the roadmap and know nothing of each other. */
const SUBJECTS = ["import", "search", "feeds", "delivery", "insights"].map((name) =>
  `lib/${name}/`
);

/** Each room, and the places that its files may import from. A longer path goes first. */
const ROOMS: readonly [room: string, below: readonly string[]][] = [
  ["bench/", ["bench/", "composition_root.ts", "commands/", "routes/", "lib/", "tools/"]],
  ["tools/", ["tools/", "lib/http/", "lib/import/", TOOLS]],
  ["main.ts", ["commands/", TOOLS]],
  ["commands/", ["commands/", "composition_root.ts", "routes/", "lib/"]],
  ["composition_root.ts", ["routes/", "lib/"]],
  ["routes/", ["routes/", ...ROADMAP, ...SUBJECTS, "lib/mcp/", "lib/ui/", "islands/", "deno.json"]],
  ["islands/", ["islands/", "lib/roadmap/", ...TEXT]],
  ["lib/ui/", ["lib/ui/", ...ROADMAP, "islands/"]],
  ["lib/mcp/", ["lib/mcp/", "lib/search/", "deno.json", ...ROADMAP]],
  ...SUBJECTS.map((room): [string, readonly string[]] => [room, [room, ...ROADMAP]]),
  ["lib/roadmap/", ROADMAP],
  ["lib/http/", HTTP],
  ["lib/database/", DATABASE],
  ["lib/text/", TEXT],
  ["lib/", [TOOLS, ...TEXT]],
];

/** All source files but the tests, as paths from the project's root. */
function* sourceFiles(folder = ""): Generator<string> {
  const roots = [
    "main.ts",
    "composition_root.ts",
    "bench",
    "commands",
    "routes",
    "islands",
    "lib",
    "tools",
  ];
  for (const { name, isDirectory } of Deno.readDirSync(join(PROJECT, folder))) {
    const path = join(folder, name);
    if (folder === "" && !roots.includes(name)) continue;
    if (isDirectory) yield* sourceFiles(path);
    else if (/\.tsx?$/.test(name)) yield path;
  }
}

/** The files of the project that a file imports, types included. */
function importsOf(path: string): string[] {
  const text = Deno.readTextFileSync(join(PROJECT, path));
  const specifiers = text.matchAll(
    /^(?:import|export)\b[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...specifiers].map(([, from, effect, dynamic]) => (from ?? effect ?? dynamic)!)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => relative(PROJECT, join(PROJECT, dirname(path), specifier)));
}

function mayImport(path: string, imported: string): boolean {
  const [, below] = ROOMS.find(([room]) => path.startsWith(room))!;
  return below.some((place) =>
    place === TOOLS ? /^lib\/[^/]+\.ts$/.test(imported) : imported.startsWith(place)
  );
}

Deno.test("Imports point down only", () => {
  const files = [...sourceFiles()];
  const imports = files.flatMap((path) => importsOf(path).map((imported) => ({ path, imported })));
  assertEquals(files.length > 40 && imports.length > 100, true);
  const wrong = imports.filter(({ path, imported }) => !mayImport(path, imported))
    .map(({ path, imported }) => `${path} imports ${imported}`);
  assertEquals(wrong, []);
});

Deno.test("Texts, wire formats and islands import nothing of the server", () => {
  const forbidden = /from "(node:|postgres|hono|@electric-sql|@logtape)/;
  const wrong = [...sourceFiles()].filter((path) => /^(lib\/text|islands)\//.test(path))
    .filter((path) => forbidden.test(Deno.readTextFileSync(join(PROJECT, path))));
  assertEquals(wrong, []);
});

Deno.test("SQL stands in files that hold nothing else", () => {
  const wrong = [...sourceFiles()]
    .filter((path) => !path.endsWith("_sql.ts") && !/^(lib\/database|bench)\//.test(path))
    .filter((path) => importsOf(path).includes("lib/database/sql.ts"));
  assertEquals(wrong, []);
});
