import { asObject } from "../../text/values.ts";
import { countOf, quote } from "../../text/phrases.ts";
import { type Findings, unreadable } from "./findings.ts";
import type { SnapshotProblem } from "../snapshot_error.ts";
import { textOf } from "./cell_text.ts";
import { namesVersions } from "./column_names.ts";
import type { Columns } from "./columns.ts";
import { DATE_FIELDS, type FieldRule, type Mapping, type Origin } from "./fields.ts";
import { lookUpFirst } from "./look_up.ts";
import {
  type DateColumn,
  type DateDoubt,
  type DateRead,
  type DateWriting,
  type DayOrder,
  readDate,
  surveyDates,
} from "./read_date.ts";
import type { Table } from "./table.ts";

type DateField = (typeof DATE_FIELDS)[number] | `${typeof NAMED}${string}`;
const NAMED = "dates.";
const isNamed = (field: DateField): field is `${typeof NAMED}${string}` => field.startsWith(NAMED);
const MAX_KNOWN = 20_000;

type Rows = Pick<Table, "rows" | "numbers">;
type Problem = Pick<SnapshotProblem, "field" | "column" | "reason">;

interface WrongDate extends Partial<DateDoubt> {
  field: (typeof DATE_FIELDS)[number] | null;
  column?: string;
  reason: string;
  text: string;
}

/**
 * The first of some versions that is a day or a period: `Q3 2026`, `2026-09-30`; `10.2.11` and
 * `2026.1` are none.
 */
function readVersion(text: string, writing: DateWriting): DateRead {
  const parts = text.split(", ").filter((part) =>
    !/^v?\d{1,4}(?:[.-]\d{1,2}){0,2}$/i.test(part) ||
    /^\d{4}([.-])\d{1,2}\1\d{1,2}$/.test(part)
  );
  const dates = parts.map((part) => readDate(part, writing));
  return dates.find((read) => "date" in read && read.date !== null) ?? dates[0] ??
    { reason: "names no day or period" };
}

/** It has neither a digit nor the name of a month or a period. */
function isWord(read: DateRead, text: string): boolean {
  return "reason" in read && read.readings === undefined && !/\p{Nd}/u.test(text);
}

/** How the dates of a table are written, as all cells of their columns say. */
export class DateColumns {
  /** The order of day and month, if the dates of releases prove it. */
  readonly order: DayOrder | null;
  /** Columns in which two cells contradict each other, if that refuses the table. */
  readonly contradictions: readonly Problem[];
  readonly #mapping: Mapping;
  readonly #findings: Findings;
  readonly #contradictory: ReadonlySet<DateField>;
  /** The column of releases' dates names versions, few of which are dates. */
  readonly #isVersions: boolean;
  readonly #writings: ReadonlyMap<DateField, DateWriting>;
  readonly #known = new Map<string, DateRead>();

