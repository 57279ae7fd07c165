import TurndownService from "turndown";
import { toPlainText } from "./plain_text.ts";

/**
 * One line of text in which Markdown finds no sign of its own: a backslash goes before each
 * (CommonMark, 2.4).
 *
 * ```ts
 * const texts = ["[a](b) <at>", "1. *x*", "- R&D &lt; 3.5 - 2"].map(escapeMarkdown).join("|");
 * if (texts !== "\\[a\\](b) \\<at>|1\\. \\*x\\*|\\- R&D \\&lt; 3.5 - 2") throw new Error(texts);
 * ```
 */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|[\]<]|&(?=#?\w+;)|^[#>+-]/g, "\\$&")
    .replace(/^(\d+)(?=[.)])/, "$1\\");
}

/**
 * Plain text as Markdown that shows it: a backslash goes before what would be a mark, and before
 * nothing else, since programs read it as well.
 *
 * ```ts
 * const texts = ["of <b> and __init__", "# of users: 5", "snake_case, 2 * 3 < 7 & [1]"];
 * const escaped = texts.map((text) => escapeMarks(text)).join("|");
 * if (escaped !== "of \\<b> and \\_\\_init\\_\\_|\\# of users: 5|snake_case, 2 * 3 < 7 & [1]") {
 *   throw new Error(escaped);
 * }
 * ```
 */
