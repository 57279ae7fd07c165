import { asObject } from "../../text/values.ts";
import { countOf, quote } from "../../text/phrases.ts";
import type { SnapshotProblem } from "../snapshot_error.ts";
import { textOf } from "./cell_text.ts";
import { namesVersions } from "./column_names.ts";
import { type Columns, lookUpFirst } from "./columns.ts";
import { DATE_FIELDS, type Mapping } from "./fields.ts";
import {
  type DateColumn,
  type DateRead,
  type DateWriting,
  type DayOrder,
  readDate,
  surveyDates,
} from "./read_date.ts";

type DateField = (typeof DATE_FIELDS)[number];
/** The most dates that are kept in memory. */
const MAX_KNOWN = 20_000;

/** Rows, and their numbers as a spreadsheet counts them. */
interface Table {
  rows: readonly unknown[];
  numbers?: readonly number[];
}
type Problem = Pick<SnapshotProblem, "field" | "column" | "reason">;

/** How the dates of a table are written, as all cells of their columns say. */
export class DateColumns {
  /** The order of day and month, if the dates of releases prove it. */
  readonly order: DayOrder | null;
  /** Columns in which two cells contradict each other, if that refuses the table. */
  readonly contradictions: readonly Problem[];
  readonly #mapping: Mapping;
  readonly #contradictory: ReadonlySet<DateField>;
  /** The column of releases' dates names versions, none of which is a date. */
  readonly #isVersions: boolean;
  readonly #writings: ReadonlyMap<DateField, DateWriting>;
  readonly #known = new Map<string, DateRead>();
  /** Values that could not be read, and refuse nothing: how many, and the first one. */
  readonly #unread = new Map<DateField, { count: number; first: string }>();

  constructor(
    private readonly columns: Columns,
    { table, mapping, settings: { asOf, dayOrder: last = null } }: {
      table: Table;
      mapping: Mapping;
      settings: { asOf: string; dayOrder?: DayOrder | null };
    },
  ) {
    this.#mapping = mapping;
    const surveys = this.#survey(table);
    this.#isVersions = this.#hasVersionsOnly(table);
    this.order = surveys.get("release_date")?.order ?? null;
    const proven = new Set([...surveys.values()].map(({ order }) => order).filter(Boolean));
    // What a program wrote into one file is in one order; what people typed is taken by itself.
    const ofTable = proven.size === 1 ? [...proven][0]! : null;
    this.#writings = new Map([...surveys].map(([field, { order, isEpoch }]) => {
      const format = mapping[field]?.format ?? (isEpoch ? "epoch" : undefined);
      const known = order ?? (this.#isOptional(field) ? ofTable ?? last : last);
      return [field, { format, order: known, asOf }];
    }));
    const wrong = [...surveys].filter(([field, { contradiction }]) =>
      contradiction && mapping[field]?.format === undefined
    );
    this.#contradictory = new Set(wrong.map(([field]) => field));
    this.contradictions = wrong.filter(([field]) => !this.#isOptional(field))
      .map(([field, { contradiction }]) => this.#explain(field, contradiction!, table));
  }

  /** What the cells of each column say; JSON with our own names follows our own rules. */
  #survey({ rows, numbers }: Table): Map<DateField, DateColumn> {
    return new Map(DATE_FIELDS.flatMap((field) => {
      const origin = this.columns.originOf(field);
      const isOurs = origin?.isOwn && numbers === undefined && field !== "created";
      if (!origin || origin.column === null || isOurs) return [];
      const texts = rows.map((row) => textOf(lookUpFirst(asObject(row) ?? {}, origin.columns)));
      return [[field, surveyDates(texts)] as const];
    }));
  }

  /** It was found by its name, and says nothing but when something happened, or a version. */
  #isOptional(field: DateField): boolean {
    if (this.#mapping[field]) return false;
    return field !== "release_date" || this.#isVersions;
  }

  #hasVersionsOnly({ rows }: Table): boolean {
    const { column = null, columns = [] } = this.columns.originOf("release_date") ?? {};
    if (column === null || !namesVersions(column)) return false;
    return !rows.some((row) => {
      const text = textOf(lookUpFirst(asObject(row) ?? {}, columns));
      const read = text === null ? { date: null } : readDate(text);
      return "date" in read && read.date !== null || "readings" in read;
    });
  }

  #explain(field: DateField, places: readonly [number, number], { rows, numbers }: Table): Problem {
    const { column, columns } = this.columns.originOf(field)!;
    const [first, second] = places.toSorted((a, b) => a - b).map((place) => {
      const text = textOf(lookUpFirst(asObject(rows[place]) ?? {}, columns))!;
      return `${quote(text)} in ${numbers ? `row ${numbers[place]}` : `item ${place + 1}`}`;
    });
    const reason = `${quote(column!)} has ${first} and ${second}: one begins with the day, the ` +
      'other with the month. Write them alike, or say which with a "format" in the mapping';
    return { field, column, reason };
  }

  /** Reads the dates among the fields of a row in their place, and says which refuse the row. */
  read(fields: Record<string, unknown>): { field: DateField; reason: string }[] {
    return [...this.#writings].flatMap(([field, writing]) => {
      const text = fields[field];
      if (typeof text !== "string") {
        if (this.#isOptional(field)) fields[field] = null;
        return [];
      }
      const isContradictory = this.#contradictory.has(field);
      const read = isContradictory ? { date: null } : this.#readOnce(field, text, writing);
      fields[field] = "date" in read ? read.date : null;
      if (!isContradictory && "date" in read) return [];
      if (!this.#isOptional(field)) return "reason" in read ? [{ field, reason: read.reason }] : [];
      const { count = 0, first = text } = this.#unread.get(field) ?? {};
      this.#unread.set(field, { count: count + 1, first });
      return [];
    });
  }

  /** Most columns have few different days. */
  #readOnce(field: DateField, text: string, writing: DateWriting): DateRead {
    const key = `${field} ${text}`;
    const known = this.#known.get(key);
    if (known) return known;
    const read = readDate(text, writing);
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, read);
    return read;
  }

  /** What could not be read, and refuses nothing; each is a sentence. */
  describeUnread(): string[] {
    return [...this.#unread].map(([field, { count, first }]) => {
      const { column } = this.columns.originOf(field)!;
      const were = `${countOf(count, "value")} cannot be read as a date`;
      const instead = field === "release_date"
        ? `${count === 1 ? "that release has" : "those releases have"} no date`
        : "the day of the import counts instead";
      return `${quote(column!)}: ${were}, such as ${quote(first)}; ${instead}`;
    });
  }
}
