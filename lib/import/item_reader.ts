import type { SourceKind } from "../config/settings.ts";
import type { IncomingItem } from "../roadmap/item.ts";
import type { ToneMap } from "../roadmap/status_tone.ts";
import { UUID } from "../text/uuid.ts";
import { FIELD_NAMES, type FieldName, type Fields, tonesOf } from "./mapping/fields.ts";
import { itemIdOf, itemIdOfName } from "./item_id.ts";
import { explainColumns, REQUIRED } from "./mapping/column_problems.ts";
import { textOf } from "./mapping/cell_text.ts";
import { Columns, lookUp, type Row } from "./mapping/columns.ts";
import { quote } from "./mapping/read_date.ts";
import { NO_TYPE, readField } from "./mapping/read_field.ts";
import { readProductsAndTags } from "./mapping/read_products_and_tags.ts";
import { PrivateLinks } from "./mapping/private_links.ts";
import { compileConditions, compileWhere } from "./mapping/compile_where.ts";
import { ProblemList, type SnapshotProblem } from "./snapshot_problems.ts";
import type { Portion } from "./sources/read_options.ts";
import { checkItem, dayOfCreation } from "./mapping/snapshot_item.ts";
import { fieldsOf, UnreadableItem } from "./sources/source.ts";

type ReadItem = IncomingItem & { active: boolean };
type Place = Pick<SnapshotProblem, "row" | "item">;
/** Items with the field names of their source; without a source, those of the interface. */
type Items =
  & Pick<Portion, "items" | "rows" | "likelyHeader" | "repaired">
  & Partial<Pick<Portion, "source">>;

/** The value of a field that a source does not have. */
const DEFAULTS: Readonly<Partial<Record<FieldName, string>>> = { release_type: NO_TYPE };

/** Reads the rows of a source as items, and collects every problem. */
export class ItemReader {
  readonly problems = new ProblemList();
  readonly columns: Columns;
  /** How many items were read, bad ones included. */
  count = 0;
  /** How many of them the mapping left out. */
  leftOut = 0;
  /** What the mapping says of statuses. */
  readonly tones: ToneMap;
  /** How many characters or escapes of the source were repaired. */
  repaired = 0;
  /** Null until the first portion. */
  kind: SourceKind | null = null;
  readonly #fields: Fields;
  readonly #privateLinks: PrivateLinks;
  /** Of the fields that are read from some rows only. */
  #conditions: ReadonlyMap<FieldName, (row: Row) => boolean> = new Map();
  readonly #sourceName: string;
  /** The places of the earlier items, by their ids. */
  readonly #places = new Map<string, number>();
  #likelyHeader: number | null = null;
  /** Where a required field was first missing while its column was unknown. */
  readonly #missing = new Map<FieldName, Place>();

