import { type Sql, sql } from "../database/sql.ts";
import { TONE_WORDS } from "./status_tone.ts";

/** The tone of a status, as `statusTone` has it. */
export function toneOf(status: Sql): Sql {
  return TONE_WORDS.reduceRight<Sql>(
    (others, [tone, words]) => sql`case when ${status} ~* ${words} then ${tone} else ${others} end`,
    sql`'planned'`,
  );
}
