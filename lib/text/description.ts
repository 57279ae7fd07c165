import { Marked } from "marked";
import sanitizeHtml from "sanitize-html";
import {
  dropComments,
  KEPT_TAGS,
  REPLACED_TAGS,
  rewriteMarkup,
  shield,
  unshield,
} from "./markup.ts";
import { checkbox, decodeMarkup, dropOverrides, separateGlued } from "./plain_text.ts";
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
/** It looks for an address of email from each character of a word before an `@`. */
const MAX_BEFORE_AT = 500;

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
  const decoded = dropComments(decodeMarkup(description));
  const piece = decoded.length > MAX_LENGTH ? `${cut(decoded)} …` : decoded;
  const marks = piece.match(/[^\p{L}\p{M}\p{N} ]/gu) ?? [];
  const html = marks.length > MAX_MARKS || isEndless(piece)
    ? formatAsItStands(separateLines(piece))
    : sanitizeHtml(marked.parse(toMarkdown(piece), { async: false }), {
      ...RULES,
      transformTags: { ...RULES.transformTags, a: linkFrom(writtenAt) },
    });
  return dropOverrides(html);
}

/** It has a word of so many characters before an `@` that no address begins so. */
function isEndless(text: string): boolean {
  return text.split(/\s/).some((word) =>
    word.split("@").slice(0, -1).some((part) => part.length > MAX_BEFORE_AT)
  );
}

/** Markdown in which a tag is one that is shown as such, and code stands as it was written. */
function toMarkdown(text: string): string {
  const shielded = rewriteMarkup(text, {
    code: shield,
    escape: ([, sign]) => `\\${shield(sign!)}`,
    sign: () => "&lt;",
  });
  return unshield(markUnspaced(separateLines(shielded)));
}

function separateLines(text: string): string {
  return separateGlued(text)
    .replace(/[^\S\n]{17,}/g, " ".repeat(16)).replace(/\n{3,}/g, "\n\n");
}

/**
 * CommonMark (6.2) finds no end of emphasis between a punctuation mark and a letter, where Chinese,
 * Japanese and Korean have no blank.
 */
function markUnspaced(text: string): string {
  return text.replace(STRONG, (whole, words, at) => {
    const around = [text[at - 1] ?? "", text[at + whole.length] ?? ""];
    return around.some((sign) => UNSPACED.test(sign)) ? `<strong>${words}</strong>` : whole;
  });
}

const STRONG = /(?<!\*)\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*(?!\*)/g;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uffef]/u;

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
  allowedTags: KEPT_TAGS,
  allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  // Forbidden markup stays readable, as text.
  disallowedTagsMode: "escape",
  transformTags: {
    ...REPLACED_TAGS,
    // Before h4 becomes one.
    h3: "h2",
    // An image would be fetched from another host; only its alternative text is kept.
    img: (_tag, { alt = "" }) => ({ tagName: "span", attribs: {}, text: alt }),
  },
} satisfies sanitizeHtml.IOptions;
