import type { Database } from "../../lib/database/database.ts";

/** A database that records every statement. */
export function recordStatements(database: Database) {
  const texts: string[] = [];
  const recording = <C extends Pick<Database, "query">>(connection: C) => ({
    ...connection,
    query: <Row>(statement: Parameters<Database["query"]>[0]) => {
      texts.push(statement.compile().text);
      return connection.query<Row>(statement);
    },
  });
  const recorded: Database = {
    ...recording(database),
    transaction: (work) => database.transaction((connection) => work(recording(connection))),
  };
  return { database: recorded, texts };
}
