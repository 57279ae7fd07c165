import { type Connection, queryOne } from "./database.ts";
import { Sql, sql } from "./sql.ts";

/** A table whose rows are moved; all names are quoted. */
export interface MovedTable {
  name: string;
  /** The columns that are not generated. */
  columns: string[];
  /** The tables that have to be filled before. */
  needs: string[];
}

/** The tables with rows to move: those that are lost in a crash hold copies only. */
export function readTables(connection: Connection): Promise<MovedTable[]> {
  return connection.query(sql`
    select quote_ident(relname) as name,
      array(
        select quote_ident(attname) from pg_attribute
        where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      )::text[] as columns,
      array(
        select distinct quote_ident(needed.relname) from pg_constraint
        join pg_class as needed on needed.oid = confrelid
        where conrelid = tables.oid and contype = 'f' and confrelid <> conrelid
      )::text[] as needs
    from pg_class as tables
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
    order by relname
  `);
}

/** Whether there is the table of vectors, which is made only with pgvector. */
export async function hasVectors(connection: Connection): Promise<boolean> {
  const { exists } = await queryOne<{ exists: boolean }>(
    connection,
    sql`select to_regclass('embeddings') is not null as exists`,
  );
  return exists;
}

/** The statements that set the next value of each sequence. */
export async function readSequences(connection: Connection): Promise<string[]> {
  const rows = await connection.query<{ statement: string }>(sql`
    select format(
      'select setval(%L, %s, true);', quote_ident(sequencename), last_value
    ) as statement
    from pg_sequences
    where schemaname = current_schema() and last_value is not null
    order by sequencename
  `);
  return rows.map(({ statement }) => statement);
}

/** Begins to read the rows of a table, each as the values of an INSERT. */
export async function openRows(
  connection: Connection,
  { name, columns }: MovedTable,
): Promise<void> {
  const values = columns.map((column) => `quote_nullable(${column}::text)`).join(", ");
  await connection.query(
    new Sql([`
      declare moved_rows no scroll cursor for
      select '(' || concat_ws(', ', ${values}) || ')' as row from ${name}
    `], []),
  );
}

/** Reads the next rows; none at the end. */
export async function readRows(connection: Connection, most: number): Promise<string[]> {
  const rows = await connection.query<{ row: string }>(
    new Sql([`fetch ${Math.trunc(most)} from moved_rows`], []),
  );
  if (rows.length === 0) await connection.query(sql`close moved_rows`);
  return rows.map(({ row }) => row);
}
