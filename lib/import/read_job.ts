import type { SourceKind } from "../config/settings.ts";
import type { FoundPost } from "./announcements/posts_in.ts";
import type { Document, SourceToRead } from "./kinds/kind.ts";
import type { Fields } from "./mapping/fields.ts";
import type { DayOrder } from "./mapping/read_date.ts";
import type { MappedItem, MappedTable } from "./mapping/map_table.ts";
import type { SnapshotProblem } from "./snapshot_error.ts";

/** What the worker that reads sources does: it reads one, or the posts of a feed. */
export type ReadJob =
  | Omit<SourceToRead, "open" | "first"> & {
    shown: string;
    kind: SourceKind | null;
    fields: Fields;
    sourceName: string;
    asOf: string;
    dayOrder: DayOrder | null;
  }
  | { posts: { shown: string; document: Document; privateHosts: readonly string[] } };

/** What the owner of the worker answers where a document is asked for. */
export type Answer = { document: Document | null } | { failure: string };

/** What came of it. */
export type ReadOutcome =
  | { read: ReadItems }
  | { posts: FoundPost[] }
  /** A sentence, and whether a document could not be opened. */
  | { refusal: string; isOpening?: boolean };

/** The items of a source, as they go into the database. */
export interface ReadItems extends Omit<MappedTable, "items" | "problems"> {
  kind: SourceKind;
  /** The product families that the source names. */
  families: string[];
  /** The products of its items. */
  products: string[];
  /** How many characters or escapes of its text were repaired. */
  repaired: number;
  /** How many rows it has, bad ones too. */
  rowCount: number;
  problems: { kept: SnapshotProblem[]; total: number };
  firstItems: MappedItem[];
  /** Sorted; none if there are problems. */
  ids: string[];
  /** The items in the order of their ids, as JSON. */
  batches: Uint8Array[];
}
