import type { Config } from "../config.ts";
import type { Database } from "./database.ts";
import { openEmbedded } from "./embedded.ts";
import { openPostgres } from "./postgres.ts";

/** Opens the database that the settings name. */
export function openDatabase(
  { databaseUrl, dataDir }: Pick<Config, "databaseUrl" | "dataDir">,
): Promise<Database> {
  return databaseUrl === null ? openEmbedded(dataDir) : openPostgres(databaseUrl);
}
