import { asObject } from "../../text/values.ts";
import { isAddress } from "../fetching/location.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { cleanName, isFabricPage, readFamilies, withoutBraces } from "./fabric_page.ts";
import { followPages } from "./follow_pages.ts";
import { jsonPage } from "./json.ts";
import {
  type Document,
  hasKey,
  type Kind,
  openFirst,
  type ReadRows,
  refuse,
  type SourceToRead,
  textOf,
} from "./kind.ts";
import { refuseMarkup } from "./parse_json.ts";
import { BrokenJson, repairJson } from "./repair_json.ts";

/**
 * The Microsoft Fabric roadmap: its page, which names a document of each product family, or such
 * a document: `{"results": [{"ReleaseItemID": …}]}`.
 */
export const fabric: Kind = {
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

async function readFabric(source: SourceToRead): Promise<ReadRows> {
  const first = await openFirst(source);
  const text = textOf(first, source);
  if (!/^\s*</.test(text)) return await readDocument(source, first, text);
  const all = readFamilies(text, first.shown);
  if (!isAddress(first.address)) {
    throw refuse(first, "it names documents that only its address has");
  }
  const base = first.address.replace(/[?#].*/s, "").replace(/\/?$/, "/");
  const byAddress = new Map(all.map((family) => [family.address, family]));
  const families = [...byAddress.values()].slice(0, source.onlyFirstPage ? 1 : undefined);
  const rows: unknown[] = [];
  let repaired = 0;
  for (const { name, address } of families) {
    const read = await readFamily(source, { name, address, base });
    for (const row of read.rows) rows.push(row);
    repaired += read.repaired ?? 0;
  }
  return { rows, repaired, families: families.map(({ name }) => name) };
}

async function readFamily(
  source: SourceToRead,
  { name, address, base }: { name: string; address: string; base: string },
): Promise<ReadRows> {
  try {
    const document = (await source.open({ address, base }))!;
    return await readDocument(source, document, textOf(document, source));
  } catch (error) {
    if (error instanceof SnapshotError) {
      error.message = `The product family "${name}": ${error.message}`;
    }
    throw error;
  }
}

async function readDocument(
  source: SourceToRead,
  document: Document,
  text: string,
): Promise<ReadRows> {
  if (text.trim() === "") throw refuse(document, "it is empty");
  if (/^\s*</.test(text)) throw refuseMarkup(text.trimStart(), document);
  const { text: whole, repaired } = repair(text, document);
  const page = jsonPage(JSON.parse(whole), document, ["results"]);
  const read = await followPages(source, document, () => page);
  return { ...read, repaired };
}

function repair(text: string, document: Document): { text: string; repaired: number } {
  try {
    return repairJson(text);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw refuse(document, error.message);
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
