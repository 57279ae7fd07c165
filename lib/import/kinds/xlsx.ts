import { firstLineOf } from "../../expected_error.ts";
import { isZip, refuseArchive } from "../fetching/decode_text.ts";
import { countOf, quote } from "../../text/phrases.ts";
import { decodeEntities } from "../../text/plain_text.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { findHeader, isHeader, namesTitle, readTable } from "./csv.ts";
import { type Document, type Kind, openFirst, refuse } from "./kind.ts";
import {
  attribute,
  columnNumber,
  findHidden,
  type Hidden,
  listMerged,
  type Merged,
} from "./sheet_xml.ts";
import { readFormats, showCells } from "./shown_cells.ts";

type Cell = string | number | boolean | Date | null;

/** A sheet with 100,000 rows of ten columns has some 50 MB. */
const MAX_UNPACKED_MB = 128;
/** Empty ones included, up to the last cell of a sheet. */
const MAX_CELLS = 16_000_000;

/** A sheet of an Excel workbook, read as its CSV would be. */
export const xlsx: Kind = {
  kind: "xlsx",
  title: "Excel (.xlsx)",
  async read({ sheet, columns, keepsHidden = false, ...source }) {
    const document = await openFirst({ columns, ...source });
    const { bytes } = document;
    if (!isZip(bytes)) {
      refuseArchive(bytes, document.shown);
      throw refuse(document, "it is not a spreadsheet (.xlsx)");
    }
    const read = await readSheets(document, columns, sheet);
    const sheets = keepsHidden ? read : read.map((one) => withoutHidden(one, columns));
    const { rows, leftOut, notes } = chooseSheet(sheets, { document, columns, sheet });
    return { ...readTable(rows, { document, columns }), leftOut, notes };
  },
};

/** A sheet as people see it, with what was left out of it. */
function withoutHidden(sheet: ReadSheet, columns: readonly string[]): ReadSheet {
  const { hidden } = sheet;
  const rows = sheet.rows.map((row, at) =>
    hidden.rows.has(at) ? [] : row.map((cell, place) => hidden.isColumn(place) ? "" : cell)
  );
  const { row: header } = findHeader(rows, columns);
  const count =
    sheet.rows.filter((row, at) =>
      hidden.rows.has(at) && at >= header && row.some((cell) => cell !== "")
    ).length;
  const names = (sheet.rows[header - 1] ?? []).filter((name, place) =>
    name !== "" && hidden.isColumn(place)
  );
  const are = names.length === 1 ? "is" : "are";
  return {
    ...sheet,
    rows,
    leftOut: { [count === 1 ? "hidden row" : "hidden rows"]: count },
    notes: names.length === 0 ? [] : [
      `${countOf(names.length, "column")} of the sheet ${are} hidden and not read, ` +
      `${names.map(quote).join(", ")}; a mapping with ${KEEP} reads hidden rows and columns`,
    ],
  };
}

const KEEP = '{"hidden":"keep"}';

/** Refuses an archive of something else, with what to do. */
function refuseOther(document: Document): SnapshotError {
  const names = new TextDecoder("latin1").decode(document.bytes);
  if (/mimetypeapplication\/vnd\.oasis\.opendocument/.test(names)) {
    return refuse(document, "it is an OpenDocument file (.ods): save it as .xlsx or as CSV");
  }
  return refuse(
    document,
    "it is an archive (.zip), not a spreadsheet: unpack it and import what is in it",
  );
}

interface ReadSheet {
  name: string;
  rows: string[][];
  hidden: Hidden;
  leftOut?: Record<string, number>;
  notes?: string[];
}

