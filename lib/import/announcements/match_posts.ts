import ipaddr from "ipaddr.js";
import { setTimeout as delay } from "node:timers/promises";
import { isPublic } from "../../http/outgoing/checked_addresses.ts";
import { fold } from "../../text/match_words.ts";
import { toLine } from "../../text/phrases.ts";
import { decodeEntities } from "../../text/plain_text.ts";
import type { PrivateLinks } from "../mapping/private_links.ts";

/** A feed has its newest posts first; no more are stored of a source. */
export const MAX_POSTS = 2_000;

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
  headings: readonly string[];
  published: string | null;
  linked: readonly string[];
  rejected: boolean;
}

/** The post of a release, and why it is: it has its name, links to it, or the operator said so. */
export interface Match {
  release_item_id: string;
  post: Post;
  reason: "name" | "link" | "set";
}

/** So long the event loop is held at most before other work has its turn. */
const TURN_MS = 20;

/** Finds the best post of each release that has one. */
export type PostFinder = (releases: readonly AnnouncedRelease[]) => Promise<Match[]>;

/**
 * The best post of a release is the one that the operator set, else one that links to it, else one
 * whose title or heading is its name; of several the first.
 *
 * @param set the keys of posts by the ids of releases
 */
export async function indexPosts(
  posts: readonly Post[],
  set: ReadonlyMap<string, string> = new Map(),
): Promise<PostFinder> {
  const throttle = turns();
  const byKey = new Map(posts.map((post) => [post.post_key, post]));
  const places = new Map<string, { post: Post; phase: Phase | null }[]>();
  const add = (key: string, post: Post, phase: Phase | null) => {
    const there = places.get(key);
    if (there) there.push({ post, phase });
    else places.set(key, [{ post, phase }]);
  };
  for (const post of posts) {
    if (post.rejected) continue;
    await throttle();
    const phase = phaseOf(post.title);
    for (const id of post.linked) add(`link ${id}`, post, phase);
    const names = new Map(
      post.headings.map((title) => [matchedName(title), phaseOf(title) ?? phase]),
    );
    names.set(matchedName(post.title), phase);
    for (const [name, stated] of names) if (name.includes(" ")) add(`name ${name}`, post, stated);
    add(`title ${exactly(post.title)}`, post, phase);
  }
  return async (releases) => {
    const matches: Match[] = [];
    for (const { release_item_id, feature_name, release_type } of releases) {
      await throttle();
      const phase = phaseOf(release_type);
      const find = (reason: Match["reason"], post?: Post): Match | null =>
        post ? { release_item_id, post, reason } : null;
      const fitting = (key: string) =>
        (places.get(key) ?? []).filter((place) =>
          place.phase === null || phase === null || place.phase === phase
        );
      const best = (key: string) => fitting(key)[0]?.post;
      // A name without a blank may stand above many posts.
      const only = (key: string) => fitting(key).length === 1 ? best(key) : undefined;
      const match = find("set", byKey.get(set.get(release_item_id) ?? "")) ??
        find("link", best(`link ${release_item_id}`)) ??
        find(
          "name",
          best(`name ${matchedName(feature_name)}`) ?? only(`title ${exactly(feature_name)}`),
        );
      if (match) matches.push(match);
    }
    return matches;
  };
}

/** A title or a name as it is compared: without its phase, case and punctuation. */
function matchedName(title: string): string {
  const words = fold(withoutPhase(decodeEntities(title))).replace(/['’]/g, "");
  return (words.match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

/** A title or a name with all that is in it but its phase. */
function exactly(title: string): string {
  return withoutPhase(toLine(decodeEntities(title))).replace(/[([]\s*[)\]]/g, "").trim();
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

/** How far along a release is, as titles of posts state it. */
type Phase = "preview" | "general";

const GENERAL = /\bgenerally available\b|\bgeneral availability\b|\bGA\b/gi;
const PREVIEW = /\b(?:(?:public|private) )?preview\b/gi;
/** In parentheses or brackets, where other words of a name cannot be meant. */
const STATED = /[([]([^()[\]]*)[)\]]/g;

/**
 * The phase that a title or a type states; null: none, or both.
 *
 * ```ts
 * const phases = ["Data preview (Generally Available)", "Graph (Preview)", "GA of X", "Graph"].map(phaseOf);
 * if (phases.join() !== "general,preview,general,") throw new Error(phases.join());
 * ```
 */
export function phaseOf(text: string): Phase | null {
  const stated = [...text.matchAll(STATED)].map(([, inside]) => onlyPhase(inside!));
  return stated.find((phase) => phase !== null) ?? onlyPhase(text);
}

function onlyPhase(text: string): Phase | null {
  const isGeneral = text.search(GENERAL) !== -1;
  if (isGeneral === (text.search(PREVIEW) !== -1)) return null;
  return isGeneral ? "general" : "preview";
}

function withoutPhase(title: string): string {
  return title.replace(GENERAL, " ").replace(PREVIEW, " ");
}

const MAX_MATCHED_LENGTH = 2_000;
/** Parameters that say where a reader came from, not which post it is. */
const TRACKING = /^(?:utm_\w+|wt\.mc_id|ocid|ref|source|fbclid|gclid)$/i;
/** A year, a month or a day, which many posts of a host may have at the end of their addresses. */
const DAY = /^(?:19|20)\d{2}(?:(?:0[1-9]|1[0-2])(?:[0-3]\d)?)?$/;
/** Names that only mean something inside of a network (RFC 6762, RFC 8375 and others). */
const INTERNAL = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;

/** The address of a post as it may be shown; null for one that no reader should follow. */
export function readPostAddress(link: string | null, hidden: PrivateLinks): string | null {
  const url = link === null ? null : URL.parse(link.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_MATCHED_LENGTH) {
    return null;
  }
  if (url.username || url.password || !isPublicHost(url.hostname)) return null;
  return hidden.isPrivate(url.href) ? null : url.href;
}

function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "").toLowerCase();
  if (ipaddr.isValid(name)) return isPublic(name);
  return name.includes(".") && !INTERNAL.test(name);
}

/**
 * What is the same for all addresses of a post: its number at a host where it has one, else its
 * address.
 *
 * ```ts
 * const addresses = [
 *   "https://community.example.com/t5/Updates-Blogs/Graph/ba-p/5190748",
 *   "https://community.example.com/t5/Updates-Blog/Graph-in-Fabric/ba-p/5190748?WT.mc_id=x",
 *   "https://www.community.example.com/blog/updates/graph-in-fabric/5190748#top",
 * ];
 * if (new Set(addresses.map(postKey)).size !== 1) throw new Error(addresses.map(postKey).join());
 * ```
 */
export function postKey(address: string): string {
  const url = new URL(address);
  const host = url.hostname.toLowerCase().replace(/^www\./, "");
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  const number = /\/(\d{4,})$/.exec(path)?.[1];
  if (number !== undefined && !DAY.test(number)) return `${host}:${number}`;
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name)).sort();
  const query = kept.map(([name, value]) => `${name}=${value}`).join("&");
  return `${host}${path.toLowerCase()}${query && `?${query}`}`;
}
