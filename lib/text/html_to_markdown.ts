import TurndownService from "turndown";
import { toPlainText } from "./plain_text.ts";

const service = new TurndownService({
  headingStyle: "atx",
  bulletListMarker: "-",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
});
// Readers see most of it as plain text, in feeds and messages; "\\-" would stand there.
service.escape = (text) => text;
// An embedded image is no text, and would be longer than all of it.
service.addRule("embeddedImages", {
  filter: (node) => node.nodeName === "IMG" && /^\s*data:/i.test(node.getAttribute("src") ?? ""),
  replacement: () => "",
});
service.remove(["script", "style", "title", "head"]);

/** Some ten times what the longest known has; time and depth grow with the number of tags. */
const MAX_TAGS = 5_000;

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
  if (html.split("<").length > MAX_TAGS) return toPlainText(html);
  return convert(html)
    .replace(/[\u200b\u2060\ufeff]/g, "")
    .replace(/^([^\S\n]*(?:-|\d+\.)) +/gm, "$1 ")
    .replace(/(?<=\S)[^\S\n]+/g, " ").replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^( *(?:-|\d+\.) [^\n]*)\n\n(?= *(?:-|\d+\.) )/gm, "$1\n")
    .trim();
}

function convert(html: string): string {
  try {
    return service.turndown(html);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // nested too deeply for the stack
    return toPlainText(html);
  }
}
