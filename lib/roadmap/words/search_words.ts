import type { Connection } from "../../database/database.ts";
import { editDistance, fold } from "../../text/match_words.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { haveItems } from "../items_sql.ts";
import type { CachedRead } from "../../database/data_version.ts";
import { divideRule, type QuestionPart, readQuestion } from "./question_parts.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { readTokens, readVocabulary, type Token } from "./vocabulary_sql.ts";
import {
  countMatches,
  type Term,
  type WordForms,
  type WordSearch,
  writeTerm,
} from "./words_sql.ts";

/** What questions are read with; the services of a route are one. */
export interface WordServices {
  readonly database: Connection;
  readonly vocabulary: CachedRead<Vocabulary>;
}

/** How words were searched: all of them, with spellings replaced, any of them, or as they stand. */
export type WordsMode = "words" | "similar" | "any-word" | "substring";

/** A filter whose question was read as words. */
interface SearchedWords {
  /** What its `words` say takes the place of its `q`; without them, `q` is a substring. */
  filter: ItemFilter;
  /** Null: there is no question. */
  mode: WordsMode | null;
  /** The terms of a question that no item answers with every one; `isKnown`: some item has any. */
  open?: { terms: readonly Term[]; isKnown: boolean };
}

/** The question of a filter, without what narrows its answers. */
export function questionOf({ q, words, include_inactive }: ItemFilter): ItemFilter {
  return { q, words, include_inactive };
}

/**
 * Reads the question of a filter with `match=words`: which words it has, and whether an item is to have
 * all of them or any. That depends on the question alone; the other filters narrow what has them.
 */
export async function searchWords(
  { match, ...filter }: ItemFilter,
  services: WordServices,
): Promise<SearchedWords> {
  const { q } = filter;
  if (q === undefined) return { filter, mode: null };
  if (match === undefined) return { filter, mode: "substring" };
  const found = await findWords(q, services, filter);
  if (found === null) return { filter, mode: "substring" };
  const { terms, known, typed, name, isReplaced } = found;
  const having = (terms: readonly Term[], any: boolean): ItemFilter => ({
    ...filter,
    words: { terms, name, any },
  });
  const [all, any] = [having(terms, false), having(known, true)];
  const allMode = isReplaced ? "similar" : "words";
  if (known.length === 0) return { filter: all, mode: "words", open: { terms, isKnown: false } };
  if (terms.length === 1 || found.hasAll) return { filter: all, mode: allMode };
  const [hasAll, hasAny, hasTyped] = await haveItems(
    services.database,
    [
      known.length === terms.length ? all : null,
      any,
      typed.length > 0 ? having(typed, true) : null,
    ].map((filter) => filter && questionOf(filter)),
  );
  if (hasAll) return { filter: all, mode: allMode };
  if (!hasAny) return { filter: all, mode: "words", open: { terms, isKnown: false } };
  const mode = hasTyped ? "any-word" : "similar";
  return { filter: any, mode, open: { terms, isKnown: true } };
}

/**
 * Reads the question of a filter with `match=words` as a rule, whose answer other releases do not
 * change: an item has every word, or it is not found. Without `match`, `q` is a substring.
 */
export async function searchStrictly(
  { match, ...filter }: ItemFilter,
  { database, vocabulary }: WordServices,
): Promise<SearchedWords> {
  if (filter.q === undefined) return { filter, mode: null };
  const [words] = match === undefined ? [] : await readRules([filter.q], database, vocabulary);
  return words ? { filter: { ...filter, words }, mode: "words" } : { filter, mode: "substring" };
}

/** From this length on a word may be unfinished; a shorter one is whole: `ai` is not in "maintain". */
const UNFINISHED_FROM = 4;
/** No more words of a question are searched, or replaced, and no more tried in the place of one. */
const MAX_WORDS = 64;
const MAX_REPLACED = 8;
const MAX_TRIED = 5;
/** A longer word may differ in two letters from its nearest spelling, a shorter one in one. */
const LONG_WORD = 8;

