import {
  byQuarter,
  type FoundItem,
  isSoonestFirst,
  searchAddress,
  type SearchAnswer,
  type SearchQuery,
} from "../../components/search/search_query.ts";
import { KIND_TONES } from "../delivery/digests/digest_mail.ts";
import type { MailFragment, MailItem, MailPart, MailTone } from "../delivery/mail/mail_content.ts";
import { type ReleaseLine, type SentenceLine, toDays } from "../roadmap/changes/page_days.ts";
import {
  type ChangelogPage,
  type ChangelogPageQuery,
  changelogPageQuery,
} from "../roadmap/changes/page_changelog.ts";
import { describeChanges } from "../roadmap/changes/change_in_words.ts";
import type { DateChanges, History } from "../roadmap/changes/history_sql.ts";
import { nameKind, titleKind } from "../roadmap/changes/kinds.ts";
import { describeSlip } from "../roadmap/changes/promise.ts";
import { toFilterValues } from "../roadmap/filter/filter_values.ts";
import { describeFilter } from "../roadmap/filter/filter_words.ts";
import type { Item } from "../roadmap/item.ts";
import { isStated, statedOf } from "../roadmap/stated.ts";
import type { StatusTone } from "../roadmap/status_tone.ts";
import { listDates, type Variant } from "../roadmap/variant.ts";
import { cleanName, excerptOf } from "../text/plain_text.ts";
import { capitalise, joinClauses, joinParts, shorten, toLine } from "../text/phrases.ts";
import {
  formatDay,
  formatMonth,
  formatPlanned,
  formatWeekday,
  showPlanned,
} from "../text/dates.ts";
import type { PageContext } from "./brand.tsx";
import { isOverdue, labelOf, shippedOn } from "./release_parts.tsx";
import { titleSearch } from "./said_search.ts";
import { say } from "../text/messages.ts";

/** The colours of statuses, as on the pages (static/styles/tokens.css). */
const STATUS_TONES: Readonly<Record<StatusTone, MailTone>> = {
  planned: "blue",
  in_progress: "amber",
  shipped: "green",
  stopped: "red",
};

/** The most characters of a status: it does not wrap. */
const STATUS_LENGTH = 40;

/** A status in its colour. */
function signOf({ release_status, tone }: { release_status: string; tone: StatusTone }) {
  return { text: shorten(toLine(release_status), STATUS_LENGTH), tone: STATUS_TONES[tone] };
}

/** A page of the list, as it is pasted into an email. */
export function copySearch(
  search: SearchQuery,
  { items, total }: SearchAnswer,
  { services: { config }, site }: PageContext,
): MailFragment {
  const groups = isSoonestFirst(search)
    ? byQuarter(items)
    : [{ title: say("search.releases"), found: items }];
  const more = total - items.length;
  const url = site.url + searchAddress("", { ...search, page: 1 });
  const asOf = search.as_of === undefined
    ? ""
    : say("copied.as_of", { day: formatDay(search.as_of) });
  const title = toLine(titleSearch(search));
  const found = say("copied.found", { count: total });
  return {
    heading: say("copied.roadmap", { site: config.SITE_NAME }),
    parts: [
      {
        kind: "paragraph",
        text: title === ""
          ? say("copied.count", { found: capitalise(found), as_of: asOf })
          : say("copied.titled_count", { title, found, as_of: asOf }),
      },
      ...groups.map(({ title, found }): MailPart => ({
        kind: "releases",
        title,
        tone: "quiet",
        bullet: "-",
        items: found.map(toMailItem),
      })),
      ...more > 0
        ? [{ kind: "link" as const, label: say("list.and_more", { count: more }), url }]
        : [],
      { kind: "link", label: say("copied.open_roadmap", { site: config.SITE_NAME }), url },
    ],
  };
}

