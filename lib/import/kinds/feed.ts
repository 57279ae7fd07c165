import { shorten } from "../../text/phrases.ts";
import { toPlainText } from "../../text/plain_text.ts";
import type { Feed, FeedEntry } from "./feed_entries.ts";
import { type Document, hasKey, type Kind, openFirst, refuse, textOf } from "./kind.ts";

/** What may stand before the root of a document. */
const PROLOGUE = /(?:\s+|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^<>[]*>)*/iy;
const ROOT = /<(?:\w+:)?(?:rss|feed|rdf)[\s>]/iy;
const MAX_TITLE_LENGTH = 120;

/** RSS, Atom or JSON Feed. A feed has the newest entries only, so none is missing from it. */
export const feed: Kind = {
  kind: "feed",
  keepsMissing: true,
  recognises: ({ text }) =>
    isXmlFeed(text) || /^\s*\{/.test(text) && hasKey(text, "version") &&
      /"https?:\\?\/\\?\/jsonfeed\.org\\?\/version\\?\//.test(text),
  async read(source) {
    const document = await openFirst(source);
    const { title, entries } = await readFeed(textOf(document, source), document);
    return { rows: entries.map((entry) => toRow(entry, title ?? "Not stated")) };
  },
};

/**
 * Reads a feed: RSS, Atom or JSON Feed.
 *
 * @throws {SnapshotError} if it is not a feed
 */
export async function readFeed(text: string, document: Document): Promise<Feed> {
  if (text.trim() === "") throw refuse(document, "it is empty");
  const { DetectError, MalformedError, ParseError, parseFeed } = await import("feedsmith");
  const { toFeed } = await import("./feed_entries.ts");
  try {
    return toFeed(parseFeed(text), document.address);
  } catch (error) {
    if (![DetectError, MalformedError, ParseError].some((type) => error instanceof type)) {
      throw error;
    }
    const isPage = /^\s*<(?:!doctype html|html)\b/i.test(text);
    const what = isPage ? "it is an HTML page, not a" : "it is no";
    throw refuse(document, `${what} valid RSS, Atom or JSON Feed`);
  }
}

function isXmlFeed(text: string): boolean {
  PROLOGUE.lastIndex = 0;
  PROLOGUE.exec(text);
  ROOT.lastIndex = PROLOGUE.lastIndex;
  return ROOT.test(text);
}

/** An entry with names that are recognised, and those that a mapping may use. */
function toRow(entry: FeedEntry, product: string): Record<string, unknown> {
  const { id, title, description, link, published, updated, category, author } = entry;
  return {
    id,
    title: title ?? (shorten(toPlainText(description ?? ""), MAX_TITLE_LENGTH) || link),
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
