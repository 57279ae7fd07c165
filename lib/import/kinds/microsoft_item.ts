import { v5 as uuidV5 } from "uuid";
import { cleanName } from "../../text/plain_text.ts";
import { lastDayOfMonth, MONTHS } from "../../text/dates.ts";
import { htmlToMarkdown } from "../../text/markdown.ts";
import { asObject } from "../../text/values.ts";

/** The addresses of items, up to their ids: an item is the UUID of its address. */
export const M365_ITEM_PAGE = "https://www.microsoft.com/microsoft-365/roadmap?id=";
export const AZURE_ITEM_PAGE = "https://azure.microsoft.com/updates?id=";

type Fields = Readonly<Record<string, unknown>>;

const ZERO_WIDTH = /[\u200b\u2060\ufeff]/g;
const RETIREMENT = "Retirement";
const GENERAL = "General Availability";
/** The rings behind all others, the furthest first. */
const EARLY = ["Preview", "Private Preview", "Effective"];

/** The fields that the roadmaps of Microsoft 365 and Azure have in common, by our names. */
export function readMicrosoftItem(fields: Fields, rings: readonly string[]) {
  const type = furthestRing(rings);
  const { description, modified } = fields;
  return {
    feature_name: cleanText(fields.title),
    release_type: type ?? "Not stated",
    release_date: dateOf(fields, type),
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

/** The UUID of an item's address, as the roadmap numbers its items (RFC 9562, section 5.5). */
export function toUuid(id: unknown, page: string): unknown {
  const isId = Number.isSafeInteger(id) || (typeof id === "string" && id.trim() !== "");
  return isId ? uuidV5(page + String(id).trim(), uuidV5.URL) : id;
}

/** The names in a list, each once: `Admin Center` is the `Admin center` before it. */
export function namesIn(list: unknown): string[] {
  const texts = Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
  const names = texts.map((text) => cleanName(text.replace(ZERO_WIDTH, "")))
    .filter((name) => name !== "");
  return [...Map.groupBy(names, (name) => name.toLowerCase()).values()].map(([name]) => name!);
}

/** All products, first the one that the title begins with ("Microsoft Teams: …"), if any. */
export function productsOf(fields: Fields, products: readonly string[]) {
  const title = String(cleanText(fields.title)).toLowerCase();
  const named = products.find((product) => title.startsWith(`${product.toLowerCase()}:`));
  const first = named ?? products[0] ?? "Not stated";
  const others = products.filter((product) => product !== first);
  return { product_name: first, product_names: [first, ...others] };
}

/** The rings of an item's availabilities. */
export function ringsIn(fields: Fields): string[] {
  return namesIn(availabilitiesOf(fields).map(({ ring }) => ring));
}

function cleanText(value: unknown): unknown {
  return typeof value === "string" ? cleanName(value.replace(ZERO_WIDTH, "")) : value;
}

/** An item has one type; lists come in any order. */
function furthestRing(rings: readonly string[]): string | undefined {
  const middle = rings.filter((ring) => !EARLY.includes(ring)).toSorted();
  return [RETIREMENT, GENERAL].find((ring) => rings.includes(ring)) ?? middle[0] ??
    EARLY.find((ring) => rings.includes(ring));
}

/** The last day of the month in which the item reaches the ring. */
function dateOf(fields: Fields, type: string | undefined): unknown {
  const months = availabilitiesOf(fields).filter(({ ring }) => ring === type)
    .map(({ month, year }) => toLastDay(`${month} ${year}`));
  if (months.length > 0) return months.map(String).toSorted().at(-1);
  const general = fields.generalAvailabilityDate ?? fields.publicDisclosureAvailabilityDate;
  const preview = fields.previewAvailabilityDate ?? fields.publicPreviewDate;
  return toLastDay(general || type === GENERAL ? general : preview);
}

function availabilitiesOf({ availabilities }: Fields): Fields[] {
  return Array.isArray(availabilities)
    ? availabilities.map(asObject).filter((entry) => entry !== null)
    : [];
}

/** `July CY2026`, `Q3 CY2026` or `CY2026` as the last day of that time; the rest as it is. */
function toLastDay(value: unknown): unknown {
  const parts = typeof value === "string" && /^(?:(\w+) )?(?:CY)?(\d{4})$/.exec(value.trim());
  if (!parts) return value;
  const [, time = "December", year] = parts;
  const month = /^Q[1-4]$/.test(time) ? Number(time[1]) * 3 : MONTHS.indexOf(time.slice(0, 3)) + 1;
  return month === 0 ? value : lastDayOfMonth(Number(year), month);
}
