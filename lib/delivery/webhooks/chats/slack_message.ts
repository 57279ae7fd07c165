import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";

/** Block Kit: the text of a section has at most 3,000 characters. */
const SECTION_LENGTH = 3_000;

/** Writes a message for an incoming webhook of Slack, in blocks of Block Kit. */
export function formatSlackMessage({ title, releases, more }: ChatMessage): unknown {
  const texts = [
    `*${escapeSlack(title)}*`,
    ...releases.map(({ name, url, lines }) => {
      const shown = escapeSlack(name);
      const head = url === null ? `*${shown}*` : `*<${escapeSlack(url)}|${shown}>*`;
      return fitLines([head, ...lines.map(escapeSlack)], SECTION_LENGTH);
    }),
    ...more ? [`<${escapeSlack(more.url)}|${escapeSlack(more.text)}>`] : [],
  ];
  return {
    text: escapeSlack(title), // for notifications
    unfurl_links: false,
    blocks: texts.map((text) => ({
      type: "section",
      // "verbatim": neither names of people and channels nor @here become mentions.
      text: { type: "mrkdwn", text, verbatim: true },
    })),
  };
}

/**
 * Slack, "Escaping text": these three are written as entities, so that no `<!channel>` comes about.
 *
 * ```ts
 * if (escapeSlack("R&D <!channel>") !== "R&amp;D &lt;!channel&gt;") throw new Error();
 * ```
 */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
