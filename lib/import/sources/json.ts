import { readApiPage } from "./api/read_api_page.ts";
import { readJsonItems } from "./json_items.ts";
import type { Source } from "./source.ts";

/** Where tools keep their list: this interface, many of them, Jira. */
const LISTS = ["data", "items", "issues"];

/** A file or an address of JSON: an array of items, or an object that has one. */
export const json: Source = {
  kind: "json",
  recognises: ({ text }) => /^\s*[[{]/.test(text),
  read: (chunks, opening) =>
    opening.api && (opening.api.items !== undefined || opening.api.pages)
      ? readApiPage(chunks, opening, opening.api)
      : readJsonItems(chunks, { location: opening.location, lists: LISTS }),
};
