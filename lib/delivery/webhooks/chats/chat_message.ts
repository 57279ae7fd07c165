import { describeChanges } from "../../../roadmap/changes/change_in_words.ts";
import {
  CHANGE_KINDS,
  type ChangeKind,
  countKinds,
  KINDS_IN_WORDS,
} from "../../../roadmap/changes/kinds.ts";
import {
  groupStories,
  type Move,
  moveOf,
  type Story,
  storyInWords,
} from "../../../roadmap/changes/stories.ts";
import { formatPairs } from "../../../roadmap/page_links.ts";
import type { ChangeEntry } from "../../../roadmap/changes/read_changes.ts";
import type { Site } from "../../../roadmap/sites.ts";
import { countOf } from "../../../text/count_of.ts";
import { cleanName } from "../../../text/clean_name.ts";
import { shorten } from "../../../text/shorten.ts";
import type { WebhookFilter, WebhookPayload } from "../webhook.ts";

/** A longer message would not be read. */
const MAX_RELEASES = 10;
/** Characters of a name, and of a line about it. */
const MAX_LENGTH = { name: 120, line: 300 };

/** A chat message, in plain texts of one line each. */
export interface ChatMessage {
  title: string;
  releases: ChatRelease[];
  /** What is left out, and where it can be read; null: nothing is. */
  more: { text: string; url: string } | null;
}

/** A release that changed. */
export interface ChatRelease {
  name: string;
  /** Its page; null: it has none any more. */
  url: string | null;
  /** Product, status, type and date, then what changed. */
  lines: string[];
}

/** Puts into words what an import changed, what matters most first. */
export function formatChatMessage(
  payload: WebhookPayload,
  { siteName, site }: { siteName: string; site: Site },
): ChatMessage {
  const byRelease = Map.groupBy(payload.entries, ({ item }) => item.release_item_id);
  const releases = [...byRelease.values()].map((entries) => describeRelease(entries, site));
  const lines = groupStories(
    CHANGE_KINDS.flatMap((kind) => releases.filter(({ move }) => move.kind === kind)),
  );
  const shown = lines.slice(0, MAX_RELEASES);
  const listed = shown.reduce(
    (sum, line) => sum + ("entries" in line ? line.entries.length : 1),
    0,
  );
  const more = payload.releases - listed;
  const kinds = Object.entries(payload.kinds ?? {}) as [ChangeKind, number][];
  const summary = countKinds(new Map(kinds)).join(", ") ||
    `${countOf(payload.releases, "release")} changed`;
  return {
    title: shorten(cleanName(`${siteName}: ${summary}`), MAX_LENGTH.line),
    releases: shown.map((line) => "entries" in line ? writeStory(line) : line.release),
    more: more > 0 ? { text: `and ${more} more`, url: linkToMore(payload.filter, site) } : null,
  };
}

/** What a person who sets a chat up wants to see there. */
export function formatChatTest(siteName: string): ChatMessage {
  const title = shorten(
    `${siteName}: this is a test. Changes to the roadmap will appear here.`,
    300,
  );
  return { title, releases: [], more: null };
}

/** A release with what matters most of what happened to it. */
interface DescribedRelease {
  product_name: string;
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
  const changes = entries.flatMap(({ changes }) => changes);
  // As /api/changes does, which lists removals in both variants.
  const words = describeChanges({ ...variant, showsInactive: true }, changes);
  const move = moveOf(variant, {
    kinds: changes.flatMap(({ kinds }) => kinds[variant.datePrecision]),
    changes,
  });
  const name = `${KINDS_IN_WORDS[move.kind].name}: ${item.feature_name}`;
  return {
    product_name: item.product_name,
    move,
    release: {
      name: shorten(cleanName(name), MAX_LENGTH.name),
      url: item.active || variant.showsInactive ? `${url}/release/${item.release_item_id}` : null,
      lines: [facts.filter(Boolean).join(" · "), ...words.map(({ text }) => text)]
        .map((line) => shorten(cleanName(line), MAX_LENGTH.line)),
    },
  };
}

function writeStory(story: Story<DescribedRelease>): ChatRelease {
  const names = story.entries.map(({ release }) =>
    release.name.slice(release.name.indexOf(": ") + 2)
  );
  return {
    name: shorten(cleanName(storyInWords(story)), MAX_LENGTH.line),
    url: null,
    lines: [shorten(names.join(" · "), MAX_LENGTH.line)],
  };
}

function linkToMore(filter: WebhookFilter, { variant, url }: Site): string {
  const pairs = Object.entries(filter).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const)
  );
  const query = formatPairs(pairs).replaceAll("(", "%28").replaceAll(")", "%29"); // for Markdown
  return `${url}${variant.hasChangelog ? "/changelog" : "/"}${query}`;
}
