import type { ChangesFilter } from "../../roadmap/filter/filter.ts";
import type { NetChanges } from "../../roadmap/changes/net_changes_sql.ts";
import type { NewChanges } from "../../roadmap/changes/webhook_changes.ts";
import type { VariantName } from "../../roadmap/variant.ts";

/** The format of a webhook: Standard Webhooks 1.0, or a message for a chat. */
export const WEBHOOK_KINDS = [
  "standard",
  "slack",
  "teams",
  "discord",
  "mattermost",
  "googlechat",
  "telegram",
  "ntfy",
  "apprise",
] as const;

export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** What a webhook is narrowed to. */
export type WebhookFilter = ChangesFilter;

/** Where a webhook is reached, and the secret that signs; both are secrets. */
export interface WebhookTarget {
  url: string;
  /** `whsec_…`; null: a chat, whose address is the secret. */
  secret: string | null;
  /** The secret before, which signs as well until then: ISO 8601, UTC. */
  former?: { secret: string; until: string };
}

/**
 * What webhooks with the same filter receive in one delivery, as it was then: every change, or, for a
 * chat, what became of each release.
 */
export type WebhookPayload = (NewChanges | { news: NetChanges }) & {
  variant: VariantName;
  filter: WebhookFilter;
  /** When it was put together: ISO 8601, UTC. */
  timestamp: string;
};

/** What a receiver answered. */
export interface Answer {
  status: number;
  /** The words beside the status. */
  statusText: string;
  /** The header of this name; null: it has none. */
  retryAfter: string | null;
  /** The header of this name; null: it has none. */
  location: string | null;
  /** The begin of the body. */
  text: string;
}
