import { shorten } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import { findServerMessage, findWarning } from "../fetching/server_message.ts";
import type { SnapshotError } from "../snapshot_error.ts";
import { findList, listIn, MAX_LIST_DEPTH, withNamedValues } from "./find_list.ts";
import { followPages, type Page } from "./follow_pages.ts";
import { addressNextPage, bodyOf, countOn, isCounted, type JsonApi, keysOf } from "./json_api.ts";
import {
  type Document,
  type Fields,
  type Kind,
  openFirst,
  readText,
  refuse,
  type SourceToRead,
} from "./kind.ts";
import { parseJson } from "./parse_json.ts";
import { findSignOfMore, isLastPage } from "./sign_of_more.ts";
import type { Table } from "../mapping/table.ts";

/** Where tools keep their list: this interface, many of them, Jira. */
const LISTS = ["data", "items", "issues"];

/** A file or an address of JSON: an array of items, or an object that has one. */
export const json: Kind = {
  kind: "json",
  title: "JSON",
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
  const value = parseJson(readText(document, source), document);
  if (lists !== LISTS) return jsonPage(value, document, lists);
  const fields = asObject(value) ?? {};
  const cards = cardsOf(value);
  const isPlain = cards !== null || Array.isArray(value) ||
    LISTS.some((key) => Array.isArray(fields[key]));
  const found = isPlain ? null : findList(fields);
  if (found !== null && "places" in found) {
    const places = found.places.slice(0, MAX_LISTED_PLACES).map((place) => JSON.stringify(place));
    throw refuse(
      document,
      `several of its lists may be the releases, ${places.join(", ")}: keep only one of them`,
    );
  }
  const { items, about } = found ?? listIn(cards ?? value, lists, document);
  return pageFrom({ items: items.map(withNamedValues), about }, document);
}

/** The items of parsed JSON, and what it says of other pages. */
export function jsonPage(value: unknown, document: Document, lists: readonly string[]): Page {
  return pageFrom(listIn(value, lists, document), document);
}

