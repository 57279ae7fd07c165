import { countOf } from "../../text/phrases.ts";
import { isAddress, showLocation } from "../fetching/location.ts";
import { SnapshotError } from "../snapshot_error.ts";
import {
  type Document,
  type DocumentRequest,
  MAX_ROWS,
  type SignOfMore,
  type SourceToRead,
} from "./kind.ts";
import type { Table } from "../mapping/table.ts";

/** More than any roadmap has; a source that goes on and on is wrong. */
const MAX_EMPTY_PAGES = 10;

/** What a page has, and what it says of the others. */
export interface Page {
  rows: unknown[];
  next: string | null;
  total?: number | null;
  /** What says that there are more items than these. */
  more?: SignOfMore | null;
  leftOut?: Readonly<Record<string, number>>;
}

/**
 * Reads the pages of a source from its first document to the end.
 *
 * @param readPage gets what was read before: how many items, those left out too, and pages
 * @param ask how the next page is asked for, if not by its address alone
 * @throws {SnapshotError} if a page is missing, or says that there is more than what was read
 */
export async function followPages(
  source: SourceToRead,
  first: Document,
  readPage: (document: Document, before: { items: number; pages: number }) => Page | Promise<Page>,
  ask: (next: string, document: Document) => DocumentRequest = (next, { address }) => ({
    address: next,
    base: address,
  }),
): Promise<Table> {
  const rows: unknown[] = [];
  const leftOut: Record<string, number> = {};
  const shown = showLocation(source.location);
  const refuse = (reason: string) => new SnapshotError(`Cannot read ${shown}: ${reason}`);
  const refuseMore = (sign: string, held: number) =>
    refuse(
      `it is one page of more, with ${sign}, but holds ${countOf(held, "item")}: use the address ` +
        'of the whole or of a larger page, or see "One page of more" in docs/sources.md',
    );
  const before = { items: 0, pages: 0 };
  let total: number | null = null;
  let emptyPages = 0;
  for (let document = first;;) {
    const page = await readPage(document, { ...before });
    const besides = Object.entries(page.leftOut ?? {});
    const count = besides.reduce((sum, [, number]) => sum + number, page.rows.length);
    before.items += count;
    before.pages++;
    if (before.items > MAX_ROWS) throw refuse(`it has more than ${MAX_ROWS} items`);
    for (const row of page.rows) rows.push(source.toItem ? source.toItem(row) : row);
    for (const [reason, number] of besides) {
      leftOut[reason] = (leftOut[reason] ?? 0) + number;
    }
    const stated = page.total ?? null;
    if (stated !== null && total !== null && stated !== total) {
      throw refuse("it changed while its pages were being read");
    }
    total ??= stated;
    if (page.next !== null && !isAddress(document.address)) {
      // What is on the other pages would be removed.
      throw refuseMore(`"links.next": ${JSON.stringify(page.next)}`, count);
    }
    if (source.onlyFirstPage && page.next !== null) return { rows, leftOut };
    if (page.next === null) {
      // An item that moves while pages are read would be skipped, and count as removed.
      if (before.pages > 1 && total !== null && before.items !== total) {
        throw refuse(`it announced ${total} items, but sent ${before.items}`);
      }
      const { more } = page;
      if (more && (more.total === null || more.total > before.items)) {
        throw refuseMore(more.shown, before.items);
      }
      return { rows, leftOut };
    }
    emptyPages = count === 0 ? emptyPages + 1 : 0;
    if (emptyPages === MAX_EMPTY_PAGES) {
      throw refuse(`${MAX_EMPTY_PAGES} of its pages in a row had no items`);
    }
    document = (await source.open(ask(page.next, document)))!;
  }
}
