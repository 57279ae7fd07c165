import { readJsonItems } from "./json_items.ts";
import type { Source } from "./source.ts";

/** A file or an address of JSON: an array of items, or an object whose `data` is one. */
export const json: Source = {
  kind: "json",
  recognises: ({ text }) => /^\s*[[{]/.test(text),
  read: (chunks, { location }) => readJsonItems(chunks, { location, list: "data" }),
  toItem: (value) => value,
};
