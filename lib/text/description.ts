import { Marked } from "marked";
import sanitizeHtml from "sanitize-html";
import {
  checkbox,
  decodeEntities,
  dropComments,
  dropOverrides,
  separateGlued,
} from "./plain_text.ts";
import { xml } from "./xml.ts";

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: { checkbox: ({ checked }) => `${checkbox(checked)} ` },
  // A footnote of GitHub is no address that a link may lead to: it stands as the text it is.
  tokenizer: { def: (source) => /^ {0,3}\[\^/.test(source) ? undefined : false },
});

/** What a person may read of a description, in characters; some 3,000 words. */
const MAX_LENGTH = 20_000;
/** The time and nesting depth of Markdown parsing grow with the number of these characters. */
const MAX_MARKS = 1_000;

/**
 * A description as HTML that is safe to show: light Markdown and HTML become paragraphs, lists and
 * emphasis; everything else shows as the text it is, and nothing in it runs or loads. A very long
 * one is cut, and one that is made of marks shows as it stands. A relative link leads to where it
 * leads at the address that the description was written at; without that it is text.
 *
 * ```ts
 * const html = formatDescription("- [x] [Guide](../wiki)", "https://a.example/x/1");
 * if (!html.includes('☑ <a href="https://a.example/wiki"')) throw new Error(html);
 * ```
 */
export function formatDescription(description: string, writtenAt: string | null = null): string {
  const decoded = dropComments(decodeEntities(description));
  const piece = decoded.length > MAX_LENGTH ? `${cut(decoded)} …` : decoded;
  const text = separateGlued(piece)
    .replace(/[^\S\n]{17,}/g, " ".repeat(16)).replace(/\n{3,}/g, "\n\n");
  const marks = text.match(/[^\p{L}\p{M}\p{N} ]/gu) ?? [];
  const html = marks.length > MAX_MARKS
    ? formatAsItStands(text)
    : sanitizeHtml(marked.parse(text, { async: false }), rulesAt(writtenAt));
  return dropOverrides(html);
}

/** Never half of a character. */
function cut(text: string): string {
  return text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, "");
}

function formatAsItStands(text: string): string {
  const paragraphs = text.split("\n\n").map((paragraph) => {
    const lines = paragraph.split("\n").map((line) => xml`${line}<br>`);
    return xml`<p>${lines}</p>`;
  });
  return xml`${paragraphs}`.text;
}

const TEXT_TAGS = [
  "p",
  "br",
  "hr",
  "strong",
  "b",
  "em",
  "i",
  "u",
  "s",
  "del",
  "sub",
  "sup",
  "code",
];
const BLOCK_TAGS = ["pre", "blockquote", "ul", "ol", "li", "h2", "h3", "div", "span"];
const TABLE_TAGS = ["table", "thead", "tbody", "tr", "th", "td"];

/** The rules for a description that was written at an address. */
function rulesAt(address: string | null): sanitizeHtml.IOptions {
  return { ...RULES, transformTags: { ...RULES.transformTags, a: linkFrom(address) } };
}

/** A link from a page at this address, or its text. */
function linkFrom(address: string | null): sanitizeHtml.Transformer {
  return (_tag, { href = "" }): sanitizeHtml.Tag => {
    const isWhole = URL.canParse(href);
    const target = isWhole || address === null ? URL.parse(href) : URL.parse(href, address);
    if (!LINKED.includes(target?.protocol ?? "")) return { tagName: "span", attribs: {} };
    const rel = "nofollow noopener noreferrer";
    return { tagName: "a", attribs: { href: isWhole ? href : target!.href, rel } };
  };
}

const LINKED = ["http:", "https:", "mailto:"];

const RULES = {
  allowedTags: [...TEXT_TAGS, ...BLOCK_TAGS, ...TABLE_TAGS, "a"],
  allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  // Forbidden markup stays readable, as text.
  disallowedTagsMode: "escape",
  transformTags: {
    // The name of the release is the first heading of its page; below it no level is left out.
    h1: "h2",
    h3: "h2",
    h4: "h3",
    h5: "h3",
    h6: "h3",
    // An image would be fetched from another host; only its alternative text is kept.
    img: (_tag, { alt = "" }) => ({ tagName: "span", attribs: {}, text: alt }),
  },
} satisfies sanitizeHtml.IOptions;
