/** The widths of characters in Helvetica and the fonts with its measures, in thousandths of the size. */
const WIDTHS: readonly [characters: RegExp, width: number][] = [
  [/^\p{M}$/u, 0],
  [
    /^[\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]$/u,
    1000,
  ],
  [/^[ijl'’|]$/, 222],
  [/^[ft !,./:;I[\]\\]$/, 278],
  [/^[r()`"“”-]$/, 333],
  [/^[cksvxyzJ]$/, 500],
  [/^[FTZ]$/, 611],
  [/^[ABEKPSVXY&]$/, 667],
  [/^[CDHNRUw]$/, 722],
  [/^[GOQ]$/, 778],
  [/^[mM%]$/, 850],
  [/^[W@…]$/, 1000],
  [/^\p{Lu}$/u, 720],
  [/^\p{Script=Arabic}$/u, 470],
];
const USUAL_WIDTH = 556;

/**
 * About how wide a text is that no browser has laid out, in the unit of the size of its font.
 *
 * ```ts
 * if (textWidth("Q1 2027", 100) !== 383.6) throw new Error(String(textWidth("Q1 2027", 100)));
 * ```
 */
export function textWidth(text: string, size: number): number {
  const widths = [...text].map((character) =>
    WIDTHS.find(([characters]) => characters.test(character))?.[1] ?? USUAL_WIDTH
  );
  return widths.reduce((sum, width) => sum + width, 0) * size / 1000;
}

/** As much of a text as fits. */
export function shortenTo(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  let fitting = "";
  for (const character of text) {
    if (textWidth(`${fitting}${character}…`, size) > width) break;
    fitting += character;
  }
  return `${fitting.trimEnd()}…`;
}
