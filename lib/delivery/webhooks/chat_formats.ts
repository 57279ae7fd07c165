import type { Answer, WebhookKind } from "./webhook.ts";
import { escapeMarkdown } from "../../text/markdown.ts";
import { fitLines } from "../../text/fit_lines.ts";
import { type ChatMessage, type ChatRelease, describeRest } from "./chat_message.ts";

interface Rule {
  fits(address: URL): boolean;
  /** What a right address is. */
  right: string;
}

/** Kinds whose address has a form of its own. */
const ADDRESSES: Readonly<Partial<Record<WebhookKind, Rule>>> = {
  telegram: {
    fits: ({ pathname, searchParams }) =>
      /^\/bot[^/]+\/sendMessage$/.test(pathname) && searchParams.has("chat_id"),
    right: "https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>",
  },
  ntfy: {
    fits: ({ pathname }) => /[^/]\/?$/.test(pathname),
    right: "that of a topic, such as https://ntfy.example.com/roadmap",
  },
  apprise: {
    fits: ({ pathname }) => /\/notify\/[^/]+\/?$/.test(pathname),
    right: "that of a configuration, such as https://apprise.example.com/notify/roadmap",
  },
};

/** What an address of this kind of webhook looks like; null: like any other. */
export function rightAddressOf(kind: WebhookKind): string | null {
  return ADDRESSES[kind]?.right ?? null;
}

/** What the address of a kind of webhook is, where this is no such one; null: it is right. */
export function findRightAddress(kind: WebhookKind, address: URL): string | null {
  const rule = ADDRESSES[kind];
  return rule && !rule.fits(address) ? rule.right : null;
}

/** Whether a receiver took a message. Apprise answers 204 where it has no configuration of that name. */
export function isAccepted(kind: WebhookKind, { status }: Answer): boolean {
  return status >= 200 && status < 300 && !(kind === "apprise" && status === 204);
}

/** The value of `Retry-After`, which Telegram has in its JSON (Bot API, `ResponseParameters`); null: none. */
export function findRetryAfter(kind: WebhookKind, { retryAfter, text }: Answer): string | null {
  if (kind !== "telegram") return retryAfter;
  return /"retry_after"\s*:\s*(\d+)/.exec(text)?.[1] ?? retryAfter;
}

/** A kind of webhook that is for people. */
export type ChatKind = Exclude<WebhookKind, "standard">;

const WRITERS: Readonly<Record<ChatKind, (message: ChatMessage) => unknown>> = {
  slack: formatSlack,
  teams: formatTeams,
  discord: formatDiscord,
  mattermost: formatMattermost,
  googlechat: formatGoogleChat,
  telegram: formatTelegram,
  ntfy: formatNtfy,
  apprise: formatApprise,
};

/** Writes a message as JSON in the shape that a chat takes. */
export function writeForChat(kind: ChatKind, message: ChatMessage): string {
  return JSON.stringify(WRITERS[kind](message));
}

/** Block Kit, for an incoming webhook. */
function formatSlack(message: ChatMessage) {
  const { title, releases } = message;
  const more = describeRest(message);
  const style = { bold: true };
  const texts = [
    [{ type: "text", text: title, style }],
    ...releases.map(({ name, url, lines }) => {
      const head = url === null
        ? { type: "text", text: name, style }
        : { type: "link", url, text: name, style };
      const rest = fitLines([name, ...lines], 3_000).slice(name.length);
      return [head, ...rest ? [{ type: "text", text: rest }] : []];
    }),
    ...more ? [[{ type: "link", ...more }]] : [],
  ];
  return {
    text: escapeSlack(title), // for notifications
    unfurl_links: false,
    // Its texts are plain: no sign of a name is Markdown, and nothing becomes a mention.
    blocks: texts.map((elements) => ({
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements }],
    })),
  };
}

