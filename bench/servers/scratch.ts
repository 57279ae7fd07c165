import { cp } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import type { Connection } from "../../lib/database/database.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openDatabase } from "../../lib/database/open_database.ts";
import { sql } from "../../lib/database/sql.ts";
import type { Item } from "../../lib/roadmap/item.ts";
import { ITEM } from "../../lib/roadmap/items_sql.ts";
import { generateItems } from "../data/generate_items.ts";

/** The number of items that are requested one by one. */
const IDS = 3_000;

/** A database with generated items that is removed after the benchmark. */
export interface Scratch extends AsyncDisposable {
  /** For the service and for the baseline: only one process can open an embedded database. */
  readonly settings: Record<"service" | "handler", { DATABASE_URL: string; DATA_DIR: string }>;
  readonly connection: Connection;
  /** Some of its active items. */
  readonly ids: readonly string[];
}

/** Creates a database with this many items, on a PostgreSQL or (null) embedded. */
export async function openScratch(items: number, server: string | null): Promise<Scratch> {
  const folder = await Deno.makeTempDir({ prefix: "roadcast-bench-" });
  const created = server === null ? null : await createDatabase(server);
  const own = { DATABASE_URL: created?.url ?? null, DATA_DIR: join(folder, "queries") };
  const filled = await openDatabase(own);
  await migrate(filled, await readMigrations());
  await generateItems(filled, items);
  await filled.close();
  const settingsFor = async (name: string) => {
    if (!created) await cp(own.DATA_DIR, join(folder, name), { recursive: true });
    return { DATABASE_URL: own.DATABASE_URL ?? "", DATA_DIR: join(folder, name) };
  };
  const settings = { service: await settingsFor("service"), handler: await settingsFor("handler") };
  const database = await openDatabase(own);
  const rows = await database.query<{ id: string }>(sql`
    select release_item_id as id from items where active order by release_item_id limit ${IDS}
  `);
  return {
    settings,
    connection: database,
    ids: rows.map(({ id }) => id),
    async [Symbol.asyncDispose]() {
      await database.close();
      await created?.[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Some active items of every product. */
export function readSomeItems(connection: Connection, count: number): Promise<Item[]> {
  return connection.query<Item>(sql`
    select ${ITEM} from items where active order by md5(release_item_id::text) limit ${count}
  `);
}

/** Creates an empty database with a name of its own, which is removed when it is disposed of. */
export async function createDatabase(server: string): Promise<AsyncDisposable & { url: string }> {
  const name = `roadcast_bench_${crypto.randomUUID().replaceAll("-", "")}`;
  await runOn(server, `create database ${name}`);
  return {
    url: new URL(`/${name}`, server).href,
    [Symbol.asyncDispose]: () => runOn(server, `drop database ${name} with (force)`),
  };
}

async function runOn(server: string, statement: string): Promise<void> {
  const connection = postgres(server, { max: 1, onnotice: () => {} });
  await connection.unsafe(statement);
  await connection.end();
}
