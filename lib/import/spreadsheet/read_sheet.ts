import { runInWorker, WorkerLimitError } from "../../work/run_in_worker.ts";
import { SnapshotError } from "../snapshot_error.ts";

/** What the worker gets; without a sheet it reads the first one. */
export interface SheetRequest {
  bytes: ArrayBuffer;
  sheet?: string;
}

/** What the worker found: the sheet as CSV, or the end of a sentence that says why not. */
export type SheetRead = { csv: string } | { problem: string };

const LIMITS = { heapMb: 512, seconds: 40 };
const PIECE_LENGTH = 64_000;

/**
 * Reads a sheet of a spreadsheet (.xlsx) as CSV, in pieces.
 *
 * @throws {SnapshotError} if it cannot be read, or needs too much time or memory
 */
export async function* readSheetAsCsv(
  chunks: AsyncIterable<Uint8Array>,
  { location, sheet, signal }: { location: string; sheet?: string; signal?: AbortSignal },
): AsyncGenerator<string> {
  const refuse = (reason: string) => new SnapshotError(`Cannot read ${location}: ${reason}`);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) parts.push(chunk.slice());
  const request: SheetRequest = { bytes: await new Blob(parts).arrayBuffer(), sheet };
  const module = new URL("./spreadsheet_worker.ts", import.meta.url);
  const found = await runInWorker<SheetRead>(module, request, { ...LIMITS, signal })
    .catch((error) => {
      if (!(error instanceof WorkerLimitError)) throw error;
      throw refuse(`reading the spreadsheet ${error.message}`);
    });
  if ("problem" in found) throw refuse(found.problem);
  const { csv } = found;
  for (let start = 0; start < csv.length; start += PIECE_LENGTH) {
    yield csv.slice(start, start + PIECE_LENGTH);
  }
}
