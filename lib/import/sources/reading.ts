import { addressNextPage, countOn } from "./api/next_request.ts";
import { countOf } from "../../text/count_of.ts";
import { isZip, refuseArchive } from "../reading/archives.ts";
import { cutEvenly } from "../reading/cut_evenly.ts";
import { decodeText } from "../reading/decode_text.ts";
import { findSource, recogniseSource } from "./known_sources.ts";
import { isAddress, showLocation } from "../reading/location.ts";
import type { Delivery } from "../reading/delivery.ts";
import { resolveNextPage } from "./next_page.ts";
import { peek } from "../reading/peek.ts";
import { namedColumns } from "../mapping/fields.ts";
import type { Portion, ReadOptions } from "./read_options.ts";
import { SnapshotError } from "../snapshot_error.ts";
import type { Family, Opening, PageRead, SignOfMore, Source } from "./source.ts";

/** More than any roadmap has; a source that goes on and on is wrong. */
const MAX = { emptyPages: 10, items: 500_000 };
const MAX_BYTES = 256 * 1024 * 1024;
/** How many characters are examined to recognise a source. */
const PEEKED = 64_000;

/**
 * The state across all pages: the kind of source, how much has been read, and how much there is.
 */
export class Reading {
  readonly shown: string;
  #source: Source | undefined;
  #bytes = 0;
  #items = 0;
  #total: number | null = null;
  #more: SignOfMore | null = null;
  /** Those of documents of other product families. */
  #itemsOfOthers = 0;
  #pages = 0;
  #emptyPages = 0;
  #firstOfPage: string | undefined;
  /** The origin of the first page after redirects, which the others must have, too. */
  #origin: string | undefined;
  /** The documents that follow, and their product families. */
  readonly #following: string[] = [];
  readonly #families = new Map<string, string>();

  constructor(private readonly location: string, private readonly options: ReadOptions) {
    this.shown = showLocation(location);
    if (options.kind) this.#source = findSource(options.kind);
  }

