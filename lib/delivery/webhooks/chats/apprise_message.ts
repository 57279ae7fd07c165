import { formatMattermostMessage } from "./mattermost_message.ts";
import type { ChatMessage } from "./chat_message.ts";

/** Writes a notification for an Apprise server, which writes it anew for each service behind it. */
export function formatAppriseMessage(message: ChatMessage): unknown {
  const [, ...rest] = formatMattermostMessage(message).text.split("\n\n");
  return {
    title: message.title,
    body: rest.join("\n\n") || message.title,
    type: "info",
    format: "markdown",
  };
}
