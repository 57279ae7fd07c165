import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const ID_BYTES = 16;

/** A verification token of 256 random bits; only its hash may be stored. */
export function makeVerificationToken(): { token: string; hash: Uint8Array } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** Whether a text could be a verification token. */
export function isVerificationToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/**
 * What a verification token is looked up by. Who guesses cannot steer the hash, so that the time
 * of an index search over hashes reveals nothing about a token.
 */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

/** What the link of an email is for; a token for one purpose does not work for another. */
export type LinkPurpose = "unsubscribe" | "preferences" | "digest";

/**
 * Makes the token of a subscription, or of a digest, for a purpose: its id, signed. The same token
 * comes out each time, so that every mail can carry it and nothing need be stored.
 */
export function makeLinkToken(purpose: LinkPurpose, uuid: string, secret: string): string {
  const id = Buffer.from(uuid.replaceAll("-", ""), "hex");
  const token = Buffer.concat([id, sign(purpose, id, secret)]).toString("base64url");
  // Mail programs leave such a sign out of the link that they make of an address in a text.
  return /[-_]$/.test(token) ? `${token}0` : token;
}

/** The characters of a token, that before its last letter not counted. */
const LINK_TOKEN = /^[\w-]{64}(?=0?$)/;

/** The id that a token was made for; null where we did not make it for this purpose. */
export function readLinkTokenFor(
  purpose: LinkPurpose,
  token: string,
  secret: string,
): string | null {
  const [signed] = LINK_TOKEN.exec(token) ?? [];
  if (signed === undefined) return null;
  const bytes = Buffer.from(signed, "base64url");
  const id = bytes.subarray(0, ID_BYTES);
  if (!timingSafeEqual(bytes.subarray(ID_BYTES), sign(purpose, id, secret))) return null;
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function sign(purpose: LinkPurpose, id: Uint8Array, secret: string): Buffer {
  return createHmac("sha256", secret).update(`${purpose}\0`).update(id).digest();
}
