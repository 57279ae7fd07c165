import { readFileSync } from "node:fs";
import {
  type AnnouncedRelease,
  matchPosts,
  type Post,
} from "../lib/import/announcements/match_posts.ts";

/** Of what is matched, so much is right at least. */
const GOAL = 0.95;

/** Whether a post announces a release, as judged by a person. */
interface JudgedPair {
  release: string;
  name: string;
  post: string;
  match: boolean;
}

/** What was matched of judged pairs. */
export interface PairScore {
  pairs: number;
  /** Matched pairs that are right, and all that were judged. */
  right: number;
  matched: number;
  /** The pairs that are announcements. */
  announced: number;
  precision: number;
  recall: number;
  wrong: JudgedPair[];
  missed: JudgedPair[];
}

/** Matches all releases with all posts, and compares the result with the judged pairs of a file. */
export function scorePairs(file: "judged.json" | "held_out.json"): PairScore {
  const pairs = readJson<JudgedPair[]>(file);
  const { matches } = matchPosts(readReleases(), readPosts());
  const found = new Map(matches.map((match) => [match.release_item_id, match.post_key]));
  const isFound = ({ release, post }: JudgedPair) => found.get(release) === post;
  const matched = pairs.filter(isFound);
  const announced = pairs.filter(({ match }) => match);
  const right = matched.filter(({ match }) => match).length;
  return {
    pairs: pairs.length,
    right,
    matched: matched.length,
    announced: announced.length,
    precision: right / matched.length,
    recall: right / announced.length,
    wrong: matched.filter(({ match }) => !match),
    missed: announced.filter((pair) => !isFound(pair)),
  };
}

/** Prints precision and recall on judged pairs; true: the goal is reached. */
export function benchAnnouncements(): boolean {
  console.log("pairs      judged  announced  matched  right  precision  recall");
  const scores = (["judged.json", "held_out.json"] as const).map((file) => {
    const score = scorePairs(file);
    const { pairs, announced, matched, right, precision, recall } = score;
    const figures = [pairs, announced, matched, right, precision.toFixed(2), recall.toFixed(2)];
    const widths = [6, 9, 7, 5, 9, 6];
    const cells = figures.map((figure, column) => String(figure).padStart(widths[column]!));
    console.log([file === "judged.json" ? "to tune  " : "held out ", ...cells].join("  "));
    return score;
  });
  // What was missed among those held out stays unknown to whoever tunes the bounds.
  for (const { name, post } of scores[0]!.wrong) console.log(`wrong: ${name} → ${post}`);
  for (const { name, post } of scores[0]!.missed) console.log(`missed: ${name} → ${post}`);
  return scores.every(({ precision }) => precision >= GOAL);
}

function readReleases(): AnnouncedRelease[] {
  return readJson<(AnnouncedRelease & { product_name: string })[]>("releases.json")
    .map((release) => ({ ...release, product_names: [release.product_name], release_date: null }));
}

/** Their titles are their keys. */
function readPosts(): Post[] {
  return readJson<{ title: string; link: string }[]>("posts.json").map(({ title, link }) => ({
    post_key: title,
    url: link,
    title,
    headings: [],
    published: null,
    linked: [],
    rejected: false,
  }));
}

function readJson<Content>(file: string): Content {
  return JSON.parse(readFileSync(new URL(`announcements/${file}`, import.meta.url), "utf8"));
}
