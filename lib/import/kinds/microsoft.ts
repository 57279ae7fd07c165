import type { SourceKind } from "../../config/source_kinds.ts";
import { cleanName } from "../../text/plain_text.ts";
import { AZURE_ITEM_PAGE, M365_ITEM_PAGE, toUuid } from "../../roadmap/item_id.ts";
import { htmlToMarkdown } from "../../text/markdown.ts";
import { asObject } from "../../text/values.ts";
import { isAddress } from "../fetching/location.ts";
import { setParameters } from "./json_api.ts";
import { followPages } from "./follow_pages.ts";
import { readJsonPage } from "./json.ts";
import { type Fields, hasKey, type Kind, openFirst, type SourceToRead } from "./kind.ts";
import { readDate } from "../mapping/read_date.ts";
import type { Table } from "../mapping/table.ts";
import { ZERO_WIDTH } from "../mapping/tidy_text.ts";

const ROADMAP = /\/releasecommunications\/api\/v\d+\/(m365|azure)\/?$/i;

/** The kind of Microsoft's roadmaps by their address; null of anything else. */
export function kindOfOData(location: string): SourceKind | null {
  const path = isAddress(location) ? URL.parse(location)?.pathname : undefined;
  return ROADMAP.exec(path ?? "")?.[1]?.toLowerCase() as SourceKind | undefined ?? null;
}

/** Reads Microsoft's roadmaps: OData in pages (version 2), or one array (version 1). */
async function readOData(source: SourceToRead): Promise<Table> {
  const first = await openFirst(source, countedAddress(source.location));
  let total: number | null = null;
  return await followPages(source, first, (document, before) => {
    const page = readJsonPage(document, source, ["value", "data"]);
    if (!isAddress(document.address)) return page;
    total ??= page.total ?? null;
    const read = before.items + page.rows.length;
    const isComplete = total === null ? page.next === null : read >= total;
    if (isComplete || page.rows.length === 0) return { ...page, next: null };
    return { ...page, next: nextAddress(document.address, page.next, read) };
  });
}

