import { piecesOf } from "../../work/byte_streams.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import { withoutSecrets } from "../../text/secrets.ts";
import { asObject } from "../../text/values.ts";
import type { Timeout } from "./timeout.ts";

/** Statuses that do not say by themselves what was wrong. */
const EXPLAINED = [400, 403, 404, 409, 410, 422];
const MAX_LENGTH = 300;
/** A longer answer is no message. */
const MAX_LENGTH_READ = 65_536;
/** Where APIs say what was wrong: Jira, GraphQL, JSON:API, GitLab, GitHub, RFC 9457. */
const KEYS = [
  "errorMessages",
  "errors",
  "error",
  "message",
  "detail",
  "error_description",
  "title",
];

/** The end of a message about a refusal: what the server says in JSON, without secrets. */
export async function readServerMessage(
  response: Response,
  { secrets, timeout }: { secrets: readonly string[]; timeout: Timeout },
): Promise<string> {
  const isJson = /\bjson\b/i.test(response.headers.get("content-type") ?? "");
  if (!isJson || !EXPLAINED.includes(response.status)) {
    await response.body?.cancel();
    return "";
  }
  try {
    const document = JSON.parse(await timeout.waitFor(readStart(response)));
    const message = findServerMessage(document, secrets);
    return message ? `: ${message}` : "";
  } catch {
    return ""; // the status says what happened
  }
}

async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of piecesOf(body)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_LENGTH_READ) return "";
  }
  return text;
}

/**
 * What a server says in JSON about a request that it refuses; null if it says nothing.
 *
 * ```ts
 * const said = findServerMessage({ errorMessages: ["The value 'X' does not exist."], errors: {} });
 * if (said !== "The value 'X' does not exist.") throw new Error(String(said));
 * ```
 */
export function findServerMessage(
  document: unknown,
  secrets: readonly string[] = [],
): string | null {
  const fields = asObject(document) ?? {};
  const texts = KEYS.map((key) => textsIn(fields[key])).find((texts) => texts.length > 0);
  return texts ? shorten(toLine(withoutSecrets(texts.join(" "), secrets)), MAX_LENGTH) : null;
}

/** A text, those of a list, or those of an object. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (depth === 3 || typeof value !== "object" || value === null) return [];
  const fields = asObject(value) ?? {};
  const key = KEYS.find((key) => Object.hasOwn(fields, key));
  const parts = key === undefined ? Object.values(value) : [fields[key]];
  return parts.slice(0, 10).flatMap((part) => textsIn(part, depth + 1));
}
