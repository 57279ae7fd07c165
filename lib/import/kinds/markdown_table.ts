/** Whether a line is the one below the header of a table: `|:----|:---:|`. */
function isDashes(line: string): boolean {
  const cells = line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|");
  return cells.length > 1 && cells.every((cell) => /^:?-{2,}:?$/.test(cell.trim()));
}

/**
 * The cells of the first table of a Markdown document (GitHub Flavored Markdown 4.10), each at the
 * place of its line; null: it has none.
 */
export function readMarkdownTable(text: string): string[][] | null {
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
