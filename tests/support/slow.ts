import { type Database, isEmbedded } from "../../lib/database/database.ts";
import { TEST_DATABASE_URL, testOnDatabases, testOnOne } from "./databases.ts";

/** The gate runs every test, and every run of a property; `deno task test` alone the quick ones. */
const RUNS_ALL = Deno.env.get("TEST_ALL") === "1";

/** The tests of this process that are left to the gate. */
let left = 0;

/** Registers a test that takes more than a second, in the gate only. */
export function slowTest(
  name: string,
  test: () => void | Promise<void>,
  options: Partial<Deno.TestDefinition> = {},
): void {
  if (RUNS_ALL) Deno.test({ ...options, name, fn: test });
  else left += 1;
}

/** Registers a test on the databases that takes more than a second, in the gate only. */
export function slowOnDatabases(...test: Parameters<typeof testOnDatabases>): void {
  if (RUNS_ALL) testOnDatabases(...test);
  else left += 1;
}

/** Registers a test that needs any database and takes more than a second, in the gate only. */
export function slowOnOne(...test: Parameters<typeof testOnOne>): void {
  if (RUNS_ALL) testOnOne(...test);
  else left += 1;
}

/**
 * How many runs of a property are tried: in the gate all, elsewhere a fifth. A property of a
 * database is tried in full on PostgreSQL, and a fifth on the embedded one beside it.
 */
export function runs(all: number, database?: Database): number {
  const isBeside = database !== undefined && stride(database) > 1;
  return RUNS_ALL && !isBeside ? all : Math.ceil(all / 5);
}

/** What is tried at every statement is so on PostgreSQL, and at every fifth on the embedded one beside it. */
export function stride(database: Database): number {
  return isEmbedded(database) && TEST_DATABASE_URL !== null ? 5 : 1;
}

/** Shows in the output of the tests how many are left. */
export function noteLeftTests(): void {
  if (left === 0) return;
  Deno.test({ name: `${left} slow tests, which TEST_ALL=1 runs`, ignore: true, fn: () => {} });
}
