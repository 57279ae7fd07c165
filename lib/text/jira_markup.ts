import { codeBlock, escapeText, inlineCode } from "./markdown.ts";
import { asObject, parseJson } from "./values.ts";

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
  // Jira knows no HTML.
  const joined = text.replace(/\{_\}/g, "_").replace(/<(?=[a-z/!?])/gi, "\\<");
  return EMPHASIS.reduce(
    (done, { forced, plain, change }) => done.replace(forced, change).replace(plain, change),
    joined,
  );
}

/** Deeper nodes are left out. */
const MAX_NODE_DEPTH = 64;

type Node = Readonly<Record<string, unknown>>;

/** Whether a value is a document in Atlassian Document Format. */
export function isAtlassianDocument(value: unknown): value is Node {
  const node = asObject(value);
  return node !== null && node.type === "doc" && Array.isArray(node.content);
}

/** The document that a text holds as JSON; null if it holds none. */
export function parseAtlassianDocument(text: string): Node | null {
  if (!/^\s*\{[^{}[\]]*"type"\s*:\s*"doc"/.test(text)) return null;
  const value = parseJson(text);
  return isAtlassianDocument(value) ? value : null;
}

/**
 * A document in Atlassian Document Format as Markdown.
 *
 * ```ts
 * const bold = { type: "text", text: "Now", marks: [{ type: "strong" }] };
 * const paragraph = { type: "paragraph", content: [bold] };
 * const text = documentToMarkdown({ type: "doc", version: 1, content: [paragraph] });
 * if (text !== "**Now**") throw new Error(text);
 * ```
 */
export function documentToMarkdown(document: Node): string {
  return blocksOf(document, 0).replace(/\n{3,}/g, "\n\n").trim();
}

function contentOf(node: Node, depth: number): Node[] {
  if (depth > MAX_NODE_DEPTH || !Array.isArray(node.content)) return [];
  return node.content.map(asObject).filter((inner) => inner !== null);
}

function attributesOf(node: Node): Node {
  return asObject(node.attrs) ?? {};
}

function blocksOf(node: Node, depth: number, between = "\n\n"): string {
  return contentOf(node, depth).map((inner) => convertBlock(inner, depth + 1))
    .filter((block) => block !== "").join(between);
}

function convertBlock(node: Node, depth: number): string {
  const attributes = attributesOf(node);
  switch (node.type) {
    case "paragraph":
      return inlinesOf(node, depth);
    case "heading": {
      const level = Math.min(6, Math.max(1, Math.trunc(Number(attributes.level)) || 1));
      return `${"#".repeat(level)} ${inlinesOf(node, depth)}`;
    }
    case "bulletList":
    case "taskList":
    case "decisionList":
      return listOf(node, depth, () => "- ");
    case "orderedList": {
      const first = Math.max(0, Math.trunc(Number(attributes.order ?? 1)) || 0);
      return listOf(node, depth, (index) => `${first + index}. `);
    }
    case "codeBlock": {
      const language = String(attributes.language ?? "");
      return codeBlock(plainTextOf(node, depth), /^[\w+#-]+$/.test(language) ? language : "");
    }
    case "blockquote":
      return blocksOf(node, depth).replace(/^/gm, "> ");
    case "rule":
      return "---";
    case "table":
      return tableOf(node, depth);
    case "expand":
    case "nestedExpand": {
      const title = typeof attributes.title === "string" ? `**${attributes.title}**\n\n` : "";
      return title + blocksOf(node, depth);
    }
    default:
      return isInline(node) ? convertInlineNode(node, depth) : blocksOf(node, depth);
  }
}

function listOf(node: Node, depth: number, markOf: (index: number) => string): string {
  let list = "";
  let index = 0;
  for (const item of contentOf(node, depth)) {
    // A list of tasks may stand in another one without an item of its own.
    const isItem = item.type !== node.type;
    const mark = isItem ? markOf(index++) : "  ";
    const content = contentOf(item, depth + 1).every(isInline)
      ? inlinesOf(item, depth + 1)
      : isItem
      ? blocksOf(item, depth + 1, "\n")
      : convertBlock(item, depth + 1);
    list += `${mark}${content.replaceAll("\n", `\n${" ".repeat(mark.length)}`)}\n`;
  }
  return list.trimEnd();
}

/** Markdown has no table without a head: the first row is it. */
function tableOf(node: Node, depth: number): string {
  const rows = contentOf(node, depth).map((row) =>
    contentOf(row, depth + 1).map((cell) =>
      blocksOf(cell, depth + 2).replaceAll("|", "\\|").replace(/(?<!\s)\s*\n\s*/g, "<br>")
    )
  );
  const [head = []] = rows;
  const lines = rows.map((cells) => `| ${cells.join(" | ")} |`);
  return [lines[0], `|${" --- |".repeat(head.length)}`, ...lines.slice(1)].join("\n");
}

const INLINE = ["text", "hardBreak", "mention", "emoji", "status", "date", "inlineCard"];

function isInline(node: Node): boolean {
  return INLINE.includes(String(node.type));
}

function inlinesOf(node: Node, depth: number): string {
  return contentOf(node, depth).map((inner) => convertInlineNode(inner, depth + 1)).join("");
}

function convertInlineNode(node: Node, depth: number): string {
  const { text, url, shortName, timestamp } = attributesOf(node);
  switch (node.type) {
    case "text":
      return markText(String(node.text ?? ""), node.marks);
    case "hardBreak":
      return "  \n";
    case "date": {
      const time = new Date(Number(timestamp));
      return Number.isNaN(time.getTime()) ? "" : time.toISOString().slice(0, 10);
    }
    case "inlineCard":
      return typeof url === "string" ? linkTo(url, "") : "";
    default:
      return String(text ?? shortName ?? inlinesOf(node, depth));
  }
}

const MARKS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  strong: ["**", "**"],
  em: ["_", "_"],
  strike: ["~~", "~~"],
  underline: ["<u>", "</u>"],
  sub: ["<sub>", "</sub>"],
  sup: ["<sup>", "</sup>"],
};

/** Spaces stay outside of the marks: Markdown knows none that begin or end with them. */
function markText(text: string, given: unknown): string {
  const marks = Array.isArray(given) ? given.map(asObject).filter((mark) => mark !== null) : [];
  const inner = text.trim();
  if (inner === "") return text;
  const start = text.indexOf(inner);
  const isCode = marks.some(({ type }) => type === "code");
  let marked = isCode ? inlineCode(inner) : escapeText(inner);
  for (const mark of marks) {
    const name = String(mark.type === "subsup" ? asObject(mark.attrs)?.type : mark.type);
    const [before, after] = Object.hasOwn(MARKS, name) ? MARKS[name]! : ["", ""];
    marked = before + marked + after;
  }
  const link = marks.find(({ type }) => type === "link");
  const { href } = link ? attributesOf(link) : {};
  if (typeof href === "string") marked = linkTo(href, marked);
  return text.slice(0, start) + marked + text.slice(start + inner.length);
}

function plainTextOf(node: Node, depth: number): string {
  return contentOf(node, depth).map((inner) => String(inner.text ?? "")).join("");
}

/** Addresses that a link may have. */
const LINKED = /^(?:https?:\/\/|mailto:)\S/i;

/** A link in Markdown; its text alone where the address is no web or mail address. */
function linkTo(address: string, text: string): string {
  if (!LINKED.test(address)) return text || address;
  const safe = address.replace(
    /[\s()<>\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
  return text === "" || text === address ? safe.replace(/^mailto:/i, "") : `[${text}](${safe})`;
}
