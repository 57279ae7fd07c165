import type { FieldName } from "../../import/mapping/fields.ts";

/** The fields of an item, in words. */
export const FIELD_LABELS: Readonly<Record<FieldName, string>> = {
  release_item_id: "Id",
  feature_name: "Name",
  release_date: "Date",
  release_type: "Type",
  release_status: "Status",
  product_id: "Product id",
  product_name: "Product",
  feature_description: "Description",
  blog_title: "Title of a blog post",
  blog_url: "Address of a blog post",
  last_modified: "Last modified",
  created: "Created",
  active: "Active (yes or no)",
};
