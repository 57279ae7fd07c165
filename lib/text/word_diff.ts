import { diffArrays } from "diff";
import { excerpt, toPlainText } from "./plain_text.ts";

/** A piece of a diff; its text begins with the space that stands before it, if one does. */
export interface DiffPart {
  kind: "kept" | "removed" | "added";
  text: string;
}

/** A piece of a diff as it is written: what is kept as it is, what changed without its space. */
export interface SpacedPart {
  kind: DiffPart["kind"];
  /** Stands before the words, outside what marks them as changed. */
  space: "" | " ";
  words: string;
}

/** How much a diff shows, in characters. */
interface DiffOptions {
  /** Of an unchanged text on each side of what changed. */
  context?: number;
  /** Of what was removed or added in one place. */
  change?: number;
  /** Of the whole diff; what comes after is left out. */
  all?: number;
  /** The texts are the beginnings of longer ones: a difference at their end means nothing. */
  isCut?: boolean;
}

/** Of longer texts only this much is compared, from the first difference on. */
const MAX_LENGTH = 20_000;
/** With more words removed and added, one text is not the other one rewritten but another one. */
const MAX_EDITS = 400;
/** What stays between two changes and is no longer than this, in characters, counts as changed. */
const MAX_ISLAND_LENGTH = 4;
/** From how many characters on an unchanged piece shows that both texts go on alike. */
const LONG_RUN = 100;

const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });

/**
 * What was rewritten, word by word, short enough to be read: long unchanged texts and long changes
 * end in "…". Of two plain texts, such as `toPlainText` makes; empty where all words are the same.
 * It takes bounded time, whatever the texts hold.
 *
 * ```ts
 * const parts = diffWords("Adds export to CSV.", "Adds export to JSON.");
 * const text = parts.map(({ kind, text }) => `${kind}:${text}`).join("|");
 * if (text !== "kept:Adds export to|removed: CSV|added: JSON|kept:.") throw new Error(text);
 * ```
 */
export function diffWords(before: string, after: string, options: DiffOptions = {}): DiffPart[] {
  const { context = 60, change = 240, all = 900, isCut = false } = options;
  const piece = pieceAround(before, after);
  const compared = foldIslands(compare(piece.before, piece.after));
  const parts = piece.isCut || isCut ? dropEnd(compared) : compared;
  if (parts.every(({ kind }) => kind === "kept")) return [];
  const short = parts.map((part, place) =>
    part.kind === "kept"
      ? shortenKept(part, { context, isFirst: place === 0, isLast: place === parts.length - 1 })
      : { ...part, text: cutEnd(part.text, change) }
  );
  return cutParts(short, all);
}

/**
 * The parts of a diff, ready to be written one after the other. What stands side by side is read
 * apart, also where no space was between the texts.
 *
 * ```ts
 * const parts = spaceParts([{ kind: "removed", text: " CSV" }, { kind: "added", text: "JSON" }]);
 * const text = parts.map(({ space, words }) => `${space}<${words}>`).join("");
 * if (text !== " <CSV> <JSON>") throw new Error(text);
 * ```
 */
export function spaceParts(parts: readonly DiffPart[]): SpacedPart[] {
  return parts.map(({ kind, text }, place) => {
    if (kind === "kept") return { kind, space: "", words: text };
    const words = text.trimStart();
    const isApart = words !== text || parts[place - 1]?.kind === "removed";
    return { kind, space: isApart ? " " : "", words };
  });
}

/**
 * The same of two descriptions, with their marks: of long ones only what is compared is read.
 *
 * ```ts
 * const parts = diffDescriptions("**Adds** export to CSV.", "Adds export to *JSON*.");
 * const text = parts.map(({ kind, text }) => `${kind}:${text}`).join("|");
 * if (text !== "kept:Adds export to|removed: CSV|added: JSON|kept:.") throw new Error(text);
 * ```
 */
export function diffDescriptions(
  before: string,
  after: string,
  options: DiffOptions = {},
): DiffPart[] {
  const piece = pieceAround(before, after);
  return diffWords(toPlainText(piece.before), toPlainText(piece.after), {
    ...options,
    isCut: piece.isCut || options.isCut,
  });
}

