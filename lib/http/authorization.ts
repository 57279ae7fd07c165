import { createHash, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

/** The challenge if the token is missing or wrong (RFC 6750, section 3). */
const BEARER = 'Bearer realm="roadcast"';
/** The challenge if the password is missing or wrong (RFC 7617, section 2). */
const BASIC = 'Basic realm="roadcast", charset="UTF-8"';

/**
 * Whether a request has the token, in constant time.
 *
 * @throws {Problem} 401 if it has no token at all
 */
export function hasToken(request: Request, token: string): boolean {
  const sent = readCredentials(request, "Bearer");
  if (sent === undefined) {
    throw refuse("Send the token as Authorization: Bearer TOKEN", BEARER);
  }
  return isSameSecret(sent, token);
}

/** The response to a wrong token. */
export function wrongToken(): Problem {
  return refuse("The token is wrong", `${BEARER}, error="invalid_token"`);
}

/**
 * Whether a request has the password, of whatever user, in constant time.
 *
 * @throws {Problem} 401 if it has none at all
 */
export function hasPassword(request: Request, password: string): boolean {
  const sent = readCredentials(request, "Basic");
  if (sent === undefined) {
    throw refuse("Send the secret as the password of Basic authentication", BASIC);
  }
  const text = Buffer.from(sent, "base64").toString();
  return isSameSecret(text.slice(text.indexOf(":") + 1), password);
}

/** The response to a wrong password. */
export function wrongPassword(): Problem {
  return refuse("The password is wrong", BASIC);
}

function readCredentials({ headers }: Request, scheme: string): string | undefined {
  const sent = headers.get("authorization")?.trim() ?? "";
  return new RegExp(`^${scheme} +(\\S+)$`, "i").exec(sent)?.[1];
}

function refuse(detail: string, challenge: string): Problem {
  return new Problem(401, detail, { headers: { "WWW-Authenticate": challenge } });
}

/** Hashes have the same length, whatever was sent. */
function isSameSecret(sent: string, secret: string): boolean {
  return timingSafeEqual(hash(sent), hash(secret));
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
