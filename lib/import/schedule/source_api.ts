import { z } from "zod";
import { isAddress } from "../fetching/location.ts";
import { hasPlaceInBody, isCounted, keysOf, PLACE, POINTER } from "../kinds/json_api.ts";
import { asObject } from "../../text/values.ts";

const POINTER_EXAMPLE = "a JSON pointer, such as /data/items";
const NEXT_EXAMPLE = 'a JSON pointer, such as /meta/next, or "Link"';
const PAGES_EXAMPLE = 'must be an object such as {"next": "/next_cursor", "parameter": "cursor"}';

const PAGES = z.strictObject({
  by: z.enum(["pages", "items"], 'must be "pages" or "items"').optional()
    .describe("What parameter counts, if there is no next: pages (default), or items"),
  next: z.string(`must be ${NEXT_EXAMPLE}`)
    .refine(
      (text) => text === "Link" || text !== "" && POINTER.test(text),
      `must be ${NEXT_EXAMPLE}`,
    )
    .optional()
    .describe("JSON pointer to the address or the cursor of the next page, or Link, the header"),
  parameter: z.string("must be text").trim().min(1, "must not be empty").max(100).optional()
    .describe("Query parameter that takes the cursor, or a JSON pointer into the body"),
}, {
  error: ({ code }) => code === "unrecognized_keys" ? undefined : PAGES_EXAMPLE,
});

/** The keys of a source that say how an API is asked page by page. */
export const API_KEYS = {
  items: z.string(`must be ${POINTER_EXAMPLE}`).regex(POINTER, `must be ${POINTER_EXAMPLE}`)
    .optional()
    .describe(
      "JSON pointer to the list of items, where * is each of a list or object; default: the document",
    ),
  pages: PAGES.optional().describe("How the next page is found"),
  method: z.enum(["GET", "POST"], "must be GET or POST").optional()
    .describe("Default: GET, with a body POST"),
  body: z.union(
    [z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())],
    "must be text or JSON",
  ).optional().describe(`Body of the requests; ${PLACE} stands for the cursor of the page`),
};

const KEYS = ["items", "pages", "method", "body"] as const;

/** A source before it is known to be without mistakes. */
type RawSource = Readonly<Record<string, unknown>>;

/** What is wrong between the keys of one source: the key, and why. */
export function* findApiMistakes(source: RawSource): Generator<[key: string, reason: string]> {
  const given = KEYS.filter((key) => source[key] !== undefined);
  const { from, kind, method, body } = source;
  if (given.length === 0) return;
  if (kind !== undefined && kind !== "json") {
    for (const key of given) yield [key, 'is for sources of kind "json" only'];
    return;
  }
  const isAsked = given.some((key) => key !== "items");
  if (isAsked && typeof from === "string" && !isAddress(from.trim())) {
    yield ["from", `must be an http or https address to use ${given.join(", ")}`];
  }
  if (method === "GET" && body !== undefined) yield ["body", 'requires "method": "POST"'];
  const { success, data: pages } = PAGES.optional().safeParse(source.pages);
  if (!success) return;
  const isFilled = hasPlaceInBody({ body, pages });
  if (pages === undefined) {
    if (isFilled) yield ["body", `has ${PLACE}, but "pages" is missing`];
    return;
  }
  const { by, next, parameter } = pages;
  if (by !== undefined && next !== undefined) {
    yield ["pages.by", 'cannot be combined with "next", which names the next page'];
  }
  if (next === undefined && parameter === undefined) {
    yield ["pages", 'requires "next" or "parameter"'];
  }
  if (next === "Link" && (parameter !== undefined || isFilled)) {
    yield [
      "pages",
      '"Link" cannot be combined with "parameter": it is the full address of the next page',
    ];
  }
  if (next === undefined && isFilled && !parameter?.startsWith("/")) {
    yield ["pages.next", `is required with ${PLACE}: pages are counted in a parameter`];
  }
  const start = parameter && isCounted({ pages }) ? firstNumber(source, parameter) : undefined;
  if (start !== undefined && !/^\d{1,9}$/.test(String(start))) {
    yield ["pages.parameter", `counts from ${JSON.stringify(start)}, which is not a whole number`];
  }
  if (parameter?.startsWith("/")) {
    if (!POINTER.test(parameter)) yield ["pages.parameter", `must be ${POINTER_EXAMPLE}`];
    if (asObject(body) === null) {
      yield ["pages.parameter", 'is a JSON pointer, so "body" must be an object'];
    }
  }
}

/** What a source's address or body has where pages are counted; undefined: nothing. */
function firstNumber({ from, body }: RawSource, parameter: string): unknown {
  if (!parameter.startsWith("/")) {
    return URL.parse(String(from))?.searchParams.get(parameter) ?? undefined;
  }
  return keysOf(parameter).reduce<unknown>((value, key) => asObject(value)?.[key], body);
}
