import type { ChangeKind } from "../../roadmap/changes/kinds.ts";
import { countOf } from "../../text/phrases.ts";
import { excerpt } from "../../text/plain_text.ts";
import { countReleases, type Digest, type DigestGroup, type DigestItem } from "./digest.ts";

/** Mail programs show some 70 characters of a subject. */
const NAME_LENGTH = 60;
/** The most releases with the same kind of change that a heading names; it has up to two kinds. */
const MAX_NAMES = 2;
const MAX_SENTENCES = 2;

/** What became of one release, and of several, behind their names or their number. */
const VERBS: Readonly<Record<ChangeKind, readonly [one: string, several: string]>> = {
  shipped: ["shipped", "shipped"],
  cancelled: ["was cancelled", "were cancelled"],
  removed: ["was removed from the roadmap", "were removed from the roadmap"],
  slipped: ["slipped", "slipped"],
  taken_back: ["was taken back", "were taken back"],
  started: ["started", "started"],
  earlier: ["moved earlier", "moved earlier"],
  added: ["is new on the roadmap", "are new on the roadmap"],
  restored: ["is back on the roadmap", "are back on the roadmap"],
  dated: ["now has a date", "now have a date"],
  undated: ["no longer has a date", "no longer have a date"],
  edited: ["was edited", "were edited"],
};

/**
 * What a digest is about, for the subject of its mail: the news of its only release, or else
 * the counts, and one of the releases.
 */
export function writeSubject(digest: Digest, summary: string): string {
  const [group] = digest.groups;
  const only = onlyItem(digest);
  if (only) return describeOne(group!.kind, only);
  const first = group?.items[0];
  if (!first || first.releases) return summary;
  const others = digest.total === 2 ? "1 other" : "others";
  return `${summary}: ${shortName(first)} and ${others}`;
}

/** The same as a sentence or two, which names what matters most. */
export function writeHeading(digest: Digest, summary: string): string {
  const only = onlyItem(digest);
  if (only) return describeOne(digest.groups[0]!.kind, only);
  const sentences = digest.groups.slice(0, MAX_SENTENCES).map((group) =>
    `${describeGroup(group)}.`
  );
  return sentences.join(" ") || summary;
}

/** The only item of a digest; of a sentence about several releases that is one, too. */
function onlyItem({ groups, total }: Digest): DigestItem | null {
  const items = groups.flatMap(({ items }) => items);
  return items.length === 1 && countReleases(items) === total ? items[0]! : null;
}

function describeOne(kind: ChangeKind, item: DigestItem): string {
  const name = shortName(item);
  if (item.releases) return name;
  switch (item.to && kind) {
    case "slipped":
      return `${name} moved to ${item.to}`;
    case "earlier":
      return `${name} moved up to ${item.to}`;
    case "dated":
      return `${name} is now planned for ${item.to}`;
    default:
      return `${name} ${VERBS[kind][0]}`;
  }
}

function describeGroup({ kind, items }: DigestGroup): string {
  const [one, several] = VERBS[kind];
  const count = countReleases(items);
  if (count > MAX_NAMES || items.some(({ releases }) => releases)) {
    return `${countOf(count, "release")} ${several}`;
  }
  return `${items.map(shortName).join(" and ")} ${count === 1 ? one : several}`;
}

function shortName({ feature_name, releases }: DigestItem): string {
  return releases ? feature_name : excerpt(feature_name, { length: NAME_LENGTH });
}
