import type { Config, SourceKind } from "../../config.ts";

import type { Fields } from "../fields.ts";

/** What is known of a source before it is read. */
export interface Opening {
  /** The file or the address, as it was named. */
  readonly location: string;
  /** The media type in lower case, without parameters; null for a file. */
  readonly contentType: string | null;
  /** How the path ends, in lower case: `json`, `csv`; empty where it has no such end. */
  readonly extension: string;
  /** The first characters, at most some 64 thousand of them. */
  readonly text: string;
}

/** In the place of an item: the source could not read it, but what comes after it. */
export class UnreadableItem {
  /** @param reason the end of a sentence that begins with the place */
  constructor(readonly reason: string) {}
}

/** Some items as a source calls them, and the address of its next page where it names one. */
export interface RawItems {
  items: unknown[];
  /** Of a table: the row of each item, as a spreadsheet counts it. */
  rows?: number[];
  next?: string | null;
  /** How many items all pages have together, where the source says so. */
  total?: number | null;
  /** How many others there were, which are nothing for a roadmap. */
  leftOut?: number;
}

/** Settings that a kind of source may need. */
export type SourceSettings = Pick<Config, "github">;

/** One kind of source: how it is recognised, how it is read, and what its items are called here. */
export interface Source {
  readonly kind: SourceKind;
  /** The address to read where a person names one for short. */
  readonly locate?: (address: string, settings: SourceSettings) => string;
  /** What a request to an address carries besides. */
  readonly headersFor?: (address: string, settings: SourceSettings) => Record<string, string>;
  /** The Link header of a page (RFC 8288) leads to the next one. */
  readonly pagesByLink?: boolean;
  /** Where its fields come from, unless a mapping says otherwise. */
  readonly fields?: Fields;
  /** Its `last_modified` moves with what is no change of an item, such as a comment. */
  readonly countsTalk?: boolean;
  /** Tells by what comes first whether this is such a source. */
  recognises(opening: Opening): boolean;
  /** Takes the items out of the text while it arrives. */
  read(chunks: AsyncIterable<string>, opening: Opening): AsyncIterable<RawItems>;
  /**
   * Names the fields of an item as the interface specification does (2.1); they are checked later.
   * Absent: they are told by the mapping and by their names.
   */
  readonly toItem?: (value: unknown) => unknown;
}

/**
 * Tells whether a JSON text has a key; the words of a value never count as one.
 *
 * ```ts
 * if (!hasKey('[{"id" : 1}]', "id")) throw new Error();
 * if (hasKey('["\\"id\\": 1"]', "id")) throw new Error();
 * ```
 */
export function hasKey(text: string, key: string): boolean {
  return new RegExp(`"${key}"\\s*:`).test(text);
}

/** An object to take fields from; of anything else there are none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : null;
}