function countedAddress(address: string): string {
  const url = isAddress(address) ? URL.parse(address) : null;
  const isCounted = ["$count", "count"].some((name) => url?.searchParams.has(name));
  if (url === null || !/\/v2\//.test(url.pathname) || isCounted) return address;
  // Only with it a page says how many items there are.
  return setParameters(address, { $count: "true" });
}

/**
 * The link of the server where it stays on its origin; else, since it names another host, the same
 * address by `skip`, until there are as many items as announced.
 */
function nextAddress(address: string, next: string | null, read: number): string {
  const link = next === null ? null : URL.parse(next, address);
  if (link?.origin === new URL(address).origin) return link.href;
  const name = /[?&](\$|%24)skip=/i.test(next ?? "") ? "$skip" : "skip";
  return setParameters(address, { [name]: String(read) });
}

const RETIREMENT = "Retirement";
const GENERAL_AVAILABILITY = "General Availability";
/** The rings behind all others, the furthest first. */
const [PREVIEW, EARLIEST] = ["Preview", "Private Preview"];
const EARLY = [PREVIEW, EARLIEST, "Effective"];

/** The fields that the roadmaps of Microsoft 365 and Azure have in common, by our names. */
function readMicrosoftItem(fields: Fields, rings: readonly string[]) {
  const type = furthestRing(rings);
  const { description, modified } = fields;
  return {
    feature_name: cleanText(fields.title),
    release_type: type ?? "Not stated",
    ...daysOf(fields, type),
    release_status: fields.status === null ? "Not stated" : cleanText(fields.status),
    product_id: null,
    feature_description: typeof description === "string"
      ? htmlToMarkdown(description)
      : description,
    blog_title: null,
    last_modified: typeof modified === "string" ? modified.slice(0, 10) : modified,
    created: fields.created,
  };
}

/** The names in a list, each once: `Admin Center` is the `Admin center` before it. */
function cleanNames(list: unknown): string[] {
  const texts = Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
  const names = texts.map((text) => cleanName(text.replace(ZERO_WIDTH, "")))
    .filter((name) => name !== "");
  return [...Map.groupBy(names, (name) => name.toLowerCase()).values()].map(([name]) => name!);
}

/** All products, first the one that the title begins with ("Microsoft Teams: …"), if any. */
function productsOf(fields: Fields, products: readonly string[]) {
  const title = String(cleanText(fields.title)).toLowerCase();
  const named = products.find((product) => title.startsWith(`${product.toLowerCase()}:`));
  const first = named ?? products[0] ?? "Not stated";
  const others = products.filter((product) => product !== first);
  return { product_name: first, product_names: [first, ...others] };
}

/** The rings of an item's availabilities. */
function ringsIn(fields: Fields): string[] {
  return cleanNames(availabilitiesOf(fields).map(({ ring }) => ring));
}

function cleanText(value: unknown): unknown {
  return typeof value === "string" ? cleanName(value.replace(ZERO_WIDTH, "")) : value;
}

/** An item has one type; lists come in any order. */
function furthestRing(rings: readonly string[]): string | undefined {
  const middle = rings.filter((ring) => !EARLY.includes(ring)).toSorted();
  return [RETIREMENT, GENERAL_AVAILABILITY].find((ring) => rings.includes(ring)) ?? middle[0] ??
    EARLY.find((ring) => rings.includes(ring));
}

/** The last day of the month in which the item reaches its ring, and those of all other rings. */
function daysOf(fields: Fields, type: string | undefined) {
  const general = fields.generalAvailabilityDate ?? fields.publicDisclosureAvailabilityDate;
  const preview = fields.previewAvailabilityDate ?? fields.publicPreviewDate;
  const ofRing = dayOfRing(fields, type);
  const isGeneral = general || type === GENERAL_AVAILABILITY;
  const main = ofRing !== undefined ? type : isGeneral ? GENERAL_AVAILABILITY : PREVIEW;
  const days = new Map<string, unknown>();
  days.set(EARLIEST, toLastDay(fields.privatePreviewAvailabilityDate));
  days.set(PREVIEW, toLastDay(preview));
  if (general) days.set(GENERAL_AVAILABILITY, toLastDay(general));
  for (const ring of ringsIn(fields)) days.set(ring, dayOfRing(fields, ring));
  return {
    release_date: ofRing ?? toLastDay(isGeneral ? general : preview),
    dates: Object.fromEntries([...days].filter(([ring, day]) => ring !== main && day)),
  };
}

/** The last month of a ring; undefined: the item names none. */
function dayOfRing(fields: Fields, ring: string | undefined): string | undefined {
  const months = availabilitiesOf(fields).filter((one) => cleanText(one.ring) === ring)
    .map(({ month, year }) => toLastDay(`${month} ${year}`));
  return months.map(String).toSorted().at(-1);
}

function availabilitiesOf({ availabilities }: Fields): Fields[] {
  return Array.isArray(availabilities)
    ? availabilities.map(asObject).filter((entry) => entry !== null)
    : [];
}

/** `July CY2026`, `Q3 CY2026` or `CY2026` as the last day of that time; the rest as it is. */
function toLastDay(value: unknown): unknown {
  const read = typeof value === "string" ? readDate(value) : { date: null };
  return "date" in read && read.date !== null ? read.date : value;
}

/** The Microsoft 365 roadmap: an array of items with tags (version 1), or OData (version 2). */
export const m365: Kind = {
  kind: "m365",
  title: "Microsoft 365 roadmap",
  recognises: ({ text }) =>
    ["tagsContainer", "publicDisclosureAvailabilityDate", "releaseRings"]
      .some((key) => hasKey(text, key)),
  read: readOData,
  toItem(value) {
    const fields = asObject(value);
    if (fields === null) return null;
    const rings = cleanNames([
      ...tagNames(fields, "releaseRings", "releasePhase"),
      ...ringsIn(fields),
    ]);
    return {
      ...readMicrosoftItem(fields, rings),
      release_item_id: isNumericId(fields.id) ? toUuid(fields.id, M365_ITEM_PAGE) : fields.id,
      ...productsOf(fields, tagNames(fields, "products").map(ownSpelling)),
      tags: {
        "Cloud instance": tagNames(fields, "cloudInstances"),
        "Platform": tagNames(fields, "platforms"),
        "Release ring": rings,
      },
      blog_url: fields.moreInfoLink ?? cleanNames(fields.moreInfoUrls)[0] ?? null,
    };
  },
};

function isNumericId(id: unknown): boolean {
  return Number.isSafeInteger(id) || (typeof id === "string" && /^\d+$/.test(id));
}

/** The roadmap spells one product in two ways. */
function ownSpelling(product: string): string {
  return product === "Microsoft 365 Admin Center" ? "Microsoft 365 admin center" : product;
}

/** A list of version 2, or the tags of a group of version 1. */
function tagNames(fields: Fields, list: string, group = list): string[] {
  const tags = asObject(fields.tagsContainer)?.[group];
  const names = Array.isArray(tags) ? tags.map((tag) => asObject(tag)?.tagName) : fields[list];
  return cleanNames(names);
}

/** Azure's updates: OData, with descriptions in HTML. */
export const azure: Kind = {
  kind: "azure",
  title: "Azure updates",
  recognises: ({ text }) =>
    hasKey(text, "productCategories") && hasKey(text, "privatePreviewAvailabilityDate"),
  read: readOData,
  toItem(value) {
    const fields = asObject(value);
    if (fields === null) return null;
    const rings = ringsIn(fields);
    return {
      ...readMicrosoftItem(fields, rings),
      ...productsOf(fields, cleanNames(fields.products)),
      release_item_id: toUuid(fields.id, AZURE_ITEM_PAGE),
      tags: { "Category": cleanNames(fields.productCategories), "Release ring": rings },
    };
  },
};
