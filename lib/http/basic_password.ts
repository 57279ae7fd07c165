import { createHash, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

/** RFC 7617, section 2. */
const CHALLENGE = { "WWW-Authenticate": 'Basic realm="roadcast", charset="UTF-8"' };

/**
 * Tells whether a request has the password, of whatever user, in constant time.
 *
 * @throws {Problem} 401 if it has none at all
 */
export function hasPassword({ headers }: Request, password: string): boolean {
  const sent = /^Basic +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1];
  if (sent === undefined) {
    throw new Problem(401, "Send the secret as the password of Basic authentication", {
      headers: CHALLENGE,
    });
  }
  const text = Buffer.from(sent, "base64").toString();
  return timingSafeEqual(hash(text.slice(text.indexOf(":") + 1)), hash(password));
}

/** The response to a wrong password. */
export function wrongPassword(): Problem {
  return new Problem(401, "The password is wrong", { headers: CHALLENGE });
}

/** Hashes have the same length, whatever was sent. */
function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
