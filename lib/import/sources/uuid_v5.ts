import { createHash } from "node:crypto";

/** The namespace of addresses (RFC 9562, section 6.6). */
export const URL_NAMESPACE = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";

/**
 * The UUID of a name, the same for ever (RFC 9562, section 5.5).
 *
 * ```ts
 * const uuid = uuidOfName("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com");
 * if (uuid !== "2ed6657d-e927-568b-95e1-2665a8aea6a2") throw new Error(uuid);
 * ```
 */
export function uuidOfName(namespace: string, name: string): string {
  const bytes = createHash("sha1")
    .update(namespace.replaceAll("-", ""), "hex").update(name).digest().subarray(0, 16);
  bytes[6] = bytes[6]! & 0x0f | 0x50;
  bytes[8] = bytes[8]! & 0x3f | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .join("-");
}
