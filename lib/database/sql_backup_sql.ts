import type { Connection } from "./database.ts";
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

/** The statements that make the tables that no migration makes: those of vectors. */
export async function readExtraTables(connection: Connection): Promise<string[]> {
  const rows = await connection.query<{ statement: string }>(sql`
    with tables as (
      select oid, quote_ident(relname) as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and relname ~ '^embeddings_[0-9]+$'
    ),
    statements as (
      select name, 1 as step, format('create table %s (%s);', name, (
        select string_agg(concat_ws(' ',
          quote_ident(attname), format_type(atttypid, atttypmod),
          'default ' || pg_get_expr(adbin, adrelid),
          case when attnotnull then 'not null' end
        ), ', ' order by attnum)
        from pg_attribute
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = tables.oid and attnum > 0 and not attisdropped
      )) as statement
      from tables
      union all
      select name, 2, format(
        'alter table %s alter column %I set storage plain;', name, attname
      )
      from tables
      join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      join pg_type on pg_type.oid = atttypid
      where attstorage = 'p' and typstorage <> 'p'
      union all
      select name, 3, format(
        'alter table %s add constraint %I %s;', name, conname, pg_get_constraintdef(pg_constraint.oid)
      )
      from tables
      join pg_constraint on conrelid = tables.oid and contype = 'p'
      union all
      select name, 4, replace(pg_get_indexdef(indexrelid), quote_ident(current_schema()) || '.', '') || ';'
      from tables
      join pg_index on indrelid = tables.oid and not indisprimary
    )
    select statement from statements order by name, step, statement
  `);
  return rows.map(({ statement }) => statement);
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
