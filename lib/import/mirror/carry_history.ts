import { raiseDataVersion } from "../../database/data_version.ts";
import type { Connection } from "../../database/database.ts";
import { type Field, FIELDS, type Item } from "../../roadmap/item.ts";
import { readItems } from "../../roadmap/items_sql.ts";
import { parseReleaseDate, quarterDays } from "../../text/dates.ts";
import * as carried from "./carried_changes_sql.ts";
import type { RemoteChanges, RemoteEntry } from "./remote_changes.ts";

/** The most items read, or changes stored, by one statement. */
const BATCH = 500;

/**
 * Puts the changes that another server lists in the place of those that a run has found between
 * what was stored and what is: each with its own day, and however many of them. At first only items
 * are taken over that are new here, as others have a history of their own; later all or none.
 *
 * Whether the listed changes lead to what the items are now. Where they do not, because a cache in
 * between gave older items, say, the changes that come next would not go on from here.
 */
export async function carryHistory(
  connection: Connection,
  runId: number,
  { remote, source }: { remote: RemoteChanges; source: string },
): Promise<boolean> {
  const noted = new Map(
    (await carried.readNoted(connection, runId)).map(({ release_item_id, kind }) => [
      release_item_id,
      kind,
    ]),
  );
  const entriesOf = Map.groupBy(remote.entries, ({ release_item_id }) => release_item_id);
  let isRight = [...noted.keys()].every((id) => entriesOf.has(id));
  const fitting: { item: Item; entries: RemoteEntry[] }[] = [];
  const ids = [...entriesOf.keys()];
  for (let start = 0; start < ids.length; start += BATCH) {
    const some = ids.slice(start, start + BATCH);
    const own = await carried.keepOwn(connection, some, source);
    for (const id of some) if (!own.has(id) && !isGone(entriesOf.get(id)!)) isRight = false;
    for (const item of await readItems(connection, [...own])) {
      const { release_item_id: id } = item;
      const entries = entriesOf.get(id)!;
      const isNew = noted.get(id) === "added";
      if (!endsEqual(item, entries)) isRight = false;
      // One that had gone before we began, and came back, is new here: what it was is not known.
      else if (isNew ? entries[0]!.kind === "added" : !remote.isWhole) {
        fitting.push({ item: withoutTexts(item), entries });
      }
    }
  }
  if (isRight || remote.isWhole) await store(connection, runId, { remote, fitting });
  return isRight;
}

/** Of an item no more is needed than which fields have a value. */
function withoutTexts(item: Item): Item {
  return { ...item, feature_description: item.feature_description && "…" };
}

function isGone(entries: readonly RemoteEntry[]): boolean {
  return entries.findLast(({ kind }) => kind !== "changed")?.kind === "removed";
}

/** Whether the listed changes of an item end with what it is now. */
function endsEqual(item: Item, entries: readonly RemoteEntry[]): boolean {
  const isMoved = entries.some(({ kind }) => kind !== "changed");
  if (isMoved && isGone(entries) === item.active) return false;
  const values = new Map<Field, string | null>();
  for (const { field, new: value } of entries.flatMap(({ fields }) => fields)) {
    values.set(field, value);
    // The first product and the list of all change together; one of them is listed.
    if (field === "product_name") values.delete("product_names");
    if (field === "product_names") values.delete("product_name");
  }
  return [...values].every(([field, value]) => isSame(field, value, textOf(item, field)));
}

/** The value of a field as changes hold it. */
function textOf(item: Item, field: Field): string | null {
  const value = item[field];
  return value === null || typeof value === "string" ? value : JSON.stringify(value);
}

function isSame(field: Field, remote: string | null, value: string | null): boolean {
  if (remote === value) return true;
  if (field === "product_names" || field === "tags") return isSameJson(remote, value);
  if (field !== "release_date" || remote === null || value === null) return false;
  const quarter = quarterDays(remote);
  return quarter !== null && quarter.first <= value && value <= quarter.last;
}

