import type { Connection } from "../../database/database.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { haveItems } from "../items_sql.ts";
import { findWords, readRules } from "./find_words.ts";
import type { Term } from "./term.ts";

/** How words were searched: all of them, with spellings replaced, any of them, or as they stand. */
export type WordsMode = "words" | "similar" | "any-word" | "substring";

/** A filter whose question was read as words. */
export interface SearchedWords {
  /** What its `words` say takes the place of its `q`; without them, `q` is a substring. */
  filter: ItemFilter;
  /** Null: there is no question. */
  mode: WordsMode | null;
  /** The terms of a question that no item answers with every one. */
  open?: { terms: readonly Term[]; isKnown: boolean };
}

/**
 * Reads the question of a filter with `match=words`: which words it has, and whether the items that
 * pass the other filters are to have all of them or any.
 */
export async function searchWords(
  { match, ...filter }: ItemFilter,
  connection: Connection,
): Promise<SearchedWords> {
  const { q } = filter;
  if (q === undefined) return { filter, mode: null };
  if (match === undefined) return { filter, mode: "substring" };
  const found = await findWords(q, connection, filter);
  if (found === null) return { filter, mode: "substring" };
  const { terms, known, typed, name, isReplaced } = found;
  const having = (terms: readonly Term[], any: boolean): ItemFilter => ({
    ...filter,
    words: { terms, name, any },
  });
  const [all, any] = [having(terms, false), having(known, true)];
  const allMode = isReplaced ? "similar" : "words";
  if (known.length === 0) return { filter: all, mode: "words", open: { terms, isKnown: false } };
  if (terms.length === 1) return { filter: all, mode: allMode };
  const [hasAll, hasAny, hasTyped] = await haveItems(connection, [
    known.length === terms.length ? all : null,
    any,
    typed.length > 0 ? having(typed, true) : null,
  ]);
  if (hasAll) return { filter: all, mode: allMode };
  if (!hasAny) return { filter: all, mode: "words", open: { terms, isKnown: false } };
  const mode = hasTyped ? "any-word" : "similar";
  return { filter: any, mode, open: { terms, isKnown: true } };
}

/**
 * Reads the question of a filter with `match=words` as a rule, whose answer other releases do not
 * change: an item has every word, or it is not found. Without `match`, `q` is a substring.
 */
export async function searchStrictly(
  { match, ...filter }: ItemFilter,
  connection: Connection,
): Promise<SearchedWords> {
  if (filter.q === undefined) return { filter, mode: null };
  const [words] = match === undefined ? [] : await readRules([filter.q], connection);
  return words ? { filter: { ...filter, words }, mode: "words" } : { filter, mode: "substring" };
}
