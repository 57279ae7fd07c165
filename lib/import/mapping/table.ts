import type { SourceKind } from "../../config/source_kinds.ts";
import type { IncomingItem } from "../../roadmap/item.ts";
import type { StatusTone, ToneReason } from "../../roadmap/status_tone.ts";
import type { ProblemList } from "../snapshot_error.ts";
import type { FirstRows, ReadColumn, WrittenMapping } from "./describe_columns.ts";
import type { DayOrder } from "./read_date.ts";

/** In place of a row that the source could not read, if it can read those after it. */
export class UnreadableRow {
  /** @param reason the end of a sentence that begins with the place */
  constructor(readonly reason: string) {}
}

/** All rows of a source, with the names of the source. */
export interface Table {
  /** Objects from columns to values; anything else is a problem. */
  rows: readonly unknown[];
  /** The number of each row as a spreadsheet counts it; absent: they are items of JSON. */
  numbers?: readonly number[];
  /** The names of all columns; absent of JSON. */
  header?: readonly string[];
  /** The row that may be the header in place of the one that was taken. */
  likelyHeader?: number | null;
  /** How many entries the source itself left out, by the reason. */
  leftOut?: Readonly<Record<string, number>>;
  /** How many characters or escapes of the text were repaired. */
  repaired?: number;
  families?: string[];
  language?: string;
  /** What a person should know of how it was read; each is a sentence without its full stop. */
  notes?: string[];
  /** The same document has other rows on another day. */
  dependsOnDay?: boolean;
  /** A table that Roadcast wrote with a quarter for each day. */
  ofQuarters?: boolean;
}

/** What a mapping needs to know besides its rules. */
export interface MapSettings {
  kind: SourceKind;
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

/** A status, how many items have it, those with a problem elsewhere included, and what it counts as. */
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
  firstRows: FirstRows;
  statuses: ReadStatus[];
  leftOut: Readonly<Record<string, number>>;
  /** What could not be read, but refuses nothing; each is a sentence. */
  notes: string[];
  dayOrder: DayOrder | null;
  used: WrittenMapping;
}