/** The pieces of both texts that hold the differences, with some words around them. */
function pieceAround(
  before: string,
  after: string,
): { before: string; after: string; isCut: boolean } {
  if (before.length <= MAX_LENGTH && after.length <= MAX_LENGTH) {
    return { before, after, isCut: false };
  }
  const shorter = Math.min(before.length, after.length);
  let same = 0;
  while (same < shorter && before[same] === after[same]) same++;
  let sameAtEnd = 0;
  const most = shorter - same;
  while (sameAtEnd < most && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) sameAtEnd++;
  const start = Math.max(0, same - 500);
  const end = Math.max(0, sameAtEnd - 500);
  const piece = (text: string) =>
    dropHalves(text.slice(start, Math.min(text.length - end, start + MAX_LENGTH)));
  const isCut = Math.max(before.length, after.length) - end > start + MAX_LENGTH;
  return { before: piece(before), after: piece(after), isCut };
}

/** Texts that were cut at the same length end in other words where one of them has grown. */
function dropEnd(parts: readonly DiffPart[]): DiffPart[] {
  const last = parts.findLastIndex(({ kind, text }) => kind === "kept" && text.length > LONG_RUN);
  return last < 0 ? [...parts] : parts.slice(0, last + 1);
}

/** A word or a mark, and whether a space stands before it. */
interface Token {
  text: string;
  isSpaced: boolean;
}

function compare(before: string, after: string): DiffPart[] {
  const [from, to] = [tokenize(before), tokenize(after)];
  const texts = (tokens: Token[]) => tokens.map(({ text }) => text);
  const changes = diffArrays(texts(from), texts(to), { maxEditLength: MAX_EDITS });
  if (!changes) return [{ kind: "removed", text: join(from) }, { kind: "added", text: join(to) }];
  let [old, now] = [0, 0];
  return changes.map(({ added, removed, count }): DiffPart => {
    if (removed) return { kind: "removed", text: join(from.slice(old, old += count)) };
    if (added) return { kind: "added", text: join(to.slice(now, now += count)) };
    // A space on either side is kept: the other side may be the begin of its text.
    const wasSpaced = from.slice(old, old += count).map(({ isSpaced }) => isSpaced);
    const kept = to.slice(now, now += count).map(({ text, isSpaced }, place) => ({
      text,
      isSpaced: isSpaced || wasSpaced[place]!,
    }));
    return { kind: "kept", text: join(kept) };
  });
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let isSpaced = false;
  for (const { segment } of SEGMENTER.segment(text)) {
    const isSpace = segment.trim() === "";
    if (!isSpace) tokens.push({ text: segment, isSpaced });
    isSpaced = isSpace;
  }
  return tokens;
}

function join(tokens: readonly Token[]): string {
  return tokens.map(({ text, isSpaced }) => isSpaced ? ` ${text}` : text).join("");
}

/** A short word that stayed among changed ones reads as a part of the change. */
function foldIslands(parts: readonly DiffPart[]): DiffPart[] {
  const folded: DiffPart[] = [];
  let [removed, added] = ["", ""];
  const flush = () => {
    if (removed) folded.push({ kind: "removed", text: removed });
    if (added) folded.push({ kind: "added", text: added });
    [removed, added] = ["", ""];
  };
  parts.forEach(({ kind, text }, place) => {
    const isBetween = place > 0 && place < parts.length - 1;
    if (kind === "kept" && !(isBetween && text.trim().length <= MAX_ISLAND_LENGTH)) {
      flush();
      folded.push({ kind, text });
      return;
    }
    if (kind !== "added") removed += text;
    if (kind !== "removed") added += text;
  });
  flush();
  return folded;
}

function shortenKept(
  { text }: DiffPart,
  { context, isFirst, isLast }: { context: number; isFirst: boolean; isLast: boolean },
): DiffPart {
  if (isFirst) return { kind: "kept", text: cutBegin(text, context) };
  if (isLast) return { kind: "kept", text: cutEnd(text, context) };
  if (text.length <= context * 2 + 10) return { kind: "kept", text };
  return { kind: "kept", text: cutEnd(text, context) + cutBegin(text, context).slice("…".length) };
}

function cutEnd(text: string, length: number): string {
  const space = text.startsWith(" ") ? " " : "";
  return space + excerpt(text.trimStart(), { length });
}

function cutBegin(text: string, length: number): string {
  if (text.length <= length + 4) return text;
  const wanted = text.length - length;
  const space = text.indexOf(" ", wanted);
  return `… ${dropHalves(text.slice(space < 0 ? wanted : space + 1))}`;
}

/** Takes away the half of a character at which a text was cut. */
function dropHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** The first parts, up to a number of characters. */
function cutParts(parts: DiffPart[], length: number): DiffPart[] {
  let shown = 0;
  const end = parts.findIndex(({ text }) => (shown += text.length) > length);
  return end < 1 ? parts : [...parts.slice(0, end), { kind: "kept", text: " …" }];
}
