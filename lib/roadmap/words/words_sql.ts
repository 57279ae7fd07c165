import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { FIELD_BOUNDARY, fold } from "../../text/match_words.ts";
import { ownStem } from "./stems_sql.ts";

/** A term of a question as it is searched: words that stand together, mostly only one. */
export interface Term {
  words: readonly WordForms[];
  /** What hyphens join, as one word; absent: they join nothing. */
  joined?: WordForms;
  /** Two words that one is written as elsewhere; absent: it is written in one. */
  divided?: readonly WordForms[];
  /** The rarer, the more. */
  weight: number;
}

/** A word in all the forms that count as it. */
export interface WordForms {
  /** Empty where no item has it whole. */
  forms: readonly string[];
  /** A word that begins like this counts as well; null: only whole words count. */
  beginning: string | null;
}

/**
 * A term as a query of full text (tsquery).
 *
 * @param options `inName`: it stands in the name; `isWhole`: nothing unfinished counts, where it
 *   stands whole
 *
 * ```ts
 * const word = { forms: ["sign", "signs"], beginning: "sign" };
 * const query = writeTerm({ words: [word] }, { inName: true });
 * if (query !== "('sign':A|'signs':A|'sign':*A)") throw new Error(query);
 * const form = (word: string) => ({ forms: [word], beginning: null });
 * const joined = writeTerm({ words: [form("e"), form("mail")], joined: form("email") });
 * if (joined !== "((('e')<->('mail'))|('email'))") throw new Error(joined);
 * ```
 */
export function writeTerm(
  { words, joined, divided }: Omit<Term, "weight">,
  { inName = false, isWhole = false }: { inName?: boolean; isWhole?: boolean } = {},
): string {
  const weight = inName ? "A" : "";
  const write = ({ forms, beginning }: WordForms) => {
    const whole = forms.map((form) => `${quote(form)}${weight && `:${weight}`}`);
    const isOpen = beginning !== null && !(isWhole && forms.length > 0);
    return `(${[...whole, ...isOpen ? [`${quote(beginning)}:*${weight}`] : []].join("|")})`;
  };
  const together = (words: readonly WordForms[]) =>
    words.length === 1 ? write(words[0]!) : `(${words.map(write).join("<->")})`;
  const ways = [
    together(words),
    ...joined ? [write(joined)] : [],
    ...divided ? [together(divided)] : [],
  ];
  return ways.length === 1 ? ways[0]! : `(${ways.join("|")})`;
}

function quote(word: string): string {
  return `'${word.replace(/['\\]/g, "$&$&")}'`;
}

/** More items are not counted: how frequent a frequent word is need not be known. */
const MAX_COUNTED = 500;
/** Of a long question, the rarest words rate a text of which not all are required. */
const MAX_RATED = 8;

/** The words of rows that are not known yet; a number has no other forms and no spelling. */
export function newWords(rows: Sql): Sql {
  return sql`
    select word
    from (select distinct unnest(tsvector_to_array(words)) as word from ${rows}) as found
    where word !~ '[0-9]' and not exists (select from known_words where known_words.word = found.word)
  `;
}

/** Half of a word is no shorter. */
const MIN_HALF = 2;

/** A word of a question, as it stands in the search texts. */
export interface Token {
  /** The piece of the question that it is from, counted from 0. */
  piece: number;
  word: string;
  is_stop_word: boolean;
  /** Numbers count as known. */
  is_known: boolean;
  /** The words of the same stem, itself among them. */
  forms: string[];
  /** This word and the next one as one that is known; null: no item has that. */
  with_next: string | null;
  /** Where the word can be divided into two that are known: each as `power bi`. */
  halves: string[];
}

/** Cuts the pieces of a question into words like the search texts, in their order. */
export function readTokens(connection: Connection, pieces: readonly string[]): Promise<Token[]> {
  const { own, sameOwn, orOwnStopWord } = stemsOfLanguage();
  return connection.query(sql`
    with tokens as (
      select piece::int - 1 as piece, lexeme as word, place,
        (ts_lexize('english_stem', lexeme))[1] as stem${own}
      from unnest(${
    pieces.map((piece) => fold(piece))
  }::text[]) with ordinality as given (text, piece)
      cross join unnest(to_tsvector('simple', split_words(text))) as found (lexeme, places, weights)
      cross join unnest(places) as place
    )
    select piece, word, stem is null${orOwnStopWord} as is_stop_word,
      word ~ '[0-9]' or word in (select word from known_words) as is_known,
      array(
        select word
        union
        select known_words.word from known_words where known_words.stem = tokens.stem${sameOwn}
      ) as forms,
      (
        select known_words.word from known_words where known_words.word = tokens.word || next_word
      ) as with_next,
      array(
        select left(word, at) || ' ' || substr(word, at + 1)
        from generate_series(${MIN_HALF}::int, char_length(word) - ${MIN_HALF}::int) as at
        where word !~ '[0-9]'
          and exists (select from known_words as half where half.word = left(tokens.word, at))
          and exists (select from known_words as half where half.word = substr(tokens.word, at + 1))
      ) as halves
    from (
      select *, lead(word) over (order by piece, place) as next_word from tokens
    ) as tokens
    order by piece, place
  `);
}

