import type { FieldName } from "../../import/mapping/fields.ts";

/** The fields of an item, in words that follow "column of the". */
export const FIELD_LABELS: Readonly<Record<FieldName, string>> = {
  release_item_id: "id",
  feature_name: "name",
  release_date: "date",
  release_type: "type",
  release_status: "status",
  product_id: "product id",
  product_name: "product",
  feature_description: "description",
  blog_title: "title of a blog post",
  blog_url: "address of a blog post",
  last_modified: "last modification",
  created: "creation",
  active: "mark of active items",
};
