/** How many characters are examined to recognise a source. */
const PEEKED = 64_000;

/** Reads the start of a text; `chunks` still yields all of it. */
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
