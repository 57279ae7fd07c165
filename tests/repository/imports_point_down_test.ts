import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** The maximum number of lines per source file. */
const MAX_LINES = 400;

/** Files that may be longer: the table of all settings. */
const LONG_FILES = ["lib/config/settings.ts"];

/** Files directly in lib/ (log, errors and version), which every layer may use. */
const TOOLS = "lib/*.ts";

const BASE = ["messages/", "lib/text/", "lib/work/", TOOLS];
const CONFIG = [...BASE, "lib/config/"];
const DATABASE = [...CONFIG, "lib/database/"];
const HTTP = [...DATABASE, "lib/http/"];
const ROADMAP = [...HTTP, "lib/roadmap/"];

/** The folders on top of the roadmap that do not import each other. */
const SUBJECTS = [
  "import",
  "search",
  "feeds",
  "delivery",
  "insights",
  "pictures",
].map((
  name,
) => `lib/${name}/`);

/** Each folder with the paths that its files may import. Longer paths go first. */
const ROOMS: readonly [room: string, below: readonly string[]][] = [
  ["bench/", ["bench/", "commands/", "routes/", "lib/", "tools/"]],
  ["tools/", [
    "tools/",
    "routes/",
    "deno.json",
    "commands/",
    "lib/http/",
    "lib/import/",
    "lib/search/",
    ...CONFIG,
    "lib/database/",
    "lib/search/",
  ]],
  ["main.ts", ["commands/", ...CONFIG]],
  ["commands/", ["commands/", "routes/", "lib/"]],
  ["routes/", [
    "routes/",
    ...ROADMAP,
    ...SUBJECTS,
    "lib/admin/",
    "lib/doctor/",
    "lib/service/",
    "lib/mcp/",
    "lib/ui/",
    "islands/",
    "components/",
  ]],
  ["islands/", ["components/", "lib/roadmap/", ...BASE]],
  ["scripts/", ["scripts/", "components/", "lib/roadmap/", ...BASE]],
  ["components/", ["components/", "lib/roadmap/", ...BASE]],
  ["lib/ui/", [
    "lib/ui/",
    ...ROADMAP,
    ...SUBJECTS,
    "lib/admin/",
    "lib/doctor/",
    "lib/service/",
    "components/",
  ]],
  ["lib/mcp/", ["lib/mcp/", "lib/search/", "lib/service/", ...ROADMAP]],
  ["lib/service/", [
    "lib/service/",
    "lib/admin/",
    "lib/doctor/",
    ...ROADMAP,
    ...SUBJECTS,
  ]],
  ["lib/doctor/", ["lib/doctor/", ...ROADMAP, ...SUBJECTS]],
  ["lib/admin/", ["lib/admin/", ...ROADMAP, ...SUBJECTS]],
  ...SUBJECTS.map((
    room,
  ): [string, readonly string[]] => [room, [room, ...ROADMAP]]),
  ["lib/roadmap/", ROADMAP],
  ["lib/http/", HTTP],
  ["lib/database/", DATABASE],
  ["lib/config/", CONFIG],
  ["lib/work/", BASE],
  ["lib/text/", ["lib/text/", "messages/"]],
  ["lib/version.ts", ["deno.json"]],
  ["lib/", BASE],
];

const ROOTS = [
  "main.ts",
  "bench",
  "commands",
  "routes",
  "islands",
  "scripts",
  "components",
  "lib",
  "tools",
];

/** All source files in some roots, as paths from the project's root. */
function* sourceFiles(
  roots: readonly string[] = ROOTS,
  folder = "",
): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(join(PROJECT, folder))) {
    const path = join(folder, name);
    if (folder === "" ? !roots.includes(name) : name === "node_modules") {
      continue;
    }
    if (isDirectory) yield* sourceFiles(roots, path);
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

/** The import cycles, each as a path that ends where it starts. */
function findCircles(
  imports: ReadonlyMap<string, readonly string[]>,
): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]) => {
    const begun = way.indexOf(path);
    if (begun >= 0) circles.push([...way.slice(begun), path].join(" -> "));
    if (begun >= 0 || done.has(path)) return;
    for (const imported of imports.get(path) ?? []) {
      visit(imported, [...way, path]);
    }
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return circles;
}

Deno.test("Imports point down only", () => {
  const files = [...sourceFiles()];
  const imports = files.flatMap((path) => importsOf(path).map((imported) => ({ path, imported })));
  assertEquals(files.length > 40 && imports.length > 100, true);
  const wrong = imports.filter(({ path, imported }) => !mayImport(path, imported))
    .map(({ path, imported }) => `${path} imports ${imported}`);
  assertEquals(wrong, []);
});

Deno.test("There are no import cycles", () => {
  const sample = new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]]);
  assertEquals(findCircles(sample), ["b -> c -> b"]);
  assertEquals(
    findCircles(
      new Map([...sourceFiles()].map((path) => [path, importsOf(path)])),
    ),
    [],
  );
});

Deno.test(`No source file has more than ${MAX_LINES} lines`, () => {
  const product = [...sourceFiles()].filter((path) => !path.startsWith("bench/"));
  const long = product.filter((path) => !LONG_FILES.includes(path))
    .map((path) => ({
      path,
      lines: Deno.readTextFileSync(join(PROJECT, path)).split("\n").length - 1,
    }))
    .filter(({ lines }) => lines > MAX_LINES);
  assertEquals(long, []);
});

Deno.test("Texts, wire formats and islands import no server code", () => {
  const forbidden = /from "(node:|postgres|hono|@electric-sql|@logtape)/;
  const wrong = [...sourceFiles()].filter((path) =>
    /^(lib\/text|islands|scripts|components)\//.test(path)
  )
    .filter((path) => forbidden.test(Deno.readTextFileSync(join(PROJECT, path))));
  assertEquals(wrong, []);
});

Deno.test("SQL is in dedicated files only", () => {
  const wrong = [...sourceFiles()]
    .filter((path) => !path.endsWith("_sql.ts") && !/^(lib\/database|bench)\//.test(path))
    .filter((path) => importsOf(path).includes("lib/database/sql.ts"));
  assertEquals(wrong, []);
});
