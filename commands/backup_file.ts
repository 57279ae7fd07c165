import { createTarDecoder } from "modern-tar";
import { ExpectedError, firstLineOf } from "../lib/expected_error.ts";
import { openInMemory } from "../lib/database/embedded/embedded.ts";
import { countItems } from "../lib/roadmap/items_sql.ts";

/** A backup cannot be written, or a file is no complete one; the message says why. */
export class BackupError extends ExpectedError {}

/** A larger backup is refused: it must fit into memory, as it did when it was written. */
const MAX_BYTES = 2 * 1024 ** 3;

/** What a backup holds. */
interface Backup {
  /** A tar archive of the folder of the database. */
  image: Blob;
  items: number;
}

/**
 * Reads a whole backup, and opens its database without writing anything.
 *
 * @throws {BackupError} if the file is not a backup
 */
export async function readBackup(path: string): Promise<Backup> {
  const file = await Deno.open(path);
  try {
    const image = await unpack(file.readable);
    return { image, items: await countItemsOf(image) };
  } catch (error) {
    throw new BackupError(
      `Cannot restore ${path}: it is not a complete backup (${firstLineOf(error)})`,
      { cause: error },
    );
  }
}

/** Reads up to the checksum at the end; fails at once if it is not a tar archive. */
async function unpack(packed: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let [read, stated] = [0, 0];
  const refuseLarge = () => {
    if (Math.max(read, stated) > MAX_BYTES) {
      throw new Error(`it holds more than ${MAX_BYTES / 1024 ** 3} GB`);
    }
  };
  const entries = packed
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          chunks.push(chunk);
          read += chunk.length;
          refuseLarge();
          controller.enqueue(chunk);
        },
      }),
    )
    .pipeThrough(createTarDecoder({ strict: true }));
  let files = 0;
  for await (const { header, body } of entries) {
    files++;
    stated += header.size;
    refuseLarge();
    await body.cancel();
  }
  if (files === 0) throw new Error("it has no files");
  return new Blob(chunks, { type: "application/x-tar" });
}

async function countItemsOf(image: Blob): Promise<number> {
  const copy = await openInMemory(image);
  return await countItems(copy).finally(() => copy.close());
}
