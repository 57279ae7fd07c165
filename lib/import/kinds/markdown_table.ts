/** The line below the header of a table: `|:----|:---:|`. */
const DASHES = /^ {0,3}\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$/;

/**
 * The cells of the first table of a Markdown document (GitHub Flavored Markdown 4.10), each at the
 * place of its line; null: it has none.
 */
export function readMarkdownTable(text: string): string[][] | null {
  const lines = text.split(/\r\n|\r|\n/);
  // A table inside of quotation marks is a text in a cell of another table.
  let marks = 0;
  const dashes = lines.findIndex((line, at) => {
    const isQuoted = marks % 2 === 1;
    marks += line.split('"').length - 1;
    return !isQuoted && DASHES.test(line) && at > 0 && lines[at - 1]!.includes("|");
  });
  if (dashes === -1) return null;
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
  return cell.replace(/!?\[([^\]]{0,500})\]\([^()\s]{0,2000}\)/g, "$1")
    .replace(/(\*\*|__|~~|`)(?=\S)(.{1,500}?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\w*])([*_])(?=\S)(.{1,500}?)(?<=\S)\1(?![\w*])/g, "$2")
    .replace(/\\([\\`*_{}[\]()#+.!|~-])/g, "$1").replace(/<br\s*\/?>/gi, "\n");
}
