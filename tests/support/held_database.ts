import type { Database } from "../../lib/database/database.ts";
import type { Sql } from "../../lib/database/sql.ts";

/** A database that can be made to keep everybody waiting who asks about items. */
export interface HeldDatabase extends Database {
  hold(): void;
  /** Answers all who wait, and whoever asks from now on. */
  release(): void;
  /** How many questions wait for their answer. */
  readonly held: number;
}

/** Makes a database of which the answers about items can be held back. */
export function holdDatabase(database: Database): HeldDatabase {
  let released = Promise.resolve();
  let release = () => {};
  let held = 0;
  return {
    ...database,
    async query<Row>(statement: Sql): Promise<Row[]> {
      if (/from (items|changes)|join items/.test(statement.compile().text)) {
        held++;
        await released;
        held--;
      }
      return await database.query<Row>(statement);
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
