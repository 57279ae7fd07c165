import { type Phase, phaseOf } from "./phase.ts";
import { type Likeness, nameOf, TitleIndex, wordsOf } from "./title_words.ts";

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
const MATCH_REASONS = ["words", "name", "link", "set"] as const;

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
const UNLIKE: Likeness = { rarity: 0, ofName: 0, ofBoth: 0 };
const DAY_MS = 86_400_000;

/** What was found: at most one match of each release, and what only just is not a match. */
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
  phase: Phase | null;
  /** Its own name and those of its headings, with the phases that they state. */
  names: ReadonlyMap<string, Phase | null>;
}

/** Compares releases with posts. */
class MatchFinder {
  readonly #posts: readonly ReadPost[];
  readonly #titles: TitleIndex;
  /** The places of posts by the releases that they link to, and by their names. */
  readonly #places: ReadonlyMap<string, readonly { place: number }[]>;

  constructor(releases: readonly AnnouncedRelease[], posts: readonly Post[]) {
    this.#posts = posts.filter(({ rejected }) => !rejected).map(readPost);
    this.#titles = new TitleIndex(
      releases.map(({ feature_name }) => wordsOf(feature_name)),
      this.#posts.map(({ title }) => wordsOf(title)),
    );
    const keys = this.#posts.flatMap(({ linked, names }, place) =>
      [...linked, ...names.keys()].map((key) => ({ key, place }))
    );
    this.#places = Map.groupBy(keys, ({ key }) => key);
  }

  /** Adds the match of a release, else its nearest miss. */
  find(release: AnnouncedRelease, keptKey: string | null, found: Matches): void {
    const { release_item_id, feature_name } = release;
    const name = nameOf(feature_name);
    const read = { release, name, phase: phaseOf(release.release_type) };
    const likenesses = this.#titles.compare(
      wordsOf(feature_name),
      release.product_names.flatMap(wordsOf),
    );
    const named = [release_item_id, name].flatMap((key) => this.#places.get(key) ?? []);
    const matches: Match[] = [];
    const nearMisses: Match[] = [];
    for (const place of new Set([...likenesses.keys(), ...named.map(({ place }) => place)])) {
      const post = this.#posts[place]!;
      const likeness = likenesses.get(place) ?? UNLIKE;
      const reason = findReason(read, post, likeness, post.post_key === keptKey);
      const score = likeness.ofBoth;
      const match = { release_item_id, post_key: post.post_key, reason: reason ?? "words", score };
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

function readPost(post: Post): ReadPost {
  const phase = phaseOf(post.title);
  const headings = post.headings.map((heading) =>
    [nameOf(heading), phaseOf(heading) ?? phase] as const
  );
  return { ...post, phase, names: new Map([...headings, [nameOf(post.title), phase]]) };
}

interface ReadRelease {
  release: AnnouncedRelease;
  name: string;
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
  if (isOfPhase(post.phase) && post.linked.includes(release.release_item_id)) return "link";
  const named = post.names.get(name);
  if (named !== undefined && name.includes(" ") && isOfPhase(named)) return "name";
  // A title without a phase is as likely to announce another one.
  if (phase !== null && post.phase !== phase) return null;
  const share = isKept ? KEPT_SHARE : 1;
  const { ofBoth } = likeness.rarity < FREQUENT.rarity ? FREQUENT : BOUNDS;
  const isLike = likeness.ofName >= BOUNDS.ofName * share && likeness.ofBoth >= ofBoth * share;
  return isLike && !isFarAhead(release.release_date, post.published) ? "words" : null;
}

function isFarAhead(date: string | null, published: string | null): boolean {
  if (date === null || published === null) return false;
  return Date.parse(date) - Date.parse(published) > MAX_DAYS_AHEAD * DAY_MS;
}