/** A question as words that stand somewhere, as far as there are any. */
interface FoundWords extends Pick<WordSearch, "terms" | "name"> {
  /** Those of them that stand somewhere, and of those the ones that stand there as they were typed. */
  known: readonly Term[];
  typed: readonly Term[];
  /** A word that stands nowhere was replaced by its nearest spelling. */
  isReplaced: boolean;
  /** Some item is known to have all of them. */
  hasAll: boolean;
}

/** A word of a question with what it may stand for. */
interface AskedWord extends Token {
  /** Its end may be missing. */
  isUnfinished: boolean;
  isKnown: boolean;
  /** The words of the same stem, itself among them. */
  forms: readonly string[];
  /** Where it can be divided into two that are known: each as `power bi`. */
  halves: readonly string[];
}

/** A piece of a question: its words, and the one word that its hyphens join. */
interface Group {
  words: readonly AskedWord[];
  joined?: AskedWord;
}

/** Reads a question as words; null: it has none, such as punctuation and stop words alone. */
async function findWords(
  q: string,
  { database, vocabulary }: WordServices,
  scope: { include_inactive?: boolean },
): Promise<FoundWords | null> {
  const pieces = readQuestion(q).slice(0, MAX_WORDS);
  if (pieces.length === 0) return null;
  const [tokens, known] = await Promise.all([tokensOf(pieces, database), vocabulary.read()]);
  const groups = readGroups(pieces, tokens, known);
  if (groups.length === 0) return null;
  const counts = new MatchCounts(database, scope);
  await counts.read(
    groups.flatMap((group) => [
      join(group),
      ...group.words.flatMap(variantsOf),
      ...group.words.flatMap(halvesOf).map((words) => ({ words })),
    ]),
    // Most questions mean what they say.
    groups.slice(0, MAX_WORDS).map(join),
  );
  const chosen = groups.flatMap((group) => chooseTerms(group, counts)).slice(0, MAX_WORDS);
  await counts.read(chosen.map(({ words }) => words).filter(({ divided }) => divided));
  const replaced = await replaceUnknown(chosen, { vocabulary: known, counts });
  const weigh = (words: Words): Term => ({ ...words, weight: counts.weigh(words) });
  const isKnown = (words: Words) => counts.of(words) > 0;
  const terms = chosen.map((term) => weigh(replaced.get(term) ?? term.words));
  return {
    terms,
    known: terms.filter(isKnown),
    typed: chosen.map(({ words }) => weigh(words)).filter(isKnown),
    name: { folded: fold(q), phrase: writePhrase(groups) },
    isReplaced: replaced.size > 0,
    hasAll: counts.hasAll(terms),
  };
}

/**
 * Reads questions as rules, each of which demands every word as it was typed: no other spelling, and
 * no fewer words. Null: a question has no words.
 *
 * @param vocabulary absent: what they need of it is read, as a transaction of an import knows it
 */
export async function readRules(
  questions: readonly string[],
  connection: Connection,
  vocabulary?: CachedRead<Vocabulary>,
): Promise<(WordSearch | null)[]> {
  const pieces = questions.map((q) => readQuestion(q).flatMap(divideRule));
  const tokens = await tokensOf(pieces.flat(), connection);
  const known = await vocabulary?.read() ?? await readVocabulary(connection, tokens);
  const groups = readGroups(pieces.flat(), tokens, known);
  return questions.map((q, place) => {
    const own = new Set(pieces[place]);
    const terms = groups.filter(({ piece }) => own.has(piece))
      .map((group) => ({ ...join(group), weight: 1 }));
    return terms.length === 0
      ? null
      : { terms, any: false, name: { folded: fold(q), phrase: null } };
  });
}

/** The words of each piece, and behind those of all pieces what hyphens join in each. */
async function tokensOf(
  pieces: readonly QuestionPart[],
  connection: Connection,
): Promise<Token[]> {
  const texts = pieces.map(({ text }) => text);
  return pieces.length === 0
    ? []
    : await readTokens(connection, [...texts, ...texts.map(joinHyphens)]);
}

