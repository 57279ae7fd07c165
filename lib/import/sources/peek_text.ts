/** Looks at how a text begins, some 64 thousand characters of it; `chunks` is the whole all the same. */
export async function peekText(
  pieces: AsyncIterable<string>,
): Promise<{ text: string; chunks: AsyncIterable<string> }> {
  const rest = pieces[Symbol.asyncIterator]();
  const { value: text = "", done } = await rest.next();
  async function* all() {
    try {
      if (!done) yield text;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  }
  return { text, chunks: all() };
}
