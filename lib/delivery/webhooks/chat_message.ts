import {
  type ChangeKind,
  countKinds,
  countLeftOut,
  type KindCounts,
  nameKind,
} from "../../roadmap/changes/kinds.ts";
import {
  type NetChanges,
  type NetRelease,
  readNetChanges,
} from "../../roadmap/changes/net_changes_sql.ts";
import { groupStories, type Story } from "../../roadmap/changes/stories.ts";
import { dateNameOf } from "../../roadmap/filter/filter.ts";
import { filterPairs } from "../../roadmap/filter/filter_values.ts";
import { formatPairs } from "../../roadmap/collection.ts";
import type { Connection } from "../../database/database.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { joinParts, shorten } from "../../text/phrases.ts";
import { cleanName } from "../../text/plain_text.ts";
import { type DescribedItem, describeItem, describeStory } from "../digests/digest.ts";
import { isChosenBy } from "../../roadmap/words/searches_sql.ts";
import type { WebhookFilter } from "./webhook.ts";
import { say } from "../../text/messages.ts";

/** A longer message would not be read. */
const MAX_RELEASES = 10;
/** Several releases to which the same happened are one line. */
const MAX_READ = 100;
/** Characters of a name, and of a line about it. */
const MAX_LENGTH = { name: 120, line: 300 };
/** A longer address fits no message: its filter is left out. */
const MAX_URL = 1_000;

/** A chat message, in plain texts of one line each. */
export interface ChatMessage {
  title: string;
  releases: ChatRelease[];
  /** How many releases changed, in all and by the heaviest of what happened to them. */
  total: number;
  counts: KindCounts;
  /** Where all of them are. */
  url: string;
}

/** A release that changed, or some to which the same happened. */
interface ChatRelease {
  /** The heaviest of what happened to it. */
  kind: ChangeKind;
  /** How many releases it is about. */
  count: number;
  name: string;
  /** Its page; null: it has none any more. */
  url: string | null;
  /** Product, status, type and date, then what changed. */
  lines: string[];
}

/** Reads what a chat is notified of: all that became of releases between two changes. */
export async function readChatNews(
  connection: Connection,
  filter: WebhookFilter,
  { variant, today, ...between }: {
    after: string;
    upTo: string;
    variant: Variant;
    /** The day from which `due` counts, `YYYY-MM-DD`. */
    today: string;
  },
): Promise<NetChanges> {
  return await readNetChanges(connection, {
    ...between,
    isCovered: await isChosenBy(connection, filter, today),
    kinds: filter.kind,
    view: { ...variant, showsInactive: true },
    limit: MAX_READ,
    textLength: MAX_LENGTH.line,
  });
}

/** Puts into words what became of releases, the heaviest first. */
export function formatChatMessage(
  { releases, total, counts }: NetChanges,
  { filter, siteName, site }: { filter: WebhookFilter; siteName: string; site: Site },
): ChatMessage {
  const summary = joinParts(countKinds(counts));
  return {
    title: shorten(
      cleanName(say("list.titled", { title: siteName, text: summary })),
      MAX_LENGTH.line,
    ),
    releases: groupStories(
      releases.map((release) => describeRelease(release, site, dateNameOf(filter))),
    )
      .slice(0, MAX_RELEASES)
      .map((line) => "entries" in line ? writeStory(line) : line.release),
    total,
    counts,
    url: linkToAll(filter, site),
  };
}

/** What the first releases of a message leave out, and where it can be read; null: nothing is. */
export function describeRest(
  { releases, total, counts, url }: ChatMessage,
  shown = releases.length,
): { text: string; url: string } | null {
  const kinds = releases.slice(0, shown).flatMap(({ kind, count }) =>
    Array<ChangeKind>(count).fill(kind)
  );
  const left = total - kinds.length;
  return left > 0
    ? { text: say("list.and_more", { count: left }) + countLeftOut(counts, kinds), url }
    : null;
}

/** What a person who sets a chat up wants to see there. */
export function formatChatTest(siteName: string, site: Site): ChatMessage {
  const title = shorten(say("chat.test", { site: siteName }), MAX_LENGTH.line);
  return { title, releases: [], total: 0, counts: {}, url: `${site.url}/` };
}

/** A release of a chat, as groups of the same are made of it. */
type DescribedRelease = Pick<DescribedItem, "product_name" | "move"> & {
  feature_name: string;
  release: ChatRelease;
};

function describeRelease(
  item: NetRelease,
  { variant, url }: Site,
  dateName: string | undefined,
): DescribedRelease {
  // As /api/changes does, which lists removals in both variants.
  const described = describeItem({ ...variant, showsInactive: true }, item, dateName);
  const { kind, product_name, move, item: { details, changes } } = described;
  const name = say("list.titled", { title: nameKind(kind), text: item.feature_name });
  return {
    product_name,
    feature_name: item.feature_name,
    move,
    release: {
      kind,
      count: 1,
      name: shorten(cleanName(name), MAX_LENGTH.name),
      url: item.active || variant.showsInactive ? `${url}/release/${item.release_item_id}` : null,
      lines: [details, ...changes.map(({ text }) => text)]
        .map((line) => shorten(cleanName(line), MAX_LENGTH.line)),
    },
  };
}

function writeStory(story: Story<DescribedRelease>): ChatRelease {
  const names = story.entries.map(({ feature_name }) =>
    shorten(cleanName(feature_name), MAX_LENGTH.name)
  );
  return {
    kind: story.kind,
    count: story.entries.length,
    name: shorten(describeStory(story), MAX_LENGTH.line),
    url: null,
    lines: [shorten(names.join(" · "), MAX_LENGTH.line)],
  };
}

function linkToAll(filter: WebhookFilter, { variant, url }: Site): string {
  const kinds = (filter.kind ?? []).map((kind) => ["kind", kind] as const);
  // Markdown would take a parenthesis for the end of the address.
  const query = formatPairs([...filterPairs(filter), ...kinds])
    .replaceAll("(", "%28").replaceAll(")", "%29");
  const page = `${url}${variant.hasChangelog ? "/changelog" : "/"}`;
  return page.length + query.length > MAX_URL ? page : page + query;
}