/** The words of each piece: all of what is quoted, and of other pieces those with more than stop words. */
function readGroups(
  pieces: readonly QuestionPart[],
  tokens: readonly Token[],
  vocabulary: Vocabulary,
): (Group & { piece: QuestionPart })[] {
  // Two words of a question may stand joined elsewhere.
  const joinedTo = new Map(tokens.map((token, place) => {
    const joined = token.word + (tokens[place + 1]?.word ?? "");
    return [token, place + 1 < tokens.length && vocabulary.has(joined) ? joined : null];
  }));
  const byPiece = Map.groupBy(tokens, ({ piece }) => piece);
  const places = new Map(pieces.map((piece, place) => [place, piece]));
  return pieces.flatMap((piece, place) => {
    const own = byPiece.get(place) ?? [];
    if (own.length === 0) return [];
    if (!piece.isQuoted && own.every(({ isStopWord }) => isStopWord)) return [];
    const before = (byPiece.get(place - 1) ?? []).at(-1);
    const joins = (one: QuestionPart | undefined) => one !== undefined && !one.isQuoted;
    const also = (token: Token) =>
      piece.isQuoted || own.length > 1 ? [] : [
        ...joins(places.get(place + 1)) ? [joinedTo.get(token)] : [],
        ...joins(places.get(place - 1)) && before ? [joinedTo.get(before)] : [],
      ].filter((word) => typeof word === "string");
    const ask = (token: Token, isLast: boolean): AskedWord => ({
      ...token,
      isKnown: /[0-9]/.test(token.word) || vocabulary.has(token.word),
      forms: [...vocabulary.formsOf(token.word, token), ...also(token)],
      halves: piece.isQuoted ? [] : vocabulary.halvesOf(token.word),
      isUnfinished: isLast && !piece.isQuoted &&
        (piece.text.endsWith("*") || piece.isLast && !isShort(token.word)),
    });
    const [joined] = byPiece.get(place + pieces.length) ?? [];
    return [{
      piece,
      words: own.map((token, index) => ask(token, index === own.length - 1)),
      ...joined && { joined: ask(joined, true) },
    }];
  });
}

/** What hyphens join as one word: `email` of `e-mail`; empty: they join nothing. */
function joinHyphens(text: string): string {
  const folded = fold(text);
  return /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+$/u.test(folded) ? folded.replaceAll("-", "") : "";
}

/** What finds a name that has the words one after the other; null: there is one alone. */
function writePhrase(groups: readonly Group[]): string | null {
  const words = groups.flatMap(({ words }) => words).slice(0, MAX_WORDS)
    .map(({ word }) => ({ forms: [word], beginning: null }));
  return words.length > 1 ? writeTerm({ words }, { inName: true }) : null;
}

/** What is searched for a piece; of a word that stands nowhere with the word. */
interface ChosenTerm {
  words: Words;
  unknown?: string;
}

function join({ words, joined }: Group): Words {
  return { words: words.map(toForms), ...joined && { joined: toForms(joined) } };
}

function toForms({ word, forms, isKnown, isUnfinished }: AskedWord): WordForms {
  const isWhole = isKnown || forms.length > 1 || !isUnfinished;
  return { forms: isWhole ? forms : [], beginning: isUnfinished ? word : null };
}

/** The ways in which a word can be written as two. */
function halvesOf({ halves }: AskedWord): WordForms[][] {
  return halves.map((text) => text.split(" ").map((form) => ({ forms: [form], beginning: null })));
}

/** What a single word may stand for: its forms, and of a short one else what begins like it. */
function variantsOf(asked: AskedWord): Words[] {
  const { word } = asked;
  const whole = { words: [toForms(asked)] };
  return isShort(word) ? [whole, { words: [{ forms: [], beginning: word }] }] : [whole];
}

