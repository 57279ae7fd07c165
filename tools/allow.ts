import { dirname, isAbsolute, join } from "node:path";
import { VARIABLE_NAMES } from "../lib/config/config.ts";
import { isTooLong, socketOf } from "../lib/database/embedded/socket_path.ts";

/** Read by libraries: postgres.js, terminal colours and widths. */
const LIBRARY_VARIABLES = ["PG*", "USER", "NO_COLOR", "TERM", "CI"];

/** Commands that take a file from anywhere. */
const READS_ANY_FILE = ["import", "backup", "restore"];
const WRITES_ANY_FILE = ["backup", "restore"];

/** Commands that read the file of ROADMAP_CONFIG. */
const READS_CONFIG = ["serve", "sources", "search", "doctor"];
/** Commands that read the sources themselves. */
const READS_SOURCES = ["serve", "doctor"];

/** The settings that decide which files a command may reach. */
export interface Places {
  DATA_DIR?: string;
  ROADMAP_SOURCE?: string;
  TMPDIR?: string;
  ROADMAP_CONFIG?: string;
  SITE_LOGO?: string;
  SITE_PREVIEW?: string;
  /** The files that ROADMAP_CONFIG names. */
  sourceFiles?: readonly string[];
}

/**
 * The flags of `deno run` for a command of main.ts: access to the network, the settings, the
 * project, the folder of the embedded database, and only what else the command needs.
 *
 * ```ts
 * const flags = allow("migrate", { DATA_DIR: "/srv/roadcast" });
 * if (!flags.includes("--allow-write=/srv/roadcast")) throw new Error(flags.join(" "));
 * ```
 */
export function allow(command: string, places: Places): string[] {
  const { DATA_DIR, ROADMAP_SOURCE, ROADMAP_CONFIG, TMPDIR, sourceFiles = [] } = places;
  const data = DATA_DIR?.trim() || "./data";
  // If the path of the socket is too long, a shorter one is there.
  const own = [data, ...isTooLong(socketOf(data)) ? [TMPDIR || "/tmp"] : []];
  const readable = [".", ...own];
  const readsSources = READS_SOURCES.includes(command);
  if (readsSources && ROADMAP_SOURCE && isFile(ROADMAP_SOURCE)) {
    readable.push(ROADMAP_SOURCE);
  }
  if (command === "serve") {
    readable.push(...[places.SITE_LOGO, places.SITE_PREVIEW].flatMap((file) => file?.trim() || []));
  }
  if (ROADMAP_CONFIG && READS_CONFIG.includes(command)) {
    // The folder too, so a source that is added while the server runs can be a file there.
    readable.push(dirname(ROADMAP_CONFIG), ...readsSources ? sourceFiles : []);
  }
  return [
    "--allow-net",
    `--allow-sys=hostname${command === "doctor" ? ",statfs" : ""}`,
    "--ignore-env",
    `--allow-env=${[...VARIABLE_NAMES, ...LIBRARY_VARIABLES].join(",")}`,
    READS_ANY_FILE.includes(command) ? "--allow-read" : `--allow-read=${joinPaths(readable)}`,
    WRITES_ANY_FILE.includes(command) ? "--allow-write" : `--allow-write=${joinPaths(own)}`,
  ];
}

/** The files that ROADMAP_CONFIG names; none if it cannot be read: the command reports why. */
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
 * Paths as the value of one flag. Deno 2.9.6 splits at every comma, even a doubled one: a command
 * then starts without such a path, and refuses the setting with a message.
 */
function joinPaths(paths: readonly string[]): string {
  const nameable = paths.filter((path) => !path.includes(","));
  return nameable.length > 0 ? nameable.join(",") : "./data";
}
