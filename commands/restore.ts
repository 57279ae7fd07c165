import { holdsEmbedded, openEmbedded, restoreEmbedded } from "../lib/database/embedded.ts";
import { countItems } from "../lib/roadmap/items_sql.ts";
import { firstLineOf } from "../lib/first_line.ts";
import { refusePostgres } from "./backup.ts";
import { type Command, parseWords, UsageError } from "./command.ts";

/** `deno task restore`: makes the embedded database from a file that `backup` wrote. */
export const run: Command = async (args, config) => {
  const usage = "deno task restore FILE";
  const { positionals: [file] } = parseWords(args, {}, { usage, words: [1, 1] });
  refusePostgres(config, "restore it with pg_restore");
  const { dataDir } = config;
  if (await holdsEmbedded(dataDir)) {
    throw new UsageError(
      `There is a database in ${dataDir} already: move it away, or set DATA_DIR to another folder`,
    );
  }
  const bytes = await Deno.readFile(file!).catch((error) => {
    throw new UsageError(`Cannot read ${file}: ${firstLineOf(error)}`);
  });
  try {
    await restoreEmbedded(dataDir, await unpack(bytes));
  } catch (error) {
    throw new UsageError(`Cannot restore ${file}: it is no whole backup (${firstLineOf(error)})`);
  }
  const database = await openEmbedded(dataDir);
  const items = await countItems(database).finally(() => database.close());
  console.log(`Restored ${items} items to ${dataDir}`);
};

/** Unpacks the whole of it first: its checksum stands at its end. */
async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  const tar = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Blob([await new Response(tar).bytes()], { type: "application/x-tar" });
}