/** The parts of that statement by which words have stems of another language beside those of English. */
function stemsOfLanguage() {
  const none = sql``;
  const [own, known] = [ownStem("lexeme"), ownStem("known_words.word")];
  if (own === null) return { own: none, sameOwn: none, orOwnStopWord: none };
  return {
    own: sql`, ${own} as own_stem`,
    sameOwn: sql` union select known_words.word from known_words where ${known} = tokens.own_stem`,
    // In every roadmap "ai" is a word; in French and Italian it would say nothing.
    orOwnStopWord: sql` or own_stem is null and word <> 'ai'`,
  };
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

/** No character comes after it. */
const LAST_CHARACTER = "\u{10ffff}";

/** The known words that begin with one of the first letters of a word, in almost its length; for each of some. */
export async function readSimilarWords(
  connection: Connection,
  words: readonly string[],
): Promise<string[][]> {
  const rows = await connection.query<{ similar: string[] }>(sql`
    select array(
      select word
      from known_words
      where (
          word >= left(asked, 1) and word < left(asked, 1) || ${LAST_CHARACTER}
          or word >= substr(asked, 2, 1) and word < substr(asked, 2, 1) || ${LAST_CHARACTER}
        )
        and char_length(word) between char_length(asked) - 2 and char_length(asked) + 2
    ) as similar
    from unnest(${[...words]}::text[]) with ordinality as given (asked, place)
    order by place
  `);
  return rows.map(({ similar }) => similar);
}

/** A question as words, which an item meets or not. */
export interface WordSearch {
  terms: readonly Term[];
  /** Whether any term will do; else all are required. */
  any: boolean;
  /**
   * The name that is the question, letter by letter, and what finds the question in a longer name (a
   * tsquery); null: it is one word.
   */
  name: { folded: string; phrase: string | null };
}

/** The condition that an item has the words. */
export function hasWords({ terms, any }: WordSearch): Sql {
  const query = terms.map((term) => writeTerm(term)).join(any ? "|" : "&");
  return sql`words @@ ${query}::tsquery`;
}

/** How well an item matches the words: the more, the better. */
export function rateMatch(search: WordSearch): Sql {
  const inTitle = search.terms.map((term) => writeTerm(term)).join("|");
  // Most items have none of the words in their title, and need no closer look.
  const rating = sql`case when title_words @@ ${inTitle}::tsquery then ${
    rateTitle(search)
  } else 0 end`;
  return search.any && search.terms.length > 1 ? sql`${rating} + ${rateText(search)}` : rating;
}

/** Whole names first, then names with every word, then where the words stand, then shorter titles. */
function rateTitle(search: WordSearch): Sql {
  const isSpelt = sql`split_part(search_text, ${FIELD_BOUNDARY}, 1) = ${search.name.folded}`;
  return sql`
    case ${rankByName(search)}
      when 0 then case when ${isSpelt} then 40 else 30 end
      when 1 then 20
      when 2 then 10
      else 0
    end
    + ${
    sumTerms(search, (term) =>
      sql`case
        when title_words @@ ${writeTerm(term, { isWhole: true, inName: true })}::tsquery then 2
        when title_words @@ ${writeTerm(term, { isWhole: true })}::tsquery then 1
        else 0
      end`)
  }
    - length(title_words) / 1e6
  `;
}

/** Which of the terms an item has, where not all are required; few lists are read, not every text. */
function rateText(search: WordSearch): Sql {
  const rarest = search.terms.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_RATED);
  return sumTerms({ ...search, terms: rarest }, (term) =>
    sql`case when release_item_id in (
      select release_item_id from items
      where words @@ ${writeTerm(term, { isWhole: true })}::tsquery
    ) then 1 else 0 end`);
}

/** The sum of what each term counts, by the weight that it has among all. */
function sumTerms({ terms }: WordSearch, rate: (term: Term) => Sql): Sql {
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0);
  return terms.map((term) => sql`${term.weight / whole}::float8 * ${rate(term)}`)
    .reduce((sum, one) => sql`${sum} + ${one}`);
}

/** 0: its name is the question, 1: holds it as it stands, 2: has every word of it, 3: does not. */
export function rankByName(search: WordSearch): Sql {
  const every = search.terms.map((term) => writeTerm(term, { inName: true })).join("&");
  return sql`
    case
      when ${isNamed(search)} then 0
      when title_words @@ ${search.name.phrase}::tsquery then 1
      when title_words @@ ${every}::tsquery then 2
      else 3
    end
  `;
}

/** The condition that the name is the question, but for case and punctuation. */
function isNamed({ name }: WordSearch): Sql {
  // A query of its own is computed once, and not for every item.
  return sql`ts_filter(title_words, '{a}') = (select setweight(name_words(${name.folded}), 'A'))`;
}
