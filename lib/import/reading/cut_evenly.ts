const PIECE_BYTES = 64 * 1024;

/**
 * The bytes of a stream in pieces of one size, whatever its chunks; only the last one is shorter. So
 * no step of a reader takes long, other work runs in between, and a source that sends single bytes
 * costs no more than another. A piece is valid until the next one is requested.
 */
export async function* cutEvenly(
  chunks: AsyncIterable<Uint8Array>,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(pieceBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length;) {
      const part = chunk.subarray(start, start + pieceBytes - filled);
      piece.set(part, filled);
      start += part.length;
      filled += part.length;
      if (filled < pieceBytes) continue;
      yield piece;
      filled = 0;
      // What has arrived already is read without a turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
