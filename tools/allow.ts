import { dirname, isAbsolute, join } from "node:path";
import { SETTING_NAMES } from "../lib/config.ts";
import { isTooLong, socketOf } from "../lib/socket_path.ts";

/** Read by libraries: postgres.js, terminal colours and widths. */
const LIBRARY_VARIABLES = ["PG*", "USER", "NO_COLOR", "TERM", "CI"];

/** Commands that a person gives a file anywhere. */
const READS_ANY_FILE = ["import", "backup", "restore"];
const WRITES_ANY_FILE = ["backup", "restore"];

/** Commands that read the file which names the sources. */
const READS_CONFIG = ["serve", "sources", "search"];

/** The settings that decide which files a command may reach. */
export interface Places {
  DATA_DIR?: string;
  ROADMAP_SOURCE?: string;
  TMPDIR?: string;
  ROADMAP_CONFIG?: string;
  /** The files that ROADMAP_CONFIG names. */
  sourceFiles?: readonly string[];
}

/**
 * The flags of `deno run` for a command of main.ts: it reaches the network, the settings, the
 * project and the folder of the embedded database, and no more than it needs besides.
 *
 * ```ts
 * const flags = allow("migrate", { DATA_DIR: "/srv/roadcast" });
 * if (!flags.includes("--allow-write=/srv/roadcast")) throw new Error(flags.join(" "));
 * ```
 */
export function allow(command: string, places: Places): string[] {
  const { DATA_DIR, ROADMAP_SOURCE, ROADMAP_CONFIG, TMPDIR, sourceFiles = [] } = places;
  const data = DATA_DIR?.trim() || "./data";
  // A socket whose path is too long has one of its own there.
  const own = [data, ...isTooLong(socketOf(data)) ? [TMPDIR || "/tmp"] : []];
  const readable = [".", ...own];
  if (command === "serve" && ROADMAP_SOURCE && isFile(ROADMAP_SOURCE)) {
    readable.push(ROADMAP_SOURCE);
  }
  if (ROADMAP_CONFIG && READS_CONFIG.includes(command)) {
    // The folder as well, so that a source which is added while the server runs can lie there.
    readable.push(dirname(ROADMAP_CONFIG), ...command === "serve" ? sourceFiles : []);
  }
  return [
    "--allow-net",
    "--allow-sys=hostname",
    "--ignore-env",
    `--allow-env=${[...SETTING_NAMES, ...LIBRARY_VARIABLES].join(",")}`,
    READS_ANY_FILE.includes(command) ? "--allow-read" : `--allow-read=${joinPaths(readable)}`,
    WRITES_ANY_FILE.includes(command) ? "--allow-write" : `--allow-write=${joinPaths(own)}`,
  ];
}

/** The files that ROADMAP_CONFIG names; none where it cannot be read: the command says why. */
export async function readSourceFiles(config: string | undefined): Promise<string[]> {
  if (!config) return [];
  try {
    const { sources } = JSON.parse(await Deno.readTextFile(config)) as {
      sources: { from: string }[];
    };
    return sources.map(({ from }) => from.trim()).filter(isFile)
      .map((path) => isAbsolute(path) ? path : join(dirname(config), path));
  } catch {
    return [];
  }
}

function isFile(source: string): boolean {
  return !/^(https?|github):/i.test(source);
}

/**
 * Paths as the value of one flag. Deno 2.9.6 takes every comma for the end of a path, even one that
 * is doubled: a command then starts without such a path, and refuses the setting with a message.
 */
function joinPaths(paths: readonly string[]): string {
  const nameable = paths.filter((path) => !path.includes(","));
  return nameable.length > 0 ? nameable.join(",") : "./data";
}
