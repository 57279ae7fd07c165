import { setTimeout as delay } from "node:timers/promises";
import { decodeEntities } from "../../text/plain_text.ts";
import { fold } from "../../text/match_words.ts";
import { type Phase, phaseOf, withoutPhase } from "./phase.ts";

/** A release that may be announced. */
export interface AnnouncedRelease {
  release_item_id: string;
  feature_name: string;
  release_type: string;
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

/** The post of a release, and why it is: it has its name, links to it, or the operator said so. */
export interface Match {
  release_item_id: string;
  post_key: string;
  reason: "name" | "link" | "set";
}

/** So long the event loop is held at most before other work has its turn. */
const TURN_MS = 20;

/**
 * Finds the post of each release: one that links to it, else one whose title or heading is its name.
 * A match that was found before stays until a post with a better reason comes.
 */
export async function matchPosts(
  releases: readonly AnnouncedRelease[],
  posts: readonly Post[],
  earlier: readonly Match[] = [],
): Promise<Match[]> {
  const takeTurns = turns();
  const places = new Map<string, { post: Post; phase: Phase | null }[]>();
  const add = (key: string, post: Post, phase: Phase | null) => {
    const there = places.get(key);
    if (there) there.push({ post, phase });
    else places.set(key, [{ post, phase }]);
  };
  for (const post of posts) {
    if (post.rejected) continue;
    await takeTurns();
    const phase = phaseOf(post.title);
    for (const id of post.linked) add(`link ${id}`, post, phase);
    const names = new Map(post.headings.map((title) => [nameOf(title), phaseOf(title) ?? phase]));
    names.set(nameOf(post.title), phase);
    for (const [name, stated] of names) if (name.includes(" ")) add(`name ${name}`, post, stated);
  }
  const before = new Map(earlier.map((match) => [match.release_item_id, match]));
  const matches: Match[] = [];
  for (const { release_item_id, feature_name, release_type } of releases) {
    await takeTurns();
    const known = before.get(release_item_id);
    if (known?.reason === "set") {
      matches.push(known);
      continue;
    }
    const phase = phaseOf(release_type);
    const find = (reason: "link" | "name", key: string): Match | null => {
      const found = (places.get(`${reason} ${key}`) ?? []).filter((place) =>
        place.phase === null || phase === null || place.phase === phase
      ).map(({ post }) => post.post_key);
      const post_key = found.find((key) => key === known?.post_key) ?? found[0];
      return post_key === undefined ? null : { release_item_id, post_key, reason };
    };
    const match = find("link", release_item_id) ?? find("name", nameOf(feature_name));
    if (match) matches.push(match);
  }
  return matches;
}

/** A title or a name as it is compared: without its phase, case and punctuation. */
function nameOf(title: string): string {
  const words = fold(withoutPhase(decodeEntities(title))).replace(/['’]/g, "");
  return (words.match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

/** Lets other work have its turn where the own one has lasted long. */
function turns(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < TURN_MS) return;
    await delay(0);
    began = performance.now();
  };
}
