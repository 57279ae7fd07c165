import { asObject, mapTexts } from "../../text/values.ts";

/** How an API in JSON is asked, and where its answers hold what (RFC 6901). */
export interface JsonApi {
  /**
   * A pointer to the list of items, in which `*` is each item of a list and each value of an object;
   * absent: the document is the list.
   */
  readonly items?: string;
  readonly pages?: {
    /** What is counted where nothing names the next page; absent: pages. */
    readonly by?: "pages" | "items";
    /** A pointer to the address or the cursor of the next page, or `Link`; absent: they are counted. */
    readonly next?: string;
    /** What takes the cursor, in the query, or as a pointer in the body; absent: `next` is an address. */
    readonly parameter?: string;
  };
  readonly method?: "GET" | "POST";
  /** A text, or JSON; a cursor stands in it as `{next}`. */
  readonly body?: unknown;
}

/** What stands in a body for the cursor of the next page. */
export const PLACE = "{next}";

/** A JSON pointer (RFC 6901). */
export const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/**
 * The keys of a JSON pointer.
 *
 * ```ts
 * if (keysOf("/a~1b/0").join(" ") !== "a/b 0") throw new Error();
 * ```
 */
export function keysOf(pointer: string): string[] {
  return pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether the pages are counted, by a parameter of the query or a value of the body. */
export function isCounted({ pages }: JsonApi): boolean {
  return pages !== undefined && pages.next === undefined;
}

/** Whether the cursor of the next page stands in the body. */
export function hasPlaceInBody({ body, pages }: JsonApi): boolean {
  return pages?.parameter?.startsWith("/") || body !== undefined && showBody(body).includes(PLACE);
}

function showBody(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** A request with a body. */
export interface RequestBody {
  method: "POST";
  body: string;
  contentType: string;
}

/**
 * The address of the next page. A cursor that the body takes is its fragment, which is never sent:
 * so every page has an address of its own.
 */
export function addressNextPage(
  found: string,
  { base, api }: { base: string; api: JsonApi },
): { address: string; fragment: string } {
  if (hasPlaceInBody(api)) return { address: base, fragment: encodeURIComponent(found) };
  const parameter = api.pages?.parameter;
  const address = parameter === undefined ? found : setParameters(base, { [parameter]: found });
  return { address, fragment: "" };
}

/**
 * An address with other values of parameters; the rest of its query stays as it is written. A `$`
 * needs no escape there (RFC 3986, section 3.4).
 *
 * ```ts
 * const next = setParameters("https://example.com/a?$top=2&page=1", { page: "2" });
 * if (next !== "https://example.com/a?$top=2&page=2") throw new Error(next);
 * ```
 */
export function setParameters(address: string, values: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  const given = Object.entries(values).map((pair) =>
    pair.map(encodeURIComponent).join("=").replaceAll("%24", "$")
  );
  const kept = url.search.slice(1).split("&").filter((part) => {
    const [name] = new URLSearchParams(part).keys();
    return name !== undefined && !Object.hasOwn(values, name);
  });
  url.search = [...kept, ...given].join("&");
  return url.href;
}

/**
 * What asks for the page after those that were read: the number of the page, or of its first item.
 * It goes on from the number in the first address or body; without one, pages begin at 1 and items
 * at 0.
 */
export function countOn(
  start: string,
  { body, pages }: JsonApi,
  read: { pages: number; items: number },
): string {
  const parameter = pages!.parameter!;
  const isOfItems = pages!.by === "items";
  const first = Number(countedFrom(start, body, parameter) ?? (isOfItems ? 0 : 1));
  return String(first + (isOfItems ? read.items : read.pages));
}

/** What stands where pages are counted, in the first address or body; undefined: nothing. */
export function countedFrom(start: string, body: unknown, parameter: string): unknown {
  return parameter.startsWith("/")
    ? keysOf(parameter).reduce<unknown>((value, key) => asObject(value)?.[key], readJson(body))
    : URL.parse(start)?.searchParams.get(parameter) ?? undefined;
}

/** What a page is asked for with; null: a GET. */
export function bodyOf(page: string, api: JsonApi): RequestBody | null {
  const { method = "GET", body, pages } = api;
  if (method === "GET" && body === undefined) return null;
  const cursor = decodeURIComponent(new URL(page).hash.slice(1));
  const json = readJson(body);
  if (json === undefined) {
    const text = showBody(body ?? "").replaceAll(PLACE, () => cursor);
    return { method: "POST", body: text, contentType: "text/plain;charset=UTF-8" };
  }
  const filled = mapTexts(json, (text) => text.replaceAll(PLACE, () => cursor));
  const pointer = pages?.parameter?.startsWith("/") ? pages.parameter : null;
  if (pointer !== null && cursor !== "") {
    put(filled, keysOf(pointer), isCounted(api) ? Number(cursor) : cursor);
  }
  return { method: "POST", body: JSON.stringify(filled), contentType: "application/json" };
}

/** A text may be JSON as well; undefined where it is not. */
function readJson(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === "object" && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Puts a value into a document; objects on the way that are missing are made. */
function put(document: unknown, keys: readonly string[], value: string | number): void {
  const [key, ...inner] = keys;
  const fields = document as Record<string, unknown>;
  if (inner.length === 0) fields[key!] = value;
  else put(fields[key!] = asObject(fields[key!]) ?? {}, inner, value);
}
