/**
 * Writes `migrations/schema.sql`: the tables, views, functions and triggers that all migrations together
 * make. It is there to be read; nothing runs it.
 */
import { describeSchema } from "./describe_schema_sql.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";

const FILE = new URL("../migrations/schema.sql", import.meta.url);

const folder = await Deno.makeTempDir();
const database = await openDatabase({ DATABASE_URL: null, DATA_DIR: folder });
await migrate(database, await readMigrations());
await Deno.writeTextFile(FILE, await describeSchema(database));
await database.close();
await Deno.remove(folder, { recursive: true });