export function escapeMarks(text: string): string {
  return escapeInline(text).replace(/^(?=#{1,6}\s)/gm, "\\");
}

/** Marks that mean something in pairs only. */
const PAIRED: readonly RegExp[] = [
  /`/g,
  /\*(?=\S)|(?<=\S)\*/g,
  /(?<![\p{L}\p{N}_])_+(?=\S)|(?<=[^\s_])_+(?![\p{L}\p{N}_])/gu,
  /~(?=\S)|(?<=\S)~/g,
];

function escapeInline(text: string): string {
  const escaped = text.replace(
    /\\(?=[!-/:-@[-`{-~])|<(?=[a-z/!?])|&(?=[a-z][a-z0-9]{1,31};|#x?[0-9a-f]{2,7};)|\[(?=[^[\]]*\](?:[([]|:))/gi,
    "\\$&",
  );
  return PAIRED.reduce(
    (done, mark) =>
      (done.match(mark)?.length ?? 0) > 1
        ? done.replace(mark, (signs) => signs.replace(/./g, "\\$&"))
        : done,
    escaped,
  );
}

/**
 * Text of one line in a document as Markdown that shows it: at its beginning a line may begin.
 *
 * ```ts
 * const escaped = ["- 3 degrees", "1. May", "---", "> 5", "a - b"].map(escapeText).join("|");
 * if (escaped !== "\\- 3 degrees|1\\. May|\\---|\\> 5|a - b") throw new Error(escaped);
 * ```
 */
export function escapeText(text: string): string {
  return escapeInline(text).replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\")
    .replace(/^(?=(?:#{1,6}|[-+*>])(?:\s|$)|>|[-=_]{3,}\s*$)/, "\\")
    .replace(/(?<=[^\s#\\])( *)(?=#{2,6} )/g, "$1\\");
}

/** Code within a line; its fence is longer than any in it (CommonMark, 6.1). */
export function inlineCode(code: string): string {
  if (code.trim() === "") return code;
  const fence = "`".repeat(longestRun(code) + 1);
  const space = /^`|`$/.test(code) ? " " : "";
  return fence + space + code + space + fence;
}

/** A block of code; its fence is longer than any in it (CommonMark, 4.5). */
export function codeBlock(code: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code.replace(/^\n|\n$/g, "")}\n${fence}`;
}

function longestRun(code: string): number {
  return (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}

const service = new TurndownService({
  headingStyle: "atx",
  bulletListMarker: "-",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
});
service.escape = escapeText;
// An embedded image is no text, and would be longer than all of it.
service.addRule("embeddedImages", {
  filter: (node) => node.nodeName === "IMG" && /^\s*data:/i.test(node.getAttribute("src") ?? ""),
  replacement: () => "",
});
service.remove(["script", "style", "title", "head"]);
service.addRule("placed", {
  filter: ["sup", "sub"],
  replacement: (content, { nodeName }) => {
    const name = nodeName.toLowerCase();
    return content.trim() === "" ? content : `<${name}>${content}</${name}>`;
  },
});
service.addRule("preformatted", {
  filter: (node) => node.nodeName === "PRE" && node.firstChild?.nodeName !== "CODE",
  replacement: (_, { textContent }) => {
    const text = textContent ?? "";
    return text.trim() === "" ? "" : `\n\n${codeBlock(text)}\n\n`;
  },
});
service.addRule("struck", {
  filter: (node) => ["DEL", "S", "STRIKE"].includes(node.nodeName),
  replacement: (content) => content.trim() === "" ? content : `~~${content}~~`,
});
service.addRule("tasks", {
  filter: (node) => node.nodeName === "INPUT" && node.getAttribute("type") === "checkbox",
  replacement: (_, node) => (node as Element).hasAttribute("checked") ? "[x] " : "[ ] ",
});

/** Some ten times what the longest known has; time and depth grow with the number of tags. */
const MAX_TAGS = 5_000;
/** Converting nested lists takes time, and makes text, in proportion to the square of the depth. */
const MAX_DEPTH = 50;
/** More than three times the longest known. */
const MAX_LENGTH = 65_536;
/** An image in the text itself, which is no text, and would be longer than all of it. */
const EMBEDDED = /\bdata:[^\s"'<>]{200,}/gi;
/** Nobody writes so many blanks, and trimming them takes time in proportion to their square. */
const BLANKS = /(?<!\s)\s{500,}/g;
/** These need no closing tag (HTML, 13.1.2), so they do not nest by being opened again. */
const UNNESTED = new Set(
  "area base br col embed hr img input link meta p source track wbr".split(" "),
);

/**
 * HTML as short Markdown: without styles and embedded images. A text without tags stays as it is.
 *
 * ```ts
 * const text = htmlToMarkdown('<div style="x"><b>Now</b>&nbsp;here<img src="data:,x"></div><ul><li>One</li></ul>');
 * if (text !== "**Now** here\n\n- One") throw new Error(text);
 * if (htmlToMarkdown("* a < b *") !== "* a < b *") throw new Error();
 * ```
 */
export function htmlToMarkdown(html: string): string {
  if (!/<\/?[a-z][^<>]*>/i.test(html)) return html;
  const text = cut(html.replace(EMBEDDED, "data:,").replace(BLANKS, "\n\n"));
  if (text.split("<").length > MAX_TAGS || isDeep(text)) return toPlainText(text);
  return tidy(service.turndown(text).replace(/[\u200b\u2060\ufeff]/g, ""));
}

/** The beginning of a text that is too long, with no tag cut in two. */
function cut(html: string): string {
  if (html.length <= MAX_LENGTH) return html;
  const kept = html.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, "");
  const tag = kept.lastIndexOf("<");
  return `${tag > kept.lastIndexOf(">") ? kept.slice(0, tag) : kept}…`;
}

/** Whether elements may be nested too deeply; one that is closed by another's end counts as open. */
function isDeep(html: string): boolean {
  const open = new Map<string, number>();
  let depth = 0;
  for (const [, slash, written] of html.matchAll(/<(\/?)([a-z][^\s<>/]*)/gi)) {
    const name = written!.toLowerCase();
    if (UNNESTED.has(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash && count === 0) continue;
    depth += slash ? -1 : 1;
    if (depth > MAX_DEPTH) return true;
    open.set(name, count + (slash ? -1 : 1));
  }
  return false;
}

const LIST_ITEM = /^( *)(-|\d{1,9}\.) +/;

/** Without blanks that show nowhere, and with the items of a list on lines that follow each other. */
function tidy(markdown: string): string {
  const lines = markdown.split("\n").map((line) =>
    line.trimEnd().replace(LIST_ITEM, "$1$2 ").replace(/(?<=\S)\s+/g, " ")
  );
  return lines.filter((line, at) => {
    if (line !== "") return true;
    const [before, after] = [lines[at - 1] ?? "", lines[at + 1] ?? ""];
    return before !== "" && !(LIST_ITEM.test(`${before} `) && LIST_ITEM.test(`${after} `));
  }).join("\n").trim();
}
