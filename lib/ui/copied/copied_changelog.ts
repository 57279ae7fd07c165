import { KIND_TONES } from "../../delivery/digests/digest_mail.ts";
import type { MailItem, MailPart } from "../../delivery/mail/mail_content.ts";
import type { MailFragment } from "../../delivery/mail/mail_fragment.ts";
import type { ChangelogEntry, Introduction } from "../../roadmap/changes/changelog_entries_sql.ts";
import {
  type ChangelogPage,
  type ChangelogPageQuery,
  changelogPageQuery,
} from "../../roadmap/changes/changelog_page.ts";
import { KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import { type Move, storyInWords } from "../../roadmap/changes/stories.ts";
import { describeFilter } from "../../roadmap/filter/filter_in_words.ts";
import { toFilterValues } from "../../roadmap/filter/filter_values.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { cleanName } from "../../text/clean_name.ts";
import { countOf } from "../../text/count_of.ts";
import { formatPlanned, MONTHS } from "../../text/dates.ts";
import { toLine } from "../../text/to_line.ts";
import { describeOnPage } from "../change_list.tsx";
import { formatWeekday, linesOf } from "../changelog/entry_days.tsx";
import { quartersLate, SAID_BY_LINE } from "../changelog/entry_line.tsx";
import { introductionInWords } from "../changelog/story_block.tsx";
import type { SiteFrame } from "../site_frame.ts";

/** The most releases that are pasted into an email: a longer list would not be read. */
const MAX_ENTRIES = 50;

/** The first changes of a page of the changelog, as they are pasted into an email. */
export function copyChangelog(
  query: ChangelogPageQuery,
  page: ChangelogPage,
  { services: { config }, site }: SiteFrame,
): MailFragment {
  const entries = page.entries.slice(0, MAX_ENTRIES);
  const isCut = page.entries.length > entries.length;
  const firstDay = isCut ? entries.at(-1)!.day : "";
  const introductions = page.introductions.filter(({ day }) => day >= firstDay);
  const byDay = Map.groupBy(entries, ({ day }) => day);
  const days = [...new Set([...byDay.keys(), ...introductions.map(({ day }) => day)])].sort();
  const url = `${site.url}/changelog${changelogPageQuery({ ...query, before: undefined })}`;
  return {
    heading: `Changes to the roadmap of ${config.SITE_NAME}`,
    parts: [
      { kind: "paragraph", text: `${describeQuery(query) || "All changes"}.` },
      ...days.reverse().map((day): MailPart => ({
        kind: "releases",
        title: formatWeekday(day, { withYear: true }),
        tone: "quiet",
        bullet: "-",
        items: [
          ...linesOf(byDay.get(day) ?? [], site.variant).map((line) =>
            "entries" in line ? toStory(line) : toItem(line.entry, line.move, site.variant)
          ),
          ...introductions.filter((introduction) => introduction.day === day).map(toIntroduction),
        ],
      })),
      ...days.length === 0 ? [{ kind: "paragraph" as const, text: "No changes." }] : [],
      ...isCut || page.older !== null
        ? [{ kind: "link" as const, label: countMore(query, page, entries.length), url }]
        : [],
      { kind: "link", label: `Open the changelog of ${config.SITE_NAME}`, url },
    ],
  };
}

/** How many there are besides; an entry of several kinds counts once, so that two have no sum. */
function countMore({ kind }: ChangelogPageQuery, { counts }: ChangelogPage, shown: number) {
  if (kind !== undefined && kind.length > 1) return "and more";
  const total = kind === undefined ? counts.total : counts.kinds[kind[0]!] ?? 0;
  return `and ${(total - shown).toLocaleString("en")} more`;
}

/** Which changes are wanted, in words; empty: all. */
function describeQuery(
  { kind = [], days, month, after, before: _, include_inactive: __, ...filter }: ChangelogPageQuery,
): string {
  const words = [
    toLine(describeFilter(toFilterValues({ ...filter, match: undefined }))),
    kind.map((name) => KINDS_IN_WORDS[name].name).join(", "),
    days === undefined ? "" : `Last ${countOf(days, "day")}`,
    month === undefined ? "" : `${MONTHS[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`,
    after === undefined ? "" : "Since the last visit",
  ];
  return words.filter((part) => part !== "").join(" · ");
}

function toItem(entry: ChangelogEntry, move: Move, variant: Variant): MailItem {
  const { item } = entry;
  const { text, planned } = outcomeOf(entry, move, variant);
  return {
    release_item_id: item.release_item_id,
    feature_name: cleanName(item.feature_name),
    pill: { text, tone: KIND_TONES[move.kind] },
    details: [...planned ? [planned] : [], toLine(item.product_name)].join(" · "),
    changes: describeOnPage(variant, entry.changes)
      .filter(({ kind }) => !SAID_BY_LINE.has(kind) || kind !== move.kind)
      .map(({ text }) => ({ text: cleanName(text) })),
  };
}

/** What happened, as "Slipped from Q3 2026 to Q1 2027", and the date where that does not say it. */
function outcomeOf(
  entry: ChangelogEntry,
  { kind, from, to }: Move,
  variant: Variant,
): { text: string; planned?: string } {
  const { title } = KINDS_IN_WORDS[kind];
  if (kind === "slipped" || kind === "earlier") return { text: `${title} from ${from} to ${to}` };
  if (kind === "dated") return { text: `${title} to ${to}` };
  if (kind === "undated") return { text: `${title}, was ${from}` };
  const { release_date } = entry.item;
  if (release_date === null) return { text: title };
  const planned = formatPlanned(variant.formatDate(release_date));
  const late = kind === "shipped" ? quartersLate(entry) : null;
  if (late === null) return { text: title, planned };
  if (late === 0) return { text: `${title} as planned`, planned };
  const how = late > 0 ? `${countOf(late, "quarter")} late` : "early";
  return { text: `${title} ${how}`, planned: `planned for ${planned}` };
}

type StoryLine = Extract<ReturnType<typeof linesOf>[number], { entries: unknown }>;

function toStory(line: StoryLine): MailItem {
  const releases = line.entries.map(({ entry: { item } }) => ({
    release_item_id: item.release_item_id,
    feature_name: cleanName(item.feature_name),
  }));
  return toSentence(cleanName(storyInWords(line)), releases);
}

function toIntroduction(introduction: Introduction): MailItem {
  return toSentence(toLine(introductionInWords(introduction)), []);
}

/** A sentence about several releases, and the names of some. */
function toSentence(feature_name: string, releases: NonNullable<MailItem["releases"]>): MailItem {
  return { release_item_id: "", feature_name, details: "", changes: [], releases };
}
