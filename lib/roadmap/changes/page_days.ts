import { formatPlanned, formatQuarter, placeOfQuarter } from "../../text/dates.ts";
import { joinParts, toLine } from "../../text/phrases.ts";
import { cleanName } from "../../text/plain_text.ts";
import type { ListedItem } from "../item.ts";
import type { Variant } from "../variant.ts";
import { type ChangeInWords, describeChanges, FIELD_KINDS } from "./change_in_words.ts";
import type { Entry } from "./entries_sql.ts";
import type { Introduction } from "./page_changelog_sql.ts";
import {
  CHANGE_KINDS,
  type ChangeKind,
  countKinds,
  heaviestKind,
  type KindCounts,
} from "./kinds.ts";
import { groupStories, isSaidBy, moveOf, storyInWords } from "./stories.ts";
import { say } from "../../text/messages.ts";

/** A day of the changelog, ready to be drawn: as a page, or as what is pasted into an email. */
export interface ChangelogDay {
  /** `YYYY-MM-DD` */
  day: string;
  /** What happened, such as `2 shipped, 3 slipped`; empty where a source only began. */
  summary: string;
  lines: (ReleaseLine | SentenceLine)[];
}

/** What happened to one release. */
export interface ReleaseLine {
  key: number;
  kind: ChangeKind;
  item: Entry["item"];
  /** The named date that has moved; null: the release date, or none. */
  name: string | null;
  /** The dates before and after, of a move. */
  from: string | null;
  to: string | null;
  /** The date that it has, where it has not moved. */
  planned: string | null;
  /** In quarters after its date; null: it did not ship now, or had no date. */
  late: number | null;
  /** What else changed. */
  facts: ChangeInWords[];
  isRewritten: boolean;
}

/** What happened to several releases, or a source that is followed from now on. */
export interface SentenceLine {
  key: number;
  kind: ChangeKind;
  sentence: string;
  releases: readonly Pick<ListedItem, "release_item_id" | "feature_name" | "language">[];
  /** Of a source: its name, and how many of its releases are not among these. */
  source?: { name: string; more: number };
}

/** The changes of a page by day, the newest first; inside a day what matters most comes first. */
export function toDays(
  { entries, introductions, counts }: {
    entries: readonly Entry[];
    introductions: readonly Introduction[];
    /** Of a single day with more entries than these: all of them, by the heaviest kind of each. */
    counts?: KindCounts;
  },
  variant: Variant,
): ChangelogDay[] {
  const byDay = Map.groupBy(entries, ({ day }) => day);
  const days = new Set([...byDay.keys(), ...introductions.map(({ day }) => day)]);
  return [...days].sort().reverse().map((day) => ({
    day,
    summary: counts ? joinParts(countKinds(counts)) : summarise(byDay.get(day) ?? []),
    lines: [
      ...linesOf(byDay.get(day) ?? [], variant),
      ...introductions.filter((introduction) => introduction.day === day).map(toIntroduction),
    ],
  }));
}

function summarise(entries: readonly Entry[]): string {
  const byKind = Map.groupBy(entries, ({ kinds }) => heaviestKind(kinds));
  const counts = Object.fromEntries([...byKind].map(([kind, { length }]) => [kind, length]));
  return joinParts(countKinds(counts));
}

/** The lines of a day, the heaviest kind first; of each kind stories come before single releases. */
function linesOf(
  entries: readonly Entry[],
  variant: Variant,
): (ReleaseLine | SentenceLine)[] {
  const lines = groupStories(entries.map((entry) => ({
    entry,
    run_id: entry.run_id,
    product_name: toLine(entry.item.product_name),
    move: moveOf(variant, entry),
  })));
  const written = lines.map((line): ReleaseLine | SentenceLine =>
    "entry" in line ? toRelease(line.entry, variant) : {
      key: line.entries[0]!.entry.entry_id,
      kind: line.kind,
      sentence: storyInWords(line),
      releases: line.entries.map(({ entry }) => entry.item),
    }
  );
  return CHANGE_KINDS.flatMap((kind) => [
    ...written.filter((line) => "sentence" in line && line.kind === kind),
    ...written.filter((line) => "item" in line && line.kind === kind),
  ]);
}

function toRelease(entry: Entry, variant: Variant): ReleaseLine {
  const { item, day, changes, entry_id: key } = entry;
  const move = moveOf(variant, entry);
  const { kind, name, from, to } = move;
  const { release_date: date, tone } = item;
  const isMove = FIELD_KINDS.release_date!.includes(kind);
  return {
    key,
    kind,
    item,
    name,
    from: isMove ? from : null,
    to: isMove ? to : null,
    planned: isMove || date === null ? null : formatPlanned(variant.formatDate(date)),
    late: kind === "shipped" && tone === "shipped" && date !== null
      ? placeOfQuarter(formatQuarter(day)) - placeOfQuarter(formatQuarter(date))
      : null,
    facts: describeChanges(variant, changes)
      .filter((fact) => !isSaidBy(move, fact)),
    isRewritten: changes.some((change) =>
      change.kind === "changed" && change.field === "feature_description"
    ),
  };
}

/** A source that is followed from a day on; the first one has no other beside it to be told from. */
function toIntroduction(
  { run_id, source, is_first, count, items }: Introduction,
): SentenceLine {
  return {
    key: -run_id,
    kind: "added",
    sentence: is_first
      ? say("changelog.started", { count })
      : say("changelog.following", { source: cleanName(source), count }),
    releases: items,
    source: { name: source, more: count - items.length },
  };
}