  constructor({ fields, sourceName = "default" }: { fields?: Fields | null; sourceName?: string }) {
    this.#fields = fields ?? {};
    this.tones = tonesOf(fields);
    this.#privateLinks = new PrivateLinks(this.#fields.private_hosts ?? []);
    this.#sourceName = sourceName;
    this.columns = new Columns(this.#fields);
  }

  /** The good items of a portion, inactive ones included. */
  *read(portion: Items): Generator<ReadItem> {
    const { items, rows, source } = portion;
    this.kind ??= source?.kind ?? null;
    this.repaired += portion.repaired ?? 0;
    this.#likelyHeader ??= portion.likelyHeader ?? null;
    this.columns.byName = !source?.toItem;
    const rowsSeen = items.filter((item) => !(item instanceof UnreadableItem)).map(fieldsOf);
    this.columns.see(rowsSeen.filter((row) => row !== null));
    const fits = compileWhere(this.#fields.where ?? {}, this.columns);
    this.#conditions = compileConditions(this.#fields, this.columns);
    const { isJira } = this.columns;
    const isLeftOut = (row: Row | null) => row !== null && !fits(row);
    for (const [index, value] of items.entries()) {
      const place = rows
        ? { row: rows[index]!, item: ++this.count }
        : { row: null, item: ++this.count };
      if (value instanceof UnreadableItem) this.problems.add({ ...place, reason: value.reason });
      else if (isLeftOut(fieldsOf(value))) this.leftOut++;
      else {
        const item = this.#readItem(value, { place, source, isJira });
        if (item) yield item;
      }
    }
  }

  /** Adds problems that are known only at the end of the source. */
  finish(): void {
    const explained = explainColumns(this.columns, this.#fields);
    for (const problem of explained.toReversed()) this.problems.addFirst(problem);
    if (explained.length > 0 && this.#likelyHeader !== null) {
      const reason = `row ${this.#likelyHeader} looks like the header: remove the rows above it`;
      this.problems.addFirst({ reason });
    }
    for (const [field, place] of this.#missing) {
      const column = this.columns.originOf(field)?.column;
      if (column) this.problems.add({ ...place, field, column, reason: `"${column}" is missing` });
    }
  }

  #readItem(
    value: unknown,
    { place, source, isJira }: { place: Place; source: Items["source"]; isJira: boolean },
  ): ReadItem | null {
    const row = fieldsOf(value);
    const isTable = place.row !== null;
    const raw = row && this.#nameFields(row, { isTable, source, isJira });
    if (raw && !this.#fields.created) raw.created = dayOfCreation(raw.created);
    const isTwice = raw !== null && this.#isTwice(raw, { row, place });
    const checked = checkItem(raw ?? value);
    if ("item" in checked) return isTwice ? null : this.#hidePrivate(checked.item);
    for (const { field, reason } of checked.mistakes) {
      const isEmpty = field !== null && (raw?.[field] ?? null) === null;
      this.#addMistake({ field, reason, isEmpty }, { place, source });
    }
    return null;
  }

  /** The fields of a row by the names of the interface; they are validated later. */
  #nameFields(
    row: Row,
    { isTable, source, isJira }: { isTable: boolean; source: Items["source"]; isJira: boolean },
  ): Record<string, unknown> {
    const named = source?.toItem?.(row);
    const item: Record<string, unknown> = { ...fieldsOf(named) };
    for (const field of FIELD_NAMES) {
      // A source with its own field names decides, unless there is a mapping.
      if (source?.toItem && !(field in this.#fields)) continue;
      const origin = this.columns.originOf(field);
      const fits = this.#conditions.get(field);
      item[field] = origin
        ? readField(field, row, { origin, isTable, isJira, fits })
        : this.#fields[field]?.default ?? DEFAULTS[field]; // a later page may have its column
    }
    const fits = this.#conditions.get("product_name");
    const mapping = { fields: this.#fields, columns: this.columns };
    Object.assign(item, readProductsAndTags(row, { ...mapping, isTable, fits }));
    if (source?.toItem && !("release_item_id" in this.#fields)) return item;
    item.release_item_id = this.columns.originOf("release_item_id")
      ? itemIdOf(item.release_item_id, this.#sourceName)
      : itemIdOfName(item, this.#sourceName);
    return item;
  }

  #hidePrivate(item: ReadItem): ReadItem {
    const { feature_description: text, blog_url: address } = item;
    return {
      ...item,
      feature_description: text && this.#privateLinks.hideIn(text),
      blog_url: address && this.#privateLinks.isPrivate(address) ? null : address,
    };
  }

  #addMistake(
    { field, reason, isEmpty }: { field: FieldName | null; reason: string; isEmpty: boolean },
    { place, source }: { place: Place; source: Items["source"] },
  ): void {
    if (field === null) return this.problems.add({ ...place, reason: `it ${reason}` });
    const origin = this.columns.originOf(field);
    if (!origin && !source?.toItem && REQUIRED.includes(field)) {
      if (!this.#missing.has(field)) this.#missing.set(field, place);
      return;
    }
    const column = origin?.column ?? null;
    const name = `"${column ?? field}"`;
    const isStrict = !origin || origin.isOwn && place.row === null;
    const said = isEmpty && !isStrict
      ? `${name} ${emptyReason(field, column)}`
      : `${name} ${reason}`;
    this.problems.add({ ...place, field, column, reason: said });
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
    const first = `${place.row === null ? "item" : "row"} ${earlier}`;
    const field = "release_item_id";
    const column = this.columns.originOf(field)?.column ?? null;
    const isByName = column === null && this.columns.originOf("feature_name") !== null;
    const given = column === null ? id : textOf(lookUp(row!, column)) ?? id;
    const shown = UUID.test(given) ? given.toLowerCase() : quote(given);
    const reason = isByName
      ? `its product and name are those of ${first} already: a column of ids, such as Key, distinguishes them`
      : `its "${column ?? field}" ${shown} is already used by ${first}`;
    this.problems.add({ ...place, field, column, reason });
    return true;
  }
}

function emptyReason(field: FieldName, column: string | null): string {
  if (field === "release_item_id" || field === "feature_name") return "is empty";
  const rule = { [field]: { from: column ?? field, default: "…" } };
  return `is empty; a mapping may name a default, ${JSON.stringify(rule)}`;
}
