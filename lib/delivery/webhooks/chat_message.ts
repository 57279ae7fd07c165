import { describeChanges } from "../../roadmap/changes/change_in_words.ts";
import {
  CHANGE_KINDS,
  type ChangeKind,
  countKinds,
  KINDS_IN_WORDS,
} from "../../roadmap/changes/kinds.ts";
import {
  groupStories,
  type Move,
  moveOf,
  type Story,
  storyInWords,
} from "../../roadmap/changes/stories.ts";
import { filterPairs } from "../../roadmap/filter/filter_values.ts";
import { formatPairs } from "../../roadmap/collection.ts";
import type { ChangeEntry } from "../../roadmap/changes/read_changes.ts";
import type { Site } from "../../roadmap/sites.ts";
import { countOf, shorten } from "../../text/phrases.ts";
import { cleanName } from "../../text/plain_text.ts";
import { joinChanges } from "./net_changes.ts";
import type { WebhookFilter, WebhookPayload } from "./webhook.ts";

/** A longer message would not be read. */
const MAX_RELEASES = 10;
/** Characters of a name, and of a line about it. */
const MAX_LENGTH = { name: 120, line: 300 };
/** A longer address fits no message: its filter is left out. */
const MAX_URL = 1_000;

/** A chat message, in plain texts of one line each. */
export interface ChatMessage {
  title: string;
  releases: ChatRelease[];
  /** How many releases changed. */
  total: number;
  /** Where all of them are. */
  url: string;
}

/** A release that changed, or some to which the same happened. */
export interface ChatRelease {
  /** How many releases it is about. */
  count: number;
  name: string;
  /** Its page; null: it has none any more. */
  url: string | null;
  /** Product, status, type and date, then what changed. */
  lines: string[];
}

/** Puts into words what changed, what matters most first. */
export function formatChatMessage(
  payload: WebhookPayload,
  { siteName, site }: { siteName: string; site: Site },
): ChatMessage {
  const byRelease = Map.groupBy(payload.entries, ({ item }) => item.release_item_id);
  const releases = [...byRelease.values()].map((entries) => describeRelease(entries, site));
  const lines = groupStories(
    CHANGE_KINDS.flatMap((kind) => releases.filter(({ move }) => move.kind === kind)),
  );
  const summary = countKinds(countReleases(payload, releases)).join(", ") ||
    `${countOf(payload.releases, "release")} changed`;
  return {
    title: shorten(cleanName(`${siteName}: ${summary}`), MAX_LENGTH.line),
    releases: lines.slice(0, MAX_RELEASES)
      .map((line) => "entries" in line ? writeStory(line) : line.release),
    total: payload.releases,
    url: linkToAll(payload.filter, site),
  };
}

/** Of how many releases what matters most is of a kind. */
function countReleases(
  { kinds, more }: WebhookPayload,
  releases: readonly DescribedRelease[],
): Map<ChangeKind, number> {
  if (more > 0) return new Map(Object.entries(kinds ?? {}) as [ChangeKind, number][]);
  // What several imports did to a release is one thing only where all of it is here.
  const byKind = Map.groupBy(releases, ({ move }) => move.kind);
  return new Map([...byKind].map(([kind, some]) => [kind, some.length]));
}

/** What the first releases of a message leave out, and where it can be read; null: nothing is. */
export function countLeftOut(
  { releases, total, url }: ChatMessage,
  shown = releases.length,
): { text: string; url: string } | null {
  const left = total - releases.slice(0, shown).reduce((sum, { count }) => sum + count, 0);
  return left > 0 ? { text: `and ${left} more`, url } : null;
}

/** What a person who sets a chat up wants to see there. */
export function formatChatTest(
  { siteName, site }: { siteName: string; site: Site },
): ChatMessage {
  const title = shorten(
    `${siteName}: this is a test. Changes to the roadmap will appear here.`,
    300,
  );
  return { title, releases: [], total: 0, url: `${site.url}/` };
}

/** A release with what matters most of what happened to it. */
interface DescribedRelease {
  product_name: string;
  feature_name: string;
  move: Move;
  release: ChatRelease;
}

function describeRelease(
  entries: readonly ChangeEntry[],
  { variant, url }: Site,
): DescribedRelease {
  const { item } = entries.at(-1)!;
  const date = item.release_date && variant.formatDate(item.release_date);
  // A delivery that an older version queued names one product.
  const facts = [
    (item.product_names ?? [item.product_name]).join(", "),
    item.release_status,
    item.release_type,
    date,
  ];
  const net = joinChanges(variant, entries);
  // As /api/changes does, which lists removals in both variants.
  const words = describeChanges({ ...variant, showsInactive: true }, net.changes)
    .map(({ text }) => text);
  const move = moveOf(variant, net);
  const name = `${KINDS_IN_WORDS[move.kind].name}: ${item.feature_name}`;
  return {
    product_name: item.product_name,
    feature_name: item.feature_name,
    move,
    release: {
      count: 1,
      name: shorten(cleanName(name), MAX_LENGTH.name),
      url: item.active || variant.showsInactive ? `${url}/release/${item.release_item_id}` : null,
      lines: [
        facts.filter(Boolean).join(" · "),
        ...words.length > 0 ? words : ["Changed, then changed back"],
      ]
        .map((line) => shorten(cleanName(line), MAX_LENGTH.line)),
    },
  };
}

function writeStory(story: Story<DescribedRelease>): ChatRelease {
  const names = story.entries.map(({ feature_name }) =>
    shorten(cleanName(feature_name), MAX_LENGTH.name)
  );
  return {
    count: story.entries.length,
    name: shorten(cleanName(storyInWords(story)), MAX_LENGTH.line),
    url: null,
    lines: [shorten(names.join(" · "), MAX_LENGTH.line)],
  };
}

function linkToAll(filter: WebhookFilter, { variant, url }: Site): string {
  const kinds = (filter.kind ?? []).map((kind) => ["kind", kind] as const);
  const query = formatPairs([...filterPairs(filter), ...kinds]).replaceAll("(", "%28").replaceAll(
    ")",
    "%29",
  ); // for Markdown
  const page = `${url}${variant.hasChangelog ? "/changelog" : "/"}`;
  return page.length + query.length > MAX_URL ? page : page + query;
}
