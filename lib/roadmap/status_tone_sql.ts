import { json, type Sql, sql } from "../database/sql.ts";
import { TONE_WORDS, type ToneMap } from "./status_tone.ts";

/** The tone of a status, as `statusTone` has it. */
export function toneOf(status: Sql, tones: ToneMap = {}): Sql {
  const byWords = TONE_WORDS.reduceRight<Sql>(
    (others, [tone, words]) => sql`case when ${status} ~* ${words} then ${tone} else ${others} end`,
    sql`'planned'`,
  );
  if (Object.keys(tones).length === 0) return byWords;
  return sql`
    coalesce(${json(tones)} ->> lower(btrim(${status})), ${byWords})
  `;
}
