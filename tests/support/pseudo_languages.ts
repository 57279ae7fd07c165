import english from "../../messages/en.json" with { type: "json" };
import type { Catalog } from "../../lib/text/messages.ts";

/**
 * Languages that nobody speaks, made from English: one with longer words, and one that is read from
 * the right. Neither has a letter of English, so what is no message shows. Days are those of the
 * language in whose place one is spoken.
 */
export const PSEUDO_LANGUAGES = {
  long: { inPlaceOf: "de", letters: "áƀçđéƒǵĥíĵķłɱñóþɋŕšŧúṽŵẋýž", times: 2 },
  mirrored: { inPlaceOf: "ar", letters: "ابتثجحخدذرزسشصضطظعغفقكلمنه", times: 1 },
} as const;

type Pseudo = (typeof PSEUDO_LANGUAGES)[keyof typeof PSEUDO_LANGUAGES];

/** The messages of English in such a language. */
export function disguise(pseudo: Pseudo): Catalog {
  return Object.fromEntries(
    Object.entries(english).map(([key, text]) => [key, disguiseText(text, pseudo)]),
  );
}

/** What a reader sees of a message: what stands within an even number of braces. */
function disguiseText(text: string, { letters, times }: Pseudo): string {
  let depth = 0;
  return text.replace(/'[{|}]+'|<[^>]*>|[{}]|[^{}<']+|./g, (piece) => {
    if (piece === "{") depth++;
    else if (piece === "}") depth--;
    if (depth % 2 === 1 || /^['<{}]/.test(piece)) return piece;
    return piece.replace(/[a-z]/gi, (letter) => {
      const other = letters[letter.toLowerCase().charCodeAt(0) - 97]!;
      // With its vowels doubled, an English text is about 40 % longer.
      return /[aeiou]/i.test(letter) ? other.repeat(times) : other;
    });
  });
}

/** Lets the program read such a language in the place of a real one, until it is disposed of. */
export function speakPseudo(pseudo: Pseudo): Disposable {
  const read = Deno.readTextFileSync;
  const catalog = JSON.stringify(disguise(pseudo));
  Deno.readTextFileSync = (path) =>
    String(path).endsWith(`/messages/${pseudo.inPlaceOf}.json`) ? catalog : read(path);
  return { [Symbol.dispose]: () => void (Deno.readTextFileSync = read) };
}
