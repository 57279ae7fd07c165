import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { FIELD_BOUNDARY } from "../../text/match_words.ts";

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

/**
 * How many items there are, and how many meet each query, up to a limit; of the last ones only whether
 * any does.
 */
export async function countMatches(
  connection: Connection,
  { counted, asked }: Readonly<Record<"counted" | "asked", readonly string[]>>,
  { include_inactive }: { include_inactive?: boolean },
): Promise<{ total: number; counts: number[] }> {
  const isShown = include_inactive ? sql`true` : sql`active`;
  const count = (condition: Sql) =>
    sql`(
    select count(*)::int
    from (
      select from items where ${isShown} and ${condition}
      limit case when place <= ${counted.length} then ${MAX_COUNTED} else 1 end
    ) as counted
  )`;
  const rows = await connection.query<{ count: number }>(sql`
    select case when place = 0 then ${count(sql`true`)} else ${
    count(sql`words @@ query::tsquery`)
  } end as count
    from (
      select 0 as place, '' as query
      union all
      select place, query
      from unnest(${[...counted, ...asked]}::text[]) with ordinality as given (query, place)
    ) as asked
    order by place
  `);
  const [total = 0, ...counts] = rows.map(({ count }) => count);
  return { total, counts };
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
      -- Its name is the question, but for case and punctuation. A query of its own is computed once.
      when ts_filter(title_words, '{a}')
        = (select setweight(name_words(${search.name.folded}), 'A')) then 0
      when title_words @@ ${search.name.phrase}::tsquery then 1
      when title_words @@ ${every}::tsquery then 2
      else 3
    end
  `;
}
