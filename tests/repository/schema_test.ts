import { strictEqual } from "node:assert/strict";
import { describeSchema } from "../../tools/describe_schema_sql.ts";
import { openMigratedEmbedded } from "../support/databases.ts";

Deno.test("migrations/schema.sql is the schema of all migrations", async () => {
  const database = await openMigratedEmbedded();
  const made = await describeSchema(database);
  await database.close();
  const written = await Deno.readTextFile(new URL("../../migrations/schema.sql", import.meta.url));
  strictEqual(written, made, "Run `deno task generate`");
});
