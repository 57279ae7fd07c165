/**
 * How words change before a date or a name: French “de” becomes “d’” before “Acme”, Italian “dal” becomes
 * “dall’” before “8 nov”. Messages are written as before a day such as 5 November and a name that
 * begins with a consonant; `messages/joins/` has what else a language says.
 */
import type { Message } from "./say.ts";

type Piece = Exclude<Message, string>[number];

/** By the beginning of what follows, as a regular expression: what a word becomes. */
type Changes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What changes in a language before dates, and before names. */
export interface Joins {
  readonly dates?: Changes;
  readonly names?: Changes;
}

/** What parameters stand for. */
export const KINDS: Readonly<Record<keyof Joins, ReadonlySet<string>>> = {
  dates: new Set(
    ["before", "date", "day", "first", "from", "last", "moment", "next", "planned", "quarter"]
      .concat(["since", "to"]),
  ),
  names: new Set(["name", "names", "product", "products", "release", "site", "source"]),
};

/** Pieces of a message whose texts change by what a parameter behind them becomes. */
export function join(pieces: readonly Piece[], joins: Joins): Piece[] {
  return pieces.map((piece, place) => {
    const name = parameterAt(pieces[place + 1]);
    if (name === null) return piece;
    if (typeof piece !== "string") {
      const [tag, , inner] = piece;
      if (inner === undefined) return piece;
      return [tag, 0, join([...[inner].flat(), [name]], joins).slice(0, -1)];
    }
    const kind = (["dates", "names"] as const).find((one) => KINDS[one].has(name));
    const forms = Object.entries(kind && joins[kind] || {}).flatMap(([start, words]) => {
      const form = change(piece, words);
      return form === null ? [] : [[`^(?:${start})`, form]];
    });
    return forms.length === 0 ? piece : [name, { ...Object.fromEntries(forms), other: piece }];
  });
}

function parameterAt(piece: Piece | undefined): string | null {
  if (piece === undefined || typeof piece === "string") return null;
  const [name, choices, inner] = piece;
  if (choices === undefined) return name;
  return inner && typeof inner !== "string" ? parameterAt(inner[0]) : null;
}

/** A text whose last word changes; null: it stays. */
function change(text: string, words: Readonly<Record<string, string>>): string | null {
  for (const [word, becomes] of Object.entries(words)) {
    if (!text.toLowerCase().endsWith(word)) continue;
    const before = text.slice(0, -word.length);
    if (/\p{L}$/u.test(before)) continue;
    const isCapital = text[before.length] !== word[0];
    return before + (isCapital ? becomes.slice(0, 1).toUpperCase() + becomes.slice(1) : becomes);
  }
  return null;
}