/** The words of a piece together where they stand so, else each of them. */
function chooseTerms(group: Group, counts: MatchCounts): ChosenTerm[] {
  const together = join(group);
  const [only, ...others] = group.words;
  if (only && others.length === 0) {
    const divided = divideWord(only, counts);
    if (divided) return [{ words: { ...together, divided } }];
  }
  if (counts.of(together) > 0) return [{ words: together }];
  const meaningful = group.words.filter(({ isStopWord }) => !isStopWord);
  return (meaningful.length > 0 ? meaningful : group.words)
    .map((asked) => chooseWord(asked, counts));
}

/** The two words that a word is more often written as than in one; null: it is not. */
function divideWord(asked: AskedWord, counts: MatchCounts): WordForms[] | null {
  if (asked.isStopWord) return null;
  const count = (words: WordForms[]) => counts.of({ words });
  const [most] = halvesOf(asked).sort((a, b) => count(b) - count(a));
  return most && count(most) > counts.of({ words: [toForms(asked)] }) ? most : null;
}

function chooseWord(asked: AskedWord, counts: MatchCounts): ChosenTerm {
  const found = variantsOf(asked).find((words) => counts.of(words) > 0);
  // What other words are known of says nothing of one that stands nowhere, such as on a day before.
  const { word } = asked;
  return found
    ? { words: found }
    : { words: { words: [{ forms: [word], beginning: null }] }, unknown: word };
}

/** The nearest spellings that stand somewhere, of words that do not. */
async function replaceUnknown(
  terms: readonly ChosenTerm[],
  { vocabulary, counts }: { vocabulary: Vocabulary; counts: MatchCounts },
): Promise<Map<ChosenTerm, Words>> {
  const misspelt = terms.filter(({ unknown }) => unknown && mayBeMisspelt(unknown))
    .slice(0, MAX_REPLACED);
  const tried = misspelt.flatMap((term) =>
    nearestTo(term.unknown!, vocabulary.nearTo(term.unknown!)).map(({ word, distance }) => {
      const forms = vocabulary.formsOf(word);
      return { term, distance, words: { words: [{ forms, beginning: null }] } };
    })
  );
  await counts.read(tried.map(({ words }) => words));
  const best = tried.filter(({ words }) => counts.of(words) > 0)
    .sort((a, b) => b.distance - a.distance || counts.of(a.words) - counts.of(b.words));
  return new Map(best.map(({ term, words }) => [term, words])); // the last one of a term stays
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

/** A term that is not weighed yet. */
type Words = Omit<Term, "weight">;

function writeAll(terms: readonly Words[]): string {
  return terms.map((words) => writeTerm(words)).join("&");
}

/** How many items have the words of terms, as far as that was read. */
class MatchCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(
    private readonly connection: Connection,
    private readonly scope: { include_inactive?: boolean },
  ) {}

  /** Reads the counts of several terms at once, and whether an item has some together. */
  async read(terms: readonly Words[], together: readonly Words[] = []): Promise<void> {
    const counted = [...new Set(terms.map((words) => writeTerm(words)))]
      .filter((query) => !this.#counts.has(query));
    const asked = together.length > 1 ? [writeAll(together)] : [];
    const queries = [...counted, ...asked];
    if (queries.length === 0) return;
    const { total, counts } = await countMatches(this.connection, { counted, asked }, this.scope);
    this.#total = total;
    queries.forEach((query, place) => this.#counts.set(query, counts[place]!));
  }

  /** How many items have the words of a term that was read. */
  of(words: Words): number {
    return this.#counts.get(writeTerm(words)) ?? 0;
  }

  /** Whether an item has all of these terms, as far as that was read. */
  hasAll(terms: readonly Words[]): boolean {
    return (this.#counts.get(writeAll(terms)) ?? 0) > 0;
  }

  /** How much a term says: the fewer items have it, the more. */
  weigh(words: Words): number {
    return Math.log(1 + this.#total / Math.max(this.of(words), 1));
  }
}
