import type { Database } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** The clocks of two processes may differ by so much. */
const MAX_SKEW_MS = 60_000;

/** Where requests are counted, and by which clock. */
export interface CountStore {
  readonly database: Database;
  readonly clock: () => Date;
}

/** Counts what clients do; all processes of one database share the counts. */
export interface RequestCounter {
  /** Counts once more, and returns the seconds to wait where that is too often, else null. */
  count(key: string): Promise<number | null>;
  /** Returns the seconds to wait where the next one would be too often, else null. */
  check(key: string): Promise<number | null>;
}

/** Opens a counter: so many of a kind per key and window, which begins with the first of them. */
export function openRequestCounter(
  { database, clock }: CountStore,
  { kind, limit, seconds }: { kind: string; limit: number; seconds: number },
): RequestCounter {
  const windowMs = seconds * 1000;
  /** One that ends later than any can was begun by a clock that was wrong: it counts no more. */
  const isRunning = (now: number) =>
    sql`counts.expire > ${now}::bigint
      and counts.expire <= ${now + windowMs + MAX_SKEW_MS}::bigint`;
  /** Nobody waits longer than a window takes, whatever the clock of who began it says. */
  const secondsUntil = (end: number) => {
    const left = Math.ceil((end - clock().getTime()) / 1000);
    return Math.min(seconds, Math.max(1, left));
  };
  return {
    async count(key) {
      const now = clock().getTime();
      const [counted] = await database.query<{ points: number; expire: number }>(sql`
        insert into request_counts as counts (key, points, expire)
        values (${`${kind}:${key}`}, 1, ${now + windowMs}::bigint)
        on conflict (key) do update set
          points = case when ${isRunning(now)} then counts.points + 1 else 1 end,
          expire = case when ${isRunning(now)} then counts.expire else excluded.expire end
        returning points, expire::float8
      `);
      return counted!.points > limit ? secondsUntil(counted!.expire) : null;
    },
    async check(key) {
      const now = clock().getTime();
      const [counted] = await database.query<{ expire: number }>(sql`
        select expire::float8 from request_counts as counts
        where key = ${`${kind}:${key}`} and points >= ${limit} and ${isRunning(now)}
      `);
      return counted ? secondsUntil(counted.expire) : null;
    },
  };
}
