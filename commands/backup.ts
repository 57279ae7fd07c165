import type { Config } from "../lib/config/config.ts";
import { BackupError, readBackup } from "./backup_file.ts";
import { packCluster } from "../lib/database/embedded/cluster_image.ts";
import { holdsEmbedded, openEmbeddedOrShared } from "../lib/database/embedded/embedded.ts";
import { countItems } from "../lib/roadmap/items_sql.ts";
import { systemReason } from "../lib/system_reason.ts";
import { readMigrations } from "../lib/database/migrate.ts";
import { writeSqlBackup } from "../lib/database/sql_backup.ts";
import { type Command, exists, withDatabase } from "./command.ts";
import { CannotRun, parseGiven, UsageError } from "./given.ts";
import { countOf } from "../lib/text/phrases.ts";

/** `deno task backup`: writes the embedded database to a file, and reads it back to be sure. */
export const run: Command = async (args, config) => {
  const { values, positionals } = parseGiven("backup", args);
  const file = positionals[0]!;
  const withSecrets = values["with-secrets"] ?? false;
  if (withSecrets && !values.sql) {
    throw new UsageError(
      "--with-secrets goes with --sql: other backups have them",
    );
  }
  if (!values.sql) refusePostgres(config, "back it up with pg_dump, or move it with --sql");
  if (await exists(file)) throw new CannotRun(`${file} already exists: choose another file`);
  if (values.sql) return await backUpSql(file, config, withSecrets);
  if (!await holdsEmbedded(config.DATA_DIR)) {
    throw new CannotRun(`There is no embedded database in ${config.DATA_DIR}`);
  }
  const database = await openEmbeddedOrShared(config.DATA_DIR);
  try {
    await writeBackup(file, async (unfinished) => {
      const items = await packCluster(database, config.DATA_DIR, {
        copy: `${unfinished}.files`,
        read: countItems,
        write: (archive) => writeWhole(unfinished, archive),
      });
      const { items: found } = await readBackup(unfinished);
      if (found === items) return items;
      const held = countOf(found, "item");
      throw new Error(`Cannot back up: ${unfinished} holds ${held} instead of ${items}`);
    });
  } finally {
    await database.close();
  }
};

/** Of either database, also while the server runs. */
async function backUpSql(path: string, config: Config, withSecrets: boolean): Promise<void> {
  await withDatabase(config, async (database) => {
    await writeBackup(path, async (unfinished) => {
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      const written = writeWhole(unfinished, readable.pipeThrough(new TextEncoderStream()));
      const reading = (async () => {
        const migrations = await readMigrations();
        await writeSqlBackup(database, migrations, (text) => writer.write(text), { withSecrets });
        await writer.close();
      })().catch((error) => writer.abort(error).then(() => Promise.reject(error)));
      await Promise.all([written, reading]);
      return await countItems(database);
    });
  });
}

/** Writes a file under a temporary name until it is complete. */
async function writeBackup(
  file: string,
  write: (unfinished: string) => Promise<number>,
): Promise<void> {
  const unfinished = `${file}.unfinished`;
  try {
    const items = await write(unfinished);
    await Deno.rename(unfinished, file);
    const { size } = await Deno.stat(file);
    console.log(
      `Wrote ${countOf(items, "item")} to ${file} (${(size / 1024 / 1024).toFixed(1)} MB)`,
    );
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new BackupError(
        `${file} is being written by another backup: choose another file, or, ` +
          `if that backup was killed, delete ${unfinished}*`,
      );
    }
    await Deno.remove(unfinished).catch(() => {});
    const reason = systemReason(error);
    if (reason === null) throw error;
    throw new BackupError(`Cannot back up to ${file}: ${reason}`, { cause: error });
  }
}

/** Only the embedded database; a PostgreSQL server has better tools. */
export function refusePostgres({ DATABASE_URL: databaseUrl }: Config, instead: string): void {
  if (databaseUrl === null) return;
  throw new CannotRun(`DATABASE_URL names a PostgreSQL: ${instead}`);
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
