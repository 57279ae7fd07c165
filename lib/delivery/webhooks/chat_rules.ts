import type { Answer, WebhookKind } from "./webhook.ts";

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
