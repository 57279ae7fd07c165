import { readJsonItems } from "./json_items.ts";
import { fieldsOf, hasKey, type Source } from "./source.ts";

/** The JSON of the Microsoft Fabric roadmap: `{"results": [{"ReleaseItemID": …}]}`. */
export const fabric: Source = {
  kind: "fabric",
  recognises: ({ text }) => hasKey(text, "ReleaseItemID"),
  read: (chunks, { location }) => readJsonItems(chunks, { location, lists: ["results"] }),
  toItem(value) {
    const fields = fieldsOf(value);
    return fields && {
      release_item_id: fields.ReleaseItemID,
      feature_name: fields.FeatureName,
      release_date: toIsoDate(fields.ReleaseDate),
      release_type: fields.ReleaseType,
      release_status: fields.ReleaseStatus,
      product_id: fields.ProductID,
      product_name: fields.ProductName,
      feature_description: fields.FeatureDescription,
      blog_title: fields.BlogTitle,
      blog_url: fields.BlogURL ?? fields.BlogUrl,
      last_modified: toIsoDate(fields.LastModified),
      active: fields.Active,
    };
  },
};

/** `MM/DD/YYYY` or an ISO date, each with or without a time, as `YYYY-MM-DD`; the rest as it is. */
function toIsoDate(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:\s.*)?$/.exec(value.trim());
  if (american) {
    const [, month, day, year] = american;
    return `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  }
  return value.trim().replace(/^(\d{4}-\d{2}-\d{2})T.*$/, "$1");
}
