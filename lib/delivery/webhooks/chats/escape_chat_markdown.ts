import { escapeMarkdown } from "../../../text/escape_markdown.ts";

/**
 * A text in the Markdown of a chat. Nothing that an @ begins becomes a mention: a space without width
 * is behind it.
 *
 * ```ts
 * const text = escapeChatMarkdown("*a* <@1>");
 * if (text !== "\\*a\\* \\<@\u200b1>") throw new Error(text);
 * ```
 */
export function escapeChatMarkdown(text: string): string {
  return escapeMarkdown(text).replaceAll("@", "@\u200b");
}
