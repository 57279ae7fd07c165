/** Reads the first pieces of a stream until they are enough; `pieces` still yields all of it. */
export async function peek<Piece>(
  stream: AsyncIterable<Piece>,
  isEnough: (piece: Piece) => boolean,
): Promise<{ first: Piece[]; pieces: AsyncIterable<Piece>; isWhole: boolean }> {
  const rest = stream[Symbol.asyncIterator]();
  const first: Piece[] = [];
  let next = await rest.next();
  while (!next.done) {
    first.push(next.value);
    if (isEnough(next.value)) break;
    next = await rest.next();
  }
  async function* all() {
    try {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  }
  return { first, pieces: all(), isWhole: next.done ?? false };
}
