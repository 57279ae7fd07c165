import { SETTING_NAMES } from "../lib/config.ts";
import { isTooLong, socketOf } from "../lib/socket_path.ts";

/** Read by libraries: postgres.js, terminal colours and widths. */
const LIBRARY_VARIABLES = ["PG*", "USER", "NO_COLOR", "TERM", "CI"];

/** Commands that a person gives a file anywhere. */
const READS_ANY_FILE = ["import", "backup", "restore"];
const WRITES_ANY_FILE = ["backup", "restore"];

/** The settings that decide which files a command may reach. */
export interface Places {
  DATA_DIR?: string;
  ROADMAP_SOURCE?: string;
  TMPDIR?: string;
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
export function allow(command: string, { DATA_DIR, ROADMAP_SOURCE, TMPDIR }: Places): string[] {
  const data = DATA_DIR?.trim() || "./data";
  // A socket whose path is too long has one of its own there.
  const own = [data, ...isTooLong(socketOf(data)) ? [TMPDIR || "/tmp"] : []];
  const readable = [".", ...own];
  if (command === "serve" && ROADMAP_SOURCE && !/^https?:/i.test(ROADMAP_SOURCE)) {
    readable.push(ROADMAP_SOURCE);
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

/**
 * Paths as the value of one flag. Deno 2.9.6 takes every comma for the end of a path, even one that
 * is doubled: a command then starts without such a path, and refuses the setting with a message.
 */
function joinPaths(paths: readonly string[]): string {
  const nameable = paths.filter((path) => !path.includes(","));
  return nameable.length > 0 ? nameable.join(",") : "./data";
}
