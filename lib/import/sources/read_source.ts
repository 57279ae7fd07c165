import type { SourceKind } from "../../config/config.ts";
import type { Fields } from "../mapping/fields.ts";
import type { FetchOptions, Validators } from "../reading/fetch_address.ts";
import { findSource, kindOf } from "./known_sources.ts";
import { type Delivery, openLocation, showLocation } from "../reading/location.ts";
import type { SourceSettings } from "./source.ts";
import { Patience } from "../reading/patience.ts";
import { Reading } from "./reading.ts";
import type { RawItems, Source } from "./source.ts";

/** More than any roadmap has; a source that links on and on is wrong. */
const MOST_PAGES = 10_000;

const DEFAULT_SETTINGS: SourceSettings = {
  github: { apiUrl: "https://api.github.com", token: null },
};

/** Some items in the source's own form, and how much of the current page has been read (0 to 1). */
export interface Portion extends Pick<RawItems, "items" | "rows"> {
  source: Source;
  /** Null if the source does not state its length. */
  share: number | null;
}

/** A page that was read, to check later whether it has changed. */
export interface PageSeen {
  address: string;
  validators: Validators | null;
  next: string | null;
}

/** The result of a source: null if none of the known pages has changed. */
export type PagesSeen = readonly PageSeen[] | null;

/** Options of reading a source. */
export interface ReadOptions extends Omit<FetchOptions, "validators"> {
  /** Absent: recognised by the content. */
  kind?: SourceKind | null;
  /** The content, if it is already available; absent: the location is opened. */
  delivery?: Delivery;
  /** The mapping of the columns; absent: by their names. */
  fields?: Fields | null;
  /** The source of the items: an id that is not a UUID becomes the UUID of this name and the id. */
  sourceName?: string;
  settings?: SourceSettings;
  /** More than this is refused, in bytes over all pages. */
  maxBytes?: number;
  /** The pages of an earlier import: if none of them has changed, nothing is read. */
  seen?: readonly PageSeen[];
}

/**
 * Reads the items of a file or a URL while they arrive. If a response names a next page
 * (`links.next`), all pages are read.
 *
 * @throws {SnapshotError} that names the location and says why it cannot be read
 */
export async function* readSource(
  location: string,
  options: ReadOptions = {},
): AsyncGenerator<Portion, PagesSeen> {
  const { settings = DEFAULT_SETTINGS } = options;
  const kind = kindOf(location, options.kind);
  const source = kind && findSource(kind);
  const reading = new Reading(location, { ...options, kind });
  const start = source?.locate?.(location, settings) ?? location;
  const pages: PageSeen[] = [];
  const visited = new Set<string>();
  const patience = new Patience(options);
  let seen = new Map(options.seen?.map((page) => [page.address, page]));
  let page: string | null = start;
  while (page !== null) {
    if (visited.has(page)) {
      throw reading.refuse(`its links.next lead in a circle at ${showLocation(page)}`);
    }
    if (visited.size === MOST_PAGES) {
      throw reading.refuse(`its links.next lead over more than ${MOST_PAGES} pages`);
    }
    visited.add(page);
    const before: PageSeen | undefined = seen.get(page);
    const { validators } = before ?? {};
    const headers: Record<string, string> | undefined = source?.headersFor?.(page, settings);
    const delivery: Delivery | null = options.delivery ??
      await openLocation(page, { ...options, headers, validators, patience });
    if (delivery === null) {
      page = before!.next;
    } else if (seen.size > 0 && page !== start) {
      // A later page has changed: all pages are needed, including the skipped ones.
      await delivery.chunks[Symbol.asyncIterator]().return?.();
      seen = new Map();
      visited.clear();
      page = start;
    } else {
      seen = new Map();
      const next: string | null = yield* reading.readPage(page, delivery);
      pages.push({ address: page, validators: delivery.validators, next });
      page = next;
    }
  }
  if (pages.length === 0) return null;
  reading.finish();
  return pages;
}
