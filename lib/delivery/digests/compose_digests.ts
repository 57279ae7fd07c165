import { LRUCache } from "lru-cache";
import type { Connection } from "../../database/database.ts";
import type { KindCounts } from "../../roadmap/changes/kinds.ts";
import {
  listNetOutcomes,
  type NetOutcome,
  readNetChanges,
} from "../../roadmap/changes/net_changes_sql.ts";
import { connectByDate } from "../../roadmap/as_of/as_of_sql.ts";
import { dateNameOf } from "../../roadmap/filter/filter.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { AsyncCache } from "../../work/async.ts";
import { describeScope } from "../subscriptions/preferences_in_words.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";
import {
  COMPARED_LENGTH,
  type DescribedItem,
  describeItem,
  type Digest,
  groupItems,
} from "./digest.ts";
import {
  type Covering,
  describeDueItem,
  DUE_PERIODS,
  type DueSection,
  MAX_DUE_ITEMS,
  queryOfDue,
} from "./due_section.ts";
import {
  type DueRelease,
  findChosen,
  isWatched,
  listDueReleases,
  readListedItems,
} from "./covered_sql.ts";
import { sortAlike } from "../../text/phrases.ts";

/** The most releases that the page of a digest lists, where no other does; its email lists some. */
const MAX_ITEMS = 100;
/** The most ids of releases that are remembered as what changed, is due, or is chosen by a filter; */
const MAX_IDS = 200_000;
/** and releases with their changes in words. Many digests share both. */
const MAX_DESCRIBED = 2_000;
/** The most releases that are read at once with their values, which may be long texts. */
const READ_AT_ONCE = 500;

/** Whose digest is composed, after which change and up to which, and when. */
export interface AskedDigest {
  readonly receiver: Covering & Pick<Preferences, "upcoming"> & { last_notified_change: string };
  readonly upTo: string;
  /** `YYYY-MM-DD` */
  readonly today: string;
  readonly variant: Variant;
}

/** Releases by their ids, by the names of the dates that digests go by. */
type DueItems = Map<string | undefined, ReadonlyMap<string, ListedItem>>;

/** Ids of releases in an order, and the place of each. */
interface Ordered<Row> {
  rows: readonly Row[];
  places: ReadonlyMap<string, number>;
}

/** A digest whose releases are chosen, and not read yet. */
interface Draft {
  asked: AskedDigest;
  news: readonly NetOutcome[];
  due: DueDraft[];
}

/** What is due in a period of what a digest covers: the first ones by their ids. */
interface DueDraft extends Pick<DueSection, "period" | "total" | "query"> {
  ids: readonly string[];
}

/**
 * Composes digests, many at once: the statements that this takes grow with periods of changes and
 * with filters, not with receivers, each of whom may watch a list of releases of their own.
 */
export class DigestComposer {
  readonly #outcomes = new AsyncCache<Ordered<NetOutcome>>(boundedBy(({ rows }) => rows.length));
  readonly #due = new AsyncCache<Ordered<DueRelease>>(boundedBy(({ rows }) => rows.length));
  readonly #chosen = new AsyncCache<readonly string[]>(boundedBy((ids) => ids.length));
  readonly #described = new LRUCache<string, DescribedItem>({ max: MAX_DESCRIBED });

  constructor(private readonly connection: Connection) {}

  /** Composes a digest for each; null: there is nothing to say. */
  async compose(all: readonly AskedDigest[]): Promise<(Digest | null)[]> {
    const drafts: (Draft | null)[] = [];
    for (const asked of all) drafts.push(await this.#draft(asked));
    const kept = drafts.filter((draft) => draft !== null);
    const described = await this.#describe(kept);
    const items = await this.#readDueItems(kept);
    return drafts.map((draft) => draft && write(draft, { described, items }));
  }

  async #draft(asked: AskedDigest): Promise<Draft | null> {
    const { receiver } = asked;
    const { filter: { kind: kinds }, upcoming } = receiver;
    const ids = await this.#coveredIds(asked);
    const news = pick(await this.#listOutcomes(asked), ids)
      .filter((outcome) => !kinds || outcome.kinds.some((kind) => kinds.includes(kind)));
    if (news.length === 0) return null;
    const due = upcoming ? pick(await this.#listDue(asked), ids) : [];
    return {
      asked,
      news,
      due: DUE_PERIODS.flatMap((period) => {
        const ids = due.filter((one) => one.period === period).map(idOf);
        const query = queryOfDue(receiver, period);
        const shown = ids.slice(0, query === null ? MAX_ITEMS : MAX_DUE_ITEMS);
        return ids.length > 0 ? [{ period, ids: shown, total: ids.length, query }] : [];
      }),
    };
  }

  #listOutcomes({ receiver, upTo, variant: view }: AskedDigest): Promise<Ordered<NetOutcome>> {
    const after = receiver.last_notified_change;
    return this.#outcomes.get(
      [view.name, after, upTo].join(" "),
      async () => inOrder(await listNetOutcomes(this.connection, { after, upTo, view })),
    );
  }

