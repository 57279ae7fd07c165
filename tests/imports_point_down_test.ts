import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));

/** Each room, and the rooms that it may look into besides itself. A longer path goes first. */
const ROOMS: readonly [room: string, below: string[]][] = [
  ["main.ts", ["commands/", "lib/config.ts"]],
  ["commands/", ["routes/", "lib/"]],
  [
    "routes/",
    [
      "lib/http/",
      "lib/semantic/",
      "lib/data/",
      "lib/format/",
      "lib/ui/",
      "islands/",
      "lib/*.ts",
      "deno.json",
    ],
  ],
  ["islands/", ["lib/format/"]],
  ["lib/format/", []],
  ["lib/ui/", ["lib/http/", "lib/format/", "islands/", "lib/*.ts"]],
  ["lib/data/", ["lib/format/", "lib/*.ts"]],
  ["lib/http/", ["lib/data/", "lib/format/", "lib/*.ts"]],
  ["lib/jobs/", ["lib/semantic/", "lib/data/", "lib/format/", "lib/*.ts"]],
  ["lib/semantic/", ["lib/data/", "lib/format/", "lib/*.ts"]],
  ["lib/", ["lib/format/", "lib/*.ts"]],
];

/** All source files of the service, as paths from the project's root. */
function* sourceFiles(folder = ""): Generator<string> {
  const roots = ["main.ts", "commands", "routes", "islands", "lib"];
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
  const [room, below] = ROOMS.find(([room]) => path.startsWith(room))!;
  return [room, ...below].some((place) =>
    place === "lib/*.ts" ? /^lib\/[^/]+\.ts$/.test(imported) : imported.startsWith(place)
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

Deno.test("Formats and islands import nothing of the server", () => {
  const forbidden = /from "(node:|postgres|hono|@electric-sql|@logtape)/;
  const wrong = [...sourceFiles()].filter((path) => /^(lib\/format|islands)\//.test(path))
    .filter((path) => forbidden.test(Deno.readTextFileSync(join(PROJECT, path))));
  assertEquals(wrong, []);
});
