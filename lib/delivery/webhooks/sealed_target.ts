import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { ExpectedError } from "../../expected_error.ts";
import type { WebhookTarget } from "./webhook.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * A new secret that signs the deliveries of a webhook (Standard Webhooks 1.0, "Signature scheme").
 */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Encrypts where a webhook is reached with the secret of the server; it opens for that id only. */
export function sealTarget(target: WebhookTarget, id: string, tokenSecret: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, deriveKey(tokenSecret), nonce).setAAD(Buffer.from(id));
  const sealed = [cipher.update(JSON.stringify(target), "utf8"), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]);
}

/**
 * Decrypts where a webhook is reached.
 *
 * @throws {ExpectedError} if it was encrypted with another secret
 */
export function openTarget(sealed: Uint8Array, id: string, tokenSecret: string): WebhookTarget {
  const decipher = createDecipheriv(
    CIPHER,
    deriveKey(tokenSecret),
    sealed.subarray(0, NONCE_BYTES),
  ).setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return JSON.parse(Buffer.concat([text, decipher.final()]).toString());
  } catch {
    throw new ExpectedError(
      "Its address cannot be decrypted: TOKEN_SECRET has changed since the webhook was added. " +
        "Restore it, or remove the webhook and add it again",
    );
  }
}

function deriveKey(tokenSecret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", tokenSecret, "", "webhook targets", 32));
}
