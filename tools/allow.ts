import { dirname } from "node:path";
import { VARIABLE_NAMES } from "../lib/config/setting_names.ts";
import { isTooLong, socketOf } from "../lib/database/embedded/socket_path.ts";
import { isFile } from "./source_files.ts";

/** Read by libraries: postgres.js, terminal colours and widths. */
const LIBRARY_VARIABLES = ["PG*", "USER", "NO_COLOR", "TERM", "CI"];

/** Commands that take a file from anywhere. */
const READS_ANY_FILE = ["import", "backup", "restore"];
const WRITES_ANY_FILE = ["backup", "restore"];

/** Commands that read the file of ROADMAP_CONFIG. */
const READS_CONFIG = ["serve", "sources", "search", "doctor"];
/** Commands that read the sources themselves, and the pictures of the pages. */
const READS_SOURCES = ["serve", "doctor"];

/** The settings that decide which files a command may reach. */
export interface Places {
  /** The folder of the code and its packages; absent: the current one. */
  folder?: string;
  DATA_DIR?: string;
  ROADMAP_SOURCE?: string;
  TMPDIR?: string;
  ROADMAP_CONFIG?: string;
  SITE_LOGO?: string;
  SITE_PREVIEW?: string;
  /** The files that ROADMAP_CONFIG names. */
  sourceFiles?: readonly string[];
  /** The command writes a file where the caller says. */
  writesAnyFile?: boolean;
  /** The environment variables that it names, for headers of requests. */
  variables?: readonly string[];
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
  const { folder = ".", sourceFiles = [], variables = [] } = places;
  const writesAnyFile = places.writesAnyFile || WRITES_ANY_FILE.includes(command);
  const data = places.DATA_DIR?.trim() || "./data";
  // If the path of the socket is too long, a shorter one is there.
  const own = [data, ...isTooLong(socketOf(data)) ? [places.TMPDIR || "/tmp"] : []];
  const readable = [folder, ...own];
  const config = places.ROADMAP_CONFIG?.trim();
  // The folder too, so a source that is added while the server runs can be a file there.
  if (config && READS_CONFIG.includes(command)) readable.push(dirname(config));
  if (readsSources(command)) {
    const { ROADMAP_SOURCE, SITE_LOGO, SITE_PREVIEW } = places;
    const named = [ROADMAP_SOURCE, SITE_LOGO, SITE_PREVIEW].flatMap((file) => file?.trim() || []);
    readable.push(...named.filter(isFile), ...sourceFiles);
  }
  return [
    "--allow-net",
    `--allow-sys=hostname${command === "doctor" ? ",statfs" : ""}`,
    "--ignore-env",
    `--allow-env=${[...VARIABLE_NAMES, ...LIBRARY_VARIABLES, ...variables].join(",")}`,
    // The launcher passes its variables on, and only the settings among them can be read.
    "--deny-read=.env",
    READS_ANY_FILE.includes(command) ? "--allow-read" : `--allow-read=${joinPaths(readable)}`,
    writesAnyFile ? "--allow-write" : `--allow-write=${joinPaths(own)}`,
  ];
}

/** Whether a command reads the sources, and so the files that ROADMAP_CONFIG names. */
export function readsSources(command: string): boolean {
  return READS_SOURCES.includes(command);
}

/**
 * Paths as the value of one flag. Deno 2.9.6 splits at every comma, even a doubled one: a command
 * then starts without such a path, and refuses the setting with a message.
 */
function joinPaths(paths: readonly string[]): string {
  const nameable = paths.filter((path) => !path.includes(","));
  return nameable.length > 0 ? nameable.join(",") : "./data";
}