  constructor(
    private readonly columns: Columns,
    { table, mapping, settings: { asOf, dayOrder: last = null }, findings }: {
      table: Rows;
      mapping: Mapping;
      settings: { asOf: string; dayOrder?: DayOrder | null };
      findings: Findings;
    },
  ) {
    this.#findings = findings;
    this.#mapping = mapping;
    const surveys = this.#survey(table);
    this.#isVersions = this.#hasVersions(table);
    this.order = surveys.get("release_date")?.order ?? null;
    const proven = new Set([...surveys.values()].map(({ order }) => order).filter(Boolean));
    // What a program wrote into one file is in one order; what people typed is taken by itself.
    const ofTable = proven.size === 1 ? [...proven][0]! : null;
    this.#writings = new Map([...surveys].map(([field, { order, isEpoch, isForeign }]) => {
      const format = this.#ruleOf(field)?.format ?? (isEpoch ? "epoch" : undefined);
      const known = order ?? (this.#isOptional(field) ? ofTable ?? last : last);
      return [field, { format, order: known, asOf, isForeign }];
    }));
    const wrong = [...surveys].filter(([field, { contradiction }]) =>
      contradiction && this.#ruleOf(field)?.format === undefined
    );
    this.#contradictory = new Set(wrong.map(([field]) => field));
    this.contradictions = wrong.filter(([field]) => !this.#isOptional(field))
      .map(([field, { contradiction }]) => this.#explain(field, contradiction!, table));
  }

  #ruleOf(field: DateField): FieldRule | null | undefined {
    return isNamed(field) ? this.#mapping.dates?.[field.slice(NAMED.length)] : this.#mapping[field];
  }

  #originOf(field: DateField): Origin | null {
    return isNamed(field)
      ? this.columns.dates.get(field.slice(NAMED.length)) ?? null
      : this.columns.originOf(field);
  }

  /** What the cells of each column say; JSON with our own names follows our own rules. */
  #survey({ rows, numbers }: Rows): Map<DateField, DateColumn> {
    const named = [...this.columns.dates.keys()].map((name) => `${NAMED}${name}` as const);
    return new Map([...DATE_FIELDS, ...named].flatMap((field) => {
      const origin = this.#originOf(field);
      const isOurs = origin?.isOwn && numbers === undefined && field !== "created";
      if (!origin || origin.column === null || isOurs) return [];
      const texts = rows.map((row) => textOf(lookUpFirst(asObject(row) ?? {}, origin.columns)));
      return [[field, surveyDates(texts)] as const];
    }));
  }

  /** It was found by its name, and says nothing but when something happened, or a version. */
  #isOptional(field: DateField): boolean {
    if (this.#ruleOf(field)) return false;
    return field === "release_date" ? this.#isVersions : !isNamed(field);
  }

  /** A column "Release" may have either. */
  #hasVersions({ rows }: Rows): boolean {
    const { column = null, columns = [] } = this.columns.originOf("release_date") ?? {};
    if (column === null || !namesVersions(column)) return false;
    return !/^release/i.test(column) || !rows.some((row) => {
      const text = textOf(lookUpFirst(asObject(row) ?? {}, columns));
      const read = text === null ? { date: null } : readVersion(text, {});
      return "date" in read ? read.date !== null : read.readings !== undefined;
    });
  }

  #explain(field: DateField, places: readonly [number, number], { rows, numbers }: Rows): Problem {
    const { column, columns } = this.#originOf(field)!;
    const [first, second] = places.toSorted((a, b) => a - b).map((place) => {
      const text = textOf(lookUpFirst(asObject(rows[place]) ?? {}, columns))!;
      return `${quote(text)} in ${numbers ? `row ${numbers[place]}` : `item ${place + 1}`}`;
    });
    const reason = `${quote(column!)} has ${first} and ${second}: one begins with the day, the ` +
      'other with the month. Write them alike, or say which with a "format" in the mapping';
    return { field: isNamed(field) ? null : field, column, reason };
  }

  /** Reads the dates among the fields of a row in their place, and says which refuse the row. */
  read(fields: Record<string, unknown>): WrongDate[] {
    return [...this.#writings].flatMap(([field, writing]) => {
      const holder = isNamed(field) ? fields.dates as Record<string, unknown> : fields;
      const key = isNamed(field) ? field.slice(NAMED.length) : field;
      const text = holder[key];
      if (typeof text !== "string") {
        if (this.#isOptional(field)) holder[key] = null;
        return [];
      }
      const isContradictory = this.#contradictory.has(field);
      const read = isContradictory ? { date: null } : this.#readOnce(field, text, writing);
      holder[key] = "date" in read ? read.date : null;
      if (!isContradictory && "date" in read) return [];
      // A word in a column that nobody named is no day; in one with a known name it is asked about.
      if (isWord(read, text) && this.#originOf(field)?.isLikely) {
        this.#noteWord(field, text);
        return [];
      }
      if (!this.#isOptional(field)) {
        const column = this.#originOf(field)!.column!;
        const what = isNamed(field) ? { field: null, column } : { field };
        return "reason" in read ? [{ ...what, ...read, text }] : [];
      }
      this.#noteUnread(field, text);
      return [];
    });
  }

  /** Most columns have few different days. */
  #readOnce(field: DateField, text: string, writing: DateWriting): DateRead {
    const key = `${field} ${text}`;
    const known = this.#known.get(key);
    if (known) return known;
    const read = field === "release_date" && this.#isOptional(field)
      ? readVersion(text, writing)
      : readDate(text, writing);
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, read);
    return read;
  }

  #noteWord(field: DateField, text: string): void {
    const { column } = this.#originOf(field)!;
    const say = (count: number, first: string) => {
      const [name, value] = [count === 1 ? "names" : "name", quote(first)];
      return `${quote(column!)}: ${countOf(count, "value")} ${name} no day, such as ${value}: ` +
        "a release of such a value has no date; if it means a day, say so in the mapping, " +
        `{"values": {${value}: "Q4 2027"}}`;
    };
    this.#findings.note(`word ${field}`, say, text);
  }

  /** What could not be read, and refuses nothing, is said once. */
  #noteUnread(field: DateField, text: string): void {
    const { column } = this.#originOf(field)!;
    const instead = field === "release_date"
      ? "a release of such a value has no date"
      : "the day of the import counts instead";
    this.#findings.note(`unread ${field}`, unreadable(column!, { as: "a date", instead }), text);
  }
}
