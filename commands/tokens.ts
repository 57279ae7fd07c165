import { addImportToken } from "../lib/admin/import_tokens.ts";
import { listImportTokens, removeImportToken } from "../lib/admin/import_tokens_sql.ts";
import type { Database } from "../lib/database/database.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, withDatabase } from "./command.ts";
import { CannotRun, parseGiven, UsageError } from "./given.ts";

/** `deno task tokens`: tokens for `POST /api/import` of some sources. */
export const run: Command = async (args, config) => {
  const { values, positionals: [action, name] } = parseGiven("tokens", args);
  const takesName = action === "add" || action === "remove";
  if (!takesName && action !== "list") throw new UsageError(`Unknown action "${action}"`);
  if (takesName !== (name !== undefined)) {
    throw new UsageError(`${action} takes ${takesName ? "a" : "no"} name`);
  }
  if (values.source && action !== "add") throw new UsageError("--source is for add only");
  await withDatabase(config, async (database) => {
    if (action === "list") return await list(database);
    if (action === "remove") return await remove(database, name!);
    const token = await addImportToken(database, {
      name: name!.trim(),
      sources: values.source ?? [],
      now: systemClock(),
    });
    console.log("The token, which is not shown again:");
    console.log(token);
  });
};

async function list(database: Database): Promise<void> {
  const tokens = await listImportTokens(database);
  for (const { name, sources, last_used_on } of tokens) {
    console.log(`${name}: ${sources.join(", ")}; last used: ${last_used_on ?? "never"}`);
  }
  if (tokens.length === 0) console.log("There are no tokens");
}

async function remove(database: Database, name: string): Promise<void> {
  if (!await removeImportToken(database, name)) {
    throw new CannotRun(`There is no token ${JSON.stringify(name)}: see deno task tokens list`);
  }
  console.log(`Removed the token ${name}`);
}
