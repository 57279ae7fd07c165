import { text } from "../lib/http/parameters.ts";

/** The exact-match filters that several endpoints take (interface specification, 4). */
export const FILTERS = {
  product_name: text().describe("Exact, case-sensitive name of a product"),
  release_type: text().describe("Exact release type"),
  release_status: text().describe("Exact release status"),
};
