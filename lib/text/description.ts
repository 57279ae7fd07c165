import { Marked } from "marked";
import sanitizeHtml from "sanitize-html";
import { decodeEntities } from "./plain_text.ts";
import { separateGlued } from "./separate_glued.ts";

const marked = new Marked({ gfm: true, breaks: true });

/**
 * A description as HTML that is safe to show: light Markdown and HTML become paragraphs, lists and
 * emphasis; everything else shows as the text it is, and nothing in it runs or loads.
 */
export function formatDescription(description: string): string {
  const html = marked.parse(separateGlued(decodeEntities(description)), { async: false });
  return sanitizeHtml(html, RULES);
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

const RULES: sanitizeHtml.IOptions = {
  allowedTags: [...TEXT_TAGS, ...BLOCK_TAGS, ...TABLE_TAGS, "a"],
  allowedAttributes: { a: ["href", "rel"], ol: ["start"] },
  allowedSchemes: ["http", "https", "mailto"],
  allowProtocolRelative: false,
  // What is not allowed stays readable, as text.
  disallowedTagsMode: "escape",
  transformTags: {
    a: sanitizeHtml.simpleTransform("a", { rel: "nofollow noopener noreferrer" }),
    // The name of the release is the first heading of its page; below it no level is left out.
    h1: "h2",
    h3: "h2",
    h4: "h3",
    h5: "h3",
    h6: "h3",
    // An image would be fetched from another host; its words stay.
    img: (_tag, { alt = "" }) => ({ tagName: "span", attribs: {}, text: alt }),
  },
};
