import type { Answer, WebhookKind } from "./webhook.ts";
import { escapeMarkdown } from "../../text/markdown.ts";
import { fitLines } from "../../text/fit_lines.ts";
import { type ChatMessage, describeRest } from "./chat_message.ts";

interface Rule {
  fits(address: URL): boolean;
  /** What a right address is. */
  right: string;
}

/** Kinds whose address has a form of its own. */
export const ADDRESSES: Readonly<Partial<Record<WebhookKind, Rule>>> = {
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

/** Whether a receiver took a message. Apprise answers 204 where it has no configuration of that name. */
export function isAccepted(kind: WebhookKind, { status }: Answer): boolean {
  return status >= 200 && status < 300 && !(kind === "apprise" && status === 204);
}

/** The value of `Retry-After`, which Telegram has in its JSON (Bot API, `ResponseParameters`); null: none. */
export function findRetryAfter(kind: WebhookKind, { retryAfter, text }: Answer): string | null {
  if (kind !== "telegram") return retryAfter;
  return /"retry_after"\s*:\s*(\d+)/.exec(text)?.[1] ?? retryAfter;
}

/**
 * The address of a chat that has moved for good, which Telegram says of a group that has grown (Bot
 * API, `ResponseParameters`); null: it has not.
 */
export function findNewAddress(kind: WebhookKind, address: URL, answer: Answer): URL | null {
  if (kind !== "telegram" || isAccepted(kind, answer)) return null;
  const [, chat] = /"migrate_to_chat_id"\s*:\s*(-?\d{1,20})/.exec(answer.text) ?? [];
  if (chat === undefined) return null;
  const moved = new URL(address);
  moved.searchParams.set("chat_id", chat);
  return moved;
}

/** A kind of webhook that is for people. */
export type ChatKind = Exclude<WebhookKind, "standard">;

/** How a chat shows texts, and how long they may be. */
interface Look {
  escape(text: string): string;
  /** Of a text that is escaped. */
  bold(text: string): string;
  /** Of a text that is escaped. */
  link(text: string, url: string): string;
  /** What begins a line about a release. */
  indent: string;
  /** The size of a text, as the chat counts it. */
  measure(text: string): number;
  /** The most of each release of so many. */
  each(releases: number): number;
  /** The most of a message. */
  all: number;
  /** What stands between releases. */
  between: string;
}

/** Ten releases of 1,400 characters fit into the 16,383 of Mattermost, with the rest. */
const MARKDOWN: Look = {
  escape: escapeChatMarkdown,
  bold: (text) => `**${text}**`,
  link: (text, url) => `[${text}](${url})`,
  indent: "",
  measure: ({ length }) => length,
  each: () => 1_400,
  all: Infinity,
  between: "\n\n",
};

/** Ten releases fit into the 28 KB of a message of Teams. A single line break does not break the line. */
const TEAMS_MARKDOWN: Look = {
  ...MARKDOWN,
  escape: escapeMarkdown,
  measure: (text) => bytesOf(JSON.stringify(text.replaceAll("\n", "\n\n"))),
  each: () => 2_300,
};

const HTML: Look = {
  ...MARKDOWN,
  escape: escapeHtml,
  bold: (text) => `<b>${text}</b>`,
  link: (text, url) => `<a href="${escapeHtml(url)}">${text}</a>`,
};

/** Ten releases fit into the 32,000 bytes of a message of Google Chat. */
const GOOGLE_HTML: Look = {
  ...HTML,
  measure: (text) => bytesOf(JSON.stringify(text.replaceAll("\n", "<br>"))),
  each: () => 2_600,
};

/**
 * Of the characters of a message for Telegram its tags are none, and an entity is one. Nothing that
 * an @ or a slash begins becomes a mention or a command.
 */
const TELEGRAM_HTML: Look = {
  ...HTML,
  escape: (text) => escapeHtml(text).replace(/@|(?<!\S)\//g, "$&\u200b"),
  measure: (html) =>
    html.replace(/<\/?(?:a|b)(?: href="[^"]*")?>/g, "").replace(/&\w+;/g, "&").length,
  each: (releases) => Math.max(600, 3_500 / releases),
  all: 4_096,
};

/** A message of ntfy of more bytes becomes a file that is attached. */
const NTFY_TEXT: Look = {
  escape: (text) => text,
  bold: (text) => text,
  link: (text) => text,
  indent: "  ",
  measure: bytesOf,
  each: (releases) => Math.max(1_000, 3_900 / releases),
  all: 4_096,
  between: "\n",
};

/**
 * Each release as a text, and how many more there are with a link to them: as many releases as fit
 * into a message behind its title, where that is a text as well.
 */
function writeTexts(message: ChatMessage, look: Look, titles: readonly string[] = []): string[] {
  const { escape, bold, link, indent, measure, each, all, between } = look;
  const releases = message.releases.map(({ name, url, lines }) => {
    const shown = escape(name);
    const head = bold(url === null ? shown : link(shown, url));
    const rest = lines.map((line) => indent + escape(line));
    return fitLines([head, ...rest], each(message.releases.length), measure);
  });
  for (let shown = releases.length;; shown--) {
    const more = describeRest(message, shown);
    const texts = [
      ...titles.map((title) => bold(escape(title))),
      ...releases.slice(0, shown),
      ...more ? [link(escape(more.text), more.url)] : [],
    ];
    if (shown === 0 || measure(texts.join(between)) <= all) return texts;
  }
}

/** A message in the shape that each chat takes. */
const CHATS: Readonly<Record<ChatKind, (message: ChatMessage) => unknown>> = {
  slack: writeBlocks,
  teams: writeAdaptiveCard,
  discord: writeEmbeds,
  mattermost: (message) => ({ text: writeTexts(message, MARKDOWN, [message.title]).join("\n\n") }),
  googlechat: writeGoogleCard,
  // The parameters of `sendMessage` of the Bot API; the address has the chat.
  telegram: (message) => ({
    text: writeTexts(message, TELEGRAM_HTML, [message.title]).join("\n\n"),
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  }),
  // As "Publish as JSON" takes it, but for the topic.
  ntfy(message) {
    const { title, releases: [only, ...others], url } = message;
    const isAll = others.length === 0 && describeRest(message) === null;
    const text = writeTexts(message, NTFY_TEXT).join("\n");
    return { title, message: text || title, click: isAll ? only?.url ?? url : url };
  },
  // An Apprise server rewrites it for each service behind it.
  apprise(message) {
    const title = breakMentions(message.title);
    const body = writeTexts(message, MARKDOWN).join("\n\n");
    return { title, body: body || title, type: "info", format: "markdown" };
  },
};

/** Writes a message as JSON in the shape that a chat takes. */
export function writeForChat(kind: ChatKind, message: ChatMessage): string {
  return JSON.stringify(CHATS[kind](message));
}

/** Block Kit, for an incoming webhook. Its texts are plain: none is Markdown, or becomes a mention. */
function writeBlocks(message: ChatMessage) {
  const { title, releases } = message;
  const more = describeRest(message);
  const style = { bold: true };
  const texts = [
    [{ type: "text", text: title, style }],
    ...releases.map(({ name, url, lines }) => {
      const head = { type: url === null ? "text" : "link", ...url && { url }, text: name, style };
      const rest = fitLines([name, ...lines], 3_000).slice(name.length);
      return [head, ...rest ? [{ type: "text", text: rest }] : []];
    }),
    ...more ? [[{ type: "link", ...more }]] : [],
  ];
  return {
    // For notifications; "Escaping text": no `<!channel>` comes about.
    text: title.replace(/[&<>]/g, (sign) => ENTITIES[sign]!),
    unfurl_links: false,
    blocks: texts.map((elements) => ({
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements }],
    })),
  };
}

/** An Adaptive Card, for a workflow of Teams that posts what a webhook receives. */
function writeAdaptiveCard(message: ChatMessage) {
  const textBlock = (text: string, looks: Record<string, unknown>) => (
    { type: "TextBlock", text: text.replaceAll("\n", "\n\n"), wrap: true, ...looks }
  );
  return {
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          textBlock(escapeMarkdown(message.title), { weight: "Bolder", size: "Medium" }),
          ...writeTexts(message, TEAMS_MARKDOWN)
            .map((text) => textBlock(text, { separator: true, spacing: "Medium" })),
        ],
        msteams: { width: "Full" },
      },
    }],
  };
}

