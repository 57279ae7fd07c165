import { shorten } from "../../text/phrases.ts";
import { type SignOfMore } from "./kind.ts";
import { asObject } from "../../text/values.ts";

type Fields = Readonly<Record<string, unknown>>;

const words = (text: string) => new Set(text.split(" "));
const NEXT = words(
  "next nextcursor nextlink nextoffset nextpage nextpagetoken nextpageurl nextrecordsurl " +
    "nexttoken nexturl @odata.nextlink",
);
const HAS_MORE = words("hasmore hasnext hasnextpage more moreresults");
const IS_LAST = words("islast islastpage last lastpage");
const TOTALS = words(
  "count total totalcount totalelements totalhits totalitems totalrecords totalresults " +
    "totalsize @odata.count",
);
/** The objects that keep such signs, besides the document itself. */
const PLACES = words("links meta metadata page pageinfo paging pagination");

/**
 * What in the fields beside a list says that it is one page of more, as the APIs of trackers write
 * it; null if nothing does.
 *
 * ```ts
 * if (findSignOfMore({ isLast: true }) !== null) throw new Error();
 * if (findSignOfMore({ page: { has_more: true } })?.shown !== '"page.has_more": true') throw new Error();
 * ```
 */
export function findSignOfMore(about: Readonly<Record<string, unknown>>): SignOfMore | null {
  const signs = placesIn(about).flatMap(([place, fields]) => signsIn(fields, place));
  const largest = Math.max(...signs.map(({ total }) => total ?? Infinity));
  return signs.find(({ total }) => (total ?? Infinity) === largest) ?? null;
}

/** Whether the fields beside a list say that it is the last page. */
export function isLastPage(about: Readonly<Record<string, unknown>>): boolean {
  return placesIn(about).some(([, fields]) =>
    Object.entries(fields).some(([key, value]) =>
      IS_LAST.has(plain(key)) && value === true || HAS_MORE.has(plain(key)) && value === false
    )
  );
}

/** The document itself, and the objects in it that keep such signs. */
function placesIn(about: Fields): [place: string, fields: Fields][] {
  const inner = Object.entries(about).filter(([key]) => PLACES.has(plain(key)));
  return [
    ["", about],
    ...inner.map(([key, value]): [string, Fields] => [
      `${key}.`,
      asObject(value) ?? {},
    ]),
  ];
}

function signsIn(fields: Fields, place: string): SignOfMore[] {
  return Object.entries(fields).flatMap(([key, value]): SignOfMore[] => {
    const name = plain(key);
    const shown = `"${place}${key}": ${JSON.stringify(value)}`;
    const isMore = NEXT.has(name) && isGiven(value) || HAS_MORE.has(name) && value === true ||
      IS_LAST.has(name) && value === false;
    if (isMore) return [{ shown: shorten(shown, 100), total: null }];
    return TOTALS.has(name) && typeof value === "number" ? [{ shown, total: value }] : [];
  });
}

/** Many servers keep the key on the last page: null, empty, false or an empty object. */
function isGiven(value: unknown): boolean {
  const fields = asObject(value);
  return fields ? Object.keys(fields).length > 0 : Boolean(value);
}

/** `has_more`, `hasMore` and `has-more` are one name. */
function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, "");
}
