/**
 * One line of CSV (RFC 4180), its line break included. Null is an empty cell, a list is JSON. A
 * cell that a spreadsheet would take for a formula, also in full-width characters, gets an
 * apostrophe in front.
 *
 * ```ts
 * const line = formatCsvLine(['a "b"', null, ["x"], "=1+1", "＝1+1"]);
 * if (line !== '"a ""b""",,"[""x""]",\'=1+1,\'＝1+1\r\n') throw new Error(line);
 * ```
 */
export function formatCsvLine(cells: readonly (string | readonly string[] | null)[]): string {
  return cells.map(formatCell).join(",") + "\r\n";
}

function formatCell(cell: string | readonly string[] | null): string {
  if (cell === null) return "";
  const text = typeof cell === "string" ? cell : JSON.stringify(cell);
  const guarded = /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
