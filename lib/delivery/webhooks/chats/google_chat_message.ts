import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";
import { escapeHtml } from "./escape_html.ts";

/** A message has at most 32,000 bytes; ten releases of this size leave some for the rest. */
const RELEASE_BYTES = 2_600;

/** Writes a message for a webhook of a Google Chat space: a card, in which nothing is a mention. */
export function formatGoogleChatMessage({ title, releases, more }: ChatMessage): unknown {
  const texts = [
    ...releases.map(({ name, url, lines }) => {
      const shown = escapeHtml(name);
      const head = url === null ? `<b>${shown}</b>` : `<b>${link(url, shown)}</b>`;
      return fitLines([head, ...lines.map(escapeHtml)], RELEASE_BYTES, bytesOf);
    }),
    ...more ? [link(more.url, escapeHtml(more.text))] : [],
  ];
  const widgets = texts.map((text) => ({ textParagraph: { text: text.replaceAll("\n", "<br>") } }));
  return {
    // For notifications, and where no card can be shown.
    fallbackText: title,
    cardsV2: [{
      cardId: "changes",
      card: { header: { title }, ...widgets.length > 0 && { sections: [{ widgets }] } },
    }],
  };
}

function link(url: string, text: string): string {
  return `<a href="${escapeHtml(url)}">${text}</a>`;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text.replaceAll("\n", "<br>"))).length;
}
