import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";
import { escapeHtml } from "./escape_html.ts";

/** A message has at most 4,096 characters, its tags not counted. */
const MESSAGE_LENGTH = 4_000;
const RELEASE_LENGTH = 600;

/** Writes the parameters of `sendMessage` of Telegram's Bot API, in its HTML; the address has the chat. */
export function formatTelegramMessage({ title, releases, more }: ChatMessage): unknown {
  const head = `<b>${escape(title)}</b>`;
  const rest = more ? `<a href="${escapeHtml(more.url)}">${escape(more.text)}</a>` : null;
  const texts: string[] = [head];
  let length = head.length + (rest?.length ?? 0);
  for (const { name, url, lines } of releases) {
    const shown = `<b>${escape(name)}</b>`;
    const first = url === null ? shown : `<a href="${escapeHtml(url)}">${shown}</a>`;
    const text = fitLines([first, ...lines.map(escape)], RELEASE_LENGTH);
    length += text.length + 2;
    if (length > MESSAGE_LENGTH) break;
    texts.push(text);
  }
  if (texts.length <= releases.length) texts.push("…");
  return {
    text: [...texts, ...rest ? [rest] : []].join("\n\n"),
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  };
}

/** Nothing that an @ or a slash begins becomes a mention or a command: a space without width is behind it. */
function escape(text: string): string {
  return escapeHtml(text).replace(/@|(?<!\S)\//g, "$&\u200b");
}
