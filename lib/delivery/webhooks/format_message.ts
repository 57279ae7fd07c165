import { formatChangeEntry } from "../../roadmap/changes/api_changes.ts";
import { changesQuery } from "../../roadmap/changes/changes_query.ts";
import type { Site } from "../../roadmap/sites.ts";
import { formatChatMessage, formatChatTest } from "./chat_message.ts";
import { type ChatKind, writeForChat } from "./chat_formats.ts";
import type { WebhookKind, WebhookPayload } from "./webhook.ts";

/** The site that sends a message. */
export interface MessageContext {
  siteName: string;
  site: Site;
}

/** Writes the changes of an import in the form that a kind of webhook takes. */
export function formatBody(
  kind: WebhookKind,
  payload: WebhookPayload,
  context: MessageContext,
): string {
  if ("news" in payload) {
    const message = formatChatMessage(payload.news, { ...context, filter: payload.filter });
    return writeForChat(kind as ChatKind, message);
  }
  const { site: { variant, url } } = context;
  const { q: [search, ...others] = [], ...filter } = payload.filter;
  // An address holds one search; with several, it lists what any of them may find.
  const searched = search !== undefined && others.length === 0 && { q: search, match: "words" };
  return JSON.stringify({
    type: "roadmap.changed",
    timestamp: payload.timestamp,
    data: {
      changes: payload.entries.map((entry) => formatChangeEntry(variant, entry)),
      more: payload.more,
      changes_url: `${url}/api/changes${changesQuery({ ...filter, ...searched }, payload.after)}`,
    },
  });
}

/** Writes a test message. */
export function formatTest(
  kind: WebhookKind,
  { siteName, site }: MessageContext,
  now: Date,
): string {
  if (kind !== "standard") return writeForChat(kind, formatChatTest(siteName, site));
  return JSON.stringify({
    type: "roadmap.test",
    timestamp: now.toISOString(),
    data: { changes: [], more: 0, changes_url: `${site.url}/api/changes` },
  });
}
