import { firstLineOf } from "../../expected_error.ts";
import { isZip, refuseArchive } from "../fetching/decode_text.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { findHeader, isHeader, readTable } from "./csv.ts";
import { type Document, type Kind, openFirst, refuse } from "./kind.ts";

type Cell = string | number | boolean | Date | null;

/** A sheet with 100,000 rows of ten columns has some 50 MB. */
const MAX_UNPACKED_MB = 128;
/** Empty ones included, up to the last cell of a sheet. */
const MAX_CELLS = 16_000_000;

/** A sheet of an Excel workbook, read as its CSV would be. */
export const xlsx: Kind = {
  kind: "xlsx",
  async read({ sheet, columns, ...source }) {
    const document = await openFirst({ columns, ...source });
    const { bytes } = document;
    if (!isZip(bytes)) {
      refuseArchive(bytes, document.shown);
      throw refuse(document, "it is not a spreadsheet (.xlsx)");
    }
    const sheets = await readSheets(document);
    const rows = chooseSheet(sheets, { document, columns, sheet });
    return readTable(rows, { document, columns });
  },
};

interface ReadSheet {
  name: string;
  rows: string[][];
}

/** The named sheet, else the only one with a table, else the first one with cells. */
function chooseSheet(
  sheets: readonly ReadSheet[],
  { document, columns, sheet }: { document: Document; columns: readonly string[]; sheet?: string },
): string[][] {
  const named = (list: readonly ReadSheet[]) =>
    list.map(({ name }) => JSON.stringify(name)).join(", ");
  if (sheet !== undefined) {
    const found = sheets.find(({ name }) => name === sheet);
    if (found) return found.rows;
    throw refuse(
      document,
      `it has no sheet ${JSON.stringify(sheet)}; its sheets are ${named(sheets)}`,
    );
  }
  const tables = sheets.filter(({ rows }) => isHeader(findHeader(rows, columns)));
  if (tables.length > 1) {
    throw refuse(
      document,
      `several of its sheets have a table, ${named(tables)}: name one with --sheet`,
    );
  }
  const hasCells = ({ rows }: ReadSheet) => rows.some((row) => row.some((cell) => cell !== ""));
  const chosen = tables[0] ?? sheets.find(hasCells);
  if (chosen === undefined) throw refuse(document, "it is empty");
  return chosen.rows;
}

async function readSheets(document: Document): Promise<ReadSheet[]> {
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
    if (!workbook) throw refuse(document, "it is an archive, not a spreadsheet (.xlsx)");
    for (const [name, file] of Object.entries(files)) {
      if (name.startsWith("xl/worksheets/")) refuseFarCells(file, document);
    }
    files["xl/workbook.xml"] = withoutCharts(workbook, files["xl/_rels/workbook.xml.rels"]);
    // Packed again without compression, so the library unpacks it here and starts no workers.
    const stored = zipSync(files, { level: 0 });
    const sheets = await readWorkbook(stored.buffer as ArrayBuffer);
    return sheets.map(({ sheet: name, data }) => ({
      name,
      rows: (data as Cell[][]).map((row) => row.map(toText)),
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

/** A workbook without its sheets of charts, which have no cells. */
function withoutCharts(workbook: Uint8Array<ArrayBuffer>, relations: Uint8Array | undefined) {
  const charts = new Set<string>();
  for (const [tag] of new TextDecoder().decode(relations).matchAll(/<Relationship\s[^<>]*>/g)) {
    const id = /\sId\s*=\s*["']([^"']*)["']/.exec(tag)?.[1];
    if (id !== undefined && /\/(?:chartsheet|dialogsheet)["']/.test(tag)) charts.add(id);
  }
  if (charts.size === 0) return workbook;
  const text = new TextDecoder().decode(workbook).replace(/<sheet\s[^<>]*>/g, (tag) => {
    const id = /\s[\w.-]+:id\s*=\s*["']([^"']*)["']/.exec(tag)?.[1];
    return id !== undefined && charts.has(id) ? "" : tag;
  });
  return new TextEncoder().encode(text);
}

/** A cell far away from the others makes a reader fill the sheet with empty ones up to there. */
function refuseFarCells(sheet: Uint8Array, document: Document): void {
  let [row, column] = [0, 0];
  const text = new TextDecoder("latin1").decode(sheet);
  for (const [, letters = "", number] of text.matchAll(/\sr=["']\$?([A-Z]*)\$?(\d+)["']/gi)) {
    row = Math.max(row, Number(number));
    column = Math.max(column, numberOf(letters.toUpperCase()));
  }
  if (row * column <= MAX_CELLS) return;
  throw refuse(
    document,
    `a sheet of ${row} rows and ${column} columns is too large: ` +
      "delete the rows and columns beyond its table",
  );
}

/** `A` is 1, `Z` is 26, `AA` is 27. */
function numberOf(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** What a spreadsheet would save as CSV, but for dates, which would depend on its language. */
function toText(cell: Cell): string {
  if (cell === null) return "";
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === "boolean" ? String(cell).toUpperCase() : String(cell);
}
