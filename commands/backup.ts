import type { Config } from "../lib/config/config.ts";
import { BackupError, readBackup } from "./backup_file.ts";
import { packCluster } from "../lib/database/embedded/cluster_image.ts";
import { holdsEmbedded, openEmbeddedOrShared } from "../lib/database/embedded/embedded.ts";
import { countItems } from "../lib/roadmap/items_sql.ts";
import { systemReason } from "../lib/system_reason.ts";
import { type Command, parseWords, UsageError } from "./command.ts";
import type { Help } from "./help.ts";
import { countOf } from "../lib/text/count_of.ts";

const USAGE = "deno task backup FILE";

/** The text of `--help`. */
export const help: Help = {
  summary: "Backs up the embedded database to a file, even while the server runs",
  usage: USAGE,
  words: {
    FILE: "a file that does not exist yet",
  },
};

/** `deno task backup`: writes the embedded database to a file, and reads it back to be sure. */
export const run: Command = async (args, config) => {
  const { positionals: [file] } = parseWords(args, {}, { usage: USAGE, words: [1, 1] });
  refusePostgres(config, "back it up with pg_dump");
  if (await exists(file!)) throw new UsageError(`${file} already exists: choose another file`);
  if (!await holdsEmbedded(config.DATA_DIR)) {
    throw new UsageError(`There is no embedded database in ${config.DATA_DIR}`);
  }
  const database = await openEmbeddedOrShared(config.DATA_DIR);
  const unfinished = `${file}.unfinished`;
  try {
    const items = await packCluster(database, config.DATA_DIR, {
      read: countItems,
      write: (archive) => writeWhole(unfinished, archive),
    });
    await verify(unfinished, items);
    await Deno.rename(unfinished, file!);
    const { size } = await Deno.stat(file!);
    console.log(
      `Wrote ${countOf(items, "item")} to ${file} (${(size / 1024 / 1024).toFixed(1)} MB)`,
    );
  } catch (error) {
    await Deno.remove(unfinished).catch(() => {});
    const reason = systemReason(error);
    if (reason === null) throw error;
    throw new BackupError(`Cannot back up to ${file}: ${reason}`, { cause: error });
  } finally {
    await database.close();
  }
};

/** Only the embedded database; a PostgreSQL server has better tools. */
export function refusePostgres({ DATABASE_URL: databaseUrl }: Config, instead: string): void {
  if (databaseUrl === null) return;
  throw new UsageError(`DATABASE_URL names a PostgreSQL: ${instead}`);
}

async function exists(file: string): Promise<boolean> {
  return await Deno.stat(file).then(() => true, () => false);
}

/** On disk, not only in the system's buffers, and for its owner only: it contains addresses. */
async function writeWhole(path: string, content: ReadableStream<Uint8Array>): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  // A write through `file.writable` may still wait in a buffer when it is settled.
  for await (const chunk of content) {
    for (let written = 0; written < chunk.length;) {
      written += await file.write(chunk.subarray(written));
    }
  }
  await file.sync();
}

async function verify(path: string, items: number): Promise<void> {
  const { items: found } = await readBackup(path);
  if (found !== items) {
    throw new Error(`Cannot back up: ${path} holds ${countOf(found, "item")} instead of ${items}`);
  }
}
