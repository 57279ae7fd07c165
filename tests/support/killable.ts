import type { Connection, Database } from "../../lib/database/database.ts";

/** The database as a process sees it that is killed at one of its statements: before, or after it. */
export function killable(database: Database) {
  let left = Infinity;
  const seen = <C extends Connection>(connection: C) => ({
    ...connection,
    async query<Row>(statement: Parameters<Database["query"]>[0]): Promise<Row[]> {
      if (--left < 0) throw new Error("killed");
      return await connection.query<Row>(statement);
    },
  });
  const seenDatabase: Database = {
    ...seen(database),
    transaction: (work) =>
      database.transaction(async (connection) => {
        const result = await work(seen(connection));
        if (--left < 0) throw new Error("killed before the end of a transaction");
        return result;
      }),
  };
  return {
    database: seenDatabase,
    /** Kills the process at this statement from now on; infinite: never. */
    killAt: (statement: number) => left = statement,
    isKilled: () => left < 0,
  };
}