function toMailItem(item: FoundItem): MailItem {
  const { release_item_id, feature_name, release_date, moved_from, active } = item;
  const planned = showPlanned(release_date);
  return {
    release_item_id,
    feature_name,
    ...isStated(item.release_status) && { pill: signOf(item) },
    details: [
      ...active === false ? [say("kind.removed")] : [],
      moved_from === undefined
        ? planned
        : say("copied.moved", { date: planned, before: formatPlanned(moved_from) }),
      joinParts(item.product_names),
      ...statedOf(item.release_type),
    ].join(" · "),
  };
}

/** The most releases that are pasted into an email: a longer list would not be read. */
const MAX_ENTRIES = 50;

/** The first changes of a page of the changelog, as they are pasted into an email. */
export function copyChangelog(
  query: ChangelogPageQuery,
  page: ChangelogPage,
  { services: { config }, site }: PageContext,
): MailFragment {
  const entries = page.entries.slice(0, MAX_ENTRIES);
  const isCut = page.entries.length > entries.length;
  const firstDay = isCut ? entries.at(-1)!.day : "";
  const introductions = page.introductions.filter(({ day }) => day >= firstDay);
  const days = toDays({ entries, introductions }, site.variant);
  const url = `${site.url}/changelog${changelogPageQuery({ ...query, before: undefined })}`;
  return {
    heading: say("copied.changes", { site: config.SITE_NAME }),
    parts: [
      {
        kind: "paragraph",
        text: say("list.sentence", { words: describeQuery(query) || say("preference_all.kinds") }),
      },
      ...days.map(({ day, lines }): MailPart => ({
        kind: "releases",
        title: formatWeekday(day, { withYear: true }),
        tone: "quiet",
        bullet: "-",
        items: lines.map((line) => "item" in line ? toItem(line) : toSentence(line)),
      })),
      ...days.length === 0 ? [{ kind: "paragraph" as const, text: say("copied.no_changes") }] : [],
      ...isCut || page.older !== null
        ? [{ kind: "link" as const, label: countMore(query, page, entries.length), url }]
        : [],
      { kind: "link", label: say("copied.open_changelog", { site: config.SITE_NAME }), url },
    ],
  };
}

/** How many there are besides; an entry of several kinds counts once, so that two have no sum. */
function countMore({ kind }: ChangelogPageQuery, { counts }: ChangelogPage, shown: number) {
  if (kind !== undefined && kind.length > 1) return say("copied.and_more");
  const total = kind === undefined ? counts.total : counts.kinds[kind[0]!] ?? 0;
  return say("list.and_more", { count: total - shown });
}

/** Which changes are wanted, in words; empty: all. */
function describeQuery(
  { kind = [], days, month, after, before: _, include_inactive: __, ...filter }: ChangelogPageQuery,
): string {
  const words = [
    toLine(describeFilter(toFilterValues({ ...filter, match: undefined }))),
    joinParts(kind.map(nameKind)),
    days === undefined ? "" : say("copied.last_days", { days }),
    month === undefined ? "" : formatMonth(month),
    after === undefined ? "" : say("copied.since_visit"),
  ];
  return words.filter((part) => part !== "").join(" · ");
}

function toItem(line: ReleaseLine): MailItem {
  const { item, kind, facts } = line;
  const { text, planned } = outcomeOf(line);
  return {
    release_item_id: item.release_item_id,
    feature_name: cleanName(item.feature_name),
    pill: { text, tone: KIND_TONES[kind] },
    details: [...planned ? [planned] : [], toLine(item.product_name)].join(" · "),
    changes: facts.map(({ text }) => ({ text: cleanName(text) })),
  };
}

/** What happened, as "Slipped from Q3 2026 to Q1 2027", and the date where that does not say it. */
function outcomeOf(
  { kind, name, from, to, planned, late }: ReleaseLine,
): { text: string; planned?: string } {
  const title = [...name === null ? [] : [toLine(name)], titleKind(kind, 1)].join(" · ");
  const dates = { title, from: from ?? "", to: to ?? "" };
  if (kind === "slipped" || kind === "earlier") {
    return { text: say("copied.moved_date", dates) };
  }
  if (kind === "dated") return { text: say("copied.set_date", { title, to: dates.to }) };
  if (kind === "undated") return { text: say("copied.lost_date", { title, from: dates.from }) };
  if (planned === null) return { text: title };
  if (late === null) return { text: title, planned };
  if (late === 0) return { text: say("copied.as_planned", { title }), planned };
  return {
    text: late > 0 ? say("copied.late", { title, quarters: late }) : say("copied.early", { title }),
    planned: say("filter.planned_for", { date: planned }),
  };
}

