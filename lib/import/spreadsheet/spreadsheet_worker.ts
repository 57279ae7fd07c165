import { parentPort, workerData } from "node:worker_threads";
import { unzipSync, type Zippable, zipSync } from "fflate";
import { InvalidInputError, readSheet, SheetNotFoundError } from "read-excel-file/universal";
import { firstLineOf } from "../../expected_error.ts";
import type { SheetRead, SheetRequest } from "./read_sheet.ts";

type Cell = string | number | boolean | Date | null;

/** A sheet with 100,000 rows of ten columns has some 50 MB. */
const MAX_UNPACKED_MB = 128;
/** Empty ones included, up to the last cell of a sheet. */
const MAX_CELLS = 16_000_000;

class TooLarge extends Error {}

// In a worker: a few kilobytes can unpack to gigabytes.
parentPort!.postMessage(await read(workerData as SheetRequest).catch(explain));

async function read({ bytes, sheet }: SheetRequest): Promise<SheetRead> {
  let unpacked = 0;
  const files = unzipSync(new Uint8Array(bytes), {
    filter({ name, originalSize }) {
      if (!/\.(?:xml|rels)$/.test(name)) return false;
      unpacked += originalSize;
      if (unpacked > MAX_UNPACKED_MB * 1024 * 1024) {
        throw new TooLarge(`its sheets are larger than ${MAX_UNPACKED_MB} MB when unpacked`);
      }
      return true;
    },
  });
  if (!files["xl/workbook.xml"]) return { problem: "it is an archive, not a spreadsheet (.xlsx)" };
  for (const [name, file] of Object.entries(files)) {
    if (name.startsWith("xl/worksheets/")) refuseFarCells(file);
  }
  // Packed again without compression, so the library unpacks it here and starts no workers.
  const stored = zipSync(files as Zippable, { level: 0 });
  const rows = await readSheet(stored.buffer as ArrayBuffer, sheet) as Cell[][];
  return { csv: rows.map((row) => row.map(toCsv).join(",")).join("\r\n") };
}

/** A cell far away from the others makes a reader fill the sheet with empty ones up to there. */
function refuseFarCells(sheet: Uint8Array): void {
  let [row, column] = [0, 0];
  const text = new TextDecoder("latin1").decode(sheet);
  for (const [, letters = "", number] of text.matchAll(/\sr=["']([A-Z]*)(\d+)["']/gi)) {
    row = Math.max(row, Number(number));
    column = Math.max(column, numberOf(letters.toUpperCase()));
  }
  if (row * column <= MAX_CELLS) return;
  throw new TooLarge(
    `a sheet of ${row} rows and ${column} columns is too large: ` +
      "delete the rows and columns beyond its table",
  );
}

/** `A` is 1, `Z` is 26, `AA` is 27. */
function numberOf(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** What a spreadsheet would save as CSV, but for dates, which would depend on its language. */
function toCsv(cell: Cell): string {
  if (cell === null) return "";
  const text = cell instanceof Date
    ? cell.toISOString().slice(0, 10)
    : typeof cell === "boolean"
    ? String(cell).toUpperCase()
    : String(cell);
  return `"${text.replaceAll('"', '""')}"`;
}

function explain(error: unknown): SheetRead {
  if (error instanceof TooLarge) return { problem: error.message };
  if (error instanceof SheetNotFoundError) {
    const { sheets } = error as unknown as { sheets: string[] }; // its types lack it
    const names = sheets.map((name) => JSON.stringify(name)).join(", ");
    return { problem: `it has no sheet ${JSON.stringify(error.sheet)}; its sheets are ${names}` };
  }
  const isZipError = typeof (error as { code?: unknown }).code === "number"; // of fflate
  if (isZipError || error instanceof InvalidInputError || error instanceof RangeError) {
    return { problem: "it is no spreadsheet (.xlsx), or damaged" };
  }
  return { problem: `it is a broken spreadsheet: ${firstLineOf(error)}` };
}
