import { type Marks, marksOf } from "../../text/match_words.ts";
import type { ItemFilter } from "../filter/filter.ts";

/** What a list marks of a question that was read, with every form that it was found in. */
export function toMarks({ q, words }: Pick<ItemFilter, "q" | "words">): Marks | undefined {
  if (q === undefined) return undefined;
  if (!words) return marksOf(q);
  const forms = words.terms.flatMap(({ words, joined }) => joined ? [...words, joined] : words);
  return {
    words: forms.flatMap(({ forms }) => forms),
    beginnings: forms.flatMap(({ beginning }) => beginning ?? []),
  };
}
