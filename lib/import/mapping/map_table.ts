import type { SourceKind } from "../../config/source_kinds.ts";
import type { IncomingItem } from "../../roadmap/item.ts";
import { DATE_COLUMN, isReleaseTable } from "../../roadmap/tables.ts";
import { countOf, quote } from "../../text/phrases.ts";
import { asObject, UUID } from "../../text/values.ts";
import type { SnapshotProblem } from "../snapshot_error.ts";
import { textOf } from "./cell_text.ts";
import { Columns, REQUIRED } from "./columns.ts";
import { compileConditions } from "./conditions.ts";
import { DateColumns } from "./date_columns.ts";
import {
  describeColumns,
  emptyReason,
  explainColumns,
  firstRowsOf,
  writeMapping,
} from "./describe_columns.ts";
import { Findings, unreadable } from "./findings.ts";
import { FIELD_NAMES, type FieldName, type Mapping } from "./fields.ts";
import { lookUp, lookUpFirst, type Row } from "./look_up.ts";
import { PrivateLinks } from "./private_links.ts";
import { compilePrivacy } from "./privacy.ts";
import {
  cutDescription,
  failedIn,
  NO_STATUS,
  NO_TYPE,
  readField,
  readSeveral,
} from "./read_field.ts";
import { compileLeavesOut } from "./row_rules.ts";
import {
  type MappedItem,
  type MappedTable,
  type MapSettings,
  type Table,
  UnreadableRow,
} from "./table.ts";
import { Statuses } from "./statuses.ts";
import { noteColumns, noteDates, noteNamesakes, noteUnknown } from "./table_notes.ts";
import { itemIdOf, itemIdOfName } from "../../roadmap/item_id.ts";
import { checkItem, goodStatusOf } from "./snapshot_item.ts";

type Place = Pick<SnapshotProblem, "row" | "item">;

/** The value of a field that a source does not have. */
const DEFAULTS: Readonly<Partial<Record<FieldName, string>>> = { release_type: NO_TYPE };
/** What mapping each row of a table needs. */
interface Context {
  table: Table;
  mapping: Mapping;
  settings: MapSettings;
  columns: Columns;
  findings: Findings;
  dates: DateColumns;
  privateLinks: PrivateLinks;
  isTable: boolean;
  /** The table has our own names, and so our own rules. */
  isOurs: boolean;
  /** The column of statuses was found by its name, and is filled at least once. */
  hasStatuses: boolean;
  /** It is a table of this server, whose texts are read back as they were. */
  isReadBack: boolean;
  /** The column of names is empty in all rows, which is said once. */
  isNameless: boolean;
  conditions: ReadonlyMap<FieldName, (row: Row) => boolean>;
  statuses: Statuses;
  /** The places of the earlier items, by their ids. */
  places: Map<string, number>;
}

/** Kinds of tables whose columns may have any name. */
const GUESSED_KINDS: readonly SourceKind[] = ["csv", "xlsx", "json", "ndjson"];

/** Reads the rows of a source as items: by the rules of a mapping, else by the names of the columns. */
export function mapTable(table: Table, mapping: Mapping, settings: MapSettings): MappedTable {
  const rows = table.rows.filter(isRow);
  const context = prepare(table, rows, mapping, settings);
  const { columns, findings, dates } = context;
  const { isPrivate, question } = columns.byName
    ? compilePrivacy(columns, mapping)
    : { isPrivate: () => null, question: null };
  if (question !== null) findings.refuse({ reason: question });
  const leavesOut = compileLeavesOut({
    columns,
    mapping,
    rows,
    kind: settings.kind,
    numbers: table.numbers?.filter((_, at) => isRow(table.rows[at])),
    isPrivate,
  });
  const items: MappedItem[] = [];
  for (const [index, value] of table.rows.entries()) {
    const place = { row: table.numbers?.[index] ?? null, item: index + 1 };
    if (value instanceof UnreadableRow) {
      findings.refuse({ ...place, reason: value.reason });
      continue;
    }
    const row = asObject(value);
    const reason = row && leavesOut(row);
    if (reason) {
      findings.leaveOut(reason);
      continue;
    }
    const item = readItem(value, row, place, context);
    if (item) items.push(item);
  }
  explainTable(context);
  if (columns.byName && GUESSED_KINDS.includes(settings.kind)) {
    noteColumns(columns, { mapping, findings, rows: table.rows.length });
    noteNamesakes(columns, table, findings);
    noteDates(columns, findings);
  }
  const statuses = context.statuses.list();
  noteUnknown(statuses, findings);
  return {
    items,
    problems: findings.problems,
    columns: describeColumns(columns, rows, settings.sourceName),
    firstRows: firstRowsOf(columns.names, rows),
    statuses,
    leftOut: findings.leftOut,
    notes: findings.describe(),
    dayOrder: dates.order,
    used: writeMapping(mapping, columns),
  };
}

