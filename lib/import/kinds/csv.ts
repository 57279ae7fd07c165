import papaparse, { type ParseError, type ParseResult } from "papaparse";
import { DATE_COLUMN, isReleaseTable, TAG_COLUMN } from "../../roadmap/tables.ts";
import { unguardCell } from "../../text/csv.ts";
import { toneOfWords } from "../../roadmap/status_tone.ts";
import { countOf, quote, shorten } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import { knownColumn, likelyField } from "../mapping/column_names.ts";
import { plainName } from "../mapping/lexicon.ts";
import { type Table, UnreadableRow } from "../mapping/table.ts";
import { BEGINNING, type Document, type Kind, openFirst, readText, refuse } from "./kind.ts";
import { MAX_COLUMNS } from "../mapping/columns.ts";
import { refuseMarkup } from "./other_formats.ts";

/** A table whose first rows have the names of the columns; an empty cell is no value. */
export const csv: Kind = {
  kind: "csv",
  title: "CSV",
  recognises: ({ contentType, extension, text }) =>
    ["text/csv", "text/tab-separated-values"].includes(contentType ?? "") ||
    ["csv", "tsv"].includes(extension) || isTable(text),
  async read(source) {
    const document = await openFirst(source);
    const rows = parseCsv(readText(document, source), document);
    return readTable(rows, { document, columns: source.columns });
  },
};

/** Whether a text starts with column names, at least one of them that of an item's field. */
function isTable(text: string): boolean {
  if (/^\s*[[{<]/.test(text)) return false;
  const { cells } = findDelimiter(withoutSeparatorLine(text).body);
  return cells.length > 1 && cells.some((cell) => {
    const known = knownColumn(cell)?.field;
    return known === "feature_name" || known === "release_item_id";
  });
}

function parseCsv(text: string, document: Document): string[][] {
  if (text.trim() === "") throw refuse(document, "it is empty");
  if (isPage(text)) throw refuseMarkup(text.trimStart(), document);
  const markdown = readMarkdownTable(text);
  if (markdown !== null) return markdown;
  const { sep, body } = withoutSeparatorLine(text);
  const delimiter = sep ?? findDelimiter(body).delimiter;
  const { data, errors } = parse(body, { delimiter });
  const rows = data.map((cells) => cells.map(toPlainCell));
  const inside = errors.filter(({ code }) => code !== "MissingQuotes");
  if (inside.length > 0) throw refuse(document, explainMarks(inside, body, sep ? 1 : 0));
  const unclosed = errors.find(({ code }) => code === "MissingQuotes");
  if (unclosed) {
    const reason = "has a quotation mark that begins a cell and none that ends it";
    throw refuse(document, `its row ${(unclosed.row ?? 0) + 1 + (sep ? 1 : 0)} ${reason}`);
  }
  // The line with the separator counts as a row of its own.
  return sep === null ? rows : [[], ...rows];
}

/** Cells in quotation marks that others stand behind: some programs write `\\"` for `""`. */
function parse(
  text: string,
  options: { delimiter: string; preview?: number },
): ParseResult<string[]> {
  const found = papaparse.parse<string[]>(text, options);
  if (found.errors.length === 0 || !text.includes('\\"')) return found;
  const escaped = papaparse.parse<string[]>(text, { ...options, escapeChar: "\\" });
  return escaped.errors.length === 0 ? escaped : found;
}

/** Excel writes the separator into a line of its own: `sep=;`. */
function withoutSeparatorLine(text: string): { sep: string | null; body: string } {
  const [line = "", sep = null] = /^"?sep=(.)"?[^\S\r\n]*(?:\r\n|\r|\n)/i.exec(text) ?? [];
  return { sep, body: text.slice(line.length) };
}

/** The end of a line that ends otherwise than the others, and `="001"`, which is a text for Excel. */
function toPlainCell(cell: string): string {
  return cell.replace(/\r$/, "").replace(/^="([^"]*)"$/, "$1");
}

const MAX_NAMED_PLACES = 5;

function explainMarks(errors: readonly ParseError[], text: string, before: number): string {
  const places = errors.slice(0, MAX_NAMED_PLACES).map(({ row = 0, index = 0 }) => {
    const cell = text.slice(index, index + 100).split(/[\r\n]/)[0]!;
    return `row ${row + 1 + before}, in ${quote(shorten(cell, 30))}`;
  });
  const more = errors.length > MAX_NAMED_PLACES
    ? ` and ${errors.length - MAX_NAMED_PLACES} more`
    : "";
  return "a quotation mark stands inside of a cell that begins with one: write it twice, " +
    `${places.join("; ")}${more}`;
}

/** Often the page of a login, in place of the table. */
function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|script|meta|\?xml)\b/i.test(text.slice(0, 1_000));
}

