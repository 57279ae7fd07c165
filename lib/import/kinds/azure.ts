import {
  AZURE_ITEM_PAGE,
  namesIn,
  productsOf,
  readMicrosoftItem,
  ringsIn,
  toUuid,
} from "./microsoft_item.ts";
import { readOData } from "./odata.ts";
import { hasKey, type Kind } from "./kind.ts";
import { asObject } from "../../text/values.ts";

/** Azure's updates: OData, with descriptions in HTML. */
export const azure: Kind = {
  kind: "azure",
  recognises: ({ text }) =>
    hasKey(text, "productCategories") && hasKey(text, "privatePreviewAvailabilityDate"),
  read: readOData,
  toItem(value) {
    const fields = asObject(value);
    if (fields === null) return null;
    const rings = ringsIn(fields);
    return {
      ...readMicrosoftItem(fields, rings),
      ...productsOf(fields, namesIn(fields.products)),
      release_item_id: toUuid(fields.id, AZURE_ITEM_PAGE),
      tags: { "Category": namesIn(fields.productCategories), "Release ring": rings },
    };
  },
};
