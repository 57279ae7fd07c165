import type { Connection } from "../database/database.ts";
import type { ReadOptions } from "./sources/read_options.ts";

/** The source of imports without a source name. */
export const DEFAULT_SOURCE = "default";

/** The source of runs that only fill in announcements: no source was read. */
export const ANNOUNCEMENTS_RUN = "(announcements)";

/** A short name of a source without control characters, which a terminal would obey. */
export const SOURCE_NAME_PATTERN = /^[^\p{Cc}]{1,100}$/u;

/** Options of an import. */
export interface ImportOptions extends Omit<ReadOptions, "seen"> {
  /** `YYYY-MM-DD`: the date of changes if the source gives none. */
  asOf: string;
  /** The source that the items belong to; absent: `default`. */
  sourceName?: string;
  /** Items that are missing stay as they are. */
  partial?: boolean;
  /** A snapshot may be empty, or remove more than half of the active items. */
  allowMassRemoval?: boolean;
  /** The number of items that it may remove, whatever their share. */
  acceptedRemovals?: number;
  /** A source's first import is news as well. */
  announce?: boolean;
  /** The product families that the source names. */
  families?: readonly string[];
  /** How many characters or escapes of the source were repaired. */
  repaired?: number;
  onProgress?: (progress: ImportProgress) => void;
  /** Does what belongs to an import that changed something, in its transaction. */
  onChange?: (connection: Connection) => Promise<unknown>;
}

/** The progress of an import: items read, and the share of the source (0 to 1) if known. */
export interface ImportProgress {
  items: number;
  share: number | null;
}
