import { asObject } from "../../text/values.ts";
import { shorten } from "../../text/phrases.ts";
import { findServerMessage } from "../fetching/server_message.ts";
import type { SnapshotError } from "../snapshot_error.ts";
import type { Page } from "./follow_pages.ts";
import { type JsonApi, keysOf } from "./json_api.ts";
import { type Document, refuse as refuseDocument, type SignOfMore } from "./kind.ts";
import { findSignOfMore, isLastPage } from "./sign_of_more.ts";

/** At most this many names are listed. */
const MAX_LISTED = 12;
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
  const refuse = (reason: string) => refuseDocument(document, reason);
  const { items: pointer = "", pages } = api;
  const items = findItems(value, pointer, refuse);
  const message = findServerMessage(value);
  const { errors } = asObject(value) ?? {};
  const hasFailed = Array.isArray(errors) && errors.length > 0;
  if (items === null || hasFailed) {
    const reason = hasFailed
      ? "the server reports an error"
      : pointer === ""
      ? 'it is not an array of items: name the place of its list in "items"'
      : `it has no list at ${JSON.stringify(pointer)}${describeWay(value, pointer)}`;
    throw refuse(message ? `${reason}: ${message}` : reason);
  }
  const around = [...pathTo(value, pointer), ...pathTo(value, nextPointer(api))]
    .map(asObject).filter((fields) => fields !== null);
  const { link } = document;
  const isLast = around.some(isLastPage);
  const next = isLast ? null : findNext(value, { api, link, refuse });
  const more = next === null ? findMore(around, pages && link) : totalIn(around);
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
        throw refuse(`${what}, so the star behind it opens nothing`);
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
  const names = Object.keys(objects[depth] ?? {}).slice(0, MAX_LISTED).map((name) =>
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

/** What says that there is more than this page, though it names no next one. */
function findMore(
  around: readonly Readonly<Record<string, unknown>>[],
  link: string | null | undefined,
): SignOfMore | null {
  const signs = around.map(findSignOfMore).filter((sign) => sign !== null);
  if (link) return { shown: 'a Link header with rel="next"', total: null };
  return signs.find(({ total }) => total === null) ?? signs[0] ?? null;
}

/** How many items there are in all, for pages that are counted. */
function totalIn(around: readonly Readonly<Record<string, unknown>>[]): SignOfMore | null {
  return around.map(findSignOfMore).find((sign) => sign?.total != null) ?? null;
}

/** The values from the document to where a pointer leads. */
function pathTo(document: unknown, pointer: string): unknown[] {
  const path = [document];
  for (const key of keysOf(pointer)) {
    const outer = path.at(-1);
    const isThere = typeof outer === "object" && outer !== null && Object.hasOwn(outer, key);
    path.push(isThere ? (outer as Record<string, unknown>)[key] : undefined);
  }
  return path;
}
