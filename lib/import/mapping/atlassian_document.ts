import { asObject } from "../../text/values.ts";
import { codeBlock, inlineCode, linkTo } from "./markdown_parts.ts";

/** Deeper nodes are left out. */
const MAX_DEPTH = 64;

type Node = Readonly<Record<string, unknown>>;

/** Whether a value is a document in Atlassian Document Format. */
export function isAtlassianDocument(value: unknown): value is Node {
  const node = asObject(value);
  return node !== null && node.type === "doc" && Array.isArray(node.content);
}

/** The document that a text holds as JSON; null if it holds none. */
export function parseAtlassianDocument(text: string): Node | null {
  if (!/^\s*\{[^{}[\]]*"type"\s*:\s*"doc"/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isAtlassianDocument(value) ? value : null;
  } catch {
    return null;
  }
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
  if (depth > MAX_DEPTH || !Array.isArray(node.content)) return [];
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
      return isInline(node) ? convertInline(node, depth) : blocksOf(node, depth);
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
  return contentOf(node, depth).map((inner) => convertInline(inner, depth + 1)).join("");
}

function convertInline(node: Node, depth: number): string {
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
};

/** Spaces stay outside of the marks: Markdown knows none that begin or end with them. */
function markText(text: string, given: unknown): string {
  const marks = Array.isArray(given) ? given.map(asObject).filter((mark) => mark !== null) : [];
  const inner = text.trim();
  if (inner === "" || marks.length === 0) return text;
  const start = text.indexOf(inner);
  let marked = marks.some(({ type }) => type === "code") ? inlineCode(inner) : inner;
  for (const mark of marks) {
    const [before, after] = Object.hasOwn(MARKS, String(mark.type))
      ? MARKS[String(mark.type)]!
      : ["", ""];
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