/** The named sheet, else the only one with a table, else the first one with cells. */
function chooseSheet(
  sheets: readonly ReadSheet[],
  { document, columns, sheet }: { document: Document; columns: readonly string[]; sheet?: string },
): ReadSheet {
  const named = (list: readonly ReadSheet[]) =>
    list.map(({ name }) => JSON.stringify(name)).join(", ");
  if (sheet !== undefined) {
    const found = sheets.find(({ name }) => name === sheet);
    if (found) return found;
    throw refuse(
      document,
      `it has no sheet ${JSON.stringify(sheet)}; its sheets are ${named(sheets)}`,
    );
  }
  const headed = sheets.filter(({ rows }) => isHeader(findHeader(rows, columns)));
  const titled = headed.filter(({ rows }) => namesTitle(findHeader(rows, columns)));
  // A sheet of choices, or of people, has no names of releases.
  const tables = titled.length > 0 ? titled : headed;
  if (tables.length > 1) {
    throw refuse(
      document,
      `several of its sheets have a table, ${named(tables)}: name one with --sheet`,
    );
  }
  const hasCells = ({ rows }: ReadSheet) => rows.some((row) => row.some((cell) => cell !== ""));
  const chosen = tables[0] ?? sheets.find(hasCells);
  if (chosen === undefined) {
    const isHidden = sheets.some(({ hidden, leftOut }) => leftOut && hidden.rows.size > 0);
    const reason = `all of its rows are hidden: a mapping with ${KEEP} reads them`;
    throw refuse(document, isHidden ? reason : "it is empty");
  }
  return chosen;
}

/**
 * The sheets with cells.
 *
 * @param columns those that the mapping names
 * @param sheet the one that is named, which may be hidden
 */
