import type { Connection } from "../../database/database.ts";
import { editDistance } from "../../text/edit_distance.ts";
import { fold } from "../../text/fold.ts";
import { MatchCounts } from "./match_counts.ts";
import { type Piece, readQuestion } from "./read_question.ts";
import { type Term, type WordForms, writeTerm } from "./term.ts";
import {
  readNameWords,
  readSimilarWords,
  readTokens,
  type Token,
  type WordSearch,
} from "./words_sql.ts";

/** From this length on a word may be unfinished; a shorter one is whole: `ai` is not in "maintain". */
const UNFINISHED_FROM = 4;
/** No more words of a question are searched, or replaced, and no more tried in the place of one. */
const MAX_WORDS = 64; // a piece has one at least
const MAX_REPLACED = 8;
const MAX_TRIED = 5;
/** A longer word may differ in two letters from its nearest spelling, a shorter one in one. */
const LONG_WORD = 8;

/** A question as words that stand somewhere, as far as there are any. */
export interface FoundWords extends Pick<WordSearch, "terms" | "name"> {
  /** Those of them that stand somewhere. */
  known: readonly Term[];
  /** A word that stands nowhere was replaced by its nearest spelling. */
  isReplaced: boolean;
}

/** A word of a question, and whether its end may be missing. */
interface AskedWord extends Token {
  isUnfinished: boolean;
}

/** Reads a question as words; null: it has none, such as punctuation and stop words alone. */
export async function findWords(
  q: string,
  connection: Connection,
  scope: { include_inactive?: boolean },
): Promise<FoundWords | null> {
  const pieces = readQuestion(q).slice(0, MAX_WORDS);
  const tokens = pieces.length === 0
    ? []
    : await readTokens(connection, pieces.map(({ text }) => text));
  const groups = groupTokens(pieces, tokens.slice(0, MAX_WORDS));
  if (groups.length === 0) return null;
  const counts = new MatchCounts(connection, scope);
  await counts.read(groups.map(join));
  const scattered = groups.filter((group) => counts.of(join(group)) === 0);
  await counts.read(scattered.flatMap((group) => group.flatMap(variantsOf)));
  const chosen = groups.flatMap((group) => chooseTerms(group, counts));
  const replaced = await replaceUnknown(chosen, { connection, counts });
  const terms = chosen.map((term) => replaced.get(term) ?? term).map(({ words }) => ({
    words,
    weight: counts.weigh(words),
  }));
  return {
    terms,
    known: terms.filter(({ words }) => counts.of(words) > 0),
    name: {
      folded: fold(q),
      words: await readNameWords(connection, q),
      phrase: tokens.length > 1 ? writePhrase(tokens.slice(0, MAX_WORDS)) : null,
    },
    isReplaced: replaced.size > 0,
  };
}

/**
 * Reads questions as rules, each of which demands every word as it was typed: no other spelling, and
 * no fewer words. One statement, however many there are. Null: a question has no words.
 */
export async function readRules(
  questions: readonly string[],
  connection: Connection,
): Promise<(WordSearch | null)[]> {
  const pieces = questions.map((q) => readQuestion(q).flatMap(divide));
  const texts = pieces.flat().map(({ text }) => text);
  const tokens = texts.length === 0 ? [] : await readTokens(connection, texts);
  const byPiece = Map.groupBy(tokens, ({ piece }) => piece);
  let before = 0;
  return questions.map((q, place) => {
    const own = pieces[place]!;
    const first = before;
    before += own.length;
    const found = own.flatMap((_, piece) =>
      (byPiece.get(first + piece) ?? []).map((token) => ({ ...token, piece }))
    );
    const groups = groupTokens(own, found);
    if (groups.length === 0) return null;
    const terms = groups.map((group) => ({ words: join(group), weight: 1 }));
    return { terms, any: false, name: { folded: fold(q), words: "", phrase: null } };
  });
}

/** What strokes and commas divide in a rule are words of their own: only what is quoted stands together. */
function divide({ text, isQuoted }: Piece): Piece[] {
  if (isQuoted) return [{ text, isQuoted }];
  return text.split(/[/,;|]+/).filter((word) => word !== "").map((word) => ({
    text: word,
    isQuoted,
  }));
}

