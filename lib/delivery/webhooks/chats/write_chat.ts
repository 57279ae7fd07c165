import type { WebhookKind } from "../webhook.ts";
import { formatAppriseMessage } from "./apprise_message.ts";
import type { ChatMessage } from "./chat_message.ts";
import { formatDiscordMessage } from "./discord_message.ts";
import { formatGoogleChatMessage } from "./google_chat_message.ts";
import { formatMattermostMessage } from "./mattermost_message.ts";
import { formatNtfyMessage } from "./ntfy_message.ts";
import { formatSlackMessage } from "./slack_message.ts";
import { formatTeamsMessage } from "./teams_message.ts";
import { formatTelegramMessage } from "./telegram_message.ts";

/** A kind of webhook that is for people. */
export type ChatKind = Exclude<WebhookKind, "standard">;

const WRITERS: Readonly<Record<ChatKind, (message: ChatMessage) => unknown>> = {
  slack: formatSlackMessage,
  teams: formatTeamsMessage,
  discord: formatDiscordMessage,
  mattermost: formatMattermostMessage,
  googlechat: formatGoogleChatMessage,
  telegram: formatTelegramMessage,
  ntfy: formatNtfyMessage,
  apprise: formatAppriseMessage,
};

/** Writes a message as JSON in the shape that a chat takes. */
export function writeForChat(kind: ChatKind, message: ChatMessage): string {
  return JSON.stringify(WRITERS[kind](message));
}
