import type { SourceKind } from "../../config/settings.ts";
import type { Fields } from "../mapping/fields.ts";
import type { FetchOptions } from "../reading/fetch_address.ts";
import type { Delivery, Validators } from "../reading/delivery.ts";
import type { JsonApi } from "./api/json_api.ts";
import type { RawItems, Source, SourceSettings } from "./source.ts";

/** Some items in the source's own form, and how much of the current page has been read (0 to 1). */
export interface Portion
  extends Pick<RawItems, "items" | "rows" | "likelyHeader" | "repaired" | "leftOut"> {
  source: Source;
  /** Null if the source does not state its length. */
  share: number | null;
}

/** A page that was read, to check later whether it has changed. */
export interface PageSeen {
  address: string;
  validators: Validators | null;
  next: string | null;
  /** The product family whose document it is, if any. */
  family?: string;
}

/** Options of reading a source. */
export interface ReadOptions extends Omit<FetchOptions, "validators"> {
  /** Absent: recognised by the content. */
  kind?: SourceKind | null;
  /** The content, if it is already available; absent: the location is opened. */
  delivery?: Delivery;
  /** Of a spreadsheet: the name of the sheet; absent: the first one. */
  sheet?: string;
  /** How a source of kind `json` is asked page by page. */
  api?: JsonApi;
  /** The mapping of the columns; absent: by their names. */
  fields?: Fields | null;
  /** The source of the items: an id that is not a UUID becomes the UUID of this name and the id. */
  sourceName?: string;
  settings?: SourceSettings;
  /** A product family may have no items. */
  allowMassRemoval?: boolean;
  /** Reads no further page, to see whether it can be read at all. */
  onlyFirstPage?: boolean;
  /** More than this is refused, in bytes over all pages. */
  maxBytes?: number;
  /** The pages of an earlier import: if none of them has changed, nothing is read. */
  seen?: readonly PageSeen[];
}