/** The words of each piece: all of what is quoted, and of other pieces those with more than stop words. */
function groupTokens(pieces: readonly Piece[], tokens: readonly Token[]): AskedWord[][] {
  return pieces.map(({ text, isQuoted }, place) => {
    const own = tokens.filter(({ piece }) => piece === place);
    if (!isQuoted && own.every(({ is_stop_word }) => is_stop_word)) return [];
    const isLast = place === pieces.length - 1 && !isQuoted;
    const isOpen = !isQuoted && text.endsWith("*");
    return own.map((token, index) => ({
      ...token,
      isUnfinished: index === own.length - 1 && (isOpen || isLast && !isShort(token.word)),
    }));
  }).filter((group) => group.length > 0);
}

/** What finds a name that has the words one after the other. */
function writePhrase(tokens: readonly Token[]): string {
  const words = tokens.map(({ word }) => ({ forms: [word], beginning: null }));
  return writeTerm({ words }, { inName: true });
}

type Words = Term["words"];
/** What is searched for a piece; of a word that stands nowhere with the word. */
interface ChosenTerm {
  words: Words;
  unknown?: string;
}

function join(group: readonly AskedWord[]): Words {
  return group.map(toForms);
}

function toForms({ word, forms, is_known, isUnfinished }: AskedWord): WordForms {
  const isWhole = is_known || forms.length > 1 || !isUnfinished;
  return { forms: isWhole ? forms : [], beginning: isUnfinished ? word : null };
}

/** What a single word may stand for: its forms, and of a short one else what begins like it. */
function variantsOf(asked: AskedWord): Words[] {
  const { word } = asked;
  return [join([asked]), ...isShort(word) ? [[{ forms: [], beginning: word }]] : []];
}

/** The words of a piece together where they stand so, else each of them. */
function chooseTerms(group: readonly AskedWord[], counts: MatchCounts): ChosenTerm[] {
  if (counts.of(join(group)) > 0) return [{ words: join(group) }];
  const meaningful = group.filter(({ is_stop_word }) => !is_stop_word);
  return (meaningful.length > 0 ? meaningful : group).map((asked) => chooseWord(asked, counts));
}

function chooseWord(asked: AskedWord, counts: MatchCounts): ChosenTerm {
  const found = variantsOf(asked).find((words) => counts.of(words) > 0);
  // What other words are known of says nothing of one that stands nowhere, such as on a day before.
  const { word } = asked;
  return found ? { words: found } : { words: [{ forms: [word], beginning: null }], unknown: word };
}

/** The nearest spellings that stand somewhere, of words that do not. */
async function replaceUnknown(
  terms: readonly ChosenTerm[],
  { connection, counts }: { connection: Connection; counts: MatchCounts },
): Promise<Map<ChosenTerm, ChosenTerm>> {
  const replaced = new Map<ChosenTerm, ChosenTerm>();
  const misspelt = terms.filter(({ unknown }) => unknown && mayBeMisspelt(unknown));
  for (const term of misspelt.slice(0, MAX_REPLACED)) {
    const near = nearestTo(term.unknown!, await readSimilarWords(connection, term.unknown!));
    const tokens = await readTokens(connection, near.map(({ word }) => word));
    const tried = tokens.map(({ piece, forms }) => ({
      words: [{ forms, beginning: null }],
      distance: near[piece]!.distance,
    }));
    await counts.read(tried.map(({ words }) => words));
    const [best] = tried.filter(({ words }) => counts.of(words) > 0)
      .sort((a, b) => a.distance - b.distance || counts.of(b.words) - counts.of(a.words));
    if (best) replaced.set(term, { words: best.words });
  }
  return replaced;
}

/** The words with the least distance from one, as far as they may be meant. */
function nearestTo(word: string, others: readonly string[]): { word: string; distance: number }[] {
  const most = [...word].length < LONG_WORD ? 1 : 2;
  return others.map((other) => ({ word: other, distance: editDistance(word, other) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_TRIED);
}

function mayBeMisspelt(word: string): boolean {
  return !isShort(word) && !/\d/.test(word);
}

function isShort(word: string): boolean {
  return [...word].length < UNFINISHED_FROM;
}
