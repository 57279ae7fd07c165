import { v5 as uuidV5 } from "uuid";
import { lastDayOfMonth, MONTHS } from "../../text/dates.ts";
import { readJsonItems } from "./json_items.ts";
import { fieldsOf, hasKey, type Source } from "./source.ts";

/** The JSON of the Microsoft 365 roadmap: an array of items with numbers and tags. */
export const m365: Source = {
  kind: "m365",
  recognises: ({ text }) =>
    hasKey(text, "tagsContainer") || hasKey(text, "publicDisclosureAvailabilityDate"),
  read: (chunks, { location }) => readJsonItems(chunks, { location, lists: ["data"] }),
  toItem(value) {
    const fields = fieldsOf(value);
    return fields && {
      release_item_id: toUuid(fields.id),
      feature_name: fields.title,
      release_date: toLastDay(fields.publicDisclosureAvailabilityDate),
      release_type: tagsOf(fields, "releasePhase").join(", ") || "Not stated",
      release_status: fields.status,
      product_id: null,
      product_name: productOf(fields),
      feature_description: fields.description,
      blog_title: null,
      blog_url: fields.moreInfoLink,
      last_modified: typeof fields.modified === "string"
        ? fields.modified.slice(0, 10)
        : fields.modified,
      created: fields.created,
    };
  },
};

/** The roadmap numbers its items; the UUID is that of the item's address (RFC 9562, section 5.5). */
function toUuid(id: unknown): unknown {
  const isNumber = Number.isSafeInteger(id) || (typeof id === "string" && /^\d+$/.test(id));
  return isNumber
    ? uuidV5(`https://www.microsoft.com/microsoft-365/roadmap?id=${id}`, uuidV5.URL)
    : id;
}

/** The product that the title begins with ("Microsoft Teams: …") where it is tagged, else the first. */
function productOf(fields: Readonly<Record<string, unknown>>): string {
  const products = tagsOf(fields, "products");
  const title = String(fields.title);
  return products.find((product) => title.startsWith(`${product}:`)) ?? products[0] ?? "Not stated";
}

function tagsOf(fields: Readonly<Record<string, unknown>>, group: string): string[] {
  const tags = fieldsOf(fields.tagsContainer)?.[group];
  return Array.isArray(tags)
    ? tags.map((tag) => fieldsOf(tag)?.tagName).filter((name) => typeof name === "string")
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
