import { quote } from "../../text/phrases.ts";
import { flagOf, foldCell, textOf } from "./cell_text.ts";
import { knownColumn, rolesOf, withoutRemark } from "./column_names.ts";
import type { Columns } from "./columns.ts";
import { conditionsIn, FIELD_NAMES, type Mapping } from "./fields.ts";
import { type Concept, hintsOf, means, phrasesOf, plainName } from "./lexicon.ts";
import { lookUp, type Row } from "./look_up.ts";

/**
 * `unless no`: yes, a day or any other text keeps the row back; `if not yes`: it is shown only where
 * the column says so; `if no`: it is kept back only where the column says so.
 */
type KeepsBack = "unless no" | "if not yes" | "if no";

/** What a column's name means, how its values are read, and what is said of a row that stays out. */
const RULES: readonly (readonly [Concept, KeepsBack, reason: string])[] = [
  ["confidential", "unless no", "confidential"],
  ["archived", "unless no", "archived"],
  ["security", "unless no", "with a security level"],
  ["private", "unless no", "private"],
  ["deleted", "unless no", "deleted"],
  ["public", "if not yes", "not public"],
  ["active", "if no", "not active"],
];
/** A name that denies one of them says the other. */
const OPPOSITE: Readonly<Partial<Record<Concept, Concept>>> = {
  public: "private",
  private: "public",
};
/** More different values are no levels of secrecy. */
const MAX_LEVELS = 4;

/** Finds rows that are not for everybody, and what only a person can say of them. */
export function compilePrivacy(
  columns: Columns,
  fields: Mapping,
): { isPrivate: (row: Row) => string | null; question: string | null } {
  const spoken = new Set(conditionsIn(fields).map((name) => columns.find(name)));
  const free = columns.names.filter((column) => !spoken.has(column));
  const found = free.map((column) => privacyOf(column, columns)).filter((one) => one !== null);
  const unclear = free.filter((column) =>
    rolesOf(column).has("public") && isUnclear(columns.values.of(column))
  );
  return {
    isPrivate: (row) =>
      found.find(({ column, keepsBack }) => isKeptBack(lookUp(row, column), keepsBack))?.reason ??
        null,
    question: unclear.length === 0 ? null : ask(unclear[0]!, columns),
  };
}

function ask(column: string, columns: Columns): string {
  const values = [...new Set(columns.values.of(column))].map(quote);
  const unknown = values.length === 1
    ? `${values[0]} is not`
    : `neither ${values.join(" nor ")} is`;
  return `${quote(column)} may say who sees a release, but ${unknown} known: say in the mapping ` +
    `which are shown, {"where": {${quote(column)}: ${values[0]}}}, or that all are, ` +
    `{"where": {${quote(column)}: [${[...values, '""'].join(", ")}]}}`;
}

/** What a column says by its name, by words of it, or by its values; null: nothing of this. */
function privacyOf(
  column: string,
  columns: Columns,
): { column: string; reason: string; keepsBack: KeepsBack } | null {
  const values = columns.values.of(column);
  if (values.length === 0) return null;
  const roles = rolesOf(column);
  const whole = RULES.find(([concept]) => roles.has(concept));
  if (whole) {
    const [, keepsBack, reason] = whole;
    // A column in which nothing says yes or no means something else.
    const isUsed = keepsBack === "unless no" || values.some(isClear);
    return isUsed ? { column, keepsBack, reason } : null;
  }
  const isField = FIELD_NAMES.some((field) => columns.originOf(field)?.columns.includes(column)) ||
    knownColumn(column) !== undefined;
  if (isField || !values.every(isClearWord)) return null;
  const name = withoutRemark(column);
  const hints = hintsOf(name);
  const hinted = RULES.find(([concept]) => hints.has(concept))?.[0] ?? stemIn(name);
  if (hinted !== undefined) {
    const meant = hints.has("not") ? OPPOSITE[hinted] ?? hinted : hinted;
    const [, keepsBack, reason] = RULES.find(([concept]) => concept === meant)!;
    return { column, keepsBack, reason };
  }
  const levels = new Set(values).size;
  const isSaid = values.some((value) => means(value, "insiders")) && levels > 1 &&
    levels <= MAX_LEVELS && !columns.values.areFlags(column);
  return isSaid ? { column, keepsBack: "if not yes", reason: "not public" } : null;
}

/** What an inflected word of a name says: "veröffentlichen", "publicznie". */
function stemIn(name: string): Concept | undefined {
  const words = plainName(name).split(" ").filter((word) => word.length >= SHORTEST_WORD);
  return STEMMED.find((concept) =>
    phrasesOf(concept).some((phrase) => words.some((word) => areInflected(word, phrase)))
  );
}

const STEMMED: readonly Concept[] = ["confidential", "archived", "private", "deleted", "public"];
const SHORTEST_WORD = 6;

/** Two forms of a word share all but three letters at the end of each. */
function areInflected(word: string, phrase: string): boolean {
  const stem = Math.max(SHORTEST_WORD - 1, Math.max(word.length, phrase.length) - 3);
  return phrase.length >= stem && word.length >= stem &&
    word.slice(0, stem) === phrase.slice(0, stem);
}

/** One or two values, of which nobody knows whether they are for everybody. */
function isUnclear(values: readonly string[]): boolean {
  const { size } = new Set(values);
  return (size === 1 || size === 2) && !values.some(isClear) &&
    values.every((value) => /\p{L}/u.test(value) && value.length <= 40);
}

/** Yes, no, or a word for everybody or for some; a number may count something. */
function isClearWord(text: string): boolean {
  return !/^\d+$/.test(text) && typeof flagOf(text) === "boolean" || means(text, "everyone") ||
    means(text, "insiders");
}

/** The same, or the day since which it is for everybody. */
function isClear(text: string): boolean {
  return isClearWord(text) || /^[01]$/.test(text) || isDayNumber(text);
}

const isDayNumber = (text: string) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(foldCell(text));

function isKeptBack(value: unknown, keepsBack: KeepsBack): boolean {
  const text = textOf(value);
  const flag = text === null || means(text, "none") ? null : flagOf(value);
  const isForAll = flag === true || text !== null && (means(text, "everyone") || isDayNumber(text));
  switch (keepsBack) {
    case "unless no":
      return flag !== null && flag !== false && !means(text!, "everyone");
    case "if no":
      return flag === false;
    case "if not yes":
      return !isForAll;
  }
}
