import { namesIn, readMicrosoftItem, ringsIn, toUuid } from "./microsoft_item.ts";
import { odata } from "./odata.ts";
import { fieldsOf, hasKey, type Source } from "./source.ts";

/** Azure's updates: OData, with descriptions in HTML. */
export const azure: Source = {
  kind: "azure",
  ...odata,
  recognises: ({ text }) =>
    hasKey(text, "productCategories") && hasKey(text, "privatePreviewAvailabilityDate"),
  toItem(value) {
    const fields = fieldsOf(value);
    return fields && {
      ...readMicrosoftItem(fields, ringsIn(fields)),
      release_item_id: toUuid(fields.id, "https://azure.microsoft.com/updates?id="),
      product_name: namesIn(fields.products)[0] ?? "Not stated",
    };
  },
};