function pageFrom({ items, about }: { items: unknown[]; about: Fields }, document: Document): Page {
  const said = items.length === 0 ? findWarning(about) : null;
  if (said !== null) throw refuse(document, `it has no items, and the server says: ${said}`);
  const given = asObject(about.links)?.next;
  // In JSON:API a link is an address, or an object with one.
  const linked = asObject(given)?.href ?? given;
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
async function readApi(source: SourceToRead, api: JsonApi): Promise<Table> {
  const start = source.location.replace(/#.*/s, "");
  const { pages } = api;
  let firstOfPage: string | undefined;
  const first = (await source.open({ address: start, request: bodyOf(start, api) }))!;
  return await followPages(source, first, (document, before) => {
    if (api.items === undefined && !pages) return readJsonPage(document, source, LISTS);
    const value = parseJson(readText(document, source), document);
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

/**
 * The cards of a board that Trello exports as JSON, with the names of their lists and of the board;
 * null for any other document.
 */
function cardsOf(value: unknown): unknown[] | null {
  const board = findBoard(value);
  if (board === null) return null;
  const lists = new Map(board.lists.map(asObject).map((list) => [list?.id, list]));
  return board.cards.map((value: unknown) => {
    const card = asObject(value);
    if (!card) return value;
    const list = lists.get(card.idList);
    return {
      ...card,
      description: card.desc,
      status: list?.name ?? null,
      product: board.name ?? null,
      archived: card.closed === true || list?.closed === true,
    };
  });
}

type Board = Record<"cards" | "lists", unknown[]> & { name?: unknown };

/** A board, or one within an object: cards without their lists would show what is archived. */
function findBoard(value: unknown, depth = 0): Board | null {
  const fields = asObject(value);
  if (fields === null || depth > MAX_LIST_DEPTH) return null;
  if (Array.isArray(fields.cards) && Array.isArray(fields.lists)) return fields as unknown as Board;
  for (const inner of Object.values(fields)) {
    const board = findBoard(inner, depth + 1);
    if (board !== null) return board;
  }
  return null;
}

const MAX_LISTED_PLACES = 12;
/** As long as an address may be. */
const MAX_CURSOR = 4_000;

/**
 * Reads one page of an API: its items, and the address or the cursor of the next page.
 *
 * @throws {SnapshotError} if it has no such list, or says that something went wrong
 */
export function readApiPage(
  value: unknown,
  document: Document,
  api: JsonApi,
): Page & { isLast: boolean } {
  const refuseIt = (reason: string) => refuse(document, reason);
  const { items: pointer = "", pages } = api;
  const items = findItems(value, pointer, refuseIt);
  const message = findServerMessage(value);
  const { errors } = asObject(value) ?? {};
  const hasFailed = Array.isArray(errors) && errors.length > 0;
  if (items === null || hasFailed) {
    const reason = hasFailed
      ? "the server reports an error"
      : pointer === ""
      ? 'it is not an array of items: name the place of its list in "items"'
      : `it has no list at ${JSON.stringify(pointer)}${describeWay(value, pointer)}`;
    throw refuseIt(message ? `${reason}: ${message}` : reason);
  }
  const around = [...pathTo(value, pointer), ...pathTo(value, nextPointer(api))]
    .map(asObject).filter((fields) => fields !== null);
  const { link } = document;
  const isLast = around.some(isLastPage);
  const next = isLast ? null : findNext(value, { api, link, refuse: refuseIt });
  const signs = around.map(findSignOfMore).filter((sign) => sign !== null);
  const counted = signs.find(({ total }) => total !== null) ?? null;
  if (next !== null) return { rows: items, next, more: counted, isLast };
  const linked = pages && link ? { shown: 'a Link header with rel="next"', total: null } : null;
  const more = linked ?? signs.find(({ total }) => total === null) ?? counted;
  return { rows: items, next, more, isLast };
}

/** A value on the way to the items, the objects around it, and its key in one that a star opened. */
interface Step {
  value: unknown;
  around: readonly object[];
  key?: string;
}

/** The items at a pointer, which may have stars; null: there is no list. */
function findItems(
  document: unknown,
  pointer: string,
  refuse: (reason: string) => SnapshotError,
): unknown[] | null {
  const keys = keysOf(pointer);
  const isStarred = keys.includes("*");
  if (!isStarred) {
    const list = pathTo(document, pointer).at(-1);
    return Array.isArray(list) ? list : null;
  }
  let steps: Step[] = [{ value: document, around: [] }];
  for (const [depth, key] of keys.entries()) {
    steps = steps.flatMap((step): Step[] => {
      const { value, around } = step;
      const inner = Array.isArray(value) ? around : [...around, value as object];
      if (key === "*") {
        if (Array.isArray(value)) return value.map((one) => ({ ...step, value: one }));
        const fields = asObject(value);
        if (fields) {
          return Object.entries(fields).map(([key, one]) => ({ value: one, around: inner, key }));
        }
        const place = `/${keys.slice(0, depth).join("/")}`;
        const what = `what it has at ${JSON.stringify(place)} is neither a list nor an object`;
        throw refuse(`${what}, so the star after it matches nothing`);
      }
      const fields = asObject(value);
      return fields && Object.hasOwn(fields, key)
        ? [{ ...step, value: fields[key], around: inner }]
        : [];
    });
  }
  const lists = steps.filter(({ value }) => Array.isArray(value) || asObject(value) !== null);
  if (lists.length === 0) return steps.length > 0 || keys.at(-1) !== "*" ? null : [];
  return lists.flatMap(({ value, around, key }) =>
    Array.isArray(value)
      ? value.map((item) => withParents(item, around, key))
      : [withParents(value, around, key)]
  );
}

/** An item from which a mapping also reaches the objects around it (`../name`), and its key. */
function withParents(item: unknown, around: readonly object[], key: string | undefined): unknown {
  if (asObject(item) === null) return item;
  let outer: object | undefined;
  for (const object of around) outer = extend(object, { "..": outer });
  return extend(item as object, { "..": outer, "@key": key });
}

/** A copy with properties that are no columns of their own. */
function extend(object: object, more: Readonly<Record<string, unknown>>): object {
  const copy = { ...object };
  for (const [name, value] of Object.entries(more)) {
    if (value !== undefined) Object.defineProperty(copy, name, { value });
  }
  return copy;
}

/** What there is where a pointer leads no further, for the message about it. */
function describeWay(document: unknown, pointer: string): string {
  const objects = pathTo(document, pointer).map(asObject);
  const depth = objects.findLastIndex((fields) => fields !== null);
  const names = Object.keys(objects[depth] ?? {}).slice(0, MAX_LISTED_PLACES).map((name) =>
    shorten(name, 50)
  );
  if (names.length === 0) return "";
  const place = depth === 0
    ? "it"
    : JSON.stringify(`/${keysOf(pointer).slice(0, depth).join("/")}`);
  return `; ${place} has ${names.map((name) => JSON.stringify(name)).join(", ")}`;
}

function nextPointer({ pages }: JsonApi): string {
  return pages?.next?.startsWith("/") ? pages.next : "";
}

/** The address or the cursor of the next page; many servers keep an empty one on the last page. */
function findNext(
  document: unknown,
  { api, link, refuse }: {
    api: JsonApi;
    link: string | null;
    refuse: (reason: string) => SnapshotError;
  },
): string | null {
  if (api.pages?.next === "Link") return link;
  const pointer = nextPointer(api);
  if (pointer === "") return null;
  const found = pathTo(document, pointer).at(-1);
  if (found === null || found === undefined || found === "" || found === false) return null;
  if (typeof found !== "string" && typeof found !== "number") {
    throw refuse(`what it has at ${JSON.stringify(pointer)} is neither text nor a number`);
  }
  const text = String(found);
  if (text.length > MAX_CURSOR) {
    throw refuse(
      `what it has at ${JSON.stringify(pointer)} is longer than ${MAX_CURSOR} characters`,
    );
  }
  return text;
}

function pathTo(document: unknown, pointer: string): unknown[] {
  const path = [document];
  for (const key of keysOf(pointer)) {
    const outer = path.at(-1);
    const isThere = typeof outer === "object" && outer !== null && Object.hasOwn(outer, key);
    path.push(isThere ? (outer as Record<string, unknown>)[key] : undefined);
  }
  return path;
}
