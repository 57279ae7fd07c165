import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Database } from "../database/database.ts";
import { Sql } from "../database/sql.ts";

/** The clocks of two processes may differ by so much. */
const MAX_SKEW_MS = 60_000;

/** Counts what clients do; all processes of one database share the counts. */
export interface RequestCounter {
  /** Counts once more, and returns the seconds to wait where that is too often, else null. */
  count(key: string): Promise<number | null>;
  /** Returns the seconds to wait where the next one would be too often, else null. */
  check(key: string): Promise<number | null>;
}

/** Opens a counter: so many of a kind per key and window. Windows go by the real time. */
export function openRequestCounter(
  database: Database,
  { kind, limit, seconds }: { kind: string; limit: number; seconds: number },
): RequestCounter {
  const limiter = new RateLimiterPostgres({
    storeClient: { query: (asked: Asked) => runFor(database, asked) },
    storeType: "client",
    tableName: "request_counts",
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: kind,
    points: limit,
    duration: seconds,
  });
  /** A window that ends later than any can was begun by a clock that was wrong: it counts no more. */
  async function forgetIfWrong(key: string, { msBeforeNext }: RateLimiterRes): Promise<boolean> {
    const isWrong = msBeforeNext > seconds * 1000 + MAX_SKEW_MS;
    if (isWrong) await limiter.delete(key);
    return isWrong;
  }
  async function count(key: string): Promise<number | null> {
    try {
      await limiter.consume(key);
      return null;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return await forgetIfWrong(key, refusal) ? await count(key) : secondsToWait(refusal);
    }
  }
  async function check(key: string): Promise<number | null> {
    const counted = await limiter.get(key);
    if (!counted || counted.consumedPoints < limit) return null;
    return await forgetIfWrong(key, counted) ? null : secondsToWait(counted);
  }
  return { count, check };
}

/** A statement of the library, in the form of node-postgres. */
interface Asked {
  text: string;
  values: unknown[];
}

class FinishedSql extends Sql {
  constructor(private readonly asked: Asked) {
    super([asked.text], []);
  }

  override compile(): { text: string; params: unknown[] } {
    return { text: this.asked.text, params: this.asked.values };
  }
}

async function runFor(database: Database, asked: Asked) {
  const rows = await database.query(new FinishedSql(asked));
  return { rows, rowCount: rows.length };
}

function secondsToWait({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
