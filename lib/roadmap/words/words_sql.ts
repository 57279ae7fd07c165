import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { FIELD_BOUNDARY, fold } from "../../text/fold.ts";
import { type Term, writeTerm } from "./term.ts";

/** More items are not counted: how rare a word is need not be known more exactly. */
const MAX_COUNTED = 5_000;

/** A word of a question, as it stands in the search texts. */
export interface Token {
  /** The piece of the question that it is from, counted from 0. */
  piece: number;
  word: string;
  is_stop_word: boolean;
  /** The words of the same stem, itself among them. */
  forms: string[];
}

/** Cuts the pieces of a question into words like the search texts, in their order. */
export function readTokens(connection: Connection, pieces: readonly string[]): Promise<Token[]> {
  return connection.query(sql`
    with tokens as (
      select piece::int - 1 as piece, lexeme as word, place,
        (ts_lexize('english_stem', lexeme))[1] as stem
      from unnest(${pieces.map(fold)}::text[]) with ordinality as given (text, piece)
      cross join unnest(words_of(text)) as found (lexeme, places, weights)
      cross join unnest(places) as place
    )
    select piece, word, stem is null as is_stop_word,
      array(
        select word
        union
        select known_words.word from known_words where known_words.stem = tokens.stem
      ) as forms
    from tokens
    order by piece, place
  `);
}

/** How many items there are, and how many meet each query, up to a limit. */
export async function countMatches(
  connection: Connection,
  queries: readonly string[],
  { include_inactive }: { include_inactive?: boolean },
): Promise<{ total: number; counts: number[] }> {
  const isShown = include_inactive ? sql`true` : sql`active`;
  const count = (condition: Sql) =>
    sql`(
    select count(*)::int
    from (select from items where ${isShown} and ${condition} limit ${MAX_COUNTED}) as counted
  )`;
  const rows = await connection.query<{ count: number }>(sql`
    select case when place = 0 then ${count(sql`true`)} else ${
    count(sql`words @@ query::tsquery`)
  } end as count
    from (
      select 0 as place, '' as query
      union all
      select place, query
      from unnest(${[...queries]}::text[]) with ordinality as given (query, place)
    ) as asked
    order by place
  `);
  const [total = 0, ...counts] = rows.map(({ count }) => count);
  return { total, counts };
}

/** The known words with one of these first letters whose length is within two of a word's. */
export async function readSimilarWords(connection: Connection, word: string): Promise<string[]> {
  const letters = [...word];
  const from = (letter: string) => sql`(word >= ${letter} and word < ${`${letter}\u{10ffff}`})`;
  const rows = await connection.query<{ word: string }>(sql`
    select word
    from known_words
    where (${from(letters[0]!)} or ${from(letters[1]!)})
      and char_length(word) between ${letters.length - 2} and ${letters.length + 2}
  `);
  return rows.map(({ word }) => word);
}

/** A question as words, which an item meets or not. */
export interface WordSearch {
  terms: readonly Term[];
  /** Whether any term will do; else all are required. */
  any: boolean;
  /** The name that is the question, letter by letter and word by word (a tsvector). */
  name: { folded: string; words: string };
}

/** The words of a name, as `title_words` has them (a tsvector). */
export async function readNameWords(connection: Connection, name: string): Promise<string> {
  const [row] = await connection.query<{ words: string }>(sql`
    select setweight(words_of(${fold(name)}), 'A')::text as words
  `);
  return row!.words;
}

/** The condition that an item has the words. */
export function hasWords({ terms, any }: WordSearch): Sql {
  const query = terms.map((term) => writeTerm(term)).join(any ? "|" : "&");
  return sql`words @@ ${query}::tsquery`;
}

/**
 * How well an item meets the words, as keys of an order: its whole name, every word in its name, the
 * weight of the words that stand in its name, in its product or elsewhere, the shorter name.
 */
export function orderByWords(search: WordSearch): Sql {
  const weights = search.terms.map((term) => {
    const whole = writeTerm(term, { isWhole: true });
    return sql`${term.weight}::float8 * case
      when title_words @@ ${writeTerm(term, { isWhole: true, inName: true })}::tsquery then 3
      when title_words @@ ${whole}::tsquery then 2
      ${search.any ? sql`when words @@ ${whole}::tsquery then 1 else 0` : sql`else 1`}
    end`;
  });
  return sql`
    ${rankByName(search)},
    case
      when ${
    isNamed(search)
  } then split_part(search_text, ${FIELD_BOUNDARY}, 1) = ${search.name.folded}
    end desc nulls last,
    ${weights.reduce((sum, one) => sql`${sum} + ${one}`)} desc,
    length(title_words)
  `;
}

/** 0: its name is the question, 1: its name has every word, 2: it has not. */
export function rankByName(search: WordSearch): Sql {
  const every = search.terms.map((term) => writeTerm(term, { inName: true })).join("&");
  return sql`
    case when ${isNamed(search)} then 0 when title_words @@ ${every}::tsquery then 1 else 2 end
  `;
}

/** The condition that the name is the question, but for case and punctuation. */
function isNamed({ name }: WordSearch): Sql {
  return sql`ts_filter(title_words, '{a}') = ${name.words}::tsvector`;
}
