import { ExpectedError } from "../expected_error.ts";
import { type Connection, type Database, queryOne } from "./database.ts";
import { type Migration, MIGRATIONS_TABLE, refuseNewer } from "./migrate.ts";
import { Sql, sql } from "./sql.ts";

const ROWS_AT_ONCE = 200;

/** What values and names look like in the file, whatever the settings of a server are. */
const SETTINGS = [
  "set local datestyle = 'ISO, MDY'",
  "set local intervalstyle = 'postgres'",
  "set local extra_float_digits = 1",
  "set local bytea_output = 'hex'",
  "set local standard_conforming_strings = on",
].join("; ");

const HEAD = `-- A Roadcast database as SQL. Into an empty PostgreSQL 17 or later:
--   psql "$DATABASE_URL" -f FILE
-- into an empty embedded database: deno task restore FILE
\\set ON_ERROR_STOP on
begin;
`;
const FIRST_LINE = HEAD.split("\n")[0]!;
/** Names the line that ends each part: no text in the database has it. */
const BOUNDARY = "-- after each part: ";
const LAST = "-- end";

/** Tables that wait for an hour, or spare a reading: what they hold of secrets is kept nowhere else. */
const PASSING = ["uploads", "upload_parts", "source_pages"];
/** What operators typed as secrets of sources, which a file has only if it is asked for. */
const SECRETS = { table: "stored_sources", column: "secrets" };

/** A file of SQL cannot be restored; the message says why. */
class SqlBackupError extends ExpectedError {}

/**
 * Writes a migrated database as SQL that an empty one of either engine takes: the migrations make
 * its tables, triggers and generated columns, INSERT statements fill them. A file can be read back part
 * by part, and a cut one is noticed. The secrets of sources are left out, unless `withSecrets` is true.
 */
export async function writeSqlBackup(
  database: Database,
  migrations: readonly Migration[],
  write: (text: string) => Promise<void>,
  { withSecrets }: { withSecrets: boolean },
): Promise<void> {
  const boundary = `-- ${crypto.randomUUID()}`;
  const writePart = (text: string) => write(`${text}\n${boundary}\n`);
  await database.transaction(async (connection) => {
    await connection.script(`set transaction isolation level repeatable read; ${SETTINGS}`);
    await refuseNewer(connection, migrations);
    const tables = inOrder(await readTables(connection));
    const withVectors = await hasVectors(connection);
    await write(`${HEAD}${BOUNDARY}${boundary}\n`);
    await writePart(`${SETTINGS};`);
    await writePart(`create table ${MIGRATIONS_TABLE};`);
    for (const { text } of migrations) await writePart(text);
    if (withVectors) {
      await writePart("create extension if not exists vector;\nselect make_embeddings();");
    }
    // Some migrations store rows, and triggers would change what is stored.
    await writePart(`truncate ${tables.map(({ name }) => name).join(", ")} cascade;`);
    for (const table of tables) {
      if (PASSING.includes(table.name)) continue;
      const isOpen = withSecrets || table.name !== SECRETS.table;
      const columns = table.columns.filter((column) => isOpen || column !== SECRETS.column);
      await writeTable(connection, { ...table, columns }, writePart);
    }
    await writePart(["-- the next numbers", ...await readSequences(connection)].join("\n"));
    await write(`${LAST}\ncommit;\n`);
  });
}

async function writeTable(
  connection: Connection,
  table: MovedTable,
  writePart: (text: string) => Promise<void>,
): Promise<void> {
  const { name, columns } = table;
  await writePart(`alter table ${name} disable trigger user;`);
  await openRows(connection, table);
  const into = `insert into ${name} (${columns.join(", ")}) overriding system value values\n`;
  while (true) {
    const rows = await readRows(connection);
    if (rows.length === 0) break;
    await writePart(`${into}${rows.join(",\n")};`);
  }
  await writePart(`alter table ${name} enable trigger user;`);
}

/** A table after those that its rows refer to. */
function inOrder(tables: readonly MovedTable[]): MovedTable[] {
  const ordered = new Set<MovedTable>();
  const add = (table: MovedTable) => {
    for (const needed of table.needs) add(tables.find(({ name }) => name === needed)!);
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

/** A table whose rows are moved; all names are quoted. */
interface MovedTable {
  name: string;
  columns: string[];
  /** The tables that have to be filled before. */
  needs: string[];
}

/** The tables with rows to move: those that are lost in a crash hold copies only. */
function readTables(connection: Connection): Promise<MovedTable[]> {
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
async function hasVectors(connection: Connection): Promise<boolean> {
  const { exists } = await queryOne<{ exists: boolean }>(
    connection,
    sql`select to_regclass('embeddings') is not null as exists`,
  );
  return exists;
}

/** The statements that set the next value of each sequence. */
async function readSequences(connection: Connection): Promise<string[]> {
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
async function openRows(
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
async function readRows(connection: Connection): Promise<string[]> {
  const rows = await connection.query<{ row: string }>(
    new Sql([`fetch ${ROWS_AT_ONCE} from moved_rows`], []),
  );
  if (rows.length === 0) await connection.query(sql`close moved_rows`);
  return rows.map(({ row }) => row);
}

/** Whether a file begins as one that `writeSqlBackup` has written. */
export function isSqlBackup(start: Uint8Array): boolean {
  return new TextDecoder().decode(start).startsWith(FIRST_LINE);
}

/**
 * Runs the parts of a file that `writeSqlBackup` has written, in one transaction.
 *
 * @throws {SqlBackupError} if the file is cut
 */
export async function readSqlBackup(
  database: Database,
  file: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  await database.transaction(async (connection) => {
    for await (const part of readParts(file)) await connection.script(part);
  });
}

async function* readParts(file: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let boundary: string | null = null;
  let part: string[] = [];
  for await (const line of readLines(file)) {
    if (line === boundary) {
      yield part.join("\n");
      part = [];
    } else if (boundary !== null) part.push(line);
    else if (line.startsWith(BOUNDARY)) boundary = line.slice(BOUNDARY.length);
    if (part.length === 1 && line === LAST) return;
  }
  throw new SqlBackupError("it ends before its last part");
}

async function* readLines(file: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of file.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
