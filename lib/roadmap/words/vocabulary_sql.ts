import { type Connection, queryOne } from "../../database/database.ts";
import { Sql, sql } from "../../database/sql.ts";
import { language } from "../../text/messages.ts";
import { fold } from "../../text/match_words.ts";
import { type KnownWord, Vocabulary } from "./vocabulary.ts";

/** The languages beside English whose words both databases have stems of. */
const DICTIONARIES = [
  ...["arabic", "catalan", "danish", "dutch", "finnish", "french", "german", "greek", "hungarian"],
  ...["indonesian", "irish", "italian", "lithuanian", "norwegian", "portuguese", "romanian"],
  ...["russian", "spanish", "swedish", "turkish"],
];

/** What languages are called in English. */
const NAMES = new Intl.DisplayNames("en", { type: "language" });

/** The stem of a word in the language that is spoken; null: it is English, or it has no stems. */
function ownStem(word: Sql): Sql | null {
  const name = NAMES.of(new Intl.Locale(language().tag).language)!.toLowerCase().split(" ")[0]!;
  return DICTIONARIES.includes(name)
    ? sql`language_stem(${new Sql([`'${name}_stem'::regdictionary`], [])}, ${word})`
    : null;
}

/** Reads all words, or those that may stand for words of a question. */
export async function readVocabulary(
  connection: Connection,
  tokens?: readonly Token[],
): Promise<Vocabulary> {
  const own = ownStem(sql`word`);
  const stems = (of: (token: Token) => string) => tokens!.map(of).filter((stem) => stem !== "");
  const joined = tokens?.map(({ word }, place) => word + (tokens[place + 1]?.word ?? ""));
  const isWanted = tokens === undefined ? sql`true` : sql`
    word = any(${[...tokens.map(({ word }) => word), ...joined!]}::text[])
    or stem = any(${stems(({ stem }) => stem)}::text[])
    or ${own === null ? sql`false` : sql`${own} = any(${stems(({ ownStem }) => ownStem)}::text[])`}
  `;
  // One text is read several times as fast as some 20,000 rows.
  const { lines } = await queryOne<{ lines: string }>(
    connection,
    sql`
      select coalesce(
        string_agg(concat_ws(E'\\t', word, coalesce(stem, '')${
      own === null ? sql`` : sql`, coalesce(${own}, '')`
    }), E'\\n' order by word), ''
      ) as lines
      from known_words
      where ${isWanted}
    `,
  );
  if (lines === "") return new Vocabulary([]);
  return new Vocabulary(
    lines.split("\n").map((line): KnownWord => {
      const [word = "", stem = "", ownStem = ""] = line.split("\t");
      return { word, stem, ownStem };
    }),
  );
}

/** The words of rows that are not known yet; a number has no other forms and no spelling. */
export function newWords(rows: Sql): Sql {
  return sql`
    select word
    from (select distinct unnest(tsvector_to_array(words)) as word from ${rows}) as found
    where word !~ '[0-9]' and not exists (select from known_words where known_words.word = found.word)
  `;
}

/** A word of a question, as it stands in the search texts. */
export interface Token extends KnownWord {
  /** The piece of the question that it is from, counted from 0. */
  piece: number;
  isStopWord: boolean;
}

/** Cuts the pieces of a question into words like the search texts, in their order. */
export function readTokens(connection: Connection, pieces: readonly string[]): Promise<Token[]> {
  const own = ownStem(sql`lexeme`);
  return connection.query(sql`
    select piece::int - 1 as piece, lexeme as word, coalesce(stem, '') as stem,
      coalesce(own_stem, '') as "ownStem",
      -- In every roadmap "ai" is a word; in French and Italian it would say nothing.
      stem is null or ${own === null ? sql`false` : sql`own_stem is null and lexeme <> 'ai'`}
        as "isStopWord"
    from unnest(${pieces.map(fold)}::text[]) with ordinality as given (text, piece)
    cross join unnest(to_tsvector('simple', split_words(text))) as found (lexeme, places, weights)
    cross join unnest(places) as place
    cross join lateral (
      select (ts_lexize('english_stem', lexeme))[1] as stem, ${own ?? sql`null`} as own_stem
    ) as stems
    order by piece, place
  `);
}