/** The rows behind the header as objects, with their numbers as a spreadsheet counts them. */
export function readTable(
  rows: readonly string[][],
  { document, columns }: { document: Pick<Document, "shown">; columns: readonly string[] },
): Table {
  const header = findHeader(rows, columns);
  const names = header.names.map((name) => name.trim());
  if (names.every((name) => name === "")) throw refuse(document, "it is empty");
  if (names.length > MAX_COLUMNS) {
    throw refuse(document, `its row ${header.row} has more than ${MAX_COLUMNS} columns`);
  }
  const read: unknown[] = [];
  const numbers: number[] = [];
  const isOurs = isReleaseTable(names);
  const end = findEnd(rows, header);
  for (let index = header.row; index < end; index++) {
    const cells = rows[index]!;
    if (isBlank(cells)) continue;
    const row = readRow(isOurs ? cells.map(unguardCell) : cells, names, header.row);
    read.push(isOurs ? readReleaseRow(row) : row);
    numbers.push(index + 1);
  }
  const others = rows.slice(end).filter((cells) => !isBlank(cells)).length - 1;
  return {
    rows: read,
    numbers,
    header: names,
    likelyHeader: header.likely,
    ...others > 0 && { leftOut: { "another table": others } },
    ofQuarters: isOurs && read.every(hasQuarter),
  };
}

/** Whether a row of a table of ours has a quarter for its day, as variant A writes it, or none. */
function hasQuarter(row: unknown): boolean {
  return /^(?:Q[1-4] \d{4})?$/.test(String(asObject(row)?.release_date ?? ""));
}

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === "");

/** Where the table ends: at its last row, or where a blank one is followed by another header. */
function findEnd(rows: readonly string[][], { row, names }: Header): number {
  const plain = new Set(names.map(plainName));
  for (let index = row + 1; index < rows.length; index++) {
    if (!isBlank(rows[index - 1]!)) continue;
    const cells = rows[index]!.filter((cell) => cell.trim() !== "");
    const known = cells.filter((cell) =>
      knownColumn(cell) !== undefined && toneOfWords(cell) === null
    );
    const isHeader = known.length >= FITTING && !cells.some((cell) => /\d/.test(cell));
    if (isHeader && !cells.every((cell) => plain.has(plainName(cell)))) return index;
  }
  return rows.length;
}

/**
 * Cells by column name; for columns with the same name, all that are not empty. Spreadsheets leave
 * out the separators of empty cells at the end of a row.
 */
function readRow(cells: readonly string[], names: readonly string[], header: number): unknown {
  if (cells.slice(names.length).some((cell) => cell.trim() !== "")) {
    const first = header === 1 ? "the first row" : `row ${header}`;
    const reason = `it has ${countOf(cells.length, "cell")}, but ${first} ${names.length}`;
    return new UnreadableRow(`${reason}: is a quotation mark or a separator missing?`);
  }
  const values: Record<string, unknown> = Object.create(null);
  for (const [index, name] of names.entries()) {
    const cell = cells[index] || null;
    const before = values[name] ?? null;
    if (before === null) values[name] = cell;
    else if (cell !== null && Array.isArray(before)) before.push(cell);
    else if (cell !== null) values[name] = [before, cell];
  }
  return values;
}

/** What a row of `/releases.csv` has in one cell, as it was before. */
function readReleaseRow(row: unknown): unknown {
  const cells = asObject(row);
  if (cells === null || row instanceof UnreadableRow) return row;
  const listIn = (name: string) => String(cells[name] ?? "").split("; ").filter(Boolean);
  const behind = (start: string) =>
    Object.keys(cells).filter((name) => name.startsWith(start))
      .map((name) => [name, name.slice(start.length)] as const);
  const tags = behind(TAG_COLUMN).map(([column, group]) => [group, listIn(column)]);
  const dates = behind(DATE_COLUMN).map(([column, name]) => [name, cells[column] ?? null]);
  const products = listIn("all_products");
  // Who edits the table may have changed the first one alone.
  const product_name = products[0] === cells.product_name ? products : cells.product_name;
  return {
    ...cells,
    product_name,
    tags: Object.fromEntries(tags),
    dates: Object.fromEntries(dates),
  };
}

const DELIMITERS = [",", ";", "\t", "|"];
const MAX_HEADER_ROW = 10;
/** A row with this many columns of items is a header. */
const FITTING = 2;
/** The row that names the columns. */
interface Header {
  row: number;
  /** Another row that may be meant, if this one does not fit. */
  likely: number | null;
  fit: number;
  /** Its cells; of two lines the lower one, where it has any. */
  names: readonly string[];
}
type Row = Pick<Header, "row" | "names">;

/**
 * Finds the header of a table: the first row, unless its names are unknown and a fuller one of the
 * next rows has the names of an item's fields, or of the mapping's columns.
 */
