import {
  M365_ITEM_PAGE,
  namesIn,
  productsOf,
  readMicrosoftItem,
  ringsIn,
  toUuid,
} from "./microsoft_item.ts";
import { readOData } from "./odata.ts";
import { hasKey, type Kind } from "./kind.ts";
import { asObject } from "../../text/values.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The Microsoft 365 roadmap: an array of items with tags (version 1), or OData (version 2). */
export const m365: Kind = {
  kind: "m365",
  recognises: ({ text }) =>
    ["tagsContainer", "publicDisclosureAvailabilityDate", "releaseRings"]
      .some((key) => hasKey(text, key)),
  read: readOData,
  toItem(value) {
    const fields = asObject(value);
    if (fields === null) return null;
    const rings = namesIn([
      ...namesOf(fields, "releaseRings", "releasePhase"),
      ...ringsIn(fields),
    ]);
    return {
      ...readMicrosoftItem(fields, rings),
      release_item_id: isNumber(fields.id) ? toUuid(fields.id, M365_ITEM_PAGE) : fields.id,
      ...productsOf(fields, namesOf(fields, "products").map(ownSpelling)),
      tags: {
        "Cloud instance": namesOf(fields, "cloudInstances"),
        "Platform": namesOf(fields, "platforms"),
        "Release ring": rings,
      },
      blog_url: fields.moreInfoLink ?? namesIn(fields.moreInfoUrls)[0] ?? null,
    };
  },
};

function isNumber(id: unknown): boolean {
  return Number.isSafeInteger(id) || (typeof id === "string" && /^\d+$/.test(id));
}

/** The roadmap spells one product in two ways. */
function ownSpelling(product: string): string {
  return product === "Microsoft 365 Admin Center" ? "Microsoft 365 admin center" : product;
}

/** A list of version 2, or the tags of a group of version 1. */
function namesOf(fields: Fields, list: string, group = list): string[] {
  const tags = asObject(fields.tagsContainer)?.[group];
  const names = Array.isArray(tags) ? tags.map((tag) => asObject(tag)?.tagName) : fields[list];
  return namesIn(names);
}