function isRow(value: unknown): value is Row {
  return !(value instanceof UnreadableRow) && asObject(value) !== null;
}

function prepare(
  table: Table,
  rows: readonly Row[],
  mapping: Mapping,
  settings: MapSettings,
): Context {
  const columns = new Columns(mapping, rows, {
    byName: !settings.toItem,
    header: table.header,
    guesses: GUESSED_KINDS.includes(settings.kind),
  });
  const findings = new Findings(table.leftOut);
  const isFilled = (field: FieldName) => {
    const origin = columns.originOf(field);
    return origin?.rule === null &&
      rows.some((row) => textOf(lookUpFirst(row, origin.columns)) !== null);
  };
  const isTable = table.numbers !== undefined;
  return {
    table,
    mapping,
    settings,
    columns,
    findings,
    dates: new DateColumns(columns, { table, mapping, settings, findings }),
    privateLinks: new PrivateLinks(mapping.private_hosts ?? []),
    isTable,
    isOurs: columns.hasOwnNames,
    hasStatuses: isFilled("release_status"),
    isReadBack: isReleaseTable(table.header ?? []),
    isNameless: isTable && rows.length > 1 && columns.originOf("feature_name")?.rule === null &&
      !isFilled("feature_name"),
    conditions: compileConditions(mapping, columns),
    statuses: new Statuses(columns, mapping, settings.kind),
    places: new Map(),
  };
}

function readItem(
  value: unknown,
  row: Row | null,
  place: Place,
  context: Context,
): MappedItem | null {
  const raw = row && readFields(row, context);
  const wrongDates = raw === null ? [] : context.dates.read(raw);
  for (const { field, column, reason, ...date } of wrongDates) {
    const mistake = { field, reason, isEmpty: false, date, ...column !== undefined && { column } };
    addMistake(mistake, place, context);
  }
  const failed = raw === null || !context.isTable || context.isReadBack ? [] : failedIn(raw);
  for (const [field, text] of failed) {
    const reason = `is ${quote(text)}, an error of the spreadsheet: fix it, or empty the cell`;
    addMistake({ field, reason, isEmpty: false }, place, context);
  }
  const isTwice = raw !== null && isUsedTwice(raw, { row, place }, context);
  const checked = checkItem(raw ?? value);
  if ("mistakes" in checked) {
    for (const { field, ...mistake } of checked.mistakes) {
      const isEmpty = field !== null && (raw?.[field] ?? null) === null;
      const column = context.isReadBack
        ? mistake.column?.replace(/^dates\./, DATE_COLUMN)
        : mistake.column;
      addMistake({ field, ...mistake, ...column && { column }, isEmpty }, place, context);
    }
  }
  if ("mistakes" in checked || isTwice || wrongDates.length > 0 || failed.length > 0) {
    // What its status counts as can be chosen before the rest is right.
    const isFailed = failed.some(([field]) => field === "release_status");
    const status = raw === null || isFailed || raw.active === false ? null : goodStatusOf(raw);
    if (status !== null) context.statuses.count(status, row);
    return null;
  }
  const { active, ...item } = checked.item;
  if (!active) {
    context.findings.leaveOut("not active");
    return null;
  }
  return complete(item, row, context);
}

/** The fields of a row by the names of the interface; they are validated later. */
function readFields(row: Row, context: Context): Record<string, unknown> {
  const { columns, mapping, settings: { toItem, sourceName }, isTable, isReadBack, findings } =
    context;
  const { isJira } = columns;
  const item: Record<string, unknown> = { ...asObject(toItem?.(row)) };
  for (const field of FIELD_NAMES) {
    // A source with its own field names decides, unless there is a mapping.
    if (toItem && !(field in mapping)) continue;
    const origin = columns.originOf(field);
    const fits = context.conditions.get(field);
    item[field] = origin
      ? readField(field, row, { origin, isTable, isJira, isReadBack, fits })
      : mapping[field]?.default ?? DEFAULTS[field];
  }
  if (typeof item.release_status === "string") {
    item.release_status = context.statuses.read(item.release_status);
  }
  const fits = context.conditions.get("product_name");
  Object.assign(item, readSeveral(row, { fields: mapping, columns, isTable, fits }));
  fillIn(item, "product_name", sourceName, context);
  if (context.hasStatuses) fillIn(item, "release_status", NO_STATUS, context);
  const active = columns.originOf("active");
  if (
    active && active.rule === null && isTable && !context.isOurs && typeof item.active === "string"
  ) {
    const instead =
      "it is read as nothing; if it says which releases are shown, name its words in a " +
      '"where" of the mapping';
    findings.note("active", unreadable(active.column!, { as: "yes or no", instead }), item.active);
    item.active = null;
  }
  item.feature_description = cutDescription(item.feature_description, findings);
  if (toItem && !("release_item_id" in mapping)) return item;
  const id = columns.originOf("release_item_id");
  // A draft of GitHub has no address yet.
  const isNamed = id === null || id.rule === null && /url$/i.test(id.column ?? "") &&
      textOf(item.release_item_id) === null;
  item.release_item_id = isNamed
    ? itemIdOfName(item, sourceName)
    : itemIdOf(item.release_item_id, sourceName);
  return item;
}

