import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";
import { escapeChatMarkdown } from "./escape_chat_markdown.ts";

/** A message has at most 16,383 characters; ten releases of this length leave some for the rest. */
const RELEASE_LENGTH = 1_400;

/** Writes a message for an incoming webhook of Mattermost, in Markdown. */
export function formatMattermostMessage({ title, releases, more }: ChatMessage): { text: string } {
  const escape = escapeChatMarkdown;
  const texts = [
    `**${escape(title)}**`,
    ...releases.map(({ name, url, lines }) => {
      const head = url === null ? `**${escape(name)}**` : `**[${escape(name)}](${url})**`;
      return fitLines([head, ...lines.map(escape)], RELEASE_LENGTH);
    }),
    ...more ? [`[${escape(more.text)}](${more.url})`] : [],
  ];
  return { text: texts.join("\n\n") };
}
