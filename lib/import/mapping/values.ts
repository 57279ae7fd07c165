import { toneOfWords } from "../../roadmap/status_tone.ts";
import { flagOf, textOf } from "./cell_text.ts";
import type { FieldName } from "./fields.ts";
import { lookUp, type Row } from "./look_up.ts";
import { readDate } from "./read_date.ts";

const MAX_ROWS_SEEN = 500;
/** A column with more of them has no statuses. */
const MAX_STATUSES = 50;

const share = <Value>(values: readonly Value[], fits: (value: Value) => boolean) =>
  values.length === 0 ? 0 : values.filter(fits).length / values.length;

/** What is in the columns of a table, each looked at once. */
export class Values {
  readonly #known = new Map<string, readonly string[]>();
  readonly #answers = new Map<string, boolean>();

  constructor(private readonly rows: readonly Row[]) {}

  get rowCount(): number {
    return Math.min(this.rows.length, MAX_ROWS_SEEN);
  }
  of(name: string): readonly string[] {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const texts = this.rows.slice(0, MAX_ROWS_SEEN)
      .map((row) => textOf(lookUp(row, name))?.trim() ?? "").filter((text) => text !== "");
    this.#known.set(name, texts);
    return texts;
  }

  /** Whether the values of a column are those of a field; those of other fields may be any. */
  fits(field: FieldName, name: string): boolean {
    const values = this.of(name);
    const fits = FITS[field];
    return values.length > 0 &&
      this.#once(`${field} ${name}`, () => fits?.(values, this.rowCount) ?? true);
  }

  /** Whether no value of a column can be one of a field, whatever the column is called. */
  contradicts(field: FieldName, name: string): boolean {
    const values = this.of(name);
    const contradicts = CONTRADICTS[field];
    return values.length > 0 && contradicts !== undefined &&
      this.#once(`not ${field} ${name}`, () => values.every(contradicts));
  }

  /** Whether every value of a column is a day or a period, with one reading. */
  areSureDays(name: string): boolean {
    const values = this.of(name);
    return values.length > 0 && this.#once(`days ${name}`, () => values.every(isSureDay));
  }

  /** Whether a column has yes and no, and nothing else. */
  areFlags(name: string): boolean {
    const values = this.of(name);
    return values.length > 0 && this.#once(`flags ${name}`, () => values.every(isFlag));
  }

  #once(question: string, answer: () => boolean): boolean {
    const known = this.#answers.get(question);
    if (known !== undefined) return known;
    const found = answer();
    this.#answers.set(question, found);
    return found;
  }
}

/** A day or a period, whatever its order; a bare number is none. */
export function isDay(text: string): boolean {
  if (/^\d{1,4}(?:\.\d{1,2}){0,2}$/.test(text) && !/\d{4}/.test(text)) return false;
  const read = readDate(text, { asOf: "2026-01-01" });
  return "date" in read ? read.date !== null : read.readings !== undefined;
}

/** Of two numbers either may be the day, as the whole column says. */
function isSureDay(text: string): boolean {
  const read = readDate(text, { asOf: "2026-01-01" });
  return "date" in read || read.formats !== undefined;
}

const isFlag = (text: string) => typeof flagOf(text) === "boolean";
const isBareNumber = (text: string) => /^[\d.,]+ ?%?$/.test(text);
const hasLetters = (text: string) => /\p{L}{2}|[\p{Script=Han}]/u.test(text);

/** An address, or yes and no in a word. */
function isNoName(text: string): boolean {
  return /^https?:/.test(text) || isFlag(text) && !/^.$/u.test(text);
}

function areDays(values: readonly string[]): boolean {
  return share(values, isDay) > 0.5;
}

const FITS: Readonly<
  Partial<Record<FieldName, (values: readonly string[], rows: number) => boolean>>
> = {
  release_date: areDays,
  last_modified: areDays,
  created: areDays,
  release_status: (values) => {
    const different = [...new Set(values)];
    return different.length <= MAX_STATUSES && !different.every(isFlag) &&
      share(different, (text) => toneOfWords(text) !== null) >= 0.5;
  },
  feature_name: (values, rows) =>
    values.length >= rows * 0.7 && new Set(values).size >= values.length * 0.8 &&
    share(values, (text) => hasLetters(text) && !isNoName(text)) > 0.9 &&
    share(values, isDay) < 0.5,
  product_name: (values, rows) =>
    values.length >= rows / 2 && share(values, (one) => one.length < 100) === 1,
  release_item_id: (values, rows) =>
    rows > 1 && values.length === rows && new Set(values).size === rows &&
    share(values, (one) => one.length <= 64 && !/\s/.test(one)) === 1,
};

const CONTRADICTS: Readonly<Partial<Record<FieldName, (value: string) => boolean>>> = {
  release_date: (value) => isFlag(value) && !/^\d$/.test(value) || /^https?:/.test(value),
  release_status: (value) =>
    /^https?:/.test(value) || isDay(value) && /\d{4}|\d[-./]\d/.test(value),
  feature_name: isNoName,
  product_name: isBareNumber,
};
