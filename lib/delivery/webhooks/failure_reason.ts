import { shorten, toLine } from "../../text/phrases.ts";
import { AddressRefused } from "../../http/outgoing/checked_addresses.ts";
import type { Answer } from "./webhook.ts";

/** Characters of a reason. */
const MAX_LENGTH = 300;
/** A shorter piece of an address is no secret. */
const SHORTEST_SECRET = 5;

/** What a receiver answered, in a few words without its own. */
export function describeStatus({ status, statusText }: Answer): string {
  const words = `It answered ${status} ${toLine(statusText).slice(0, 60)}`.trimEnd();
  return status >= 300 && status < 400 ? `${words}: redirects are not followed` : words;
}

/**
 * Why a receiver did not accept a message, in one line; what it says may repeat the address,
 * and that is a secret.
 */
export function describeRefusal(answer: Answer, url: URL): string {
  const text = shorten(toLine(hideSecrets(answer.text, url)), MAX_LENGTH);
  return text === "" ? describeStatus(answer) : `${describeStatus(answer)}: ${text}`;
}

/** Why a receiver could not be reached, in one line. */
export function describeError(error: unknown, url: URL, timeoutMs: number): string {
  const { name, message } = error as Error;
  if (name === "TimeoutError") return `It did not answer within ${timeoutMs / 1000} s`;
  if (name === "AbortError") return "The server stopped before it responded";
  if (error instanceof AddressRefused) return describeRefusedAddress(error);
  return shorten(toLine(hideSecrets(message || String(error), url)), MAX_LENGTH);
}

/** Why an address is refused, and what allows it. */
export function describeRefusedAddress({ message }: AddressRefused): string {
  return `${message}: WEBHOOK_ALLOW_PRIVATE=true allows it`;
}

/** Takes what stands behind the host of an address out of a text, as a whole and in pieces. */
function hideSecrets(text: string, { pathname, search, searchParams }: URL): string {
  const pieces = [
    pathname + search,
    pathname,
    ...pathname.split("/"),
    search,
    ...[...searchParams].flat(),
  ];
  const secrets = pieces.flatMap((piece) => [piece, decode(piece)])
    .filter((piece) => piece.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
