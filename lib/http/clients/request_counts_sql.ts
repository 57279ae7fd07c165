import type { Connection, Database } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import { currentCaller, workFor } from "../../work/async.ts";

/** The largest accepted clock difference between processes. */
const MAX_SKEW_MS = 60_000;
/** Longer than any window: a count that ends later was begun before the clock was put back. */
const MAX_COUNT_MS = 2 * 60 * 60 * 1000;

/** The database of the counts, and the clock. */
export interface CountStore {
  readonly database: Database;
  readonly clock: () => Date;
}

/** Counts the requests of clients; all processes on one database share the counts. */
export interface RequestCounter {
  /** Counts one request, and returns the seconds to wait if it exceeds the limit, else null. */
  count(key: string): Promise<number | null>;
  /** Returns the seconds to wait if the next request would exceed the limit, else null. */
  check(key: string): Promise<number | null>;
  /** Takes back one that was counted. */
  giveBack(key: string): Promise<void>;
}

/** Opens a counter: a limit per kind, key and window, which starts with the first request. */
export function openRequestCounter(
  { database, clock }: CountStore,
  { kind, limit, seconds }: { kind: string; limit: number; seconds: number },
): RequestCounter {
  const windowMs = seconds * 1000;
  /** A window that ends too late was started by a wrong clock: it no longer counts. */
  const isRunning = (now: number) =>
    sql`counts.expire > ${now}::bigint
      and counts.expire <= ${now + windowMs + MAX_SKEW_MS}::bigint`;
  /** No client waits longer than one window, even if the clock that started it was wrong. */
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
          points = case when ${isRunning(now)} then counts.points else 0 end + excluded.points,
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
    async giveBack(key) {
      const { client } = currentCaller();
      // Also when the client has left, or when its time is over.
      await workFor(() => ({ client }), () =>
        database.query(sql`
          update request_counts set points = points - 1
          where key = ${`${kind}:${key}`} and points > 0
        `));
    },
  };
}

/** Removes counts that have run out. */
export async function pruneRequestCounts(connection: Connection, now: Date): Promise<void> {
  await connection.query(sql`
    delete from request_counts
    where expire < ${now.getTime()}::bigint
      or expire > ${now.getTime() + MAX_COUNT_MS}::bigint
  `);
}
