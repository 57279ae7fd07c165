import { createHash, timingSafeEqual } from "node:crypto";

/** Tells whether a client sent the secret, in constant time: hashes have the same length. */
export function isSameSecret(sent: string, secret: string): boolean {
  return timingSafeEqual(hash(sent), hash(secret));
}

function hash(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
