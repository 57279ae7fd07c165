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

/** A body as text. */
export function showBody(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}
