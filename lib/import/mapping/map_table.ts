import type { SourceKind } from "../../config/settings.ts";
import type { IncomingItem } from "../../roadmap/item.ts";
import {
  type DecidedTone,
  decideTone,
  type StatusTone,
  type ToneMap,
  type ToneReason,
} from "../../roadmap/status_tone.ts";
import { dropComments } from "../../text/markup.ts";
import { countOf, quote, shorten } from "../../text/phrases.ts";
import { asObject, UUID } from "../../text/values.ts";
import { ProblemList, type SnapshotProblem } from "../snapshot_error.ts";
import { textOf } from "./cell_text.ts";
import {
  Columns,
  compileConditions,
  compileWhere,
  findCategories,
  findResolutions,
  lookUp,
  lookUpFirst,
  type Row,
} from "./columns.ts";
import { DateColumns } from "./date_columns.ts";
import {
  describeColumns,
  explainColumns,
  type ReadColumn,
  REQUIRED,
  writeMapping,
  type WrittenMapping,
} from "./describe_columns.ts";
import { FIELD_NAMES, type FieldName, type Mapping, tonesOf } from "./fields.ts";
import { PrivateLinks } from "./private_links.ts";
import type { DayOrder } from "./read_date.ts";
import { NO_STATUS, NO_TYPE, readField, readProductsAndTags } from "./read_field.ts";
import { compilePrivacy, compileRowRules, type LeavesOut } from "./row_rules.ts";
import { checkItem, itemIdOf, itemIdOfName, MAX_DESCRIPTION } from "./snapshot_item.ts";

/** In place of a row that the source could not read, if it can read those after it. */
export class UnreadableRow {
  /** @param reason the end of a sentence that begins with the place */
  constructor(readonly reason: string) {}
}

/** All rows of a source, with the names of the source. */
export interface Table {
  kind: SourceKind;
  /** Objects from columns to values; anything else is a problem. */
  rows: readonly unknown[];
  /** The number of each row as a spreadsheet counts it; absent: they are items of JSON. */
  numbers?: readonly number[];
  /** The row that may be the header in place of the one that was taken. */
  likelyHeader?: number | null;
  /** How many entries the source itself left out, by the reason. */
  leftOut?: Readonly<Record<string, number>>;
  /** How many characters or escapes of the text were repaired. */
  repaired?: number;
}

/** What a mapping needs to know besides its rules. */
interface MapSettings {
  sourceName: string;
  /** `YYYY-MM-DD` */
  asOf: string;
  /** The order of day and month in the last import of the source. */
  dayOrder?: DayOrder | null;
  /** Renames the fields of a kind of source that has names of its own. */
  toItem?: (row: unknown) => unknown;
}

/** An item, and how far along its status says that it is. */
export type MappedItem = IncomingItem & { tone: StatusTone; tone_by: ToneReason };

/** A status, how many items have it, and what it counts as. */
export interface ReadStatus {
  status: string;
  count: number;
  tone: StatusTone;
  by: ToneReason;
}

/** What a mapping makes of a table. */
export interface MappedTable {
  items: MappedItem[];
  problems: ProblemList;
  /** Empty if the kind of source has field names of its own. */
  columns: ReadColumn[];
  statuses: ReadStatus[];
  /** How many rows were left out, by the reason. */
  leftOut: Readonly<Record<string, number>>;
  /** What could not be read, but refuses nothing; each is a sentence. */
  notes: string[];
  /** The order of day and month, if the dates of releases prove it. */
  dayOrder: DayOrder | null;
  /** The mapping that was used, as a person writes it. */
  used: WrittenMapping;
}

/** The most statuses whose tones are kept in memory. */
const MAX_TONES = 1_000;
type Place = Pick<SnapshotProblem, "row" | "item">;

/** The value of a field that a source does not have. */
const DEFAULTS: Readonly<Partial<Record<FieldName, string>>> = { release_type: NO_TYPE };
/** Reads the rows of a source as items: by the rules of a mapping, else by the names of the columns. */
export function mapTable(table: Table, mapping: Mapping, settings: MapSettings): MappedTable {
  return new TableMapper(table, mapping, settings).map();
}

