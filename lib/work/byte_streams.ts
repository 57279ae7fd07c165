/** What is read at a time, and what small pieces are gathered in. */
const BLOCK_BYTES = 64 * 1024;

/**
 * The pieces of a stream, each in a buffer of its own size. A socket delivers a piece of one byte as
 * a view of 64 KB: whoever keeps such a piece keeps all of it.
 *
 * @param signal ends the reading, with its reason
 */
export async function* piecesOf(
  stream: ReadableStream<Uint8Array> | null | undefined,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!stream) return;
  const reader = openReader(stream);
  const stop = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    while (true) {
      signal?.throwIfAborted();
      const piece = await reader.read();
      signal?.throwIfAborted();
      if (piece === null) return;
      if (piece.length > 0) yield piece;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
  }
}

interface PieceReader {
  /** Null at the end. */
  read(): Promise<Uint8Array<ArrayBuffer> | null>;
  cancel(): Promise<void>;
}

/** Streams of bytes are read into one buffer again and again, which allocates nothing for a piece. */
function openReader(stream: ReadableStream<Uint8Array>): PieceReader {
  let byob: ReadableStreamBYOBReader;
  try {
    byob = stream.getReader({ mode: "byob" });
  } catch {
    const reader = stream.getReader();
    return {
      async read() {
        const { done, value } = await reader.read();
        return done ? null : value.slice();
      },
      cancel: () => reader.cancel(),
    };
  }
  let buffer = new ArrayBuffer(BLOCK_BYTES);
  return {
    async read() {
      const { done, value } = await byob.read(new Uint8Array(buffer));
      if (done || value === undefined) return null;
      buffer = value.buffer;
      return value.slice();
    },
    cancel: () => byob.cancel(),
  };
}

/** Gathers bytes, and takes as much memory as they have, however small their pieces are. */
export class ByteCollector {
  readonly #blocks: Uint8Array<ArrayBuffer>[] = [];
  /** How much of the last block is filled. */
  #filled = BLOCK_BYTES;
  length = 0;

  add(piece: Uint8Array): void {
    this.length += piece.length;
    for (let start = 0; start < piece.length;) {
      if (this.#filled === BLOCK_BYTES) {
        this.#blocks.push(new Uint8Array(BLOCK_BYTES));
        this.#filled = 0;
      }
      const part = piece.subarray(start, start + BLOCK_BYTES - this.#filled);
      this.#blocks.at(-1)!.set(part, this.#filled);
      this.#filled += part.length;
      start += part.length;
    }
  }

  join(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.length);
    for (const [place, block] of this.#blocks.entries()) {
      const start = place * BLOCK_BYTES;
      bytes.set(block.subarray(0, this.length - start), start);
    }
    return bytes;
  }
}

/** All bytes of a stream; `refuse` throws if they are more than allowed. */
export async function collectBytes(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: () => never,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const collected = new ByteCollector();
  for await (const piece of pieces) {
    if (collected.length + piece.length > maxBytes) refuse();
    onBytes?.(piece.length);
    collected.add(piece);
  }
  return collected.join();
}
