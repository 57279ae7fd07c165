import type { Connection } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";

/** What a schema consists of, a line for each column, constraint, index, trigger, view and function. */
export async function describeSchema(
  connection: Connection,
): Promise<string[]> {
  const rows = await connection.query<{ line: string }>(sql`
    with tables as (
      select * from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
    )
    select format('table %s %s %s', relname, relpersistence, reloptions) as line from tables
    union all
    select format(
      'column %s %s %s %s storage %s collation %s not null %s identity %s generated %s %s',
      relname, row_number() over (partition by relname order by attnum), attname,
      format_type(atttypid, atttypmod), attstorage, attcollation::regcollation, attnotnull,
      attidentity, attgenerated, pg_get_expr(adbin, adrelid)
    )
    from tables
    join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select format('constraint %s %s %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
    from tables
    join pg_constraint on conrelid = tables.oid
    where contype <> 'n'
    union all
    select pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = tables.oid
    union all
    select pg_get_triggerdef(pg_trigger.oid)
    from tables
    join pg_trigger on tgrelid = tables.oid
    where not tgisinternal
    union all
    select format('view %s %s', viewname, definition) from pg_views where schemaname = current_schema()
    union all
    select format('sequence %s %s %s', sequencename, data_type, increment_by)
    from pg_sequences
    where schemaname = current_schema()
    union all
    select pg_get_functiondef(pg_proc.oid)
    from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  `);
  return rows.map(({ line }) => line).sort();
}
