/**
 * Prints what a task of deno.json may reach beyond the project, for its permission flags:
 * `env` the variables it may read, `write` the folder of the embedded database, `read` that and
 * the project and a source of the roadmap that is a file.
 */
import { SETTING_NAMES } from "../lib/config.ts";

/** Read by libraries: postgres.js, terminal colours and widths. */
const LIBRARY_VARIABLES = ["PG*", "USER", "NO_COLOR", "TERM", "CI"];

const dataFolder = Deno.env.get("DATA_DIR") || "./data";
const source = Deno.env.get("ROADMAP_SOURCE") || "";
const isFile = source !== "" && !/^https?:/i.test(source);

const allowed: Record<string, string[]> = {
  env: [...SETTING_NAMES, ...LIBRARY_VARIABLES],
  read: [".", dataFolder, ...isFile ? [source] : []],
  write: [dataFolder],
};

console.log(allowed[Deno.args[0] ?? ""]!.join(","));
