import type { Database } from "../database/database.ts";
import { isDatabaseEmpty } from "../roadmap/items_sql.ts";
import { daysBefore, formatQuarter, isoDate } from "../text/dates.ts";
import { importSnapshots } from "./import_snapshot.ts";

const FILE = new URL("../../sample/roadmap.json", import.meta.url);

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

/**
 * Loads the sample roadmap into an empty database, dated back from a day (`YYYY-MM-DD`), and
 * returns the number of items: 0 if the database was not empty.
 */
export async function loadSample(database: Database, day: string): Promise<number> {
  if (!await isDatabaseEmpty(database)) return 0;
  const { items } = JSON.parse(await Deno.readTextFile(FILE)) as { items: SampleItem[] };
  const options = { sample: true, allowMassRemoval: true };
  const snapshots = snapshotsOf(items, day);
  const isTaken = await importSnapshots(database, "the sample roadmap", snapshots, options);
  return isTaken ? items.length : 0;
}

/** The roadmap on each day on which something changed. */
function snapshotsOf(items: readonly SampleItem[], day: string) {
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