class TableMapper {
  readonly #problems = new ProblemList();
  readonly #rows: readonly Row[];
  readonly #columns: Columns;
  readonly #conditions: ReadonlyMap<FieldName, (row: Row) => boolean>;
  readonly #privateLinks: PrivateLinks;
  readonly #tones: ToneMap;
  readonly #isJira: boolean;
  readonly #isTable: boolean;
  readonly #leftOut: Record<string, number>;
  /** The places of the earlier items, by their ids. */
  readonly #places = new Map<string, number>();
  readonly #statuses = new Map<string, ReadStatus>();
  /** What was decided before, by the status and what its tool says of it. */
  readonly #tonesSeen = new Map<string, DecidedTone>();
  readonly #dates: DateColumns;
  /** How many empty fields had to be filled in. */
  readonly #filledIn = new Map<FieldName, number>();
  #cutDescriptions = 0;
  /** Its column was found by its name, and is filled at least once. */
  readonly #hasStatuses: boolean;
  readonly #isNoRelease: LeavesOut;
  readonly #isPrivate: LeavesOut;
  /** Where the source has its own category of a status, and why the work ended. */
  readonly #categories: readonly string[];
  readonly #resolutions: readonly string[];

  constructor(
    private readonly table: Table,
    private readonly mapping: Mapping,
    private readonly settings: MapSettings,
  ) {
    this.#rows = table.rows.filter((row) => !(row instanceof UnreadableRow)).map(asObject)
      .filter((row) => row !== null);
    this.#columns = new Columns(mapping, this.#rows, !settings.toItem);
    this.#conditions = compileConditions(mapping, this.#columns);
    this.#privateLinks = new PrivateLinks(mapping.private_hosts ?? []);
    this.#tones = tonesOf(mapping);
    this.#isJira = this.#columns.isJira;
    this.#isTable = table.numbers !== undefined;
    this.#leftOut = { ...table.leftOut };
    const { byName } = this.#columns;
    const status = this.#columns.originOf("release_status");
    this.#hasStatuses = status?.rule === null &&
      this.#rows.some((row) => textOf(lookUpFirst(row, status.columns)) !== null);
    this.#isNoRelease = this.#isTable ? compileRowRules(this.#columns, mapping) : () => null;
    this.#isPrivate = byName ? compilePrivacy(this.#columns, mapping, this.#rows) : () => null;
    this.#categories = byName ? findCategories(this.#columns, mapping, table.kind) : [];
    this.#resolutions = byName ? findResolutions(this.#columns) : [];
    this.#dates = new DateColumns(this.#columns, { table, mapping, settings });
  }