async function readSheets(
  document: Document,
  columns: readonly string[],
  sheet?: string,
): Promise<ReadSheet[]> {
  const { unzipSync, zipSync } = await import("fflate");
  const { default: readWorkbook, InvalidInputError } = await import("read-excel-file/universal");
  try {
    let unpacked = 0;
    const files = unzipSync(document.bytes, {
      filter({ name, originalSize }) {
        // A sheet of charts has no cells, and the library expects some of every sheet.
        if (!/\.(?:xml|rels)$/.test(name)) return false;
        unpacked += originalSize;
        if (unpacked > MAX_UNPACKED_MB * 1024 * 1024) {
          throw refuse(
            document,
            `its sheets are larger than ${MAX_UNPACKED_MB} MB when unpacked`,
          );
        }
        return true;
      },
    });
    const workbook = files["xl/workbook.xml"];
    if (!workbook) throw refuseOther(document);
    const decode = (file?: Uint8Array) => new TextDecoder().decode(file);
    const relations = decode(files["xl/_rels/workbook.xml.rels"]);
    const named = listSheets(decode(workbook), relations);
    const shown = named.filter(({ isShown, isChart }) => isShown && !isChart);
    const wanted = named.filter((one) =>
      !one.isChart && (one.isShown || one.name === sheet || shown.length === 0)
    );
    // A sheet may be at any path that the relationships of the workbook name.
    for (const file of Object.values(files)) refuseFarCells(file, document);
    // The library expects cells of every sheet that the workbook names.
    const left = named.filter((one) => !wanted.includes(one))
      .reduce((text, { tag }) => text.replace(tag, ""), decode(workbook));
    files["xl/workbook.xml"] = new TextEncoder().encode(left);
    const [styles = ""] = [...relations.matchAll(/<Relationship\s[^<>]*>/g)]
      .map(([tag]) => tag).filter((tag) => /\/styles["']/.test(tag));
    const formats = readFormats(decode(files[partPath(styles)]), decode(workbook));
    const texts = wanted.map(({ path }) => decode(files[path]));
    for (const [at, { path }] of wanted.entries()) {
      if (files[path]) files[path] = new TextEncoder().encode(showCells(texts[at]!, formats));
    }
    // Packed again without compression, so the library unpacks it here and starts no workers.
    const stored = zipSync(files, { level: 0 });
    const sheets = await readWorkbook(stored.buffer as ArrayBuffer);
    return sheets.map(({ sheet: name, data }, place) => ({
      name,
      rows: fillMerged(
        (data as Cell[][]).map((row) => row.map(toText)),
        texts[place]!,
        columns,
      ),
      hidden: findHidden(texts[place]!),
    }));
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    const isZipError = typeof (error as { code?: unknown }).code === "number"; // of fflate
    if (isZipError || error instanceof InvalidInputError || error instanceof RangeError) {
      throw refuse(document, "it is not a spreadsheet (.xlsx), or it is damaged");
    }
    throw refuse(document, `it is a broken spreadsheet: ${firstLineOf(error)}`);
  }
}

/** A sheet as the workbook names it. */
interface NamedSheet {
  tag: string;
  name: string;
  path: string;
  /** It has cells, and people see it. */
  isShown: boolean;
  isChart: boolean;
}

/** The part of the archive that a relationship of the workbook leads to. */
function partPath(relation: string): string {
  const target = attribute(relation, "Target") ?? "";
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

/** The sheets of a workbook, those of charts included, which have no cells. */
function listSheets(workbook: string, relations: string): NamedSheet[] {
  const targets = new Map(
    [...relations.matchAll(/<Relationship\s[^<>]*>/g)].map(([tag]) => [attribute(tag, "Id"), tag]),
  );
  return [...workbook.matchAll(/<sheet\s[^<>]*>/g)].map(([tag]) => {
    const relation = targets.get(attribute(tag, "[\\w.-]+:id")) ?? "";
    return {
      tag,
      name: decodeEntities(attribute(tag, "name") ?? ""),
      path: partPath(relation),
      isShown: !/^(?:hidden|veryHidden)$/.test(attribute(tag, "state") ?? ""),
      isChart: /\/(?:chartsheet|dialogsheet)["']/.test(relation),
    };
  });
}

/**
 * Merged cells have their value in all of them, as people see it: below each other everywhere, side
 * by side below the header only, where each column has a name of its own. A merged cell that is
 * alone in its row is a title or the head of a group of rows, and no value of other columns.
 */
function fillMerged(
  rows: string[][],
  sheet: string,
  columns: readonly string[],
): string[][] {
  const ranges = listMerged(sheet);
  // Ranges that overlap, which no spreadsheet program writes, could fill a sheet again and again.
  let room = MAX_CELLS;
  const fill = ({ top, left, bottom, right }: Merged, value = rows[top]?.[left] ?? "") => {
    for (let at = top; value !== "" && at < Math.min(bottom, rows.length) && room > 0; at++) {
      const row = rows[at]!;
      const end = Math.min(right, row.length);
      room -= end - left + 1;
      for (let place = left; place < end; place++) row[place] ||= value;
    }
  };
  for (const range of ranges) fill({ ...range, right: range.left + 1 });
  const { row: header } = findHeader(rows, columns);
  for (const range of ranges.filter(({ left, right }) => right > left + 1)) {
    const { top, left, bottom, right } = range;
    const value = rows[top]?.[left];
    for (let at = Math.max(top, header); at < Math.min(bottom, rows.length) && room > 0; at++) {
      room -= rows[at]!.length;
      const isAlone = rows[at]!.every((cell, place) =>
        cell === "" || place >= left && place < right
      );
      if (!isAlone) fill({ ...range, top: at, bottom: at + 1 }, value);
    }
  }
  return rows;
}

/** A cell far away from the others makes a reader fill the sheet with empty ones up to there. */
function refuseFarCells(sheet: Uint8Array, document: Document): void {
  let [row, column] = [0, 0];
  const text = new TextDecoder("latin1").decode(sheet);
  for (const [, quoted = ""] of text.matchAll(/\sr\s*=\s*["']([^"']{1,200})["']/gi)) {
    const [, letters = "", number] = /^\$?([A-Z]*)\$?(\d+)$/i.exec(decodeEntities(quoted).trim()) ??
      [];
    if (number === undefined) continue;
    row = Math.max(row, Number(number));
    column = Math.max(column, columnNumber(letters.toUpperCase()));
  }
  if (row * column <= MAX_CELLS) return;
  throw refuse(
    document,
    `a sheet of ${row} rows and ${column} columns is too large: ` +
      "delete the rows and columns beyond its table",
  );
}

/** What is seen, but for dates, which are shown in the language of the workbook. */
function toText(cell: Cell): string {
  if (cell === null) return "";
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === "boolean" ? String(cell).toUpperCase() : String(cell);
}
