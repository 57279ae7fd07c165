import { v5 as uuidV5 } from "uuid";
import { UUID } from "../text/values.ts";

/**
 * The UUID v5 of `roadcast` in the URL namespace, which must never change:
 * e359eef9-efea-5817-bc60-58109b233dc0.
 */
const NAMESPACE = uuidV5("roadcast", uuidV5.URL);

/**
 * The id of an item from its id in the source: a UUID is kept, anything else becomes the UUID v5 of
 * `["<source>","<id>"]`. A value that is neither text nor a whole number is refused later.
 */
export function itemIdOf(id: unknown, sourceName: string): unknown {
  const text = typeof id === "string" ? id.trim() : Number.isSafeInteger(id) ? String(id) : "";
  if (text === "") return id;
  return UUID.test(text) ? text : uuidV5(JSON.stringify([sourceName, text]), NAMESPACE);
}

/** The id of an item that has none: the UUID v5 of `["<source>","<product>","<name>"]`. */
export function itemIdOfName(
  { product_name, feature_name }: { product_name?: unknown; feature_name?: unknown },
  sourceName: string,
): string {
  const texts = [product_name, feature_name].map((text) => String(text ?? "").trim());
  return uuidV5(JSON.stringify([sourceName, ...texts]), NAMESPACE);
}
