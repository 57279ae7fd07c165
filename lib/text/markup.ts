/** Elements that descriptions keep. */
export const KEPT_TAGS =
  "a b blockquote br code del div em h2 h3 hr i li ol p pre s span strong sub sup table tbody td th thead tr u ul"
    .split(" ");

/** Elements that descriptions may have, by what they are shown as. */
const REPLACED = {
  // The name of the release is the first heading of its page; below it no level is left out.
  h2: "h1",
  h3: "h4 h5 h6",
  // GitHub and GitLab show these.
  code: "kbd samp tt",
  div: "center details dl figure",
  em: "var",
  p: "caption dd dt figcaption summary",
  s: "strike",
  span: "abbr font mark picture q small source",
  tbody: "tfoot",
  u: "ins",
};

/** What elements are shown as that descriptions may have. */
export const REPLACED_TAGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(REPLACED).flatMap(([tag, shown]) => shown.split(" ").map((one) => [one, tag])),
);

const KNOWN = new Set([...KEPT_TAGS, ...Object.keys(REPLACED_TAGS), "h3", "img"]);

/** The parts of a description in which signs have a meaning of their own, or lose theirs. */
interface Rewriting {
  /** Code, and what stands in it; the lines of a block stand between line breaks. */
  code?: (piece: string, inner: string) => string;
  comment?: (piece: string) => string;
  /** An element that is shown as one. */
  tag?: (piece: string) => string;
  /** An address between angle brackets. */
  address?: (piece: string, inner: string) => string;
  /** The beginning of what looks like a tag and is none: `<`. */
  sign?: (piece: string) => string;
  /** A backslash and a sign. */
  escape?: (piece: string) => string;
  entity?: (piece: string) => string;
}

