/** So much is looked at to tell what something is, in characters. */
const PEEKED = 64_000;

/** Looks at how a text begins; `chunks` is the whole of it all the same. */
export async function peekText(
  pieces: AsyncIterable<string>,
): Promise<{ text: string; chunks: AsyncIterable<string> }> {
  const rest = pieces[Symbol.asyncIterator]();
  let text = "";
  while (text.length < PEEKED) {
    const { value, done } = await rest.next();
    if (done) break;
    text += value;
  }
  async function* all() {
    try {
      yield text;
      yield* { [Symbol.asyncIterator]: () => rest };
    } finally {
      await rest.return?.();
    }
  }
  return { text, chunks: all() };
}
