import { ExpectedError } from "../expected_error.ts";
import type { Connection, Database } from "./database.ts";
import type { Migration } from "./migrate.ts";
import {
  type MovedTable,
  openRows,
  readExtraTables,
  readRows,
  readSequences,
  readTables,
} from "./sql_backup_sql.ts";

/** The rows of one statement. */
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
const END = "-- end";
const PART = /^-- part of (\d+) bytes$/;

/** A file of SQL cannot be restored; the message says why. */
export class SqlBackupError extends ExpectedError {}

/**
 * Writes a migrated database as SQL that an empty one of either engine takes: the migrations make
 * its tables, triggers and generated columns, INSERT statements fill them. Each part says how long
 * it is, so that a file can be read back part by part, and a cut one is noticed.
 */
export async function writeSqlBackup(
  database: Database,
  migrations: readonly Migration[],
  write: (text: string) => Promise<void>,
): Promise<void> {
  const writePart = async (text: string) => {
    const bytes = new TextEncoder().encode(text).length;
    await write(`-- part of ${bytes} bytes\n${text}\n`);
  };
  await database.transaction(async (connection) => {
    await connection.script(`set transaction isolation level repeatable read; ${SETTINGS}`);
    const tables = inOrder(await readTables(connection));
    const extra = await readExtraTables(connection);
    await write(HEAD);
    await writePart(`${SETTINGS};`);
    await writePart(`create table migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    );`);
    for (const { text } of migrations) await writePart(text);
    if (extra.length > 0) {
      await writePart(["create extension if not exists vector;", ...extra].join("\n"));
    }
    // Some migrations store rows, and triggers would change what is stored.
    await writePart(`truncate ${tables.map(({ name }) => name).join(", ")} cascade;`);
    for (const table of tables) await writeTable(connection, table, writePart);
    await writePart(["-- the next numbers", ...await readSequences(connection)].join("\n"));
    await write(`${END}\ncommit;\n`);
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
    const rows = await readRows(connection, ROWS_AT_ONCE);
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

/** Whether a file begins as one that `writeSqlBackup` has written. */
export function isSqlBackup(start: Uint8Array): boolean {
  return new TextDecoder().decode(start).startsWith(FIRST_LINE);
}

/**
 * Runs the parts of a file that `writeSqlBackup` has written, in one transaction.
 *
 * @throws {SqlBackupError} if the file is cut or was changed
 */
export async function readSqlBackup(
  database: Database,
  file: ReadableStream<Uint8Array>,
): Promise<void> {
  await database.transaction(async (connection) => {
    for await (const part of readParts(file)) await connection.script(part);
  });
}

async function* readParts(file: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = new ExactReader(file);
  for (let line = await reader.line(); line !== END; line = await reader.line()) {
    if (line === null) throw new SqlBackupError("it ends before its last part");
    const bytes = PART.exec(line)?.[1];
    if (bytes === undefined) continue; // of the head, for psql
    const part = await reader.bytes(Number(bytes));
    if (part === null) throw new SqlBackupError("it ends within a part");
    if (await reader.line() !== "") throw new SqlBackupError("a part was changed");
    yield new TextDecoder().decode(part);
  }
}

/** Reads lines and numbers of bytes of a stream. */
class ExactReader {
  readonly #chunks: ReadableStreamDefaultReader<Uint8Array>;
  #rest = new Uint8Array();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#chunks = stream.getReader();
  }

  /** The next line without its end; null at the end of the file. */
  async line(): Promise<string | null> {
    while (true) {
      const end = this.#rest.indexOf("\n".charCodeAt(0));
      if (end >= 0) return new TextDecoder().decode(this.#take(end + 1).subarray(0, -1));
      if (!await this.#readMore()) return null;
    }
  }

  /** So many bytes; null: the file ends before. */
  async bytes(count: number): Promise<Uint8Array | null> {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      if (this.#rest.length === 0 && !await this.#readMore()) return null;
      const part = this.#take(Math.min(missing, this.#rest.length));
      parts.push(part);
      missing -= part.length;
    }
    return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  }

  #take(count: number): Uint8Array {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async #readMore(): Promise<boolean> {
    const { value } = await this.#chunks.read();
    if (value === undefined) return false;
    const joined = new Uint8Array(this.#rest.length + value.length);
    joined.set(this.#rest);
    joined.set(value, this.#rest.length);
    this.#rest = joined;
    return true;
  }
}
