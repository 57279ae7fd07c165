import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";
import { escapeChatMarkdown } from "./escape_chat_markdown.ts";

/** All embeds of a message have at most 6,000 characters together, in at most ten embeds. */
const EMBED_LENGTH = 600;
const TITLE_LENGTH = 256;
/** The text above them. */
const CONTENT_LENGTH = 2_000;

/** Writes a message for a webhook of Discord: an embed for each release. */
export function formatDiscordMessage({ title, releases, more }: ChatMessage): unknown {
  const moreLine = more ? [`[${escapeChatMarkdown(more.text)}](${more.url})`] : [];
  return {
    content: fitLines([`**${escapeChatMarkdown(title)}**`, ...moreLine], CONTENT_LENGTH),
    allowed_mentions: { parse: [] },
    embeds: releases.map(({ name, url, lines }) => {
      const shown = fitText(name, TITLE_LENGTH);
      return {
        title: shown,
        ...url && { url },
        description: fitLines(lines.map(escapeChatMarkdown), EMBED_LENGTH - shown.length),
      };
    }),
  };
}

/** Escaping makes a text longer. */
function fitText(text: string, length: number): string {
  const escaped = escapeChatMarkdown(text);
  if (escaped.length <= length) return escaped;
  let fitting = "";
  for (const character of text) {
    const longer = fitting + escapeChatMarkdown(character);
    if (longer.length >= length) break;
    fitting = longer;
  }
  return `${fitting}…`;
}
