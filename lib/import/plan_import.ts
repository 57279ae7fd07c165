import { listReasons } from "./remarks.ts";
import type { Connection } from "../database/database.ts";
import { openPosts } from "./announcements/announcements_sql.ts";
import { isDatabaseEmpty } from "../roadmap/items_sql.ts";
import { DEFAULT_SOURCE, type ImportRequest } from "./import_options.ts";
import type { ImportCounts } from "./import_runs_sql.ts";
import { findKind } from "./kinds/known_kinds.ts";
import {
  countDates,
  countFilled,
  holdsSample,
  readNames,
  readStoredItems,
  type StoredItem,
  wasReadForDates,
} from "./apply_sql.ts";
import { changeOf, type GivenItem, type ItemChange, type ItemRow } from "./item_changes.ts";
import { findFormerOwner, readItemRows } from "./stored_items_sql.ts";
import { LOSABLE_FIELDS, type LosableField, type Reading } from "./read_items.ts";
import { UNDATED } from "./mapping/table_notes.ts";
import type { Loss, Removals } from "./removals_sql.ts";
import { RefusedRemovals, SnapshotError } from "./snapshot_error.ts";

/** A product with as many items does not become empty by itself. */
const MANY_OF_PRODUCT = 5;
/** A field that fewer items have may vanish by itself. */
const FEWEST = 3;
/** The most products that are told of a refused import. */
const MAX_LOSSES = 200;

/** What an import would do to one item that is stored, or one of its fields. */
export interface PreviewedChange {
  kind: "changed" | "removed" | "restored";
  release_item_id: string;
  feature_name: string;
  /** Of a change: the field, and its old and new value as text. */
  field: string | null;
  old_value: string | null;
  new_value: string | null;
}

/** What an import would do. */
export interface ImportPlan {
  /** Nothing is stored but a sample that this import takes away, or nothing at all. */
  isFresh: boolean;
  counts: ImportCounts;
  /** Items as JSON, of which some have to be stored. */
  batches: Uint8Array[];
  compare: CompareBatch;
  /** Some stored items get a day of creation. */
  isDated: boolean;
  missing: string[];
  changes: PreviewedChange[];
}

/** Says what becomes of some items, of which only these are in memory. */
type CompareBatch = (batch: Uint8Array) => Promise<ItemChange[]>;

/** What of the wishes of a caller a plan depends on. */
type PlanOptions =
  & Pick<
    ImportRequest,
    "asOf" | "sourceName" | "restorable" | "partial" | "allowMassRemoval" | "acceptedRemovals"
  >
  & { signal?: AbortSignal; shownChanges?: number };

/**
 * Plans an import: what would become of the stored items. It writes nothing.
 *
 * @throws {SnapshotError} if too much would be removed, or an item belongs to another source
 */
export async function planImport(
  connection: Connection,
  given: Reading,
  options: PlanOptions,
): Promise<ImportPlan> {
  const { sourceName: source = DEFAULT_SOURCE, shownChanges = 0 } = options;
  const keepsMissing = options.partial || findKind(given.kind).keepsMissing || false;
  const isFresh = await holdsSample(connection) || await isDatabaseEmpty(connection);
  const stored = isFresh ? [] : await readStoredItems(connection, source);
  const reading = keepStoredIds(given, new Set(stored.map(({ id }) => id)));
  const ids = new Set(reading.ids);
  const missing = stored.filter(({ id }) => !ids.has(id));
  const plan = await compareAll(connection, reading, { ...options, isFresh });
  refuseRemovals({ reading, stored, missing, keepsMissing, options });
  const isAccepted = options.allowMassRemoval || options.acceptedRemovals !== undefined;
  if (!keepsMissing && !isAccepted && stored.length >= FEWEST) {
    refuseLostField(reading, await countFilled(connection, source), stored.length);
    await refuseLostDates(connection, reading, source);
  }
  if (keepsMissing) return plan;
  plan.missing = missing.map(({ id }) => id);
  plan.counts.removed = missing.length;
  const shown = plan.missing.slice(0, Math.max(0, shownChanges - plan.changes.length));
  for (const item of await readNames(connection, shown)) {
    const none = { field: null, old_value: null, new_value: null };
    plan.changes.push({ kind: "removed", ...item, ...none });
  }
  return plan;
}

