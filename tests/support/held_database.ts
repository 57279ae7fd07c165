import type { Database } from "../../lib/database/database.ts";
import type { Sql } from "../../lib/database/sql.ts";
import type { Caller } from "../../lib/work/async.ts";

/** A database that can hold back queries of items. */
export interface HeldDatabase extends Database {
  hold(): void;
  /** Lets held queries continue, and no longer holds new ones. */
  release(): void;
  /** The number of queries held back. */
  readonly held: number;
}

/** Wraps a database so that queries of items can be held back. */
export function holdDatabase(database: Database): HeldDatabase {
  let released = Promise.resolve();
  let release = () => {};
  let held = 0;
  return {
    ...database,
    async query<Row>(statement: Sql, caller?: Caller): Promise<Row[]> {
      if (/from (items|changes)|join items/.test(statement.compile().text)) {
        held++;
        await released;
        held--;
      }
      return await database.query<Row>(statement, caller);
    },
    hold() {
      ({ promise: released, resolve: release } = Promise.withResolvers<void>());
    },
    release: () => release(),
    get held() {
      return held;
    },
  };
}
