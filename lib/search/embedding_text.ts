import type { Item } from "../roadmap/item.ts";

/** The services of our settings take 8,191 tokens; a token is one byte at least. */
const MAX_BYTES = 8_000;

/**
 * What is embedded of an item; what the hash `items.text_hash` covers, and nothing else.
 *
 * ```ts
 * const item = { feature_name: "Dark mode", product_name: "Teams", feature_description: null };
 * if (embeddingText(item) !== "Dark mode\nTeams") throw new Error(embeddingText(item));
 * ```
 */
export function embeddingText(
  item: Pick<Item, "feature_name" | "product_name" | "feature_description">,
): string {
  const { feature_name, product_name, feature_description } = item;
  const text = [feature_name, product_name, feature_description].filter(Boolean).join("\n");
  return cutBytes(text, MAX_BYTES);
}

/**
 * The longest prefix of a text that fits into this many bytes of UTF-8 and ends with a whole
 * character.
 */
function cutBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
