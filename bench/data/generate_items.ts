import { noteEntries } from "./note_entries.ts";
import { type Database, queryOne } from "../../lib/database/database.ts";
import { tidyTables } from "../../lib/import/apply_sql.ts";
import { sql } from "../../lib/database/sql.ts";
import { newWords } from "../../lib/roadmap/words/vocabulary_sql.ts";
import { seedRandom } from "./seed_random.ts";

/** The words of the descriptions, the frequent ones first. */
export const VOCABULARY = `
  the to and a of in for with you can your is this that on when from now will are new data users by
  be it as more use report at or access security admin team support feature settings across model
  allow message file policy meeting experience account device update share time work create view
  manage search control service content app organization project option available channel dashboard
  template workflow document permission audit label browser improve notification desktop mobile
  calendar configure release preview environment customer integration connect automatically
  information protect identity analytics performance selected compliance insight administrator
  filter column storage migrate collaborate recording transcript summary schedule assign deploy
  encrypt retention alert pipeline export import semantic gateway tenant license region endpoint
  webhook chart formula comment mention thread reaction inbox archive folder sync offline draft
  signature caption translate voice camera background layout theme contrast keyboard shortcut
  accessibility narrator grid table timeline milestone backlog sprint budget forecast invoice
  payment refund catalog inventory shipment warehouse supplier contract approval negotiation quota
  territory pipeline campaign segment audience journey survey consent preference locale currency
  exchange snapshot rollback canary rollout threshold anomaly baseline telemetry latency throttle
`.trim().split(/\s+/);

/** Two words that no sentence of the vocabulary holds, and the share of the items that do. */
export const MARKED = { rare: "quorumwise", common: "evergreenly" } as const;

export const PRODUCTS: readonly string[] = `
  Atlas, Beacon, Compass, Dispatch, Ember, Fathom, Granary, Harbor, Inkwell, Juniper, Keystone,
  Lantern, Meridian, Northwind Studio
`.trim().split(/,\s+/);

const SENTENCES = 5_000;

/**
 * Fills an empty database with this many items, the same in each run, dated over the last two
 * years.
 */
export async function generateItems(database: Database, count: number): Promise<void> {
  await database.transaction(async (connection) => {
    // Indexing all trigrams at once is faster.
    const { definition } = await queryOne<{ definition: string }>(
      connection,
      sql`select pg_get_indexdef('items_by_substring'::regclass) as definition`,
    );
    await connection.script("drop index items_by_substring");
    await connection.query(sql`
      create temporary table sentences (number, sentence) on commit drop as
      select number - 1, sentence
      from jsonb_array_elements_text(${JSON.stringify(makeSentences())}::text::jsonb)
        with ordinality as given (sentence, number)
    `);
    await connection.script("create index on sentences (number); analyze sentences");
    await connection.query(sql`
      insert into import_runs (source, as_of, partial, finished_at)
      values ('generated', current_date, false, now())
    `);
    await connection.query(sql`
      create temporary table generated on commit drop as
      select
        id, nextval('item_texts_text_id_seq') as text_id, feature_name, release_date, release_type, release_status, md5(product_name)::uuid as product_id,
        product_name, feature_description, last_modified, active,
        lower(concat_ws(chr(31), feature_name, feature_description, product_name)) as search_text
      from (
        select
          md5('item ' || number)::uuid as id,
          (select rtrim(left(sentence, 60), ' .') from sentences where sentences.number = i.number % ${SENTENCES}::int)
            || ' ' || number as feature_name,
          case when number % 20 > 0 then
            current_date + (number * 37 % 900) - 400
          end as release_date,
          (array['General availability', 'Preview', 'Private preview'])[1 + number % 3]
            as release_type,
          (array['In development', 'Rolling out', 'Launched', 'Planned', 'Cancelled'])
            [1 + number % 7 % 5] as release_status,
          (${[...PRODUCTS]}::text[])[1 + number % ${PRODUCTS.length}::int] as product_name,
          (
            select string_agg(sentence, ' ' order by place)
            from generate_series(1, 6) as place
            join sentences on sentences.number = (i.number * 31 + place * 977) % ${SENTENCES}
          )
            || case when number % 100 < 3 then ${` It is ${MARKED.rare} at last.`} else '' end
            || case when number % 10 < 3 then ${` It stays ${MARKED.common} so.`} else '' end
            as feature_description,
          current_date - (number * 7919 % 730) as last_modified,
          number % 33 > 0 as active
        from generate_series(1, ${count}::int) as i (number)
      ) as numbered
    `);
    await connection.query(sql`
      insert into item_texts (text_id, search_text, tags) overriding system value
      select text_id, search_text, '{}' from generated
    `);
    await connection.query(sql`
      insert into item_rows (
        release_item_id, text_id, feature_name, release_date, release_type, release_status,
        product_id, product_name, product_names, feature_description, last_modified, active
      )
      select id, text_id, feature_name, release_date, release_type, release_status, product_id,
        product_name, array[product_name], feature_description, last_modified, active
      from generated
    `);
    await connection.query(sql`
      insert into changes (release_item_id, run_id, day, kind, fields)
      select release_item_id, 1, last_modified - 90, 'added',
        array['feature_name', 'release_type', 'release_status', 'product_name']
      from items
    `);
    await connection.query(sql`
      insert into changes (release_item_id, run_id, day, kind, field, old_value, new_value)
      select release_item_id, 1, last_modified, 'changed', field, old_value, new_value
      from items
      cross join lateral (values
        ('release_status', 'Planned', release_status),
        ('release_date', (release_date - 92)::text, release_date::text),
        ('feature_description', 'What it was', feature_description)
      ) as change (field, old_value, new_value)
      where old_value is distinct from new_value
    `);
    await noteEntries(connection);
    await connection.query(sql`insert into known_words (word) ${newWords(sql`items`)}`);
    await connection.script(definition);
  });
  await tidyTables(database);
}

/** Sentences of 13 to 17 words, frequent words more often, the same in each run. */
function makeSentences(): string[] {
  const random = seedRandom(1);
  return Array.from({ length: SENTENCES }, (_, number) => {
    const words = Array.from(
      { length: 13 + number % 5 },
      () => VOCABULARY[Math.floor(random() ** 2 * VOCABULARY.length)]!,
    );
    const [first, ...others] = words.join(" ");
    return `${first!.toUpperCase()}${others.join("")}.`;
  });
}
