import { asObject } from "../../text/values.ts";
import { followPages, type Page } from "./follow_pages.ts";
import { addressNextPage, bodyOf, countOn } from "./next_request.ts";
import { isCounted, type JsonApi } from "./json_api.ts";
import {
  type Document,
  type Kind,
  openFirst,
  type ReadRows,
  refuse,
  type SourceToRead,
  textOf,
} from "./kind.ts";
import { listIn, parseJson } from "./parse_json.ts";
import { readApiPage } from "./read_api_page.ts";
import { findSignOfMore } from "./sign_of_more.ts";
import { cardsOf } from "./trello_board.ts";

/** Where tools keep their list: this interface, many of them, Jira. */
const LISTS = ["data", "items", "issues"];

/** A file or an address of JSON: an array of items, or an object that has one. */
export const json: Kind = {
  kind: "json",
  recognises: ({ text }) => /^\s*(?:[[{]|\)\]\})/.test(text),
  async read(source) {
    const { api } = source;
    if (api) return await readApi(source, api);
    const first = await openFirst(source);
    return await followPages(source, first, (document) => readJsonPage(document, source, LISTS));
  },
};

/** A page of JSON, whose `links.next` or Link header may name the next one. */
export function readJsonPage(
  document: Document,
  source: SourceToRead,
  lists: readonly string[],
): Page {
  const value = parseJson(textOf(document, source), document);
  const cards = lists === LISTS ? cardsOf(value) : null;
  return jsonPage(cards ?? value, document, lists);
}

/** The items of parsed JSON, and what it says of other pages. */
export function jsonPage(value: unknown, document: Document, lists: readonly string[]): Page {
  const { items, about } = listIn(value, lists, document);
  const linked = asObject(about.links)?.next;
  const { "@odata.count": count, "@odata.nextLink": nextLink } = about;
  const next = [linked, nextLink].find((link) => typeof link === "string") ?? document.link;
  const signs = { ...about };
  if (typeof linked === "string") delete signs.links;
  // A count is more exact than a link, which the last page may have as well.
  if (typeof count === "number") delete signs["@odata.nextLink"];
  const total = count ?? asObject(about.pagination)?.total_items;
  return {
    rows: items,
    next: next as string | null,
    total: typeof total === "number" ? total : null,
    more: findSignOfMore(signs),
  };
}

/** Reads an API page by page, as its configuration says. */
async function readApi(source: SourceToRead, api: JsonApi): Promise<ReadRows> {
  const start = source.location.replace(/#.*/s, "");
  const { pages } = api;
  let firstOfPage: string | undefined;
  const first = (await source.open({ address: start, request: bodyOf(start, api) }))!;
  return await followPages(source, first, (document, before) => {
    if (api.items === undefined && !pages) return readJsonPage(document, source, LISTS);
    const value = parseJson(textOf(document, source), document);
    const { isLast, ...page } = readApiPage(value, document, api);
    const shown = JSON.stringify(page.rows[0]);
    if (pages && shown !== undefined && shown === firstOfPage) {
      // A server that does not know the parameter answers with the same page again and again.
      throw refuse(
        document,
        'two of its pages begin with the same item: check "pages" in its configuration',
      );
    }
    firstOfPage = shown;
    if (!isCounted(api)) return page;
    const items = before.items + page.rows.length;
    // A `count` of one page is no total: what is on the first page alone proves nothing.
    const isComplete = before.pages > 0 && items === page.more?.total;
    const isEnd = isLast || page.rows.length === 0 || isComplete;
    const next = countOn(start, api, { pages: before.pages + 1, items });
    return { ...page, next: isEnd ? null : next };
  }, (next, { address: base }) => {
    const { address, fragment } = addressNextPage(next, { base, api });
    const url = fragment === "" ? address : `${address}#${fragment}`;
    return { address, base, request: bodyOf(url, api) };
  });
}