  map(): MappedTable {
    const fits = compileWhere(this.mapping.where ?? {}, this.#columns);
    const items: MappedItem[] = [];
    for (const [index, value] of this.table.rows.entries()) {
      const place = { row: this.table.numbers?.[index] ?? null, item: index + 1 };
      if (value instanceof UnreadableRow) {
        this.#problems.add({ ...place, reason: value.reason });
        continue;
      }
      const row = asObject(value);
      const reason = row && (this.#isNoRelease(row) ?? (fits(row) ? null : "by the mapping") ??
        this.#isPrivate(row));
      if (reason) {
        this.#leave(reason);
        continue;
      }
      const item = this.#readItem(value, row, place);
      if (item) items.push(item);
    }
    this.#explainColumns();
    for (const problem of this.#dates.contradictions) this.#problems.addFirst(problem);
    return {
      items,
      problems: this.#problems,
      columns: describeColumns(this.#columns, this.#rows, this.settings.sourceName),
      statuses: sortStatuses([...this.#statuses.values()]),
      leftOut: this.#leftOut,
      notes: [...this.#dates.describeUnread(), ...this.#describeFilledIn(), ...this.#describeCut()],
      dayOrder: this.#dates.order,
      used: writeMapping(this.mapping, this.#columns),
    };
  }

  #leave(reason: string): void {
    this.#leftOut[reason] = (this.#leftOut[reason] ?? 0) + 1;
  }

  #readItem(value: unknown, row: Row | null, place: Place): MappedItem | null {
    const raw = row && this.#nameFields(row);
    const wrongDates = raw === null ? [] : this.#dates.read(raw);
    for (const { field, reason } of wrongDates) {
      this.#addMistake({ field, reason, isEmpty: false }, place);
    }
    const isTwice = raw !== null && this.#isTwice(raw, { row, place });
    const checked = checkItem(raw ?? value);
    if ("mistakes" in checked) {
      for (const { field, reason } of checked.mistakes) {
        const isEmpty = field !== null && (raw?.[field] ?? null) === null;
        this.#addMistake({ field, reason, isEmpty }, place);
      }
      return null;
    }
    if (isTwice || wrongDates.length > 0) return null;
    const { active, ...item } = checked.item;
    if (!active) {
      this.#leave("not active");
      return null;
    }
    return this.#complete(item, row);
  }

  /** The fields of a row by the names of the interface; they are validated later. */
  #nameFields(row: Row): Record<string, unknown> {
    const { mapping, settings: { toItem, sourceName } } = this;
    const columns = this.#columns;
    const isTable = this.#isTable;
    const item: Record<string, unknown> = { ...asObject(toItem?.(row)) };
    for (const field of FIELD_NAMES) {
      // A source with its own field names decides, unless there is a mapping.
      if (toItem && !(field in mapping)) continue;
      const origin = columns.originOf(field);
      const fits = this.#conditions.get(field);
      item[field] = origin
        ? readField(field, row, { origin, isTable, isJira: this.#isJira, fits })
        : mapping[field]?.default ?? DEFAULTS[field];
    }
    const fits = this.#conditions.get("product_name");
    Object.assign(item, readProductsAndTags(row, { fields: mapping, columns, isTable, fits }));
    this.#fillIn(item, "product_name", sourceName);
    if (this.#hasStatuses) this.#fillIn(item, "release_status", NO_STATUS);
    item.feature_description = this.#cut(item.feature_description);
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
  #fillIn(item: Record<string, unknown>, field: "product_name" | "release_status", value: string) {
    const origin = this.#columns.originOf(field);
    const isOurs = origin?.isOwn === true && !this.#isTable || !this.#columns.byName;
    const isMissing = origin === null && (field === "release_status" || this.mapping[field]);
    if (isOurs || isMissing || textOf(item[field]) !== null) return;
    item[field] = value;
    if (origin) this.#filledIn.set(field, (this.#filledIn.get(field) ?? 0) + 1);
  }

  /** A description that is too long is cut; nobody reads so much, and every page would carry it. */
  #cut(given: unknown): unknown {
    if (typeof given !== "string") return given;
    const description = dropComments(given);
    if (shorten(description, MAX_DESCRIPTION) === description) return description;
    this.#cutDescriptions++;
    return shorten(description, MAX_DESCRIPTION - 1);
  }

  #describeCut(): string[] {
    const count = this.#cutDescriptions;
    if (count === 0) return [];
    const limit = `${MAX_DESCRIPTION.toLocaleString("en")} characters`;
    return [
      count === 1
        ? `One description is longer than ${limit}: it is cut`
        : `${count} descriptions are longer than ${limit}: they are cut`,
    ];
  }

  #describeFilledIn(): string[] {
    return [...this.#filledIn].map(([field, count]) => {
      const { column } = this.#columns.originOf(field)!;
      const said = field === "product_name"
        ? `${quote(this.settings.sourceName)}, the name of the source, counts`
        : `${quote(NO_STATUS)} counts`;
      return `${quote(column ?? field)} is empty in ${countOf(count, "row")}: ${said} instead`;
    });
  }

  /** Hides what is private, and says what the status counts as. */
  #complete(item: IncomingItem, row: Row | null): MappedItem {
    const { feature_description: text, blog_url: address, release_status: status } = item;
    const { asOf } = this.settings;
    const textAt = (paths: readonly string[]) => row && textOf(lookUpFirst(row, paths));
    const category = textAt(this.#categories);
    const resolution = textAt(this.#resolutions);
    const hints = JSON.stringify([status, category, resolution]);
    const { tone, by } = this.#tonesSeen.get(hints) ??
      decideTone(status, { tones: this.#tones, category, resolution });
    if (this.#tonesSeen.size < MAX_TONES) this.#tonesSeen.set(hints, { tone, by });
    const key = JSON.stringify([status, tone, by]);
    const seen = this.#statuses.get(key);
    if (seen) seen.count++;
    else this.#statuses.set(key, { status, count: 1, tone, by });
    return {
      ...item,
      feature_description: text && this.#privateLinks.hideIn(text),
      blog_url: address && this.#privateLinks.isPrivate(address) ? null : address,
      // A day to come would put a release first for ever.
      last_modified: item.last_modified !== null && item.last_modified > asOf
        ? asOf
        : item.last_modified,
      created: item.created !== null && item.created > asOf ? null : item.created,
      tone,
      tone_by: by,
    };
  }

  #explainColumns(): void {
    const explained = explainColumns(this.#columns, this.mapping);
    for (const problem of explained.toReversed()) this.#problems.addFirst(problem);
    const { likelyHeader } = this.table;
    if (explained.length > 0 && likelyHeader) {
      const reason = `row ${likelyHeader} looks like the header: remove the rows above it`;
      this.#problems.addFirst({ reason });
    }
  }

  #addMistake(
    { field, reason, isEmpty }: { field: FieldName | null; reason: string; isEmpty: boolean },
    place: Place,
  ): void {
    if (field === null) return this.#problems.add({ ...place, reason: `it ${reason}` });
    const origin = this.#columns.originOf(field);
    // What has no column is said once, of all rows.
    if (!origin && this.#columns.byName && REQUIRED.includes(field)) return;
    const column = origin?.column ?? null;
    const name = `"${column ?? field}"`;
    const isStrict = !origin || origin.isOwn && place.row === null;
    const said = isEmpty && !isStrict
      ? `${name} ${emptyReason(field, column)}`
      : `${name} ${reason}`;
    this.#problems.add({ ...place, field, column, reason: said });
  }

  /** Adds a problem if an earlier item has the same id, and records the id. */
  #isTwice(
    { release_item_id: id }: Record<string, unknown>,
    { row, place }: { row: Row | null; place: Place },
  ): boolean {
    if (typeof id !== "string" || !UUID.test(id)) return false;
    const earlier = this.#places.get(id.toLowerCase());
    if (earlier === undefined) {
      this.#places.set(id.toLowerCase(), place.row ?? place.item!);
      return false;
    }
    const field = "release_item_id";
    const column = this.#columns.originOf(field)?.column ?? null;
    const isByName = column === null && this.#columns.byName;
    // Without a column of names all items have the id of none.
    if (isByName && this.#columns.originOf("feature_name") === null) return true;
    const first = `${place.row === null ? "item" : "row"} ${earlier}`;
    const given = column === null ? id : textOf(lookUp(row!, column)) ?? id;
    const shown = UUID.test(given) ? given.toLowerCase() : quote(given);
    const reason = isByName
      ? `its product and name are those of ${first} already: a column of ids, such as Key, distinguishes them`
      : `its "${column ?? field}" ${shown} is already used by ${first}`;
    this.#problems.add({ ...place, field, column, reason });
    return true;
  }
}

/** Unknown statuses first, then the commonest. */
function sortStatuses(statuses: readonly ReadStatus[]): ReadStatus[] {
  const rank = ({ by }: ReadStatus) => by === "unknown" ? 0 : 1;
  return statuses.toSorted((a, b) => rank(a) - rank(b) || b.count - a.count);
}

function emptyReason(field: FieldName, column: string | null): string {
  if (field === "release_item_id" || field === "feature_name") return "is empty";
  const rule = { [field]: { from: column ?? field, default: "…" } };
  return `is empty; a mapping may name a default, ${JSON.stringify(rule)}`;
}
