import { createHmac, timingSafeEqual } from "node:crypto";

/** How long a session lasts. */
export const SESSION_SECONDS = 12 * 3600;

/** What sessions are signed with, and what ends them all. */
export interface SessionKey {
  readonly adminToken: string;
  readonly tokenSecret: string;
  /** Raised by "sign out everywhere". */
  readonly generation: number;
}

/**
 * Makes the value of a session's cookie. It is void when ADMIN_TOKEN changes, and nobody can guess
 * that token by trying values against a stolen cookie, since the database's secret is in the key.
 */
export function makeSession(key: SessionKey, now: Date): string {
  const expires = String(Math.floor(now.getTime() / 1000) + SESSION_SECONDS);
  return `${expires}.${sign(expires, key)}`;
}

/** Whether a cookie's value is a session that has not expired. */
export function isSession(value: string, key: SessionKey, now: Date): boolean {
  const [, expires, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(value) ?? [];
  if (expires === undefined || signature === undefined) return false;
  const isOurs = timingSafeEqual(Buffer.from(signature), Buffer.from(sign(expires, key)));
  return isOurs && Number(expires) > now.getTime() / 1000;
}

function sign(expires: string, { adminToken, tokenSecret, generation }: SessionKey): string {
  const key = createHmac("sha256", tokenSecret).update(`admin session\0${adminToken}`).digest();
  return createHmac("sha256", key).update(`${generation}.${expires}`).digest("base64url");
}
