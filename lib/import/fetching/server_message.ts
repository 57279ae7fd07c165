import { piecesOf } from "../../work/byte_streams.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import { withoutSecrets } from "../../text/secrets.ts";
import { asObject } from "../../text/values.ts";
import type { Timeout } from "./timeout.ts";

/** Statuses that do not say by themselves what was wrong. */
const EXPLAINED = [400, 403, 404, 409, 410, 422];
const MAX_MESSAGE_LENGTH = 300;
/** A longer answer is no message. */
const MAX_LENGTH_READ = 65_536;
/** Where APIs say what was wrong: Jira, GraphQL, JSON:API, GitLab, GitHub, RFC 9457. */
const MESSAGE_KEYS = "errorMessages errors error message detail error_description title".split(" ");

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
  const texts = MESSAGE_KEYS.map((key) => messagesIn(fields[key])).find((texts) =>
    texts.length > 0
  );
  return texts
    ? shorten(toLine(withoutSecrets(texts.join(" "), secrets)), MAX_MESSAGE_LENGTH)
    : null;
}

/** Where a server says beside an empty list why it is empty. */
const WARNING = /^(?:error|warning|fault|message|detail|reason|exception|login|signin)/;
const FINE = /^(?:ok|okay|success\w*)\W*$/i;
/** What is false where a request was not granted, and how that is called. */
const GRANTED = /^(?:is)?(?:ok|succe|valid|auth|logged|signed)/;
const OUTCOME = /^(?:http)?(?:status|result|code|state)/;
const DENIED = /error|fail|den(?:y|ied)|forbid|unauth|invalid|expired|log.?in|sign.?in/i;

/**
 * What says beside an empty list that the list was not given, rather than that nothing is on it;
 * null: nothing.
 *
 * ```ts
 * if (findWarning({ errors: [{ message: "Token expired" }] }) !== "Token expired") throw new Error();
 * if (findWarning({ ok: false, total: 0 }) !== '"ok": false') throw new Error();
 * if (findWarning({ total: 0, errors: [], next: null, status: "ok" }) !== null) throw new Error();
 * ```
 */
export function findWarning(about: Readonly<Record<string, unknown>>, depth = 0): string | null {
  for (const [key, value] of Object.entries(about)) {
    const name = key.toLowerCase().replace(/[_-]/g, "");
    const shown = shorten(`"${key}": ${JSON.stringify(value)}`, MAX_MESSAGE_LENGTH);
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (WARNING.test(name) && value && !isEmpty && !FINE.test(String(value))) {
      return findServerMessage({ errors: value }) ?? shown;
    }
    if (GRANTED.test(name) && value === false) return shown;
    const isDenied = typeof value === "number" ? value >= 400 : DENIED.test(String(value));
    if (OUTCOME.test(name) && typeof value !== "object" && isDenied) return shown;
    const inner = depth === 0 ? asObject(value) : null;
    const said = inner && findWarning(inner, 1);
    if (said) return said;
  }
  return null;
}

/** A text, those of a list, or those of an object. */
function messagesIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (depth === 3 || typeof value !== "object" || value === null) return [];
  const fields = asObject(value) ?? {};
  const key = MESSAGE_KEYS.find((key) => Object.hasOwn(fields, key));
  const parts = key === undefined ? Object.values(value) : [fields[key]];
  return parts.slice(0, 10).flatMap((part) => messagesIn(part, depth + 1));
}