/** An embed for each release; all together have at most 6,000 characters, in at most ten embeds. */
function writeEmbeds(message: ChatMessage) {
  const { escape, bold, link } = MARKDOWN;
  const more = describeRest(message);
  const texts = [bold(escape(message.title)), ...more ? [link(escape(more.text), more.url)] : []];
  return {
    content: fitLines(texts, 2_000),
    allowed_mentions: { parse: [] },
    embeds: message.releases.map(({ name, url, lines }) => {
      const title = fitEscaped(name, 256);
      return {
        title,
        ...url && { url },
        description: fitLines(lines.map(escape), 600 - title.length),
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

/** A card, in which nothing is a mention, for a webhook of a Google Chat space. */
function writeGoogleCard(message: ChatMessage) {
  const { title } = message;
  const widgets = writeTexts(message, GOOGLE_HTML)
    .map((text) => ({ textParagraph: { text: text.replaceAll("\n", "<br>") } }));
  return {
    fallbackText: breakMentions(title), // for notifications, and where no card can be shown
    cardsV2: [{
      cardId: "changes",
      card: { header: { title }, ...widgets.length > 0 && { sections: [{ widgets }] } },
    }],
  };
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

/** A text in the Markdown of a chat, in which nothing becomes a mention. */
function escapeChatMarkdown(text: string): string {
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

/** A text in the HTML of a chat, in which it is no tag and no entity. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
