import type { Config } from "../../config/config.ts";
import type { SourceKind } from "../../config/settings.ts";
import type { JsonApi } from "./api/json_api.ts";
import type { Fields } from "../mapping/fields.ts";
import { asObject } from "../../text/as_object.ts";

/** A group of products whose items are a document of their own. */
export interface Family {
  name: string;
  /** Relative to the page that names it. */
  address: string;
}

/** What is known about a source before it is read. */
export interface Opening {
  /** The file or the address, as it was named. */
  readonly location: string;
  /** The media type in lower case, without parameters; null for a file. */
  readonly contentType: string | null;
  /** The file extension, in lower case: `json`, `csv`; may be empty. */
  readonly extension: string;
  /** The first characters, at most some 64 thousand of them. */
  readonly text: string;
  /** The product family whose document it is, if any. */
  readonly family?: string | null;
  /** The next page, from the Link header. */
  readonly link?: string | null;
  /** All headers of a response. */
  readonly headers?: Headers;
  readonly api?: JsonApi;
  /** The columns that the mapping names. */
  readonly columns?: readonly string[];
  /** Cancels the reading. */
  readonly signal?: AbortSignal;
}

/** What a page says of those after it: a total that may be above its items, or that there are some. */
export interface SignOfMore {
  /** As it stands there: `"isLast": false`. */
  readonly shown: string;
  /** Null where there is more in any case. */
  readonly total: number | null;
}

/** Some items with the field names of the source, and the URL of its next page, if any. */
export interface RawItems {
  items: unknown[];
  /** Of a table: the row of each item, as a spreadsheet counts it. */
  rows?: number[];
  /** Of a table: the row that may be its header in place of the one that was taken. */
  likelyHeader?: number | null;
  next?: string | null;
  /** The total number of items of all pages, if the source states it. */
  total?: number | null;
  /** At the end of a page: what says that there are more items than its own. */
  more?: SignOfMore | null;
  /** How many other entries there are, which do not belong on a roadmap, by the reason. */
  leftOut?: Readonly<Record<string, number>>;
  /** The product families whose documents follow. */
  families?: Family[];
  /** How many characters or escapes of the text were repaired. */
  repaired?: number;
}

/** A page that was read, with its own link to the next one, and what was read up to here. */
export interface PageRead {
  address: string;
  next: string | null;
  read: number;
  total: number | null;
  isEmpty: boolean;
}

/** Settings that a kind of source may need. */
export type SourceSettings = Pick<Config, "github" | "gitlab" | "jira">;

/** One kind of source: how it is recognised and read, and how its fields are mapped. */
export interface Source {
  readonly kind: SourceKind;
  /** How its locations are written, if that is no address and no file; `parse` knows no other. */
  readonly form?: { readonly written: string; parse(location: string): object | null };
  /** The URL to read for an abbreviated one; of several, the first one that its server has. */
  readonly locate?: (
    address: string,
    settings: SourceSettings,
    columns: readonly string[],
  ) => string | readonly string[];
  /** Whether its server says by a status that it does not have one of those. */
  readonly isAbsent?: (status: number, address: string) => boolean;
  /** The settings of its user and token, for messages. */
  readonly credentials?: string;
  /** Additional request headers. */
  readonly headersFor?: (address: string, settings: SourceSettings) => Record<string, string>;
  /** The next page, of a source whose own links do not always lead there. */
  readonly nextPage?: (page: PageRead) => string | null;
  /** Where its fields come from, unless a mapping says otherwise. */
  readonly fields?: Fields;
  /** It has some of its items only: those that it lacks stay as they are. */
  readonly keepsMissing?: boolean;
  /** Its `last_modified` also moves without a change of the item, for example with a comment. */
  readonly lastModifiedIncludesComments?: boolean;
  /** The text of a file that is not text itself; absent: it is text. */
  unpack?(
    bytes: AsyncIterable<Uint8Array>,
    options: { location: string; sheet?: string; signal?: AbortSignal },
  ): AsyncIterable<string>;
  /** Recognises such a source by its start. */
  recognises(opening: Opening): boolean;
  /** Extracts the items from the text while it arrives. */
  read(chunks: AsyncIterable<string>, opening: Opening): AsyncIterable<RawItems>;
  /**
   * Renames the fields of an item to those of the interface specification (2.1); they are validated
   * later. Absent: matched by the mapping and by their names.
   */
  readonly toItem?: (value: unknown) => unknown;
}

/**
 * Whether a JSON text has a key; the words of a value never count as one.
 *
 * ```ts
 * if (!hasKey('[{"id" : 1}]', "id")) throw new Error();
 * if (hasKey('["\\"id\\": 1"]', "id")) throw new Error();
 * ```
 */
export function hasKey(text: string, key: string): boolean {
  return new RegExp(`"${key}"\\s*:`).test(text);
}

/** The names of labels, which are objects with a name, or the names themselves. */
export function labelsOf(labels: unknown): unknown[] {
  return Array.isArray(labels) ? labels.map((label) => asObject(label)?.name ?? label) : [];
}
