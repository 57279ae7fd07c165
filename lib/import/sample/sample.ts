import { raiseDataVersion } from "../../database/data_version.ts";
import type { Connection, Database } from "../../database/database.ts";
import { isDatabaseEmpty } from "../../roadmap/items_sql.ts";
import { daysBefore, formatQuarter, isoDate } from "../../text/dates.ts";
import { prepareRead, storePrepared } from "../apply_plan.ts";
import { lockImports, markSample, tidyTables } from "../apply_sql.ts";
import { DEFAULT_SOURCE } from "../import_options.ts";
import { forgetPrepared } from "../prepared_sql.ts";
import { startRun } from "../import_runs_sql.ts";
import { mapTable } from "../mapping/map_table.ts";
import { describeReading } from "../read_items.ts";

const FILE = new URL("../../../sample/roadmap.json", import.meta.url);

/** An item of the sample; its times are relative to the day on which it is loaded. */
interface SampleItem extends SampleState {
  release_item_id: string;
  added_days_ago: number;
  changes?: readonly SampleChange[];
}

interface SampleState {
  /** Quarters from the current one. */
  release_quarter: number | null;
  [field: string]: unknown;
}

interface SampleChange {
  days_ago: number;
  set?: Partial<SampleState>;
  removed?: true;
  restored?: true;
}

/** The roadmap on one day. */
interface Snapshot {
  asOf: string;
  items: unknown[];
}

/**
 * Loads the sample roadmap into an empty database, dated back from a day (`YYYY-MM-DD`), and
 * returns the number of items: 0 if the database was not empty.
 */
export async function loadSample(database: Database, day: string): Promise<number> {
  const { items } = JSON.parse(await Deno.readTextFile(FILE)) as { items: SampleItem[] };
  const isLoaded = await database.transaction(async (connection) => {
    await lockImports(connection);
    if (!await isDatabaseEmpty(connection)) return false;
    for (const snapshot of snapshotsOf(items, day)) await storeSnapshot(connection, snapshot);
    await forgetPrepared(connection, { except: 0 });
    await markSample(connection);
    await raiseDataVersion(connection);
    return true;
  });
  if (!isLoaded) return 0;
  await tidyTables(database);
  return items.length;
}

async function storeSnapshot(connection: Connection, { asOf, items }: Snapshot): Promise<void> {
  const options = { asOf, allowMassRemoval: true };
  const run = {
    kind: "sample",
    source: "the sample roadmap",
    sourceName: DEFAULT_SOURCE,
    asOf,
    partial: false,
  } as const;
  const runId = await startRun(connection, run);
  const table = { rows: items };
  const settings = { kind: "json", sourceName: DEFAULT_SOURCE, asOf } as const;
  const reading = describeReading(table, mapTable(table, {}, settings), settings);
  const application = { runId, reading, options };
  await storePrepared(connection, application, await prepareRead(connection, application));
}

function snapshotsOf(items: readonly SampleItem[], day: string): Snapshot[] {
  const daysAgo = new Set(items.flatMap(({ added_days_ago, changes = [] }) => [
    added_days_ago,
    ...changes.map(({ days_ago }) => days_ago),
  ]));
  return [...daysAgo].sort((a, b) => b - a).map((ago) => ({
    asOf: daysBefore(day, ago),
    items: items.map((item) => stateOf(item, ago, day)).filter((state) => state !== null),
  }));
}

/** An item as it was this many days ago; null if it was not on the roadmap. */
function stateOf(
  { added_days_ago, changes = [], ...state }: SampleItem,
  ago: number,
  day: string,
): Record<string, unknown> | null {
  if (added_days_ago < ago) return null;
  const past = changes.filter(({ days_ago }) => days_ago >= ago);
  const lastMove = past.findLast(({ removed, restored }) => removed || restored);
  if (lastMove?.removed) return null;
  const { release_quarter, ...fields } = Object.assign({}, state, ...past.map(({ set }) => set));
  return {
    ...fields,
    release_date: release_quarter === null ? null : quarterOf(day, release_quarter),
  };
}

/** The quarter this many quarters after that of a day. */
function quarterOf(day: string, quarters: number): string {
  const month = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  month.setUTCMonth(month.getUTCMonth() + quarters * 3);
  return formatQuarter(isoDate(month));
}
