import { fitLines } from "../../../text/fit_lines.ts";
import type { ChatMessage } from "./chat_message.ts";

/** A message of more than 4,096 bytes becomes a file that is attached. */
const MESSAGE_BYTES = 3_900;

/** Writes a notification for ntfy, as its "publish as JSON" takes it, but for the topic. */
export function formatNtfyMessage({ title, releases, more }: ChatMessage): unknown {
  const lines = [
    ...releases.flatMap(({ name, lines }) => [name, ...lines.map((line) => `  ${line}`)]),
    ...more ? [more.text] : [],
  ];
  const [only] = releases.length === 1 && !more ? releases : [];
  const click = more?.url ?? only?.url;
  return {
    title,
    message: lines.length > 0 ? fitLines(lines, MESSAGE_BYTES, bytesOf) : title,
    ...click && { click },
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

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
