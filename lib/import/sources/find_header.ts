import { knownColumn, plainName } from "../mapping/column_names.ts";

const DELIMITERS = [",", ";", "\t"];
/** The rows that are searched for a header. */
const MAX_ROWS = 10;
/** A row with this many columns of items is a header. */
const FITTING = 2;
/** A row: quoted cells may have line breaks. */
const ROW = /((?:"[^"]*"|[^"\r\n])*)(?:\r\n|\r|\n|$)/y;

/** The row that names the columns. */
export interface Header {
  /** As a spreadsheet counts it. */
  row: number;
  cells: readonly string[];
  delimiter: string;
  /** Another row that may be meant, if this one does not fit. */
  likely: number | null;
}

/**
 * Finds the header of a table by its start: the first row, unless its names are unknown and a
 * fuller one of the next rows has the names of an item's fields, or of the mapping's columns.
 */
export function findHeader(text: string, mapped: readonly string[] = []): Header {
  const rows = firstRows(text);
  const wanted = new Set(mapped.map(plainName));
  const fitOf = ({ cells }: Header) => {
    const fields = cells.map((cell) =>
      wanted.has(plainName(cell)) ? plainName(cell) : knownColumn(cell)?.field
    );
    return new Set(fields.filter((field) => field !== undefined)).size;
  };
  const filledOf = ({ cells }: Header) => cells.filter((cell) => cell.trim() !== "").length;
  const first = rows[0] ?? { row: 1, cells: [], delimiter: ",", likely: null };
  const best = rows.reduce((best, row) => fitOf(row) > fitOf(best) ? row : best, first);
  const isFuller = filledOf(best) > filledOf(first);
  if (fitOf(first) >= FITTING || best === first || !isFuller) return first;
  return fitOf(best) >= FITTING ? best : { ...first, likely: best.row };
}

/** The first rows that are not empty. */
function firstRows(text: string): Header[] {
  const rows: Header[] = [];
  ROW.lastIndex = 0;
  for (let row = 1; rows.length < MAX_ROWS && ROW.lastIndex < text.length; row++) {
    const found = ROW.exec(text)?.[1];
    if (found === undefined) break; // a quotation mark without its end
    if (/[^\s,;"]/.test(found)) rows.push({ row, ...splitRow(found), likely: null });
  }
  return rows;
}

/** The cells of a row, roughly, and what stands between them. */
function splitRow(row: string): Pick<Header, "cells" | "delimiter"> {
  const bare = row.replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => bare.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, other) => count(other) > count(best) ? other : best);
  return { cells: row.replaceAll('"', "").split(delimiter), delimiter };
}
