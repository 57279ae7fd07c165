import { codeBlock, inlineCode, linkTo } from "./markdown_parts.ts";

/** Deeper lists count as so deep. */
const MAX_DEPTH = 8;
/** They enclose the number of a part that is done; the text itself has none of them. */
const DONE = /[\ue000-\ue003]/g;

/**
 * Jira's wiki markup as Markdown. It takes time in proportion to the length: what one match could
 * cover, no other one begins in.
 *
 * ```ts
 * const text = wikiToMarkdown("h2. Why\n* *bold*\n** [doc|https://a.example]");
 * if (text !== "## Why\n\n- **bold**\n  - [doc](https://a.example)") throw new Error(text);
 * ```
 */
export function wikiToMarkdown(markup: string): string {
  const { text, codes } = takeCode(markup.replace(/\r\n?/g, "\n").replace(DONE, ""));
  return convertLines(text)
    .replace(/\n{3,}/g, "\n\n").trim()
    .replace(/\ue002(\d+)\ue003/g, (_, index) => codes[index]!);
}

/** Takes out {code} and {noformat}, in which no other markup counts. */
function takeCode(markup: string): { text: string; codes: string[] } {
  const opening = /\{(code|noformat)(?::([^{}\n]*))?\}/g;
  const codes: string[] = [];
  let text = "";
  let start = 0;
  for (let open = opening.exec(markup); open; open = opening.exec(markup)) {
    const close = markup.indexOf(`{${open[1]}}`, opening.lastIndex);
    if (close === -1) break; // it stays as it is, and so does what follows
    const code = markup.slice(opening.lastIndex, close);
    const language = open[2]?.split("|").find((part) => /^[\w+#-]+$/.test(part));
    const isBlock = code.includes("\n");
    const place = `\ue002${
      codes.push(isBlock ? codeBlock(code, language) : inlineCode(code)) - 1
    }\ue003`;
    text += markup.slice(start, open.index) + (isBlock ? `\n\n${place}\n\n` : place);
    start = opening.lastIndex = close + open[1]!.length + 2;
  }
  return { text: text + markup.slice(start), codes };
}

/** What the lines before say of the next one. */
interface State {
  isQuoted: boolean;
  /** The markers of the list item before, such as `*#`; empty: no list. */
  list: string;
  columns: number;
}

function convertLines(text: string): string {
  const state: State = { isQuoted: false, list: "", columns: 0 };
  const own = text.replace(/\{quote\}/g, "\n{quote}\n")
    .replace(/\{panel(?::([^{}\n]*))?\}/g, (_, options = "") => {
      const [, title] = /(?:^|\|)title=([^|]*)/.exec(options) ?? [];
      return title ? `\n\n*${title.trim()}*\n\n` : "\n\n";
    });
  return own.split("\n").map((line) => {
    if (line === "{quote}") {
      state.isQuoted = !state.isQuoted;
      return "";
    }
    const converted = convertLine(line, state);
    return state.isQuoted ? `> ${converted.replaceAll("\n", "\n> ")}` : converted;
  }).join("\n");
}

function convertLine(line: string, state: State): string {
  if (line.trim() === "") {
    state.columns = 0;
    return "";
  }
  const [, markers, item] = /^\s*([*#]{1,100}|-)[^\S\n]+(\S.*)$/.exec(line) ?? [];
  const columns = state.columns;
  state.columns = 0;
  if (markers !== undefined) return convertItem(item!, markers, state);
  const apart = state.list === "" ? "" : "\n";
  state.list = "";
  const [, level, title] = /^\s*h([1-6])\.\s+(\S.*)$/.exec(line) ?? [];
  if (level) return `\n${"#".repeat(Number(level))} ${convertInline(title!)}\n`;
  if (/^\s*-{4,}\s*$/.test(line)) return "\n---\n";
  const [, quoted] = /^\s*bq\.\s+(\S.*)$/.exec(line) ?? [];
  if (quoted) return `\n> ${convertInline(quoted)}\n`;
  if (/^\s*\|.*\|\s*$/.test(line)) return apart + convertRow(line.trim(), state, columns);
  const converted = convertInline(line.trim()).replaceAll("<br>", "  \n");
  // Below a paragraph these would make it a heading.
  return apart + (/^(?:=+|-+)$/.test(converted) ? `\\${converted}` : converted);
}

/** An item never skips a level: Markdown would take it for code. */
function convertItem(item: string, markers: string, state: State): string {
  const depth = Math.min(markers.length, state.list.length + 1, MAX_DEPTH);
  const isNew = state.list === "";
  state.list = state.list.slice(0, depth - 1) + markers.at(-1);
  const indent = [...state.list.slice(0, -1)].map((mark) => mark === "#" ? "   " : "  ").join("");
  const mark = markers.endsWith("#") ? "1." : "-";
  return `${isNew ? "\n" : ""}${indent}${mark} ${convertInline(item)}`;
}

/** Markdown has no table without a head: the first row is it. */
function convertRow(line: string, state: State, columns: number): string {
  const bar = line.startsWith("||") ? 2 : 1;
  const cells = convertInline(line.slice(bar, line.endsWith("||") && bar === 2 ? -2 : -1))
    .split(/(?<!\\)\|\|?/).map((cell) => cell.trim());
  state.columns = columns || cells.length;
  const row = `| ${cells.join(" | ")} |`;
  return columns > 0 ? row : `\n${row}\n|${" --- |".repeat(cells.length)}`;
}

/** Parts of a line that stay apart from emphasis. No two matches can begin in the same stretch. */
const PARTS = new RegExp(
  [
    /\{\{(?<code>(?:[^{}\n]|\{(?!\{)|\}(?!\}))*)\}\}/,
    /\[(?<link>[^[\]\n]+)\]/,
    /!(?<image>[^\s!|][^!|\n]*)(?:\|[^!\n]*)?!(?!\w)/,
    /(?<break>\\\\)/,
    /\\(?<sign>[^\w\s])/,
    /\{(?<macro>color|anchor)(?::[^{}\n]*)?\}/,
    /(?<address>https?:\/\/[^\s|\]{}]*[^\s|\]{}*_.,;:])/,
  ].map(({ source }) => source).join("|"),
  "g",
);

function convertInline(line: string): string {
  const parts: string[] = [];
  const bare = line.replace(PARTS, (whole, ...rest) => {
    const part = convertPart(whole, rest.at(-1));
    return part === "" ? "" : `\ue000${parts.push(part) - 1}\ue001`;
  });
  return emphasise(bare).replace(/\ue000(\d+)\ue001/g, (_, index) => parts[index]!);
}

function convertPart(whole: string, found: Record<string, string | undefined>): string {
  const { code, link, image, sign } = found;
  if (code !== undefined) return inlineCode(code);
  if (link !== undefined) return convertLink(link);
  if (image !== undefined) return convertImage(image, whole);
  if (sign !== undefined) return /[*_[\]`~#|<]/.test(sign) ? whole : sign;
  if (found.macro) return "";
  return found.break ? "<br>" : whole;
}

/** `text|address`, an address alone, a person, an attachment or an anchor. */
function convertLink(inside: string): string {
  const [first, second] = inside.split("|");
  if (second !== undefined) return linkTo(second.trim(), emphasise(first!.trim()));
  if (first!.startsWith("~accountid:")) return ""; // an id, not a name
  if (first!.startsWith("~")) return `@${first!.slice(1)}`;
  if (/^[a-z][a-z+.-]*:/i.test(first!)) return linkTo(first!.trim(), "");
  return /^[#^]/.test(first!) ? first!.slice(1) : `[${first}]`;
}

/** An attachment cannot be shown outside of Jira. */
function convertImage(name: string, whole: string): string {
  if (/^https?:\/\/\S+$/.test(name)) return `!${linkTo(name, name.split("/").at(-1)!)}`;
  return /^[^/:]+\.\w{2,5}$/.test(name) ? "" : whole;
}

/** Jira's signs around words, and what they are in Markdown; `_` is the same in both. */
const SIGNS: readonly (readonly [sign: string, before: string, after: string])[] = [
  ["\\*", "**", "**"],
  ["-", "~~", "~~"],
  ["\\+", "<u>", "</u>"],
  ["\\^", "<sup>", "</sup>"],
  ["~", "<sub>", "</sub>"],
];
const EMPHASIS = SIGNS.map(([sign, before, after]) => ({
  // {*}part{*}of a word, as Jira's editor writes it, and *words*
  forced: new RegExp(`\\{${sign}\\}([^{}\\n]+)\\{${sign}\\}`, "g"),
  plain: new RegExp(
    `(?<![\\p{L}\\p{N}${sign}])${sign}(?=[^\\s${sign}])([^${sign}\\n]*[^\\s${sign}])${sign}(?![\\p{L}\\p{N}${sign}])`,
    "gu",
  ),
  change: (_: string, text: string) => before + text + after,
}));

function emphasise(text: string): string {
  const joined = text.replace(/\{_\}/g, "_");
  return EMPHASIS.reduce(
    (done, { forced, plain, change }) => done.replace(forced, change).replace(plain, change),
    joined,
  );
}
