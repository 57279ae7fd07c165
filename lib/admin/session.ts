import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a session lasts. */
export const SESSION_SECONDS = 12 * 3600;

/** What sessions are signed with, and what ends them all. */
export interface SessionKey {
  readonly adminToken: string;
  readonly tokenSecret: string;
  /** Raised by "sign out everywhere". */
  readonly generation: number;
}

/** What the cookie of a session says. */
export interface Session {
  readonly id: string;
  /** In seconds since 1970. */
  readonly expires: number;
  readonly signature: string;
}

/**
 * Makes the value of a session's cookie. It is void when ADMIN_TOKEN changes, and nobody can guess
 * that token by trying values against a stolen cookie, since the database's secret is in the key.
 */
export function makeSession(key: SessionKey, now: Date): string {
  const expires = Math.floor(now.getTime() / 1000) + SESSION_SECONDS;
  const id = randomBytes(16).toString("base64url");
  return `${expires}.${id}.${sign({ expires, id }, key)}`;
}

/** Reads a cookie's value, whether or not it is valid; null if it cannot be. */
export function parseSession(value: string): Session | null {
  const [, expires, id, signature] = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(value) ?? [];
  return signature === undefined ? null : { expires: Number(expires), id: id!, signature };
}

/** Whether a session is one of ours, and has not expired. */
export function isValid(session: Session, key: SessionKey, now: Date): boolean {
  const isOurs = timingSafeEqual(Buffer.from(session.signature), Buffer.from(sign(session, key)));
  return isOurs && session.expires > now.getTime() / 1000;
}

function sign(
  { expires, id }: Pick<Session, "expires" | "id">,
  { adminToken, tokenSecret, generation }: SessionKey,
): string {
  const key = createHmac("sha256", tokenSecret).update(`admin session\0${adminToken}`).digest();
  return createHmac("sha256", key).update(`${generation}.${expires}.${id}`).digest("base64url");
}
