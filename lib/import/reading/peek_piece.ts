/** Reads the first piece of a stream, which may be empty; `pieces` still yields all of it. */
export async function peekPiece(
  stream: AsyncIterable<Uint8Array>,
): Promise<{ first: Uint8Array; pieces: AsyncIterable<Uint8Array> }> {
  const rest = stream[Symbol.asyncIterator]();
  const { value: first = new Uint8Array() } = await rest.next();
  async function* all() {
    try {
      yield first;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  }
  return { first, pieces: all() };
}
