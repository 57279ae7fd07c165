import { hasKey, type Source } from "../sources/source.ts";
import { shorten } from "../../text/shorten.ts";
import { toPlainText } from "../../text/plain_text.ts";
import { type FeedEntry, readFeed } from "./read_feed.ts";

/** What may stand before the root of a document. */
const PROLOGUE = /(?:\s+|<\?(?:(?!\?>)[^])*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^<>[]*>)*/iy;
const ROOT = /<(?:\w+:)?(?:rss|feed|rdf)[\s>]/iy;
const ENTRIES_AT_ONCE = 500;
const MAX_TITLE_LENGTH = 120;

/** RSS, Atom or JSON Feed. A feed has the newest entries only, so none is missing from it. */
export const feed: Source = {
  kind: "feed",
  keepsMissing: true,
  recognises: ({ text }) =>
    isXmlFeed(text) || /^\s*\{/.test(text) && hasKey(text, "version") &&
      /"https?:\\?\/\\?\/jsonfeed\.org\\?\/version\\?\//.test(text),
  nextPage: () => null,
  async *read(chunks, { location, signal }) {
    const { title, entries } = await readFeed(chunks, { location, signal });
    const items = entries.map((entry) => toRow(entry, title ?? "Not stated"));
    do yield { items: items.splice(0, ENTRIES_AT_ONCE) }; while (items.length > 0);
  },
};

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
    title: title ?? shorten(toPlainText(description ?? ""), MAX_TITLE_LENGTH),
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