/** The value of a field that is empty, where the source has no rules of its own for it. */
function fillIn(
  item: Record<string, unknown>,
  field: "product_name" | "release_status",
  value: string,
  { columns, mapping, isTable, findings }: Context,
): void {
  const origin = columns.originOf(field);
  const isOurs = origin?.isOwn === true && !isTable || !columns.byName;
  const isMissing = origin === null && (field === "release_status" || mapping[field]);
  if (isOurs || isMissing || textOf(item[field]) !== null) return;
  item[field] = value;
  if (!origin) return;
  const said = field === "product_name"
    ? `${quote(value)}, the name of the source, counts`
    : `${quote(NO_STATUS)} counts`;
  findings.note(
    field,
    (count) =>
      `${quote(origin.column ?? field)} is empty in ${countOf(count, "row")}: ${said} instead`,
  );
}

/** Hides what is private, and says what the status counts as. */
function complete(item: IncomingItem, row: Row | null, context: Context): MappedItem {
  const { feature_description: text, blog_url: address } = item;
  const { settings: { asOf }, privateLinks } = context;
  const { tone, by } = context.statuses.count(item.release_status, row);

  return {
    ...item,
    feature_description: text && privateLinks.hideIn(text),
    blog_url: address && privateLinks.isPrivate(address) ? null : address,
    // A day to come would put a release first for ever.
    last_modified: item.last_modified !== null && item.last_modified > asOf
      ? asOf
      : item.last_modified,
    created: item.created !== null && item.created > asOf ? null : item.created,
    tone,
    tone_by: by,
  };
}

/** What is wrong with the columns themselves comes first: it may explain the other problems. */
function explainTable({ columns, mapping, table, findings, dates, isNameless }: Context): void {
  const { problems } = findings;
  const explained = explainColumns(columns, mapping);
  if (isNameless) {
    const column = columns.originOf("feature_name")!.column!;
    explained.push({ field: "feature_name", reason: `${quote(column)} is empty in every row` });
  }
  for (const problem of explained.toReversed()) problems.addFirst(problem);
  const { likelyHeader } = table;
  if (explained.length > 0 && likelyHeader) {
    problems.addFirst({
      reason: `row ${likelyHeader} looks like the header: remove the rows above it`,
    });
  }
  for (const problem of dates.contradictions) problems.addFirst(problem);
}

function addMistake(
  { field, reason, isEmpty, column: named, date }:
    & { field: FieldName | null; reason: string; isEmpty: boolean; column?: string }
    & Partial<Pick<SnapshotProblem, "date">>,
  place: Place,
  { columns, findings, isNameless }: Context,
): void {
  if (field === null) {
    const said = named === undefined ? `it ${reason}` : `${quote(named)} ${reason}`;
    return findings.refuse({
      ...place,
      reason: said,
      ...named !== undefined && { column: named },
      ...date && { date },
    });
  }
  const origin = columns.originOf(field);
  // What has no column, or an empty one, is said once, of all rows.
  if (!origin && columns.byName && REQUIRED.includes(field)) return;
  if (isNameless && field === "feature_name") return;
  const column = origin?.column ?? null;
  const name = `"${column ?? field}"`;
  const isStrict = !origin || origin.isOwn && place.row === null;
  const said = isEmpty && !isStrict ? `${name} ${emptyReason(field, column)}` : `${name} ${reason}`;
  findings.refuse({ ...place, field, column, reason: said, ...date && { date } });
}

/** Adds a problem if an earlier item has the same id, and records the id. */
function isUsedTwice(
  { release_item_id: id }: Record<string, unknown>,
  { row, place }: { row: Row | null; place: Place },
  { columns, findings, places, isNameless }: Context,
): boolean {
  if (typeof id !== "string" || !UUID.test(id)) return false;
  const earlier = places.get(id.toLowerCase());
  if (earlier === undefined) {
    places.set(id.toLowerCase(), place.row ?? place.item!);
    return false;
  }
  const field = "release_item_id";
  const column = columns.originOf(field)?.column ?? null;
  const isByName = column === null && columns.byName;
  // Without names all items have the id of none.
  if (isByName && (isNameless || columns.originOf("feature_name") === null)) return true;
  const first = `${place.row === null ? "item" : "row"} ${earlier}`;
  const given = column === null ? id : textOf(lookUp(row!, column)) ?? id;
  const shown = UUID.test(given) ? given.toLowerCase() : quote(given);
  const reason = isByName
    ? `its product and name are those of ${first} already: a column of ids, such as Key, distinguishes them`
    : `its "${column ?? field}" ${shown} is already used by ${first}`;
  findings.refuse({ ...place, field, column, reason });
  return true;
}
