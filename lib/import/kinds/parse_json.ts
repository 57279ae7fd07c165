import { parse as parseLoosely, type ParseError, printParseErrorCode } from "jsonc-parser";
import { quote, shorten } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import { isAddress } from "../fetching/location.ts";
import { type Document, refuse, type SignOfMore } from "./kind.ts";

/** What servers put before JSON, so that no script of another site can run it. */
const GUARD = /^\)\]\}'?,?\s{0,9}\r?\n?/;
/** Longer whole numbers lose their last digits. */
const MAY_BE_LARGE = /\d{16}/;
const LARGE = /^-?\d{16,}$/;
const OR = new Intl.ListFormat("en", { type: "disjunction" });

/**
 * Parses the text of a document as JSON. Whole numbers that JavaScript cannot hold are kept as they
 * are written.
 *
 * @throws {SnapshotError} that says in words what is wrong, and in which line
 */
export function parseJson(text: string, document: Pick<Document, "shown">): unknown {
  const json = text.trimStart().replace(GUARD, "");
  if (json.trim() === "") throw refuse(document, "it is empty");
  if (json.startsWith("<")) throw refuseMarkup(json, document);
  try {
    return MAY_BE_LARGE.test(json) ? JSON.parse(json, keepLarge) : JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { at, what } = findJsonMistake(json);
    const line = text.slice(0, text.length - json.length + at).split("\n").length;
    throw refuse(
      document,
      at >= json.trimEnd().length && !what.startsWith("another")
        ? "it is incomplete JSON: the end is missing"
        : `it is not JSON: line ${line} has ${what}`,
    );
  }
}

function keepLarge(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source } = context ?? {};
  return source !== undefined && typeof value === "number" && LARGE.test(source) ? source : value;
}

/** Refuses markup in place of data: often the page of a login, or of a spreadsheet. */
export function refuseMarkup(text: string, document: Pick<Document, "shown">) {
  const what = text.startsWith("<?xml") ? "XML" : "an HTML page";
  const advice = isAddress(document.shown)
    ? "use the address of the data itself, one that needs no login"
    : "save its table as CSV or as a spreadsheet (.xlsx)";
  return refuse(document, `it is ${what}, not JSON, NDJSON or CSV: ${advice}`);
}

/** A text, a word or a number that goes on to the end of the document. */
const CUT = /^\s*$|^"(?:[^"\\\p{Cc}]|\\.)*$|^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-)$/u;