  #listDue({ receiver, today, upTo }: AskedDigest): Promise<Ordered<DueRelease>> {
    const name = dateNameOf(receiver.filter);
    return this.#due.get(
      [today, upTo, name].join(" "),
      async () => inOrder(await listDueReleases(connectByDate(this.connection, name), today)),
    );
  }

  /** The releases that a receiver covers, of those that changed or are due; null: all. */
  async #coveredIds(asked: AskedDigest): Promise<readonly string[] | null> {
    const { receiver: { scope, filter, releases, last_notified_change: after }, upTo, today } =
      asked;
    if (scope !== "chosen") return scope === "all" ? null : releases;
    const { kind: _, ...lists } = filter;
    const chosen = await this.#chosen.get(
      [after, upTo, today, JSON.stringify(lists)].join(" "),
      () =>
        findChosen(connectByDate(this.connection, dateNameOf(filter)), lists, {
          after,
          upTo,
          today,
        }),
    );
    return [...chosen, ...releases];
  }

  /** Reads what became of the releases that drafts list, and puts it into words. */
  async #describe(drafts: readonly Draft[]): Promise<Map<string, DescribedItem>> {
    const described = new Map<string, DescribedItem>();
    const missing = Map.groupBy(
      drafts.flatMap(({ asked, news }) =>
        news.slice(0, MAX_ITEMS).map((outcome) => ({ asked, id: idOf(outcome) }))
      ).filter(({ asked, id }) => {
        const known = this.#described.get(keyOf(asked, id));
        if (known) described.set(keyOf(asked, id), known);
        return !known;
      }),
      ({ asked }) => keyOf(asked),
    );
    for (const some of missing.values()) {
      const { asked } = some[0]!;
      const { receiver: { last_notified_change: after, filter }, upTo, variant } = asked;
      const name = dateNameOf(filter);
      const all = [...new Set(some.map(({ id }) => id))];
      for (let place = 0; place < all.length; place += READ_AT_ONCE) {
        const ids = all.slice(place, place + READ_AT_ONCE);
        const { releases } = await readNetChanges(connectByDate(this.connection, name), {
          after,
          upTo,
          isCovered: isWatched(ids),
          view: variant,
          limit: ids.length,
          textLength: COMPARED_LENGTH,
        });
        for (const release of releases) {
          const key = keyOf(asked, release.release_item_id);
          const item = describeItem(variant, release, name);
          described.set(key, item);
          this.#described.set(key, item);
        }
      }
    }
    return described;
  }

  /** The releases that come up, by the date that each draft goes by. */
  async #readDueItems(drafts: readonly Draft[]): Promise<DueItems> {
    const read: DueItems = new Map();
    const byName = Map.groupBy(drafts, ({ asked }) => dateNameOf(asked.receiver.filter));
    for (const [name, some] of byName) {
      const ids = new Set(some.flatMap(({ due }) => due.flatMap(({ ids }) => ids)));
      if (ids.size === 0) continue;
      const items = await readListedItems(connectByDate(this.connection, name), [...ids]);
      read.set(name, new Map(items.map((item) => [idOf(item), item])));
    }
    return read;
  }
}

function write(
  { asked, news, due }: Draft,
  { described, items }: {
    described: ReadonlyMap<string, DescribedItem>;
    items: DueItems;
  },
): Digest {
  const { receiver, today, variant } = asked;
  const date_name = dateNameOf(receiver.filter);
  const counts: KindCounts = {};
  for (const { kinds: [kind] } of news) counts[kind!] = (counts[kind!] ?? 0) + 1;
  const listed = news.slice(0, MAX_ITEMS)
    .flatMap((outcome) => described.get(keyOf(asked, idOf(outcome))) ?? []);
  return {
    days: {
      first: news.map(({ first_day }) => first_day).sort()[0]!,
      last: news.map(({ newest_day }) => newest_day).sort().at(-1)!,
    },
    counts,
    groups: groupItems(listed),
    total: news.length,
    day: today,
    covers: describeScope(receiver),
    due: due.map(({ ids, ...section }) => ({
      ...section,
      items: sortAlike(
        ids.flatMap((id) => items.get(date_name)?.get(id) ?? []),
        ({ release_date }) => release_date,
      ).map((item) => describeDueItem({ ...item, date_name }, variant)),
    })),
  };
}

/** The rows of some releases, in their order. */
function pick<Row>({ rows, places }: Ordered<Row>, ids: readonly string[] | null): readonly Row[] {
  if (ids === null) return rows;
  const found = new Set(ids.flatMap((id) => places.get(id) ?? []));
  return [...found].sort((a, b) => a - b).map((place) => rows[place]!);
}

function inOrder<Row extends { release_item_id: string }>(rows: readonly Row[]): Ordered<Row> {
  return { rows, places: new Map(rows.map((row, place) => [row.release_item_id, place])) };
}

function idOf({ release_item_id }: { release_item_id: string }): string {
  return release_item_id;
}

/** Names a period of changes as a variant shows it, and a release in it. */
function keyOf({ receiver, upTo, variant }: AskedDigest, id = ""): string {
  const by = dateNameOf(receiver.filter);
  return [variant.name, receiver.last_notified_change, upTo, id, by].join(" ");
}

/** The bounds of a cache of lists of ids. */
function boundedBy<Value extends object>(size: (value: Value) => number) {
  return { maxSize: MAX_IDS, sizeCalculation: (value: Value) => 1 + size(value) };
}
