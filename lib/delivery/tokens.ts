import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const ID_BYTES = 16;
const MAC_BYTES = 32;

/** A verification token of 256 random bits; only its hash may be stored. */
export function makeVerificationToken(): { token: string; hash: Uint8Array } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashToken(token) };
}

/**
 * What a verification token is looked up by. Who guesses cannot steer the hash, so that the time
 * of an index search over hashes tells nothing of a token.
 */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/**
 * Makes the unsubscribe token of a subscription: its id, signed. The same token comes out each
 * time, so that every mail can carry it and nothing need be stored.
 */
export function makeUnsubscribeToken(subscriptionId: string, secret: string): string {
  const id = Buffer.from(subscriptionId.replaceAll("-", ""), "hex");
  return Buffer.concat([id, sign(id, secret)]).toString("base64url");
}

/** The subscription that an unsubscribe token was made for; null where we did not make it. */
export function readUnsubscribeToken(token: string, secret: string): string | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== ID_BYTES + MAC_BYTES) return null;
  const id = bytes.subarray(0, ID_BYTES);
  if (!timingSafeEqual(bytes.subarray(ID_BYTES), sign(id, secret))) return null;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function sign(id: Uint8Array, secret: string): Buffer {
  return createHmac("sha256", secret).update("unsubscribe\0").update(id).digest();
}