/** What JSON has nowhere, by how it begins. */
const STRANGERS: readonly (readonly [begins: RegExp, say: (found: string) => string])[] = [
  [/^'[^]{0,39}/, (found) => `an apostrophe, where JSON has quotation marks: ${quote(found)}`],
  [/^\/[/*]/, () => "a comment, which JSON has not"],
  [
    /^[\p{L}_$][\p{L}\p{N}_$.]{0,60}(?=\()/u,
    (found) => `a call of "${found}" (JSONP): use the address without its callback`,
  ],
  [
    /^(?:NaN|Infinity|undefined|None)\b/,
    (found) => `"${found}", which JSON has not: write null for no value`,
  ],
  [
    /^(?:True|False)\b/,
    (found) => `"${found}", which JSON has not: write true and false in lower case`,
  ],
  [
    /^(?!(?:true|false|null)\b)[\p{L}_$][\p{L}\p{N}_$.]{0,60}/u,
    (found) => `"${found}", which JSON has not: texts and names stand in quotation marks`,
  ],
];

/** Where a text stops being JSON, and what stands there. */
export function findJsonMistake(text: string): { at: number; what: string } {
  const errors: ParseError[] = [];
  parseLoosely(text, errors, { disallowComments: true });
  const [first] = errors.toSorted((one, other) => one.offset - other.offset);
  const rest = first && text.slice(first.offset);
  if (rest === undefined || CUT.test(rest)) return { at: text.length, what: "no end" };
  const at = first!.offset;
  for (const [begins, say] of STRANGERS) {
    const found = begins.exec(rest)?.[0];
    if (found !== undefined) return { at, what: say(found) };
  }
  return { at, what: describeMistake(first!, rest, text.slice(0, at).trimEnd().at(-1)) };
}

function describeMistake({ error, length }: ParseError, rest: string, before?: string): string {
  const found = quote(rest.slice(0, length));
  const around = quote(rest.slice(0, 40));
  const code = printParseErrorCode(error);
  if (code === "EndOfFileExpected") return `another value after its end: ${around}`;
  if (/String|InvalidCharacter/.test(code)) {
    return `a text that a line break or control character interrupts: ${around}`;
  }
  if (/Escape|Unicode/.test(code)) {
    const wrong = /\\(?!["\\/bfnrt]|u[0-9a-f]{4})./is.exec(rest)?.[0] ?? "";
    return `a wrong escape, ${quote(wrong)}, in the text ${around}`;
  }
  if (/Number/.test(code)) return `${found}, which is no number in JSON`;
  if (code === "ColonExpected") return `no colon before ${found}`;
  if (/^[}\]]/.test(rest)) {
    return before === ","
      ? `a comma before ${found}, after which nothing comes`
      : `a ${found} that nothing has opened`;
  }
  if (rest.startsWith(",")) return "a comma with nothing before it";
  return code === "InvalidSymbol"
    ? `${quote(rest[0]!)}, which JSON has not there: ${around}`
    : `no comma before ${found}`;
}

/** The list in a document, and what is said beside it. */
interface JsonList {
  items: unknown[];
  /** Empty of a document that is the list itself. */
  about: Readonly<Record<string, unknown>>;
}

/**
 * The items of a document: an array of them, or an object with a list of them under one of some
 * keys (interface specification, 2.2 to 2.4).
 *
 * @throws {SnapshotError} if it has no list, or more than one
 */
export function listIn(
  value: unknown,
  lists: readonly string[],
  document: Pick<Document, "shown">,
): JsonList {
  if (Array.isArray(value)) return { items: value, about: {} };
  const fields = asObject(value) ?? {};
  const [list, other] = Object.keys(fields).filter((key) =>
    lists.includes(key) && Array.isArray(fields[key])
  );
  if (list === undefined) throw refuseShape(fields, lists, document);
  // With several lists it is unclear which one is the roadmap.
  if (
    other !== undefined && (fields[list] as unknown[]).length > 0 &&
    (fields[other] as unknown[]).length > 0
  ) {
    throw refuse(
      document,
      `both its "${list}" and its "${other}" are lists: keep only the one with the releases`,
    );
  }
  const found = other !== undefined && (fields[list] as unknown[]).length === 0 ? other : list;
  const { [found]: items, ...about } = fields;
  return { items: items as unknown[], about };
}

function refuseShape(
  fields: Readonly<Record<string, unknown>>,
  lists: readonly string[],
  document: Pick<Document, "shown">,
) {
  const names = OR.format(lists.map((list) => `"${list}"`));
  const sign: SignOfMore | null = findSignOfMore(fields);
  const more = sign && `; with ${sign.shown} it may be one page of more as well: see ` +
      '"One page of more" in docs/sources.md';
  const deep = listsBelow(fields, "").toSorted((one, other) => other.count - one.count)[0];
  const place = deep
    ? `; name the place of its list, {"items": ${JSON.stringify(deep.pointer)}}` +
      (more ? "" : ', and how its pages are followed, if it has several ("pages")')
    : "";
  return refuse(
    document,
    `it is neither an array of items nor an object whose ${names} is one${place}${more ?? ""}`,
  );
}

/** The lists of objects in a document, with the pointers to them. */
function listsBelow(fields: Fields, place: string): { pointer: string; count: number }[] {
  if (place.split("/").length > 4) return [];
  return Object.entries(fields).flatMap(([key, value]) => {
    const pointer = `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (Array.isArray(value)) {
      return asObject(value[0]) === null ? [] : [{ pointer, count: value.length }];
    }
    const inner = asObject(value);
    return inner ? listsBelow(inner, pointer) : [];
  });
}

type Fields = Readonly<Record<string, unknown>>;

const words = (text: string) => new Set(text.split(" "));
const NEXT = words(
  "next nextcursor nextlink nextoffset nextpage nextpagetoken nextpageurl nextrecordsurl " +
    "nexttoken nexturl @odata.nextlink",
);
/** `more_topics_url`, as forums name it after what they list. */
const MORE_LINK = /^(?:more|next)\w+(?:url|link|href)$/;
const HAS_MORE = words("hasmore hasnext hasnextpage more moreresults");
const IS_LAST = words("islast islastpage last lastpage");
/** How many pages there are, and the number of this one. */
const PAGES = words("lastpage pagecount pages pagestotal totalpages");
const PAGE = words("currentpage page pageindex pagenumber pageno");
const TOTALS = words(
  "count total totalcount totalelements totalhits totalitems totalrecords totalresults " +
    "totalsize @odata.count",
);
/** The objects and lists that keep such signs, besides the document itself. */
const PLACES = words(
  "cursor cursors info link links meta metadata page pageinfo pages paging pagination resultinfo",
);
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

/** The document itself, and the objects in it that keep such signs, each with its path. */
function placesIn(fields: Fields, path = "", depth = 0): [place: string, fields: Fields][] {
  const inner = Object.entries(fields).flatMap(([key, value]) => {
    const place = `${path}${key}.`;
    const isPlace = PLACES.has(plain(key));
    if (isPlace && Array.isArray(value)) return [[place, linksIn(value)] as [string, Fields]];
    const object = depth < MAX_PLACE_DEPTH ? asObject(value) : null;
    if (object === null) return [];
    return placesIn(object, place, depth + 1).slice(isPlace ? 0 : 1);
  });
  return [[path, fields], ...inner];
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

function signsIn(fields: Fields, place: string): SignOfMore[] {
  const page = Object.entries(fields).find(([key]) => PAGE.has(plain(key)))?.[1];
  const current = typeof page === "number" ? Math.max(1, page) : 1;
  return Object.entries(fields).flatMap(([key, value]): SignOfMore[] => {
    const name = plain(key);
    const shown = `"${place}${key}": ${JSON.stringify(value)}`;
    const isPage = PAGES.has(name) && typeof value === "number" && value > current;
    const isMore = isPage || (NEXT.has(name) || MORE_LINK.test(name)) && isGiven(value) ||
      HAS_MORE.has(name) && value === true ||
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
