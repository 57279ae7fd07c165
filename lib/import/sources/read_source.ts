import { namedColumns } from "../mapping/fields.ts";
import { PageSeen, Portion, ReadOptions } from "./read_options.ts";
import { bodyOf } from "./api/next_request.ts";
import { findSource, kindOf } from "./known_sources.ts";
import { isAddress, openLocation, showLocation } from "../reading/location.ts";
import type { Delivery, Validators } from "../reading/delivery.ts";
import { SourceRefusal } from "../reading/fetch_address.ts";
import type { Source, SourceSettings } from "./source.ts";
import { Timeout } from "../reading/timeout.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { Reading } from "./reading.ts";

/** More than any roadmap has; a source that links on and on is wrong. */
const MAX_PAGES = 10_000;

const DEFAULT_SETTINGS: SourceSettings = {
  github: { apiUrl: "https://api.github.com", token: null },
  gitlab: { url: "https://gitlab.com", token: null },
  jira: { email: null, token: null },
};

/** The result of a source: null if none of the known pages has changed. */
export type PagesSeen = readonly PageSeen[] | null;

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
  const columns = namedColumns(options.fields ?? {});
  if (source?.form?.parse(location) === null) {
    throw reading.refuse(`a source of kind ${kind} is written ${source.form.written}`);
  }
  const [first, ...others] = [source?.locate?.(location, settings, columns) ?? location].flat();
  let start = options.api ? first!.replace(/#.*/, "") : first!;
  const pages: PageSeen[] = [];
  const visited = new Set<string>();
  const timeout = new Timeout(options);
  const publicHosts = new Set<string>();
  let seen = new Map(options.seen?.map((page) => [page.address, page]));
  let page: string | null = start;
  while (page !== null) {
    if (visited.has(page)) {
      throw reading.refuse(`its links.next loop at ${showLocation(page)}`);
    }
    if (visited.size === MAX_PAGES) {
      throw reading.refuse(`its links.next span more than ${MAX_PAGES} pages`);
    }
    visited.add(page);
    const before: PageSeen | undefined = seen.get(page);
    const { validators } = before ?? {};
    const family: string | undefined = reading.familyOf(page) ?? before?.family;
    const delivery: Delivery | SourceRefusal | null = options.delivery ??
      await openPage(page, { options, source, start, validators, timeout, publicHosts })
        .catch((error) => keepRefusal(error, family));
    if (delivery === null) {
      page = before!.next;
    } else if (seen.size > 0 && page !== start) {
      // A later page has changed, or is gone: all pages are needed, including the skipped ones.
      if ("chunks" in delivery) await delivery.chunks[Symbol.asyncIterator]().return?.();
      seen = new Map();
      visited.clear();
      page = start;
    } else if (delivery instanceof SourceRefusal) {
      const other: string | undefined = source?.isAbsent?.(delivery.status, page)
        ? others.shift()
        : undefined;
      if (page !== start || other === undefined) return nameFamily(delivery, family);
      page = start = other;
    } else {
      seen = new Map();
      const next: string | null = yield* readNamed(reading.readPage(page, delivery), family);
      pages.push({ address: page, validators: delivery.validators, next, ...family && { family } });
      page = options.onlyFirstPage ? null : next;
    }
  }
  return pages.length === 0 ? null : pages;
}

/** Opens a page with the headers and the body that it takes. */
function openPage(
  page: string,
  { options, source, start, ...given }: {
    options: ReadOptions;
    source: Source | null;
    start: string;
    validators?: Validators | null;
    timeout: Timeout;
    publicHosts: Set<string>;
  },
): Promise<Delivery | null> {
  const { settings = DEFAULT_SETTINGS, api } = options;
  const headers: Record<string, string> = {
    ...hasOrigin(page, start) && { ...source?.headersFor?.(page, settings), ...options.headers },
  };
  const request = api ? bodyOf(page, api) : null;
  const { credentials } = source ?? {};
  return openLocation(page, { ...options, request, headers, credentials, ...given });
}

/** The product families whose documents were read. */
export function familiesOf(pages: PagesSeen): string[] {
  return (pages ?? []).flatMap(({ family }) => family ?? []);
}

/** The headers of a source may hold secrets, which only its own origin gets. */
function hasOrigin(page: string, start: string): boolean {
  return isAddress(page) && new URL(page).origin === new URL(start).origin;
}

/** The server may refuse one address, and know another. */
function keepRefusal(error: unknown, family: string | undefined): SourceRefusal {
  return error instanceof SourceRefusal ? error : nameFamily(error, family);
}

async function* readNamed(
  portions: AsyncGenerator<Portion, string | null>,
  family: string | undefined,
): AsyncGenerator<Portion, string | null> {
  try {
    return yield* portions;
  } catch (error) {
    return nameFamily(error, family);
  }
}

/** Throws an error of a document, which begins with its product family, if it has one. */
function nameFamily(error: unknown, family: string | undefined): never {
  if (family === undefined || !(error instanceof SnapshotError)) throw error;
  error.message = `The product family "${family}": ${error.message}`;
  throw error;
}