const ANY = /[\\`<&]|~~~|^(?: {4}|\t)/m;
const NEXT = /[\n\\`<&]/g;
const FENCE = /[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)(?=\n|$)/y;
const CLOSING_FENCE = /\n[ \t>]*(`{3,}|~{3,})[ \t]*(?=\n|$)/g;
const INDENTED = /(?: {4}|\t)[ \t]*[^\s][^\n]*/y;
const ITEM = / {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]/y;
const BLANK_LINE = /[ \t]*(?=\n|$)/y;
const PARAGRAPH_END = /\n[ \t]*(?=\n)/g;
/** A source may have escaped it. */
const COMMENT = /(?:<|&lt;)!--/iy;
const COMMENT_END = /--(?:>|&gt;)/gi;
const TAG = /<\/?([a-z][a-z0-9]*)(?=[\s/>])((?:[^<>"']|"[^"<]*"|'[^'<]*')*|[^<>]*)>/iy;
const ADDRESS = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^{|}~-]+@[\w.-]+)>/iy;
const SIGN = /<[a-z/!?]/iy;
const ESCAPE = /\\[!-/:-@[-`{-~]/y;
const ENTITY = /&(?:[a-z][a-z0-9]{1,31}|#\d{2,7}|#x[0-9a-f]{2,6});/iy;

/**
 * Rewrites parts of a description, Markdown with HTML in it; the first that begins counts, so a
 * comment in code is code. What is not named stays. It takes time in proportion to the length.
 *
 * ```ts
 * const text = rewriteMarkup("`<!-- a -->` <!-- b --> <c>", { comment: () => "", sign: () => "&lt;" });
 * if (text !== "`<!-- a -->`  &lt;c>") throw new Error(text);
 * ```
 */
export function rewriteMarkup(text: string, rewriting: Rewriting): string {
  return ANY.test(text) ? new Rewriter(text, rewriting).rewrite() : text;
}

class Rewriter {
  #kept = "";
  #at = 0;
  #isAfterBlank = true;
  #isInList = false;
  /** Nothing is looked for twice that is not there. */
  #hasCommentEnd = true;
  #paragraphEnd = -1;
  /** Where runs of backticks of a length begin in this paragraph, the first one last. */
  #runs = new Map<number, number[]>();

  constructor(private readonly text: string, private readonly rewriting: Rewriting) {}

  rewrite(): string {
    const { text } = this;
    while (this.#at < text.length) {
      const begins = this.#at === 0 || text[this.#at - 1] === "\n";
      if (begins && this.#takeCodeBlock()) continue;
      NEXT.lastIndex = this.#at;
      const next = NEXT.exec(text)?.index ?? text.length;
      this.#kept += text.slice(this.#at, next);
      this.#at = next;
      if (next < text.length) this.#takeNext();
    }
    return this.#kept;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.text);
  }

  /** Goes on behind a piece. */
  #take(piece: string, rewritten = piece): void {
    this.#kept += rewritten;
    this.#at += piece.length;
  }

  #takeCodeBlock(): boolean {
    const { text, rewriting: { code } } = this;
    const fence = this.#match(FENCE);
    if (fence) {
      const start = this.#at + fence[0].length;
      const opening = fence[1] ?? fence[2]!;
      CLOSING_FENCE.lastIndex = start;
      let closing = CLOSING_FENCE.exec(text);
      while (closing && !closing[1]!.startsWith(opening)) closing = CLOSING_FENCE.exec(text);
      const piece = text.slice(this.#at, closing ? closing.index + closing[0].length : undefined);
      this.#take(piece, code?.(piece, `${text.slice(start, closing?.index)}\n`));
      return true;
    }
    const isBlank = this.#match(BLANK_LINE) !== null;
    const indented = this.#isAfterBlank && !this.#isInList ? this.#match(INDENTED) : null;
    if (indented) {
      this.#take(indented[0], code?.(indented[0], `${indented[0].trim()}`));
      return true;
    }
    if (this.#match(ITEM)) this.#isInList = true;
    else if (!isBlank && this.#isAfterBlank && !/[ \t]/.test(text[this.#at]!)) {
      this.#isInList = false;
    }
    this.#isAfterBlank = isBlank;
    return false;
  }

  #takeNext(): void {
    const { rewriting } = this;
    const sign = this.text[this.#at]!;
    if (sign === "`") return this.#takeCode();
    const comment = sign === "<" || sign === "&" ? this.#findComment() : null;
    if (comment !== null) return this.#take(comment, rewriting.comment?.(comment));
    if (sign === "<") return this.#takeAngle();
    const found = sign === "\\" ? this.#match(ESCAPE) : sign === "&" ? this.#match(ENTITY) : null;
    if (!found) return this.#take(sign);
    const [piece] = found;
    this.#take(piece, (sign === "&" ? rewriting.entity : rewriting.escape)?.(piece));
  }

  /** CommonMark, 6.1: code ends at the next run of as many backticks in its paragraph. */
  #takeCode(): void {
    const { text } = this;
    if (this.#at >= this.#paragraphEnd) this.#readParagraph();
    let length = 1;
    while (text[this.#at + length] === "`") length++;
    const run = "`".repeat(length);
    const places = this.#runs.get(length) ?? [];
    while (places.length > 0 && places.at(-1)! <= this.#at) places.pop();
    const end = places.at(-1);
    if (end === undefined) return this.#take(run);
    const inner = text.slice(this.#at + length, end);
    const piece = run + inner + run;
    this.#take(piece, this.rewriting.code?.(piece, inner));
  }

  #readParagraph(): void {
    this.#paragraphEnd = this.#match(PARAGRAPH_END)?.index ?? this.text.length;
    this.#runs.clear();
    const paragraph = this.text.slice(this.#at, this.#paragraphEnd);
    const found = [...paragraph.matchAll(/`+/g)].reverse();
    for (const { index, 0: { length } } of found) {
      const places = this.#runs.get(length);
      if (places) places.push(this.#at + index);
      else this.#runs.set(length, [this.#at + index]);
    }
  }

  #takeAngle(): void {
    const { rewriting } = this;
    const tag = this.#match(TAG);
    if (tag && isElement(tag)) return this.#take(tag[0], rewriting.tag?.(tag[0]));
    const address = this.#match(ADDRESS);
    if (address) return this.#take(address[0], rewriting.address?.(address[0], address[1]!));
    const isAddressOfLink = this.text.endsWith("](", this.#at);
    const isSign = !isAddressOfLink && this.#match(SIGN) !== null;
    this.#take("<", isSign ? rewriting.sign?.("<") : undefined);
  }

  /** One without an end goes as far as the text if it begins a line; inside a line it is none. */
  #findComment(): string | null {
    const { text } = this;
    const opening = this.#match(COMMENT);
    if (!opening) return null;
    COMMENT_END.lastIndex = this.#at + opening[0].length - "--".length; // `<!-->` is whole
    const end = this.#hasCommentEnd ? COMMENT_END.exec(text) : null;
    if (end) return text.slice(this.#at, end.index + end[0].length);
    this.#hasCommentEnd = false;
    const isBlock = /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, this.#at - 4), this.#at));
    return isBlock ? text.slice(this.#at) : null;
  }
}

/** Whether what looks like a tag is one that is shown: `<b>`, and not `<b or c>` or `<source>`. */
function isElement([, name, rest]: RegExpExecArray): boolean {
  const attributes = rest!.replace(/\/$/, "").trim();
  const isBare = attributes === "";
  if (!KNOWN.has(name!.toLowerCase())) return false;
  if (/^(?:source|img)$/i.test(name!)) return !isBare;
  return isBare || attributes.includes("=") || /^open$/i.test(attributes);
}

/**
 * A text without the comments of HTML that templates leave in it; what stands in code stays.
 *
 * ```ts
 * const text = dropComments("One<!-- two --> three `<!-- four -->`\n<!-- five");
 * if (text !== "One three `<!-- four -->`\n") throw new Error(text);
 * ```
 */
export function dropComments(text: string): string {
  return text.includes("!--") ? rewriteMarkup(text, { comment: () => "" }) : text;
}

const SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/** Unicode, 23.7: as many code points as ASCII has signs, which never stand in a text. */
const FIRST_STANDIN = 0xfdd0;
const STANDIN = /[\ufdd0-\ufdef]/g;

/**
 * Replaces the signs of a text by stand-ins that no rule of Markdown finds.
 *
 * ```ts
 * if (unshield(shield("a*b*")) !== "a*b*" || shield("*").includes("*")) throw new Error();
 * ```
 */
export function shield(text: string): string {
  return text.replace(
    /[!-/:-@[-`{-~]/g,
    (sign) => String.fromCharCode(FIRST_STANDIN + SIGNS.indexOf(sign)),
  );
}

/** The signs that {@link shield} replaced. */
export function unshield(text: string): string {
  return text.replace(STANDIN, (standin) => SIGNS[standin.charCodeAt(0) - FIRST_STANDIN]!);
}
