import { type Phase, phaseOf } from "./phase.ts";
import { type Likeness, nameOf, TitleComparison, wordsOf } from "./title_words.ts";

/** A release that may be announced. */
export interface AnnouncedRelease {
  release_item_id: string;
  feature_name: string;
  release_type: string;
  product_names: readonly string[];
  /** `YYYY-MM-DD` */
  release_date: string | null;
}

/** A post of a feed of announcements. */
export interface Post {
  post_key: string;
  url: string;
  title: string;
  /** The headings in it. */
  headings: readonly string[];
  /** `YYYY-MM-DD` */
  published: string | null;
  /** The ids of the releases that it links to. */
  linked: readonly string[];
  rejected: boolean;
}

/** Why a post belongs to a release, the weakest reason first. */
export const MATCH_REASONS = ["words", "name", "link", "set"] as const;

/** The post of a release. */
export interface Match {
  release_item_id: string;
  post_key: string;
  reason: (typeof MATCH_REASONS)[number];
  /** How alike name and title are, from 0 to 1. */
  score: number;
}

/**
 * How much of the name must stand in the title, and how much of both must be the same. Measured by
 * `deno task bench --announcements`: with less, wrong posts are found.
 */
const BOUNDS = { ofName: 0.9, ofBoth: 0.55 };
/** Names of frequent words only, such as "Data agents", stand in many titles. */
const FREQUENT = { rarity: 1.2, ofBoth: 0.85 };
/** Other titles come and go, and with them the weights: a match stays while it is this close. */
const KEPT_SHARE = 0.85;
/** What is worth a look of the operator. */
const NEAR = 0.45;
/** No post announces by its words alone what is due later than that. */
const MAX_DAYS_AHEAD = 200;
const DAY_MS = 86_400_000;

/** What was found: at most one match of each release, and what only just is none. */
export interface Matches {
  matches: Match[];
  /** The most alike first. */
  nearMisses: Match[];
}

/**
 * Finds the post of each release: one that links to it or has its name, else the one whose title is
 * most like it, if it is like enough. A match that was found before stays until a post with a better
 * reason comes.
 */
export function matchPosts(
  releases: readonly AnnouncedRelease[],
  posts: readonly Post[],
  earlier: readonly Match[] = [],
): Matches {
  const finder = new MatchFinder(releases, posts);
  const before = new Map(earlier.map((match) => [match.release_item_id, match]));
  const found: Matches = { matches: [], nearMisses: [] };
  for (const release of releases) {
    const known = before.get(release.release_item_id);
    if (known?.reason === "set") found.matches.push(known);
    else finder.find(release, known?.post_key ?? null, found);
  }
  found.nearMisses.sort(compareMatches);
  return found;
}

/** The stronger reason first, then what is more alike. */
function compareMatches(one: Match, other: Match): number {
  return MATCH_REASONS.indexOf(other.reason) - MATCH_REASONS.indexOf(one.reason) ||
    other.score - one.score;
}

interface ReadPost extends Post {
  words: readonly string[];
  /** Its own name and those of its headings, with the phases that they state. */
  names: readonly { name: string; phase: Phase | null }[];
}

/** Compares releases with posts. */
class MatchFinder {
  readonly #posts: readonly ReadPost[];
  readonly #comparison: TitleComparison;

  constructor(releases: readonly AnnouncedRelease[], posts: readonly Post[]) {
    this.#posts = posts.filter(({ rejected }) => !rejected).map((post) => ({
      ...post,
      words: wordsOf(post.title),
      names: [post.title, ...post.headings].map((title) => ({
        name: nameOf(title),
        phase: phaseOf(title) ?? phaseOf(post.title),
      })),
    }));
    this.#comparison = new TitleComparison([
      ...releases.map(({ feature_name }) => wordsOf(feature_name)),
      ...this.#posts.map(({ words }) => words),
    ]);
  }

  /** Adds the match of a release, else its nearest miss. */
  find(release: AnnouncedRelease, keptKey: string | null, found: Matches): void {
    const read = {
      release,
      name: nameOf(release.feature_name),
      words: wordsOf(release.feature_name),
      products: release.product_names.flatMap(wordsOf),
      phase: phaseOf(release.release_type),
    };
    const matches: Match[] = [];
    const nearMisses: Match[] = [];
    for (const post of this.#posts) {
      const likeness = this.#comparison.compare(read, post.words);
      const reason = findReason(read, post, likeness, post.post_key === keptKey);
      const score = likeness.ofBoth;
      const { release_item_id } = release;
      const match = { release_item_id, post_key: post.post_key, score, reason: reason ?? "words" };
      if (reason !== null) matches.push(match);
      else if (score >= NEAR) nearMisses.push(match);
    }
    const [best] = matches.toSorted(compareMatches);
    const kept = matches.find(({ post_key }) => post_key === keptKey);
    if (best === undefined) {
      found.nearMisses.push(...nearMisses.toSorted(compareMatches).slice(0, 1));
    } else found.matches.push(kept?.reason === best.reason ? kept : best);
  }
}

interface ReadRelease {
  release: AnnouncedRelease;
  name: string;
  words: readonly string[];
  products: readonly string[];
  phase: Phase | null;
}

/** Why a post belongs to a release; null: it does not. */
function findReason(
  { release, name, phase }: ReadRelease,
  post: ReadPost,
  likeness: Likeness,
  isKept: boolean,
): Match["reason"] | null {
  const isOfPhase = (stated: Phase | null) => stated === null || phase === null || stated === phase;
  const stated = phaseOf(post.title);
  if (isOfPhase(stated) && post.linked.includes(release.release_item_id)) return "link";
  const isNamed = name.includes(" ") &&
    post.names.some((named) => named.name === name && isOfPhase(named.phase));
  if (isNamed) return "name";
  // A title without a phase is as likely to announce another one.
  if (phase !== null && stated !== phase) return null;
  const share = isKept ? KEPT_SHARE : 1;
  const { ofBoth } = likeness.rarity < FREQUENT.rarity ? FREQUENT : BOUNDS;
  const isLike = likeness.ofName >= BOUNDS.ofName * share && likeness.ofBoth >= ofBoth * share;
  return isLike && !isFarAhead(release.release_date, post.published) ? "words" : null;
}

function isFarAhead(date: string | null, published: string | null): boolean {
  if (date === null || published === null) return false;
  return Date.parse(date) - Date.parse(published) > MAX_DAYS_AHEAD * DAY_MS;
}
