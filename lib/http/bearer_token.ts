import { createHash, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

/** What is asked for where the token is missing or wrong (RFC 6750, section 3). */
const CHALLENGE = 'Bearer realm="roadcast"';

/**
 * Tells whether a request carries the token; the time that takes says nothing of how it begins.
 *
 * @throws {Problem} 401 where it carries none at all
 */
export function hasToken({ headers }: Request, token: string): boolean {
  const sent = /^Bearer +([^\s]+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1];
  if (sent === undefined) {
    throw new Problem(401, "Send the token as Authorization: Bearer TOKEN", {
      headers: { "WWW-Authenticate": CHALLENGE },
    });
  }
  return timingSafeEqual(hash(sent), hash(token));
}

/** The answer to a token that is wrong. */
export function wrongToken(): Problem {
  return new Problem(401, "The token is wrong", {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` },
  });
}

/** Of one length, whatever was sent. */
function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
