import { shorten } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import type { Fields, SignOfMore } from "./kind.ts";

/** Names of the next page, or of what asks for it, wherever they stand: `nextPageToken`. */
const NEXT =
  /^(?:@?odata\.?)?(?:next|continuation|continue|lastevaluated)(?:continuation|page|records?|results?|set|start)*(?:cursor|href|id|key|link|marker|number|offset|page|token|uri|url)s?$/;
/** `more_topics_url`, as forums name it after what they list. */
const MORE_LINK = /^(?:more|next)\w+(?:url|link|href)$/;
/** The same beside the list, or where pages are spoken of. */
const NEXT_HERE = /^(?:next(?:page)?|continuation)$/;
/** Names of what is true where there is more: `has_more`, `moreDataAvailable`, `IsTruncated`. */
const MORE_NAME =
  /^(?:has|is|are)?(?:more|next)(?:data|items|pages?|records?|results?)*(?:available)?$|^(?:is)?truncated$|^incompleteresults$/;
const MORE_HERE = /^(?:more|next)$/;
/** Names of what is true of the last page only. */
const IS_LAST = /^(?:is)?(?:final|last)(?:page)?$/;
/** How many pages there are, and the number of this one. */
const PAGES_NAME = /^(?:(?:total|num|number)?(?:of)?pages(?:count|total)?|lastpage|pagecount)$/;
const PAGE = /^(?:current)?page(?:index|no|number)?$/;
/** How many items there are in all. */
const TOTALS =
  /^(?:@?odata\.?)?(?:(?:total|item|record|result|row|hit)s?count|count|total(?:elements|entries|found|hits|issues|items|matches|records|results|rows|size)?|num(?:ber)?found)$/;
/** The objects and lists that keep such signs, besides the document itself: `response_metadata`. */
const PLACE_NAME =
  /(?:cursors?|links?|meta|metadata|page|pageinfo|pages|paging|pagination)$|^(?:result)?info$/;
/** Nobody hides them deeper. */
const MAX_PLACE_DEPTH = 3;

/**
 * What in the fields beside a list says that it is one page of more, as the APIs of trackers write
 * it; null if nothing does.
 *
 * ```ts
 * if (findSignOfMore({ isLast: true }) !== null) throw new Error();
 * if (findSignOfMore({ page: { has_more: true } })?.shown !== '"page.has_more": true') throw new Error();
 * ```
 */
export function findSignOfMore(about: Fields): SignOfMore | null {
  const signs = placesIn(about).flatMap(signsIn);
  const largest = Math.max(...signs.map(({ total }) => total ?? Infinity));
  return signs.find(({ total }) => (total ?? Infinity) === largest) ?? null;
}

/** Whether the fields beside a list say that it is the last page. */
export function isLastPage(about: Fields): boolean {
  return placesIn(about).some(({ fields, isPlace }) =>
    Object.entries(fields).some(([key, value]) =>
      value === true && isPlace && IS_LAST.test(plain(key)) ||
      value === false && isMore(plain(key), isPlace)
    )
  );
}

/** Fields that may have such signs. */
interface SignPlace {
  path: string;
  fields: Fields;
  /** Pages are spoken of there; elsewhere only a name that means nothing else is a sign. */
  isPlace: boolean;
}

/** The document itself, and the objects in it, each with its path. */
function placesIn(
  fields: Fields,
  path = "",
  isPlace = true,
  depth = 0,
): SignPlace[] {
  const inner = Object.entries(fields).flatMap(([key, value]): SignPlace[] => {
    const next = `${path}${key}.`;
    const isInner = PLACE_NAME.test(plain(key));
    if (isInner && Array.isArray(value)) {
      return [{ path: next, fields: linksIn(value), isPlace: true }];
    }
    const object = depth < MAX_PLACE_DEPTH ? asObject(value) : null;
    return object === null ? [] : placesIn(object, next, isInner, depth + 1);
  });
  return [{ path, fields, isPlace }, ...inner];
}

/** Links by what they lead to, as HAL, FHIR and others list them. */
function linksIn(list: readonly unknown[]): Fields {
  return Object.fromEntries(
    list.map(asObject).filter((link) => link !== null).map((link) => [
      String(link.rel ?? link.relation ?? ""),
      link.href ?? link.url ?? link.uri,
    ]),
  );
}

function signsIn({ path, fields, isPlace }: SignPlace): SignOfMore[] {
  const page = Object.entries(fields).find(([key]) => PAGE.test(plain(key)))
    ?.[1];
  const current = typeof page === "number" ? Math.max(1, page) : 1;
  return Object.entries(fields).flatMap(([key, value]): SignOfMore[] => {
    const name = plain(key);
    const shown = `"${path}${key}": ${JSON.stringify(value)}`;
    const isNext = NEXT.test(name) || MORE_LINK.test(name) || isPlace && NEXT_HERE.test(name) ||
      // Where the page begins is a number; a text is what asks for the next one.
      isPlace && name === "offset" && typeof value === "string" &&
        !/^\d*$/.test(value);
    const saysMore = isNext && isGiven(value) ||
      isMore(name, isPlace) && value === true ||
      isPlace && IS_LAST.test(name) && value === false ||
      isPlace && PAGES_NAME.test(name) && typeof value === "number" &&
        value > current;
    if (saysMore) return [{ shown: shorten(shown, 100), total: null }];
    return isPlace && TOTALS.test(name) && typeof value === "number"
      ? [{ shown, total: value }]
      : [];
  });
}

function isMore(name: string, isPlace: boolean): boolean {
  return MORE_HERE.test(name) ? isPlace : MORE_NAME.test(name);
}

/** Many servers keep the key on the last page: null, empty, false or an empty object. */
function isGiven(value: unknown): boolean {
  const fields = asObject(value);
  return fields ? Object.values(fields).some(isGiven) : Boolean(value);
}

/** `has_more`, `hasMore` and `has-more` are one name. */
function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, "");
}