export function findHeader(rows: readonly string[][], mapped: readonly string[]): Header {
  const filled = rows.map((names, index): Row => ({ row: index + 1, names }))
    .filter(({ names }) => !isBlank(names)).slice(0, MAX_HEADER_ROW);
  const wanted = new Set(mapped.map(plainName));
  // Where no row has names that are known, those count that sound like the columns of a release.
  const isKnown = filled.some(({ names }) => countKnown(names, wanted) >= FITTING);
  const fitOf = ({ names }: Row) =>
    isKnown ? countKnown(names, wanted) : countKnown(names, wanted, likelyField);
  const filledOf = ({ names }: Row) => names.filter((name) => name.trim() !== "").length;
  const first = filled[0] ?? { row: 1, names: [] };
  const best = filled.reduce((best, row) => fitOf(row) > fitOf(best) ? row : best, first);
  const fit = Math.max(fitOf(first), fitOf(best));
  const isFuller = filledOf(best) > filledOf(first);
  if (fitOf(first) >= FITTING || best === first || !isFuller) {
    const second = filled.find(({ row }) => row === first.row + 1);
    const isTwo = second && fitOf(second) > fitOf(first) && repeats(first.names, second.names);
    if (!isTwo) return { ...first, likely: null, fit: fitOf(first) };
    const names = first.names.map((name, place) => second.names[place]?.trim() || name);
    return { row: second.row, names, likely: null, fit: fitOf(second) };
  }
  return fit >= FITTING ? { ...best, likely: null, fit } : { ...first, likely: best.row, fit };
}

/** Whether a row goes on with the names above it: merged cells have theirs in both. */
function repeats(above: readonly string[], below: readonly string[]): boolean {
  return below.filter((name, place) => name.trim() !== "" && name === above[place]).length >=
    FITTING;
}

/** Whether a row with this many known columns is surely a header. */
export function isHeader({ fit }: Header): boolean {
  return fit >= FITTING;
}

/** Whether a header names the column of what is released. */
export function namesTitle({ names }: Header): boolean {
  return names.some((name) => knownColumn(name)?.field === "feature_name");
}

/** How many fields of an item, or columns of the mapping, cells name. */
function countKnown(
  cells: readonly string[],
  wanted: ReadonlySet<string>,
  fieldOf: (name: string) => string | undefined = (name) => knownColumn(name)?.field,
): number {
  const fields = cells.map((cell) => wanted.has(plainName(cell)) ? plainName(cell) : fieldOf(cell));
  return new Set(fields.filter((field) => field !== undefined)).size;
}

/** What stands between the cells of a text, and the cells of the row that names the most columns. */
function findDelimiter(text: string): { delimiter: string; cells: readonly string[] } {
  const beginning = text.slice(0, BEGINNING);
  const known = (cells: readonly string[]) => countKnown(cells, new Set());
  const tried = DELIMITERS.map((delimiter) => {
    const { data } = papaparse.parse<string[]>(beginning, {
      delimiter,
      preview: MAX_HEADER_ROW + 1,
    });
    const rows = data.filter((cells) => !isBlank(cells));
    const first = rows.find((cells) => cells.length > 1) ?? [];
    const cells = rows.reduce((best, row) => known(row) > known(best) ? row : best, first);
    return { delimiter, cells };
  });
  return tried.reduce((best, one) =>
    known(one.cells) > known(best.cells) ||
      known(one.cells) === known(best.cells) && one.cells.length > best.cells.length
      ? one
      : best
  );
}

/**
 * The cells of the first table of a Markdown document (GitHub Flavored Markdown 4.10), each at the
 * place of its line; null: it has none.
 */
function readMarkdownTable(text: string): string[][] | null {
  const lines = text.split(/\r\n|\r|\n/);
  const dashes = lines.findIndex((line, at) =>
    at > 0 && isDashes(line) && lines[at - 1]!.includes("|")
  );
  if (dashes === -1) return null;
  // A cell of a CSV in quotation marks may hold a table as well.
  const marks = lines.slice(0, dashes).join("").split('"').length - 1;
  if (marks % 2 === 1) return null;
  const after = lines.findIndex((line, at) => at > dashes && !line.includes("|"));
  const end = after === -1 ? lines.length : after;
  return lines.slice(0, end).map((line, at) =>
    at < dashes - 1 || at === dashes ? [] : cellsOf(line)
  );
}

/** Whether a line is the one below the header of a table: `|:----|:---:|`. */
function isDashes(line: string): boolean {
  const cells = line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|");
  return cells.length > 1 && cells.every((cell) => /^:?-{2,}:?$/.test(cell.trim()));
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => plainCell(cell.trim()));
}

/** A cell without emphasis, and a link or code as its text. */
function plainCell(cell: string): string {
  return cell.replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/(\*\*|__|~~|`)(?=\S)(.{1,500}?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\w*])([*_])(?=[^\s*_])([^*_]*)(?<=\S)\1(?![\w*])/g, "$2")
    .replace(/\\([\\`*_{}[\]()#+.!|~-])/g, "$1").replace(/<br\s*\/?>/gi, "\n");
}
