import type { SourceKind } from "../config/source_kinds.ts";
import type { Connection } from "../database/database.ts";
import type { Delivery, FetchOptions } from "./fetching/fetch_address.ts";
import type { JsonApi } from "./kinds/json_api.ts";
import type { SourceSettings } from "./kinds/kind.ts";
import type { Mapping } from "./mapping/fields.ts";
import type { DayOrder } from "./mapping/read_date.ts";

/** The source of imports without a source name. */
export const DEFAULT_SOURCE = "default";

/** A name of a source, without space around it and control characters, which a terminal would obey. */
export const SOURCE_NAME_PATTERN = /^[^\p{Cc}]{1,100}$/u;

/** What a caller wants to be read, and how. */
interface ReadRequest {
  /** Absent: recognised by the content. */
  kind?: SourceKind | null;
  /** The mapping of the columns; absent: by their names. */
  fields?: Mapping | null;
  /** Of a workbook: the name of the sheet; absent: the only one with a table. */
  sheet?: string;
  encoding?: string;
  /** The language of its texts (BCP 47); absent: the one that it says itself, if any. */
  language?: string;
  /** How a source of kind `json` is asked page by page. */
  api?: JsonApi;
  /** What stands for `env:NAME` in the parameters of its own addresses. */
  parameters?: Readonly<Record<string, string>>;
  /** The content, if it is already there; absent: the location is opened. */
  delivery?: Delivery;
  settings?: SourceSettings;
  /** Reads no further page, to see whether it can be read at all. */
  onlyFirstPage?: boolean;
  maxBytes?: number;
}

/** What a caller wants to be done with what was read. */
export interface ImportRequest extends ReadRequest {
  /** `YYYY-MM-DD`: the date of changes if the source gives none. */
  asOf: string;
  sourceName?: string;
  /** A removed item is restored only if it always belonged to these sources; absent: always. */
  restorable?: readonly string[];
  /** Items that are missing stay as they are. */
  partial?: boolean;
  /** A snapshot may be empty, or remove more than half of the active items. */
  allowMassRemoval?: boolean;
  /** The number of items that it may remove, whatever their share. */
  acceptedRemovals?: number;
  /** A source's first import is news as well. */
  announce?: boolean;
  dayOrder?: DayOrder | null;
  onProgress?: (progress: { share: number | null }) => void;
  /** Does what belongs to an import that changed something, in its transaction. */
  onChange?: (connection: Connection) => Promise<unknown>;
}

/** An import, and how its source is fetched. */
export type ImportOptions = ImportRequest & Omit<FetchOptions, "validators" | "request">;
