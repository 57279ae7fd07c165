import { BackupError, readBackup } from "./backup_file.ts";
import { holdsEmbedded, restoreEmbedded } from "../lib/database/embedded/embedded.ts";
import { DatabaseInUse } from "../lib/database/embedded/folder_lock.ts";
import { refusePostgres } from "./backup.ts";
import { type Command, parseWords, UsageError } from "./command.ts";
import type { Help } from "./help.ts";
import { countOf } from "../lib/text/count_of.ts";

const ENOSPC = 51;

const USAGE = "deno task restore FILE";

/** The text of `--help`. */
export const help: Help = {
  summary: "Restores the embedded database from a backup",
  usage: USAGE,
  words: {
    FILE: "a file written by `deno task backup`; DATA_DIR must not have a database",
  },
};

/** `deno task restore`: creates the embedded database from a file that `backup` wrote. */
export const run: Command = async (args, config) => {
  const { positionals: [file] } = parseWords(args, {}, { usage: USAGE, words: [1, 1] });
  refusePostgres(config, "restore it with pg_restore");
  const { DATA_DIR: dataDir } = config;
  if (await holdsEmbedded(dataDir)) {
    throw new UsageError(
      `There is a database in ${dataDir} already: move it away, or set DATA_DIR to another folder`,
    );
  }
  await requireFile(file!);
  const { image, items } = await readBackup(file!);
  await restoreEmbedded(dataDir, image).catch((error) => {
    if (error instanceof DatabaseInUse) throw error;
    throw new BackupError(`Cannot restore to ${dataDir}: ${describeWriting(error)}`);
  });
  console.log(`Restored ${countOf(items, "item")} to ${dataDir}`);
};

async function requireFile(path: string): Promise<void> {
  const { isFile } = await Deno.stat(path).catch((error) => {
    throw new UsageError(`Cannot read ${path}: ${error.message}`);
  });
  if (!isFile) throw new UsageError(`Cannot read ${path}: it is not a file`);
}

/** The file system of PGlite reports only a WASI error number (errno). */
function describeWriting(error: unknown): string {
  const { errno, message } = error as Error & { errno?: number };
  return errno === ENOSPC ? "there is no space left on the disk" : message || String(error);
}
