/** So much is looked at to tell what something is, in bytes. */
const PEEK_BYTES = 64 * 1024;

/** Looks at how a stream begins; `chunks` is the whole of it all the same. */
export async function peekText(
  stream: AsyncIterable<Uint8Array>,
): Promise<{ text: string; chunks: AsyncIterable<Uint8Array> }> {
  const rest = stream[Symbol.asyncIterator]();
  const peeked: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < PEEK_BYTES) {
    const { value, done } = await rest.next();
    if (done) break;
    peeked.push(value);
    bytes += value.byteLength;
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = peeked.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
  async function* all() {
    try {
      while (peeked.length > 0) yield peeked.shift()!;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  }
  return { text, chunks: all() };
}
