import type { ListedMatch } from "./correct_matches.ts";
import { phaseOf } from "./phase.ts";

const REASONS = { name: "same name", link: "links to it", set: "set by you" } as const;

/** Why a post is taken, or nearly, for the announcement of a release. */
export function describeReason({ release, post, reason, score }: ListedMatch): string {
  if (reason !== "words") return REASONS[reason];
  const isOfPhase = phaseOf(post.title) === phaseOf(release.release_type);
  return `${Math.round(score * 100)} % alike${isOfPhase ? "" : ", of another phase"}`;
}
