import type { Connection } from "../../database/database.ts";
import { formatCsvLine } from "../../text/csv.ts";
import { listsOf, type PreferenceLists } from "../../roadmap/filter/preference_lists.ts";
import { readSubscribers, type Subscriber } from "./subscribers_sql.ts";

const PAGE = 1_000;

type Row = Omit<Subscriber, "filter"> & PreferenceLists;

const COLUMNS: readonly (keyof Row)[] = [
  "email",
  "state",
  "products",
  "types",
  "statuses",
  "variant",
  "requested_at",
  "verified_at",
  "unsubscribed_at",
  "releases",
  "cadence",
  "paused_until",
  "scope",
  "kinds",
  "tags",
  "searches",
  "refused_at",
  "refusal_reason",
  "due",
  "upcoming",
  "reminders",
  "sources",
  "date_name",
];

/** All subscriptions on a day, `YYYY-MM-DD`, as CSV, some lines at a time. */
export async function* exportSubscribers(
  connection: Connection,
  today: string,
): AsyncGenerator<string> {
  yield formatCsvLine(COLUMNS);
  for (let after = "";;) {
    const subscribers = await readSubscribers(connection, { after, limit: PAGE, today });
    if (subscribers.length === 0) return;
    after = subscribers.at(-1)!.email;
    yield subscribers
      .map(({ filter, ...subscriber }): Row => ({ ...subscriber, ...listsOf(filter) }))
      .map((row) => formatCsvLine(COLUMNS.map((column) => writeCell(row[column]))))
      .join("");
  }
}

function writeCell(value: Row[keyof Row]) {
  return typeof value === "boolean" ? String(value) : value;
}
