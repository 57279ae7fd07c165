import { getLogger } from "@logtape/logtape";
import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { Sql, sql } from "../../database/sql.ts";
import { language } from "../../text/messages.ts";

const log = getLogger(["roadcast", "search"]);

/** The languages beside English whose words both databases have stems of. */
const DICTIONARIES = [
  ...["arabic", "catalan", "danish", "dutch", "finnish", "french", "german", "greek", "hungarian"],
  ...["indonesian", "irish", "italian", "lithuanian", "norwegian", "portuguese", "romanian"],
  ...["russian", "spanish", "swedish", "turkish"],
];
const PREFIX = "known_words_by_stem_in_";

/** What languages are called in English. */
const NAMES = new Intl.DisplayNames("en", { type: "language" });

function nameOf(tag: string): string {
  return NAMES.of(new Intl.Locale(tag).language)!;
}

function dictionaryOf(tag: string): string | null {
  const name = nameOf(tag).toLowerCase().split(" ")[0]!;
  return DICTIONARIES.includes(name) ? name : null;
}

/** The stem of a word in a language; a part of the text, as its index has it. */
function stem(dictionary: string, word: string): Sql {
  return new Sql([`language_stem('${dictionary}_stem'::regdictionary, ${word})`], []);
}

/**
 * The stem of a column of words in the language that is spoken; null: it is English, or the database
 * knows no stems of it.
 */
export function ownStem(column: string): Sql | null {
  const dictionary = dictionaryOf(language().tag);
  return dictionary === null ? null : stem(dictionary, column);
}

/**
 * Makes an index of the words by their stems in a language, in the place of that of another language.
 * Readers are served meanwhile. Returns whether there was something to do.
 */
export async function prepareStems(database: Database, tag: string): Promise<boolean> {
  const dictionary = dictionaryOf(tag);
  const wanted = dictionary && PREFIX + dictionary;
  if (isPrepared(await listIndexes(database), wanted)) return false;
  return await database.transaction(async (connection) => {
    await connection.query(sql`select pg_advisory_xact_lock(hashtext(${PREFIX}))`);
    const present = await listIndexes(connection);
    if (isPrepared(present, wanted)) return false;
    if (dictionary !== null && !present.includes(wanted!)) {
      const { count } = await queryOne<{ count: number }>(
        connection,
        sql`select count(*)::int as count from known_words`,
      );
      const values = { count: count.toLocaleString("en"), language: nameOf(tag) };
      log.info("Preparing {count} words for searches in {language} …", values);
      await connection.query(
        sql`create index ${new Sql([wanted!], [])} on known_words (${stem(dictionary, "word")})`,
      );
      log.info("Prepared {count} words for searches in {language}", values);
    }
    // Last, since readers of the words wait from then on.
    for (const name of present.filter((name) => name !== wanted)) {
      await connection.query(new Sql([`drop index ${name}`], []));
    }
    return true;
  });
}

function isPrepared(present: readonly string[], wanted: string | null): boolean {
  return wanted === null ? present.length === 0 : present.length === 1 && present[0] === wanted;
}

/** The indexes by stems that there are. */
async function listIndexes(connection: Connection): Promise<string[]> {
  const rows = await connection.query<{ name: string }>(sql`
    select relname as name
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where indrelid = 'known_words'::regclass and starts_with(relname, ${PREFIX})
  `);
  return rows.map(({ name }) => name);
}