/** Whether two texts hold the same JSON, whatever the order of its keys. */
function isSameJson(one: string | null, other: string | null): boolean {
  const [a, b] = [one, other].map((text) =>
    JSON.stringify(Object.entries(JSON.parse(text ?? "{}")).sort())
  );
  return a === b;
}

async function store(
  connection: Connection,
  runId: number,
  { remote, fitting }: {
    remote: RemoteChanges;
    fitting: readonly { item: Item; entries: RemoteEntry[] }[];
  },
): Promise<void> {
  if (fitting.length === 0) return;
  await carried.dropNoted(connection, runId, fitting.map(({ item }) => item.release_item_id));
  const fields = new Map(
    fitting.map(({ item, entries }) => [item.release_item_id, fieldsAtFirst(item, entries)]),
  );
  const inOrder = groupByImport(
    remote.entries.filter(({ release_item_id }) => fields.has(release_item_id)),
  );
  // An addition may be dated long before the import that found it.
  let asOf = "";
  for (let start = 0; start < inOrder.length; start += BATCH) {
    const some = inOrder.slice(start, start + BATCH);
    const runIds = await carried.storeCarriedRuns(
      connection,
      runId,
      some.map((changes) => ({
        imported_at: changes[0]!.imported_at,
        date: asOf = [asOf, ...changes.map(({ date }) => date)].sort().at(-1)!,
        items: changes.length,
      })),
    );
    for (const [place, changes] of some.entries()) {
      for (let from = 0; from < changes.length; from += BATCH) {
        const rows = changes.slice(from, from + BATCH).flatMap((entry) =>
          toChanges(entry, { runId: runIds[place]!, fields: fields.get(entry.release_item_id)! })
        );
        await carried.storeCarriedChanges(connection, rows);
      }
    }
  }
  await carried.putRunLast(connection, runId);
  await raiseDataVersion(connection); // the run itself may have found nothing
}

/**
 * The entries of each import of the other server. Its moments are whole seconds: two imports within
 * one are distinguished by an item that changed in both.
 */
function groupByImport(entries: readonly RemoteEntry[]): RemoteEntry[][] {
  const groups: RemoteEntry[][] = [];
  let ids = new Set<string>();
  for (const entry of entries) {
    const group = groups.at(-1);
    if (group?.[0]?.imported_at !== entry.imported_at || ids.has(entry.release_item_id)) {
      groups.push([entry]);
      ids = new Set();
    } else group!.push(entry);
    ids.add(entry.release_item_id);
  }
  return groups;
}

/** An entry as the changes that are stored of it; a quarter stands for its last day. */
function toChanges(
  { release_item_id, date: day, kind, fields }: RemoteEntry,
  { runId: run_id, fields: atFirst }: { runId: number; fields: Field[] },
): carried.CarriedChange[] {
  const common = { release_item_id, run_id, day };
  const none = { field: null, old_value: null, new_value: null };
  const first = kind === "changed"
    ? []
    : [{ ...common, ...none, kind, fields: kind === "added" ? atFirst : null }];
  const toValue = (field: Field, value: string | null) =>
    field === "release_date" && value !== null ? parseReleaseDate(value) : value;
  return [
    ...first,
    ...fields.map((change) => ({
      ...common,
      kind: "changed" as const,
      field: change.field,
      old_value: toValue(change.field, change.old),
      new_value: toValue(change.field, change.new),
      fields: null,
    })),
  ];
}

/** The fields that an item had a value of when it was added: before anything changed. */
function fieldsAtFirst(item: Item, entries: readonly RemoteEntry[]): Field[] {
  const firstChange = (field: Field) =>
    entries.flatMap(({ fields }) => fields).find((change) => change.field === field);
  return FIELDS.filter((field) => {
    const change = firstChange(field);
    const value = change ? change.old : textOf(item, field);
    if (field === "product_names") return value !== null && JSON.parse(value).length > 1;
    return value !== null && value !== "{}";
  });
}