/** What was read, with the ids under which its items are stored: these never change. */
function keepStoredIds(reading: Reading, stored: ReadonlySet<string>): Reading {
  const given = new Set(reading.ids);
  const renamed = new Map(
    Object.entries(reading.otherIds).filter(([id, other]) =>
      !stored.has(id) && stored.has(other) && !given.has(other)
    ),
  );
  if (renamed.size === 0) return reading;
  const nameOf = (id: string) => renamed.get(id) ?? id;
  const batches = reading.batches.map((batch) => {
    const items = JSON.parse(new TextDecoder().decode(batch)) as { release_item_id: string }[];
    const kept = items.map((item) => ({ ...item, release_item_id: nameOf(item.release_item_id) }));
    return new TextEncoder().encode(JSON.stringify(kept));
  });
  return { ...reading, ids: reading.ids.map(nameOf).sort(), batches };
}

async function compareAll(
  connection: Connection,
  reading: Reading,
  options: PlanOptions & { isFresh: boolean },
): Promise<ImportPlan> {
  const { shownChanges = 0, signal, isFresh } = options;
  const counts = { added: 0, changed: 0, removed: 0, restored: 0, unchanged: 0 };
  const compare = await compileComparison(connection, reading, options);
  const batches = isFresh ? reading.batches : [];
  const plan: ImportPlan = {
    ...{ isFresh, counts, batches, compare },
    ...{ isDated: false, missing: [], changes: [] },
  };
  for (const batch of isFresh ? [] : reading.batches) {
    signal?.throwIfAborted();
    const changes = await compare(batch);
    if (changes.length > 0) batches.push(batch);
    for (const { outcome, item, notes, isDated } of changes) {
      if (outcome !== null) counts[outcome]++;
      plan.isDated ||= isDated;
      if (outcome === "added" || plan.changes.length >= shownChanges) continue;
      const { release_item_id, feature_name } = item;
      plan.changes.push(...notes.map(({ kind, field, old_value, new_value }) => ({
        kind: kind as PreviewedChange["kind"],
        release_item_id,
        feature_name,
        field,
        old_value,
        new_value,
      })));
    }
  }
  plan.changes.splice(Math.max(0, shownChanges));
  if (isFresh) counts.added = reading.ids.length;
  counts.unchanged = reading.ids.length - counts.added - counts.changed - counts.restored;
  return plan;
}

/**
 * Returns how items are compared with those that are stored.
 *
 * @throws {SnapshotError} where an item belongs to another source, once it is compared
 */
async function compileComparison(
  connection: Connection,
  { kind, ofQuarters }: Reading,
  { asOf, sourceName: source = DEFAULT_SOURCE, restorable, isFresh }:
    & PlanOptions
    & Pick<ImportPlan, "isFresh">,
): Promise<CompareBatch> {
  const { lastModifiedIncludesComments = false } = findKind(kind);
  const learnsDates = !isFresh && !await wasReadForDates(connection, source);
  const rules = { source, asOf, lastModifiedIncludesComments, ofQuarters, learnsDates };
  const findPosts = await openPosts(connection, source);
  return async (batch) => {
    const given: GivenItem[] = JSON.parse(new TextDecoder().decode(batch));
    const ids = given.map(({ release_item_id }) => release_item_id);
    const stored = isFresh ? new Map<string, ItemRow>() : await readItemRows(connection, ids);
    const foreign = ids.map((id) => stored.get(id)).find((item) =>
      item?.active && item.source !== source
    );
    if (foreign) throw foreignItem(source, foreign);
    const removed = [...stored.values()].filter(({ active }) => !active);
    if (restorable !== undefined && removed.length > 0) {
      const removedIds = removed.map(({ release_item_id }) => release_item_id);
      const former = await findFormerOwner(connection, removedIds, restorable);
      if (former !== null) throw formerItem(former);
    }
    const found = await findPosts?.(given) ?? [];
    const posts = new Map(found.map(({ release_item_id, post }) => [release_item_id, post]));
    return given.flatMap((item) => {
      const post = item.blog_url === null && item.blog_title === null
        ? posts.get(item.release_item_id)
        : undefined;
      const announced = post && { blog_title: post.title, blog_url: post.url };
      return changeOf(stored.get(item.release_item_id) ?? null, { ...item, ...announced }, rules) ??
        [];
    });
  };
}

/** What would be removed, and how. */
interface PlannedRemovals {
  reading: Reading;
  stored: readonly StoredItem[];
  missing: readonly StoredItem[];
  keepsMissing: boolean;
  options: PlanOptions;
}

function refuseRemovals(plan: PlannedRemovals): void {
  const { missing, keepsMissing, options } = plan;
  if (options.allowMassRemoval || missing.length <= (options.acceptedRemovals ?? -1)) return;
  const reason = findRefusal(plan);
  if (reason === null) return;
  throw new RefusedRemovals(reason, keepsMissing ? { total: 0, products: [] } : lossesOf(plan));
}

