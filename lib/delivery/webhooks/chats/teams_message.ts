import { escapeMarkdown } from "../../../text/escape_markdown.ts";
import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";

/** A message has at most 28 KB; ten releases of this size, in bytes of JSON, leave some for the rest. */
const RELEASE_BYTES = 2_300;

/** Writes a message for a workflow of Teams that posts what a webhook receives: an Adaptive Card. */
export function formatTeamsMessage({ title, releases, more }: ChatMessage): unknown {
  const body = [
    textBlock(escapeMarkdown(title), { weight: "Bolder", size: "Medium" }),
    ...releases.map(({ name, url, lines }) => {
      const shown = escapeMarkdown(name);
      const head = url === null ? `**${shown}**` : `**[${shown}](${url})**`;
      return textBlock(fitLines([head, ...lines.map(escapeMarkdown)], RELEASE_BYTES, bytesOf), {
        separator: true,
        spacing: "Medium",
      });
    }),
    ...more ? [textBlock(`[${escapeMarkdown(more.text)}](${more.url})`, { separator: true })] : [],
  ];
  return {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body,
        msteams: { width: "Full" },
      },
    }],
  };
}

/** A single line break of Markdown does not break the line. */
function textBlock(text: string, looks: Record<string, unknown>) {
  return { type: "TextBlock", text: text.replaceAll("\n", "\n\n"), wrap: true, ...looks };
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text.replaceAll("\n", "\n\n"))).length;
}