/** A sentence about several releases, and the names of some. */
function toSentence({ sentence, releases, source }: SentenceLine): MailItem {
  return {
    release_item_id: "",
    feature_name: cleanName(sentence),
    details: "",
    releases: source ? [] : releases.map(({ release_item_id, feature_name }) => ({
      release_item_id,
      feature_name: cleanName(feature_name),
    })),
  };
}

/** The most characters of a description. */
const DESCRIPTION_LENGTH = 600;
/** The most days of its history, the newest ones. */
const MAX_RUNS = 10;

/** One release, as it is pasted into an email. */
export function copyRelease(
  { item, history, dates, today }: {
    item: Item;
    history: History;
    /** The changes of its dates. */
    dates: DateChanges;
    /** `YYYY-MM-DD` */
    today: string;
  },
  { services: { config }, site: { variant, url } }: PageContext,
): MailFragment {
  const releaseUrl = `${url}/release/${item.release_item_id}`;
  const description = excerptOf(item.feature_description ?? "", { length: DESCRIPTION_LENGTH });
  const slip = describeSlip(dates.release, variant);
  const named = listDates(item.dates).flatMap(([name]) => {
    const words = describeSlip(dates.named.get(name) ?? [], variant);
    return words === null ? [] : `${toLine(name)} · ${words}`;
  });
  const said = [
    [...item.product_names, ...statedOf(item.release_type)].map(toLine).join(" · "),
    dateInWords(item, history, variant),
    ...[...slip === null ? [] : [slip], ...named].map((words) => say("list.sentence", { words })),
    ...description === "" ? [] : [description],
  ];
  const runs = [...Map.groupBy(history.changes, ({ run_id }) => run_id).values()]
    .map((changes) => ({ day: changes[0]!.day, words: describeChanges(variant, changes) }))
    .filter(({ words }) => words.length > 0).slice(0, MAX_RUNS);
  return {
    heading: cleanName(item.feature_name),
    parts: [
      { kind: "counts", counts: signsOf(item, today) },
      ...said.map((text): MailPart => ({ kind: "paragraph", text })),
      ...runs.map(({ day, words }): MailPart => ({
        kind: "paragraph",
        text: say("list.titled", {
          title: formatDay(day),
          text: joinClauses(words.map(({ text }) => cleanName(text))),
        }),
      })),
      {
        kind: "link",
        label: say("copied.open_release", { site: config.SITE_NAME }),
        url: releaseUrl,
      },
    ],
  };
}

/** The badges beside its name. */
function signsOf(item: Item, today: string): { text: string; tone: MailTone }[] {
  return [
    ...item.active ? [] : [{ text: say("kind.removed"), tone: KIND_TONES.removed }],
    ...isStated(item.release_status) ? [signOf(item)] : [],
    ...isOverdue(item, today)
      ? [{ text: say("list.overdue_title"), tone: KIND_TONES.slipped }]
      : [],
  ];
}

/** When it is planned or has shipped, as its page begins. */
function dateInWords(item: Item, history: History, variant: Variant): string {
  const { release_date: date } = item;
  const planned = date === null
    ? say("changelog.no_date")
    : formatPlanned(variant.formatDate(date));
  const shipped = shippedOn(item, history, variant);
  const label = labelOf(item);
  if (shipped === undefined) return say("list.titled", { title: label, text: planned });
  const day = formatDay(shipped);
  return date === null
    ? say("list.titled", { title: label, text: day })
    : say("copied.date_and_plan", { label, date: day, planned });
}
