import { createHash, timingSafeEqual } from "node:crypto";
import { Problem } from "../responses/problem.ts";

/** The challenge if the token is missing or wrong (RFC 6750, section 3). */
const BEARER = 'Bearer realm="roadcast"';
/** The challenge if the password is missing or wrong (RFC 7617, section 2). */
const BASIC = 'Basic realm="roadcast", charset="UTF-8"';

/** The token that a request has. @throws {Problem} 401 if it has none at all */
export function readToken(request: Request): string {
  const sent = readCredentials(request, "Bearer");
  if (sent === undefined) {
    throw refuse("Send the token as Authorization: Bearer TOKEN", BEARER);
  }
  return sent;
}

/** The response to a wrong token. */
export function wrongToken(): Problem {
  return refuse("The token is wrong", `${BEARER}, error="invalid_token"`);
}

/** The password that a request has, of whatever user. @throws {Problem} 401 if it has none at all */
export function readPassword(request: Request): string {
  const sent = readCredentials(request, "Basic");
  if (sent === undefined) {
    throw refuse("Send the secret as the password of Basic authentication", BASIC);
  }
  const text = Buffer.from(sent, "base64").toString();
  return text.slice(text.indexOf(":") + 1);
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

/** Whether a secret is the right one, in constant time: hashes have the same length. */
export function isSameSecret(sent: string, secret: string): boolean {
  return timingSafeEqual(hash(sent), hash(secret));
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