  async *readPage(page: string, delivery: Delivery): AsyncGenerator<Portion, string | null> {
    this.#pages++;
    const before = this.#bytes;
    const itemsBefore = this.#items;
    const { opening, chunks } = await this.#open(page, delivery);
    this.#source ??= recogniseSource(opening);
    let nextPage = delivery.next;
    const portions = this.#source.read(chunks, opening);
    for await (const portion of portions) {
      const { items, rows, likelyHeader, next, total, more, repaired, leftOut } = portion;
      for (const family of portion.families ?? []) this.#follow(family, page, delivery.address);
      nextPage = next === undefined ? nextPage : next;
      this.#more = more ?? null;
      if (total !== undefined && total !== null) this.#seeTotal(total);
      if (this.options.api?.pages) this.#refuseRepeated(items[0]);
      const others = Object.values(leftOut ?? {}).reduce((sum, count) => sum + count, 0);
      this.#countItems(items.length + others);
      const { length } = delivery;
      const share = length && Math.min(1, (this.#bytes - before) / length);
      yield { items, rows, likelyHeader, share, source: this.#source, repaired, leftOut };
    }
    const isEmpty = this.#items === itemsBefore;
    if (this.familyOf(page) !== null && isEmpty && !this.options.allowMassRemoval) {
      throw this.refuse("it has no items; --allow-mass-removal accepts it anyway");
    }
    if (isAddress(page)) {
      nextPage = this.#findNext({ address: delivery.address, next: nextPage, isEmpty });
    }
    if (nextPage === null || !isAddress(page)) {
      this.#finishPages();
      return this.#following.shift() ?? null;
    }
    this.#emptyPages = isEmpty ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages === MAX.emptyPages) {
      throw this.refuse(`${MAX.emptyPages} of its pages in a row had no items`);
    }
    this.#origin ??= new URL(delivery.address).origin;
    // The name and password of a URL are sent too; a GitHub repository has none.
    const source = isAddress(this.location) ? this.location : page;
    const { api = {} } = this.options;
    const { address, fragment } = addressNextPage(nextPage, { base: delivery.address, api });
    const { address: base } = delivery;
    return resolveNextPage(address, { base, source, origin: this.#origin, fragment });
  }

  #findNext({ address, next, isEmpty }: Pick<PageRead, "address" | "next" | "isEmpty">) {
    const { pages } = this.options.api ?? {};
    if (pages?.parameter !== undefined && pages.next === undefined) {
      // A `count` of one page is no total: what is on the first page alone proves nothing.
      const isComplete = this.#pages > 1 && this.#items === this.#more?.total;
      return isEmpty || isComplete ? null : countOn(address, pages.parameter);
    }
    const seen = { address, next, isEmpty, read: this.#items, total: this.#total };
    return this.#source!.nextPage ? this.#source!.nextPage(seen) : next;
  }

  /** A server that does not know the parameter answers with the same page again and again. */
  #refuseRepeated(first: unknown): void {
    const shown = JSON.stringify(first);
    if (shown !== undefined && shown === this.#firstOfPage) {
      throw this.refuse(
        'two of its pages begin with the same item: check "pages" in its configuration',
      );
    }
    this.#firstOfPage = shown;
  }

  async #open(
    page: string,
    delivery: Delivery,
  ): Promise<{ opening: Opening; chunks: AsyncIterable<string> }> {
    const location = showLocation(page);
    let length = 0;
    const { first, pieces } = await peek(
      await this.#decode(delivery, location),
      (piece) => (length += piece.length) >= PEEKED,
    );
    const opening: Opening = {
      location,
      contentType: delivery.contentType,
      extension: /\.(\w+)$/.exec(page.replace(/[?#].*/, ""))?.[1]?.toLowerCase() ?? "",
      text: first.join(""),
      family: this.familyOf(page),
      link: delivery.next,
      headers: delivery.headers,
      api: this.options.api,
      columns: namedColumns(this.options.fields ?? {}),
      signal: this.options.signal,
    };
    return { opening, chunks: pieces };
  }

  /** The text of a page; that of a spreadsheet is one of its sheets. */
  async #decode(delivery: Delivery, location: string): Promise<AsyncIterable<string>> {
    const { sheet, signal } = this.options;
    const cut = cutEvenly(this.#count(delivery.chunks));
    const { first: [first = new Uint8Array()], pieces } = await peek(cut, () => true);
    if (!this.options.kind && isZip(first)) this.#source ??= findSource("xlsx");
    const { unpack } = this.#source ?? {};
    if (unpack && isZip(first)) return unpack(pieces, { location, sheet, signal });
    refuseArchive(first, location);
    if (unpack) throw this.refuse("it is no spreadsheet (.xlsx)");
    return decodeText(pieces, { location, charset: delivery.charset });
  }

  /** An item that moves while pages are read would be skipped, and count as removed. */
  #finishPages(): void {
    if (this.#pages > 1 && this.#total !== null && this.#items !== this.#total) {
      throw this.refuse(`it announced ${this.#total} items, but sent ${this.#items}`);
    }
    const held = this.#items - this.#itemsOfOthers;
    const { shown, total } = this.#more ?? {};
    if (shown !== undefined && (total === null || total! > held)) {
      throw this.#refuseMore(`${shown}, but holds ${countOf(held, "item")}`);
    }
    this.#itemsOfOthers = this.#items;
  }

  /** What is not on the page would be removed. */
  #refuseMore(sign: string): SnapshotError {
    return this.refuse(
      `it is one page of more, with ${sign}: use the address of the whole or of a larger page, ` +
        'or see "One page of more" in docs/sources.md',
    );
  }

  /** The product family whose document a page is; null for any other page. */
  familyOf(page: string): string | null {
    return this.#families.get(page) ?? null;
  }

  #follow({ name, address }: Family, page: string, base: string): void {
    if (!isAddress(page)) throw this.refuse("it names documents that only its address has");
    const folder = base.replace(/[?#].*/, "").replace(/\/?$/, "/");
    this.#origin ??= new URL(base).origin;
    const options = { base: folder, source: this.location, origin: this.#origin };
    const document = resolveNextPage(address, options);
    if (this.#families.has(document)) return;
    this.#families.set(document, name);
    this.#following.push(document);
  }

  #countItems(count: number): void {
    this.#items += count;
    if (this.#items > MAX.items) throw this.refuse(`it has more than ${MAX.items} items`);
  }

  #seeTotal(total: number): void {
    if (this.#total !== null && this.#total !== total) {
      throw this.refuse("it changed while its pages were being read");
    }
    this.#total = total;
  }

  async *#count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { maxBytes = MAX_BYTES, signal } = this.options;
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      this.#bytes += chunk.byteLength;
      if (this.#bytes > maxBytes) {
        const megabytes = maxBytes / 1024 / 1024;
        throw this.refuse(
          `it is larger than ${megabytes} MB; ROADMAP_MAX_MB sets the limit`,
        );
      }
      yield chunk;
    }
  }

  refuse(reason: string): SnapshotError {
    return new SnapshotError(`Cannot read ${this.shown}: ${reason}`);
  }
}
