/**
 * `deno task generate`: writes the table of all addresses, routes/table.ts, from the files
 * of routes/, as Fresh does. A test says that it is current.
 */
import type { Route, RouteModule } from "../routes/route.ts";

const FOLDER = new URL("../routes/", import.meta.url);
const TABLE = new URL("table.ts", FOLDER);
/** What of the folder has no address; neither have files that begin with `_` or `(`. */
const PARTS = ["app.ts", "route.ts", "table.ts"];

/** A file with an address. */
interface RouteFile {
  /** Below the folder. */
  file: string;
  path: string;
  module: RouteModule;
}

if (import.meta.main) await Deno.writeTextFile(TABLE, await writeTable());

/** The table as it has to be. */
export async function writeTable(): Promise<string> {
  const { routesAt } = await import("../routes/route.ts");
  const files = (await readFiles()).sort((one, other) => comparePaths(one.path, other.path));
  const width = Math.max(...files.map(({ path }) => path.length)) + 2;
  const rows = files.flatMap(({ file, path, module }) => {
    const quoted = path.includes("\\") ? `String.raw\`${path}\`` : `"${path}"`;
    const call = `  routesAt(${quoted},`.padEnd(width + 12) + ` ${nameOf(file)}),`;
    return routesAt(path, module).map((route, place) =>
      `${(place === 0 ? call : "").padEnd(2 * width + 10)} // ${describe(route)}`
    );
  });
  return [
    "// Written by `deno task generate` from the files of this folder.",
    "// deno-fmt-ignore-file",
    'import { type Route, routesAt } from "./route.ts";',
    ...files.map(({ file }) => `import * as ${nameOf(file)} from "./${file}";`),
    "",
    "/**",
    " * Every address that is served, below each site: the method, the caching (`variant`: as the variant",
    " * says; `data`: until the data changes; `asset`: for ever; `never`), the form of errors, and what it",
    " * is for. Of paths that fit, the first counts.",
    " */",
    "export const ROUTES: readonly Route[] = [",
    ...rows,
    "].flat();",
    "",
  ].join("\n");
}

function describe({ method, cache, errors, summary }: Route): string {
  return `${method.padEnd(4)} ${cache.padEnd(7)} ${errors}  ${summary}`;
}

async function readFiles(folder = ""): Promise<RouteFile[]> {
  const found: RouteFile[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, FOLDER))) {
    if (/^[_(]/.test(name) || folder === "" && PARTS.includes(name)) continue;
    const file = folder + name;
    if (isDirectory) found.push(...await readFiles(`${file}/`));
    else {
      const module: RouteModule = await import(new URL(file, FOLDER).href);
      found.push({ file, module, path: module.config.pattern ?? pathOf(file) });
    }
  }
  return found;
}

/**
 * The address that a file is named by.
 *
 * ```ts
 * if (pathOf("changelog/[day].tsx") !== "/changelog/:day") throw new Error();
 * if (pathOf("api/releases/index.ts") !== "/api/releases") throw new Error();
 * ```
 */
export function pathOf(file: string): string {
  const path = file.replace(/\.tsx?$/, "").replace(/(^|\/)index$/, "").replace(/\[(\w+)\]/g, ":$1");
  return `/${path}`;
}

/** Segments as they stand go before those that a pattern fits, and these before any. */
function comparePaths(one: string, other: string): number {
  const keyOf = (path: string) =>
    path.split("/").map((segment) =>
      (segment.startsWith(":") ? segment.includes("{") ? "~1" : "~2" : "") + segment
    ).join("/");
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `changelog/[day].tsx` as `changelog_day`. */
function nameOf(file: string): string {
  return file.replace(/\.tsx?$/, "").replace(/\W+/g, "_").replace(/^_|_$/g, "");
}
