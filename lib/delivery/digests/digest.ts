import { describeChanges } from "../../roadmap/changes/change_in_words.ts";
import {
  groupStories,
  isSaidBy,
  type Move,
  moveOf,
  type Story,
  storyInWords,
} from "../../roadmap/changes/stories.ts";
import {
  CHANGE_KINDS,
  type ChangeKind,
  heaviestKind,
  type KindCounts,
} from "../../roadmap/changes/kinds.ts";
import type { NetRelease } from "../../roadmap/changes/net_changes_sql.ts";
import { isStated } from "../../roadmap/stated.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { cleanName, excerpt, plainLinesOf, toPlainText } from "../../text/plain_text.ts";
import { formatPlanned } from "../../text/dates.ts";
import { joinFacts, joinMoves, joinParts, toLine } from "../../text/phrases.ts";
import { type DiffPart, diffWords } from "../../text/word_diff.ts";
import type { MailItem } from "../mail/mail_content.ts";
import { type DueSection, shortName, shortValue } from "./due_section.ts";
import { foreign } from "../../text/foreign.ts";
import { language, say } from "../../text/messages.ts";

/** The most characters of a text that are compared. */
export const COMPARED_LENGTH = 20_000;
const SENTENCE_LENGTH = 160;
/** How much of a rewritten text is shown, in characters. */
const DIFF_LENGTHS = { context: 50, change: 160, all: 400 };

/** The content of a digest, ready to be written as an email or a page. */
export interface Digest {
  /** `YYYY-MM-DD`: the days of the oldest and the newest change. */
  days: { first: string; last: string };
  /** `YYYY-MM-DD`: the day it was made; absent in digests of older versions. */
  day?: string;
  /** What readers wait for most stands first. */
  groups: DigestGroup[];
  /** How many releases changed, those that are not listed included. */
  total: number;
  /** How many, by the heaviest of what happened to them; absent in digests of older versions. */
  counts?: KindCounts;
  /** The changes that its subscribers get; absent in digests of older versions. */
  covers?: string;
  /** What comes up and what is overdue, for those who want it. */
  due?: DueSection[];
}

/** Releases to which the same happened. */
interface DigestGroup {
  kind: ChangeKind;
  items: DigestItem[];
}

/** A release of a digest, in the words of the subscriber's variant. */
export type DigestItem = MailItem & {
  /** The date to which it moved. */
  to?: string;
};

/** Readers may not know yet what such a release is about. */
const INTRODUCED_KINDS: ReadonlySet<ChangeKind> = new Set(["added", "shipped"]);

const MOVED_KINDS: ReadonlySet<ChangeKind> = new Set(["slipped", "earlier", "dated", "undated"]);

/** A release in the words of a digest, and the group in which it stands. */
export interface DescribedItem {
  kind: ChangeKind;
  item: DigestItem & Required<Pick<DigestItem, "changes">>;
  product_name: string;
  move: Move;
}

/** Releases in the groups of a digest, with a line for several of which the same is said. */
export function groupItems(described: readonly DescribedItem[]): DigestGroup[] {
  const byKind = Map.groupBy(described, ({ kind }) => kind);
  return CHANGE_KINDS.filter((kind) => byKind.has(kind))
    .map((kind) => ({ kind, items: groupStories(byKind.get(kind)!).map(toItem) }));
}

/** How many releases some items are about. */
export function countReleases(items: readonly DigestItem[]): number {
  return items.reduce((sum, { releases }) => sum + (releases?.length ?? 1), 0);
}

function toItem(line: DescribedItem | Story<DescribedItem>): DigestItem {
  if ("item" in line) return line.item;
  const releases = line.entries.map(({ item: { release_item_id, feature_name } }) => (
    { release_item_id, feature_name }
  ));
  const feature_name = describeStory(line);
  return { ...releases[0]!, feature_name, details: "", releases };
}

/** What happened to several releases of one product, in a sentence. */
export function describeStory(story: Story<unknown>): string {
  return cleanName(storyInWords({ ...story, product_name: shortValue(story.product_name) }));
}

/** Puts into a variant's words what has changed of a release, whose date may be a named one. */
export function describeItem(
  variant: Variant,
  item: NetRelease,
  dateName?: string,
): DescribedItem {
  const { release_item_id, product_names, release_date } = item;
  const kinds = { quarter: item.kinds, day: item.kinds };
  const kind = heaviestKind(item.kinds);
  const move = moveOf(variant, { kinds: [kind], changes: item.changes });
  const changes = describeChanges(variant, item.changes.map((change) => ({ ...change, kinds })))
    // The head of its group and its date say already what happened.
    .filter((fact) => !isSaidBy(move, fact))
    .map(({ text, rewritten }) => ({
      text: cleanName(text),
      ...rewritten && diffOf(rewritten),
    }));
  const products = product_names.map(shortValue);
  const day = release_date === null ? "" : formatPlanned(variant.formatDate(release_date));
  const date = dateName && day ? `${shortValue(dateName)} ${day}` : day;
  const moved = [move.from, move.to ?? say("changelog.no_date")].filter((one) => one != null);
  const named = move.name === null ? "" : `${shortValue(move.name)} `;
  const planned = MOVED_KINDS.has(kind) ? named + joinMoves(moved) : date;
  // What is new may be further than planned.
  const status = kind === "added" && item.tone !== "planned" && isStated(item.release_status)
    ? shortValue(item.release_status)
    : "";
  const details = joinFacts([joinParts(products), status, planned]);
  const sentence = INTRODUCED_KINDS.has(kind) ? firstSentence(item) : "";
  return {
    kind,
    product_name: item.product_name,
    move,
    item: {
      release_item_id,
      feature_name: shortName(item.feature_name),
      ...foreign(item.language),
      details,
      ...sentence && { sentence },
      ...move.to && move.name === null && { to: cleanName(move.to) },
      changes,
    },
  };
}

/** The first sentence of a description; a line without an end is a heading, where others have one. */
function firstSentence({ description }: NetRelease): string {
  const lines = plainLinesOf(description ?? "").map(toLine);
  const text = lines.find((line) => /[.!?。！？؟]/.test(line)) ?? lines[0] ?? "";
  const [first] = new Intl.Segmenter(language().tag, { granularity: "sentence" }).segment(text);
  return excerpt((first?.segment ?? "").trim(), { length: SENTENCE_LENGTH });
}

function diffOf({ before, after }: { before: string; after: string }): { diff?: DiffPart[] } {
  const isCut = Math.max(before.length, after.length) > COMPARED_LENGTH;
  const diff = diffWords(readable(before), readable(after), { ...DIFF_LENGTHS, isCut });
  return diff.length > 0 ? { diff } : {};
}

function readable(description: string): string {
  return toLine(toPlainText(description));
}
