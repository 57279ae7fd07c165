/**
 * One line of CSV (RFC 4180), its line break included. Null is an empty cell, a list is JSON. A
 * cell that a spreadsheet would take for a formula, also in full-width characters, gets an
 * apostrophe in front. So does what would begin a cell where lists are divided by ";" or a tab, as
 * in German or French: a quotation mark inside of such a line divides nothing.
 *
 * ```ts
 * const line = formatCsvLine(['a "b"', null, ["x"], "=1+1", "＝1+1"]);
 * if (line !== '"a ""b""",,"[""x""]",\'=1+1,\'＝1+1\r\n') throw new Error(line);
 * if (formatCsvLine(["x;=1+1"]) !== '"x;\'=1+1"\r\n') throw new Error();
 * ```
 */
export function formatCsvLine(cells: readonly (string | readonly string[] | null)[]): string {
  return cells.map(formatCell).join(",") + "\r\n";
}

/** One more apostrophe where some are, so that the one of {@link formatCsvLine} can be told. */
const FORMULA = /^(?='*[=+\-@＝＋－＠\t\r\n])/;
/** After a line break, "- " is an item of a list. */
const FORMULA_INSIDE = /[;\t] {0,9}(?='*[=+\-@＝＋－＠])|[\r\n] {0,9}(?='*(?:[=+@＝＋－＠]|-\S))/g;
const GUARDED = /^'(?='*[=+\-@＝＋－＠\t\r\n])/;
const GUARDED_INSIDE =
  /([;\t] {0,9})'(?='*[=+\-@＝＋－＠])|([\r\n] {0,9})'(?='*(?:[=+@＝＋－＠]|-\S))/g;

/**
 * A cell of {@link formatCsvLine} without the apostrophes that it put before formulas.
 *
 * ```ts
 * if (unguardCell("'=1+1; '-2 and 'it'") !== "=1+1; -2 and 'it'") throw new Error();
 * ```
 */
export function unguardCell(cell: string): string {
  return cell.replace(GUARDED_INSIDE, "$1$2").replace(GUARDED, "");
}

function formatCell(cell: string | readonly string[] | null): string {
  if (cell === null) return "";
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  const guarded = text.replace(FORMULA, "'").replace(FORMULA_INSIDE, "$&'");
  return /[",;\t\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
