import type { parseFeed } from "feedsmith";
import { escapeMarks, htmlToMarkdown } from "../../text/markdown.ts";
import { quote, shorten, toLine } from "../../text/phrases.ts";
import { decodeEntities, toPlainText } from "../../text/plain_text.ts";
import { parseLanguage } from "../../text/foreign.ts";
import { readDate } from "../mapping/read_date.ts";
import { type Document, hasKey, type Kind, openFirst, readText, refuse } from "./kind.ts";
import { textBeforeFeed } from "./other_formats.ts";
import { ZERO_WIDTH } from "../mapping/tidy_text.ts";

/** What may stand before the root of a document. */
const PROLOGUE = /(?:\s+|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^<>[]*>)*/iy;
const ROOT = /<(?:\w+:)?(?:rss|feed|rdf)[\s>]/iy;
const FEED_TYPE = /^(?:application\/)?(?:rss|atom|rdf)(?:\+xml)?$/;
const MAX_MADE_TITLE = 120;

/** RSS, Atom or JSON Feed. A feed has the newest entries only, so none is missing from it. */
export const feed: Kind = {
  kind: "feed",
  title: "RSS or Atom feed",
  keepsMissing: true,
  recognises: ({ contentType, extension, text }) =>
    isXmlFeed(text) || FEED_TYPE.test(contentType ?? extension) && textBeforeFeed(text) !== null ||
    /^\s*\{/.test(text) && hasKey(text, "version") &&
      /"https?:\\?\/\\?\/jsonfeed\.org\\?\/version\\?\//.test(text),
  async read(source) {
    const document = await openFirst(source);
    const { title, language, entries } = await readFeed(readText(document, source), document);
    const rows = entries.map((entry) => feedRow(entry, title ?? "Not stated"));
    return { rows, language, notes: noteDays(entries) };
  },
};

/** Says that entries have days in place of titles: each is all that was done on one. */
function noteDays(entries: readonly FeedEntry[]): string[] {
  const days = entries.filter(({ title }) => {
    const read = readDate(title?.trim() ?? "");
    return "date" in read && read.date !== null;
  });
  if (days.length < 2 || days.length * 2 < entries.length) return [];
  return [
    `The titles of ${days.length} of ${entries.length} entries are days, such as ` +
    `${quote(days[0]!.title!)}: each is read as one release, whatever was released on it; a feed ` +
    "with an entry for each release would be read better",
  ];
}

/**
 * Reads a feed: RSS, Atom or JSON Feed.
 *
 * @throws {SnapshotError} if it is not a feed
 */
export async function readFeed(text: string, document: Document): Promise<Feed> {
  if (text.trim() === "") throw refuse(document, "it is empty");
  const { DetectError, MalformedError, ParseError, parseFeed } = await import("feedsmith");
  try {
    return toFeed(parseFeed(withoutLinkBases(text)), document.address);
  } catch (error) {
    if (![DetectError, MalformedError, ParseError].some((type) => error instanceof type)) {
      throw error;
    }
    const before = textBeforeFeed(text);
    if (before !== null) {
      throw refuse(
        document,
        `its server writes ${quote(before)} before the feed: it has to be fixed there`,
      );
    }
    const isPage = /^\s*<(?:!doctype html|html)\b/i.test(text);
    const what = isPage ? "it is an HTML page, not a" : "it is no";
    throw refuse(document, `${what} valid RSS, Atom or JSON Feed`);
  }
}

/**
 * A feed in whose XML no link has a base of its own (RFC 4287, section 2), which the parser would
 * leave out: its address begins with it instead.
 */
function withoutLinkBases(text: string): string {
  if (!text.trimStart().startsWith("<")) return text;
  return text.replace(/<(?:\w+:)?link\s[^<>]*>/g, (link) => {
    const [, , base] = /\sxml:base\s*=\s*(["'])(.*?)\1/s.exec(link) ?? [];
    if (base === undefined) return link;
    return link.replace(
      /(\shref\s*=\s*)("[^"]*"|'[^']*')/,
      (_, begin, quoted) => `${begin}"${join(quoted.slice(1, -1), base)}"`,
    );
  });
}

/** An address on its base, which may itself be relative to that around it. */
function join(address: string, base: string): string {
  if (URL.canParse(base)) return URL.parse(address, base)?.href ?? address;
  const isOnItsPath = !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(address);
  return isOnItsPath ? base.slice(0, base.lastIndexOf("/") + 1) + address : address;
}

function isXmlFeed(text: string): boolean {
  PROLOGUE.lastIndex = 0;
  PROLOGUE.exec(text);
  ROOT.lastIndex = PROLOGUE.lastIndex;
  return ROOT.test(text);
}

/** An entry with names that are recognised, and those that a mapping may use. */
function feedRow(entry: FeedEntry, product: string): Record<string, unknown> {
  const { id, title, description, link, published, updated, category, author } = entry;
  return {
    id,
    title: title ?? (shorten(toPlainText(description ?? ""), MAX_MADE_TITLE) || link),
    description,
    product,
    status: "Not stated",
    blog_url: link,
    updated,
    created: published,
    category,
    author,
  };
}

/** An entry of a feed; dates are `YYYY-MM-DD`, texts are Markdown. */
export interface FeedEntry {
  /** Null: the feed states neither an id nor a link, and the entry has no text. */
  id: string | null;
  title: string | null;
  link: string | null;
  description: string | null;
  category: string[];
  author: string | null;
  published: string | null;
  updated: string | null;
}

interface Feed {
  title: string | null;
  language?: string;
  entries: FeedEntry[];
}

type Parsed = ReturnType<typeof parseFeed<string>>;
type FeedOf<Format> = Extract<Parsed, { format: Format }>["feed"];
type Item<Format extends "rss" | "rdf" | "json"> = NonNullable<FeedOf<Format>["items"]>[number];
type AtomEntry = NonNullable<FeedOf<"atom">["entries"]>[number];
type AtomText = { value?: string; type?: string; xml?: { base?: string } } | undefined;

/** A feed of any format in one form; `address` is where it was read. */
function toFeed({ format, feed }: Parsed, address: string): Feed {
  const base = format === "json" ? address : baseIn(feed.xml?.base, address);
  const entries = format === "atom"
    ? feed.entries?.map((entry) => ({ ...readAtomEntry(entry, base), base: entry.xml?.base }))
    : format === "json"
    ? feed.items?.map((item) => ({ ...readJsonItem(item), base: undefined }))
    : feed.items?.map((item) => ({ ...readRssItem(item), base: item.xml?.base }));
  const title = format === "atom" ? titleOf(feed.title) : plainTitle(feed.title);
  const linked = entries?.map(({ base: own, ...entry }): FeedEntry => {
    const link = resolve(entry.link, baseIn(own, base));
    const text = [entry.title, entry.description].filter((text) => text !== null).join("\n");
    // Without an id and a link an entry is known by its text.
    return { ...entry, link, id: entry.id ?? link ?? (text || null) };
  });
  const said = format === "atom"
    ? feed.xml?.lang
    : format === "rdf"
    ? feed.dc?.languages?.[0]
    : feed.language;
  const language = parseLanguage(said ?? "") ?? undefined;
  return {
    title,
    language,
    entries: newestEntries((linked ?? []).filter(({ id }) => id !== null)),
  };
}

/** XML Base, section 4: a relative base belongs to the one around it. */
function baseIn(base: string | undefined, around: string): string {
  if (base === undefined) return around;
  return URL.parse(base, URL.canParse(around) ? around : undefined)?.href ?? around;
}

function readRssItem(item: Item<"rss"> | Item<"rdf">): FeedEntry {
  const { guid, pubDate, authors, categories } = item as Item<"rss">;
  const published = feedDay(pubDate ?? item.dc?.dates?.[0]);
  return {
    id: guid?.value ?? item.link ?? null,
    title: plainTitle(item.title),
    link: item.link ?? (guid?.isPermaLink === false ? null : guid?.value ?? null),
    description: markdownOf(item.content?.encoded ?? item.description),
    category: decodedNames(categories?.map(({ name }) => name) ?? item.dc?.subjects),
    author: authors?.[0]?.name ?? item.dc?.creators?.[0] ?? null,
    published,
    updated: feedDay((item as Item<"rss">).atom?.updated) ?? published,
  };
}

function readAtomEntry(entry: AtomEntry, feed: string): FeedEntry {
  const bases = { entry: entry.xml?.base, feed };
  const { links = [], content, summary, categories, authors } = entry;
  const link = links.find(({ rel }) => rel === undefined || rel === "alternate") ?? links[0];
  return {
    id: entry.id ?? link?.href ?? null,
    title: titleOf(entry.title),
    link: link?.href ?? null,
    description: atomText(content?.value ? content : summary, bases),
    category: decodedNames(categories?.map(({ label, term }) => label ?? term)),
    author: authors?.[0]?.name ?? null,
    published: feedDay(entry.published),
    updated: feedDay(entry.updated),
  };
}

function readJsonItem(item: Item<"json">): FeedEntry {
  const published = feedDay(item.date_published);
  return {
    id: item.id ?? item.url ?? null,
    title: plainTitle(item.title),
    link: item.url ?? item.external_url ?? null,
    description: markdownOf(item.content_html) ?? plainTextOf(item.content_text ?? item.summary),
    category: decodedNames(item.tags),
    author: item.authors?.[0]?.name ?? null,
    published,
    updated: feedDay(item.date_modified) ?? published,
  };
}

/** RFC 4287, section 4.1.1: entries with the same id are the same entry; the latest one counts. */
function newestEntries(entries: readonly FeedEntry[]): FeedEntry[] {
  const latest = new Map<string, FeedEntry>();
  for (const entry of entries) {
    const before = entry.id === null ? undefined : latest.get(entry.id);
    const isLater = before === undefined || (entry.updated ?? "") > (before.updated ?? "");
    if (entry.id !== null && isLater) latest.set(entry.id, entry);
  }
  return entries.filter((entry) => entry.id === null || latest.get(entry.id) === entry);
}

/**
 * RFC 4287, section 3.1: a text without a type is plain text. Links in it lead from its own base, if
 * it or its entry has one; others from the entry's link.
 */
function atomText(text: AtomText, { entry, feed }: Bases): string | null {
  const isHtml = text?.type === "xhtml" || text?.type?.includes("html");
  if (!isHtml) return plainTextOf(text?.value);
  const own = text?.xml?.base ?? entry;
  const base = own === undefined ? null : baseIn(text?.xml?.base, baseIn(entry, feed));
  return markdownOf(
    base === null ? text?.value : text?.value?.replace(LINKED, (...parts) => {
      const [, attribute, sign, address] = parts as string[];
      const href = URL.parse(decodeEntities(address!), base)?.href ?? address;
      return `${attribute}=${sign}${href}${sign}`;
    }),
  );
}

const LINKED = /\b(href|src)\s*=\s*(["'])([^"'<>]*)\2/gi;

/** What the base of an entry is relative to, and what it is itself. */
interface Bases {
  entry: string | undefined;
  feed: string;
}

function titleOf(text: AtomText): string | null {
  const isHtml = text?.type?.includes("html");
  return plainTitle(isHtml ? text?.value?.replace(/<\/?[a-z][^<>]*>/gi, "") : text?.value);
}

function plainTitle(title: string | undefined): string | null {
  return decodedName(title) || null;
}

function markdownOf(html: string | undefined): string | null {
  if (html === undefined) return null;
  const text = htmlToMarkdown(html);
  return text === html ? plainTextOf(decodeEntities(text)) : text || null;
}

function plainTextOf(text: string | undefined): string | null {
  return escapeMarks(text?.trim() ?? "") || null;
}

function decodedNames(names: readonly (string | undefined)[] = []): string[] {
  return [...new Set(names.map(decodedName).filter(Boolean))];
}

/** Many feeds encode entities twice. */
function decodedName(text = ""): string {
  return toLine(decodeEntities(text).replace(ZERO_WIDTH, ""));
}

/** The day as it is written, whatever its zone; null for what cannot be read. */
function feedDay(moment: string | undefined): string | null {
  const text = moment?.trim().replace(/^\p{L}+,\s*/u, "") ?? "";
  const read = readDate(text);
  if ("date" in read && read.date !== null) return read.date;
  const time = Date.parse(text); // RFC 822 has zones by name, and years of two digits
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

function resolve(link: string | null, base: string): string | null {
  const url = link === null ? null : URL.parse(link, URL.canParse(base) ? base : undefined);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