/** An Adaptive Card, for a workflow of Teams that posts what a webhook receives. */
function formatTeams(message: ChatMessage) {
  const { title, releases } = message;
  const more = describeRest(message);
  // A single line break of Markdown does not break the line.
  const textBlock = (text: string, looks: Record<string, unknown>) => (
    { type: "TextBlock", text: text.replaceAll("\n", "\n\n"), wrap: true, ...looks }
  );
  const bytesOf = (text: string) => bytesOfJson(text.replaceAll("\n", "\n\n"));
  const body = [
    textBlock(escapeMarkdown(title), { weight: "Bolder", size: "Medium" }),
    ...releases.map(({ name, url, lines }) => {
      const shown = escapeMarkdown(name);
      const head = url === null ? `**${shown}**` : `**[${shown}](${url})**`;
      // A message has at most 28 KB; ten releases of this size leave some for the rest.
      const text = fitLines([head, ...lines.map(escapeMarkdown)], 2_300, bytesOf);
      return textBlock(text, { separator: true, spacing: "Medium" });
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

/** An embed for each release; all together have at most 6,000 characters, in at most ten embeds. */
function formatDiscord(message: ChatMessage) {
  const { title, releases } = message;
  const more = describeRest(message);
  const moreLine = more ? [`[${escapeChatMarkdown(more.text)}](${more.url})`] : [];
  return {
    content: fitLines([`**${escapeChatMarkdown(title)}**`, ...moreLine], 2_000),
    allowed_mentions: { parse: [] },
    embeds: releases.map(({ name, url, lines }) => {
      const shown = fitEscaped(name, 256);
      return {
        title: shown,
        ...url && { url },
        description: fitLines(lines.map(escapeChatMarkdown), 600 - shown.length),
      };
    }),
  };
}

/** As much of a text as an escaped one may have of characters: escaping makes it longer. */
function fitEscaped(text: string, length: number): string {
  const characters = [...text];
  for (let count = characters.length;; count--) {
    const shown = characters.slice(0, count).join("") + (count < characters.length ? "…" : "");
    const escaped = escapeChatMarkdown(shown);
    if (escaped.length <= length) return escaped;
  }
}

/** Markdown, for an incoming webhook of Mattermost. */
function formatMattermost(message: ChatMessage): { text: string } {
  const more = describeRest(message);
  const texts = [
    `**${escapeChatMarkdown(message.title)}**`,
    ...writeMarkdown(message),
    ...more ? [`[${escapeChatMarkdown(more.text)}](${more.url})`] : [],
  ];
  return { text: texts.join("\n\n") };
}

/** A notification for an Apprise server, which rewrites it for each service behind it. */
function formatApprise(message: ChatMessage) {
  const more = describeRest(message);
  const texts = [
    ...writeMarkdown(message),
    ...more ? [`[${escapeChatMarkdown(more.text)}](${more.url})`] : [],
  ];
  const title = breakMentions(message.title);
  return { title, body: texts.join("\n\n") || title, type: "info", format: "markdown" };
}

/** Mattermost takes at most 16,383 characters; ten releases of this length leave some for the rest. */
function writeMarkdown({ releases }: ChatMessage): string[] {
  return releases.map(({ name, url, lines }) => {
    const shown = escapeChatMarkdown(name);
    const head = url === null ? `**${shown}**` : `**[${shown}](${url})**`;
    return fitLines([head, ...lines.map(escapeChatMarkdown)], 1_400);
  });
}

/** A card, in which nothing is a mention, for a webhook of a Google Chat space. */
function formatGoogleChat(message: ChatMessage) {
  const { title, releases } = message;
  const more = describeRest(message);
  const link = (url: string, text: string) => `<a href="${escapeHtml(url)}">${text}</a>`;
  const bytesOf = (text: string) => bytesOfJson(text.replaceAll("\n", "<br>"));
  const texts = [
    ...releases.map(({ name, url, lines }) => {
      const shown = escapeHtml(name);
      const head = url === null ? `<b>${shown}</b>` : `<b>${link(url, shown)}</b>`;
      // A message has at most 32,000 bytes; ten releases of this size leave some for the rest.
      return fitLines([head, ...lines.map(escapeHtml)], 2_600, bytesOf);
    }),
    ...more ? [link(more.url, escapeHtml(more.text))] : [],
  ];
  const widgets = texts.map((text) => ({ textParagraph: { text: text.replaceAll("\n", "<br>") } }));
  return {
    fallbackText: breakMentions(title), // for notifications, and where no card can be shown
    cardsV2: [{
      cardId: "changes",
      card: { header: { title }, ...widgets.length > 0 && { sections: [{ widgets }] } },
    }],
  };
}

/**
 * The parameters of `sendMessage` of Telegram's Bot API, in its HTML; the address has the chat. A
 * message has at most 4,096 characters, of which its tags are none, and an entity is one.
 */
function formatTelegram(message: ChatMessage) {
  // Nothing that an @ or a slash begins becomes a mention or a command.
  const escape = (text: string) => escapeHtml(text).replace(/@|(?<!\S)\//g, "$&\u200b");
  const link = (url: string, text: string) => `<a href="${escapeHtml(url)}">${text}</a>`;
  const lengthOf = (html: string) =>
    html.replace(/<\/?(?:a|b)(?: href="[^"]*")?>/g, "").replace(/&\w+;/g, "&").length;
  const lengthOfEach = Math.max(600, 3_500 / message.releases.length);
  const text = fitReleases(message, {
    write: ({ name, url, lines }) => {
      const shown = `<b>${escape(name)}</b>`;
      const head = url === null ? shown : link(url, shown);
      return fitLines([head, ...lines.map(escape)], lengthOfEach, lengthOf);
    },
    join: (releases, more) =>
      [
        `<b>${escape(message.title)}</b>`,
        ...releases,
        ...more ? [link(more.url, escape(more.text))] : [],
      ].join("\n\n"),
    fits: (text) => lengthOf(text) <= 4_096,
  });
  return { text, parse_mode: "HTML", link_preview_options: { is_disabled: true } };
}

/**
 * A notification as "Publish as JSON" of ntfy takes it, but for the topic. A message of more than
 * 4,096 bytes becomes a file that is attached.
 */
function formatNtfy(message: ChatMessage) {
  const { title, releases, url } = message;
  const [only] = releases;
  const bytesOfEach = Math.max(1_000, 3_900 / releases.length);
  const text = fitReleases(message, {
    write: ({ name, lines }) =>
      fitLines([name, ...lines.map((line) => `  ${line}`)], bytesOfEach, bytesOfText),
    join: (releases, more) => [...releases, ...more ? [more.text] : []].join("\n"),
    fits: (text) => bytesOfText(text) <= 4_096,
  });
  const click = releases.length === 1 && !describeRest(message) ? only!.url ?? url : url;
  return { title, message: text || title, click };
}

/** Adds the topic, which an address of ntfy has at its end. */
export function addNtfyTopic(address: URL, message: string): { url: URL; body: string } {
  const [topic] = address.pathname.split("/").filter(Boolean).slice(-1);
  const url = new URL(address);
  url.pathname = address.pathname.replace(/(?<=\/)[^/]+\/?$/, "");
  return {
    url,
    body: JSON.stringify({ topic: decodeURIComponent(topic!), ...JSON.parse(message) }),
  };
}

/** The first releases that fit into a message as a whole, with how many more there are, and where. */
function fitReleases(
  message: ChatMessage,
  { write, join, fits }: {
    write: (release: ChatRelease) => string;
    join: (releases: readonly string[], more: ReturnType<typeof describeRest>) => string;
    fits: (text: string) => boolean;
  },
): string {
  const written = message.releases.map(write);
  for (let shown = written.length;; shown--) {
    const text = join(written.slice(0, shown), describeRest(message, shown));
    if (shown === 0 || fits(text)) return text;
  }
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

/**
 * A text in the Markdown of a chat, in which nothing becomes a mention.
 *
 * ```ts
 * const text = escapeChatMarkdown("*a* <@1> <!here>");
 * if (text !== "\\*a\\* \\<@\u200b1> \\<\u200b!here>") throw new Error(text);
 * ```
 */
export function escapeChatMarkdown(text: string): string {
  return breakMentions(escapeMarkdown(text));
}

/**
 * Puts a space without width where chats look for mentions: behind an @, and into `<!channel>`, which
 * Slack has and Mattermost replaces before it reads Markdown, and `<users/all>` of Google Chat.
 */
function breakMentions(text: string): string {
  return text.replace(/@|<(?=!|users\/)/g, "$&\u200b");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * A text in the HTML of a chat, in which it is no tag and no entity.
 *
 * ```ts
 * if (escapeHtml('a < "b" & c') !== "a &lt; &quot;b&quot; &amp; c") throw new Error();
 * ```
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

function bytesOfText(text: string): number {
  return new TextEncoder().encode(text).length;
}

function bytesOfJson(text: string): number {
  return bytesOfText(JSON.stringify(text));
}