/** A field that at least half of the items have, and none any more, is a column that was renamed. */
function refuseLostField(
  reading: Reading,
  before: Readonly<Record<LosableField, number>>,
  count: number,
): void {
  const lost = LOSABLE_FIELDS.find((field) =>
    reading.filled[field] === 0 && before[field] >= FEWEST && before[field] * 2 >= count
  );
  if (lost === undefined) return;
  const hint = reading.remarks.notes?.find((note) =>
    lost === "release_date" && note.startsWith(UNDATED)
  );
  throw new RefusedRemovals(
    `No item of the snapshot has a ${lost} any more, which ${before[lost]} of ${count} active ` +
      `items have: nothing was stored${hint ? `. ${hint}` : ""}`,
    { total: 0, products: [] },
  );
}

/** A named date that several items had, which are still there without it, is one that was renamed. */
async function refuseLostDates(
  connection: Connection,
  reading: Reading,
  source: string,
): Promise<void> {
  const isGone = ({ name }: { name: string }) => !reading.dateNames.includes(name);
  if (!(await countDates(connection, source)).some(isGone)) return;
  const lost = (await countDates(connection, source, reading.ids))
    .find((date) => isGone(date) && date.count >= FEWEST);
  if (lost === undefined) return;
  throw new RefusedRemovals(
    `No item of the snapshot has a date ${JSON.stringify(lost.name)} any more, which ` +
      `${lost.count} of its active items have: nothing was stored`,
    { total: 0, products: [] },
  );
}

/** Why a snapshot is refused that would remove too much; null: it is not. */
function findRefusal({ reading, stored, missing, keepsMissing }: PlannedRemovals): string | null {
  if (reading.ids.length === 0 && !findKind(reading.kind).keepsMissing) {
    if (reading.rowCount === 0) return "The snapshot has no items: nothing was stored";
    // Nobody is to accept a removal because rows were left out or not understood.
    const reasons = listReasons(reading.remarks.left_out ?? {});
    throw new SnapshotError(
      `All rows of the snapshot are left out (${reasons}): nothing was stored`,
    );
  }
  if (keepsMissing) return null;
  if (missing.length * 2 > stored.length) {
    return `The snapshot would remove ${missing.length} of ${stored.length} active items: ` +
      "nothing was stored";
  }
  // A source that still names a product, but lacks all its items, is likely to be incomplete.
  const named = new Set([...reading.families ?? [], ...reading.products]);
  const gone = new Set(missing.map(({ id }) => id));
  const allOf = ({ product_names }: StoredItem) => product_names;
  const left = countProducts(stored.filter(({ id }) => !gone.has(id)), allOf);
  const [empty] = [...countProducts(stored, allOf)].filter(([name, count]) =>
    count >= MANY_OF_PRODUCT && !left.has(name) && named.has(name)
  ).sort();
  if (empty === undefined) return null;
  return `The snapshot would remove all ${empty[1]} active items of "${empty[0]}", ` +
    "which the source still names: nothing was stored";
}

/** What would be removed of each product, the largest loss first. */
function lossesOf({ stored, missing }: PlannedRemovals): Removals {
  const firstOf = ({ product_name }: StoredItem) => [product_name];
  const active = countProducts(stored, firstOf);
  const products = [...countProducts(missing, firstOf)]
    .map(([product_name, removed]): Loss => ({
      product_name,
      active: active.get(product_name)!,
      removed,
    }))
    .sort((one, other) =>
      other.removed - one.removed || (one.product_name < other.product_name ? -1 : 1)
    );
  return { total: missing.length, products: products.slice(0, MAX_LOSSES) };
}

function countProducts(
  items: readonly StoredItem[],
  namesOf: (item: StoredItem) => readonly string[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    for (const name of namesOf(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** An item belongs to one source: two sources would overwrite it in turn. */
function foreignItem(
  source: string,
  { release_item_id, feature_name, source: owner }: ItemRow,
): SnapshotError {
  return new SnapshotError(
    `The source "${source}" has the item ${release_item_id} (${JSON.stringify(feature_name)}), ` +
      `which belongs to the source "${owner}" already: nothing was stored. Leave it out of one of ` +
      `them, or remove "${owner}": deno task sources remove ${JSON.stringify(owner)}`,
  );
}

function formerItem(
  { release_item_id, owner }: { release_item_id: string; owner: string },
): SnapshotError {
  return new SnapshotError(
    `The snapshot has the item ${release_item_id}, which was removed and belonged to the source ` +
      `"${owner}": nothing was stored. This token does not name that source, so it cannot bring ` +
      "the item back: leave it out, or have it imported with ADMIN_TOKEN",
  );
}
