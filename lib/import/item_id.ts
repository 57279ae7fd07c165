import { v5 as uuidV5 } from "uuid";
import { UUID } from "../text/uuid.ts";

/** The UUID v5 of `roadcast` in the namespace of addresses: e359eef9-efea-5817-bc60-58109b233dc0, for ever. */
const NAMESPACE = uuidV5("roadcast", uuidV5.URL);

/**
 * The id of an item by what its source calls it: a UUID stays, anything else becomes the UUID v5
 * of `["<source>","<id>"]`. What is neither text nor a whole number is left to be refused.
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
