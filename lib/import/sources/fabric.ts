import { SnapshotError } from "../snapshot_error.ts";
import { asObject } from "../../text/as_object.ts";
import { cleanName, isFabricPage, readFamilies, withoutBraces } from "./fabric_page.ts";
import { JsonBounds } from "./json_bounds.ts";
import { peek } from "../reading/peek.ts";
import { readJsonItems } from "./json_items.ts";
import { BrokenJson, repairJson } from "./repair_json.ts";
import { hasKey, type RawItems, type Source } from "./source.ts";

/** A larger document, or one that nests deeply, is read while it arrives, without repairs. */
const MAX_REPAIRED = 2_000_000;

/**
 * The Microsoft Fabric roadmap: its page, which names a document of each product family, or such
 * a document: `{"results": [{"ReleaseItemID": …}]}`.
 */
export const fabric: Source = {
  kind: "fabric",
  recognises: ({ text }) => isFabricPage(text) || hasKey(text, "ReleaseItemID"),
  read: readFabric,
  toItem(value) {
    const fields = asObject(value);
    return fields && {
      release_item_id: withoutBraces(fields.ReleaseItemID),
      feature_name: cleanName(fields.FeatureName),
      release_date: toIsoDate(fields.ReleaseDate),
      release_type: cleanName(fields.ReleaseType),
      release_status: cleanName(fields.ReleaseStatus),
      product_id: withoutBraces(fields.ProductID),
      product_name: cleanName(fields.ProductName),
      feature_description: fields.FeatureDescription,
      blog_title: fields.BlogTitle,
      blog_url: fields.BlogURL ?? fields.BlogUrl,
      last_modified: toIsoDate(fields.LastModified),
      active: isPublished(fields.isPublishExternally) ? fields.Active : false,
    };
  },
};

async function* readFabric(
  chunks: AsyncIterable<string>,
  { location, text: start, family }: Parameters<Source["read"]>[1],
): AsyncGenerator<RawItems> {
  const isHtml = /^\s*</.test(start);
  const bounds = new JsonBounds(location, 2);
  let length = 0;
  const { first, pieces, isWhole } = await peek(
    chunks,
    (piece) => (length += piece.length) > MAX_REPAIRED || (!isHtml && !isWithin(bounds, piece)),
  );
  const text = first.join("");
  if (!family && isHtml) {
    if (!isWhole) throw new SnapshotError(`Cannot read ${location}: the page is too long`);
    yield { items: [], families: readFamilies(text, location) };
    return;
  }
  if (isWhole && /^\s*[[{]/.test(text)) {
    const { text: whole, repaired } = repair(text, location);
    if (repaired > 0) yield { items: [], repaired };
    yield* readJsonItems(ReadableStream.from([whole]), { location, lists: ["results"] });
  } else yield* readJsonItems(pieces, { location, lists: ["results"] });
}

function isWithin(bounds: JsonBounds, text: string): boolean {
  try {
    bounds.check(text);
    return true;
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

function repair(text: string, location: string): { text: string; repaired: number } {
  try {
    return repairJson(text);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new SnapshotError(`Cannot read ${location}: ${error.message}`);
  }
}

function isPublished(value: unknown): boolean {
  return !/^(?:false|no|0)$/i.test(String(value ?? "").trim());
}

/** `MM/DD/YYYY` or an ISO date, each with or without a time, as `YYYY-MM-DD`; the rest as it is. */
function toIsoDate(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:\s.*)?$/.exec(value.trim());
  if (american) {
    const [, month, day, year] = american;
    return `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  }
  const [, quarter, year] = /^Q([1-4])\s{0,9}[-/ ]\s{0,9}(\d{4})$/i.exec(value.trim()) ?? [];
  if (quarter) return `Q${quarter} ${year}`;
  return value.trim().replace(/^(\d{4}-\d{2}-\d{2})T.*$/, "$1") || null;
}
