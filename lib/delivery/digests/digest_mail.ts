import { joinParts, joinSentences, listInWords } from "../../text/phrases.ts";
import { formatDay } from "../../text/dates.ts";
import {
  CHANGE_KINDS,
  type ChangeKind,
  countKinds,
  countLeftOut,
  type KindCounts,
  titleKind,
} from "../../roadmap/changes/kinds.ts";
import { countReleases, type Digest, type DigestItem } from "./digest.ts";
import { type DueSection, MAX_DUE_ITEMS } from "./due_section.ts";
import type { MailContent, MailItem, MailPart, MailSite, MailTone } from "../mail/mail_content.ts";
import { readAsPage, writeFitting, writeMail, type WrittenMail } from "../mail/mail_frame.ts";
import { excerpt } from "../../text/plain_text.ts";
import { say } from "../../text/messages.ts";

/** How much of a digest is said. */
interface Extent {
  /** The most releases, or sentences about several; a longer mail would not be read. */
  items: number;
  /** The most releases that such a sentence names. */
  names: number;
  /** Which words of a text were rewritten. */
  hasDiffs: boolean;
  /** The most releases that are due, of each kind. */
  due: number;
}

/** What is tried for a mail, one after the other, until it is short enough. */
const EXTENTS: readonly Extent[] = [50, 50, 20, 5].map((items, place) => (
  { items, hasDiffs: place === 0, names: 20, due: MAX_DUE_ITEMS }
));

/** Everything that is stored of a digest. */
const ALL: Extent = { items: Infinity, names: Infinity, hasDiffs: true, due: Infinity };

type DigestSite = Pick<MailSite, "siteName" | "siteUrl" | "logo">;

/** Writes a digest as a mail. What is too much for it stands on the page of the digest. */
export function writeDigest(
  digest: Digest,
  site: DigestSite & { pageUrl: string },
): WrittenMail {
  return writeFitting(EXTENTS.values().map((extent) => digestMail(digest, site, extent)), site);
}

/** The page of a digest: its mail with everything, for anybody to whom it is passed on. */
export function writeDigestPage(
  digest: Digest,
  site: DigestSite & { changesUrl: string },
): string {
  const content = digestMail(digest, { ...site, pageUrl: null }, ALL);
  const { siteName } = site;
  const reason = digest.covers
    ? say("mail.sent_covering", { site: siteName, covers: digest.covers })
    : say("mail.sent", { site: siteName });
  return readAsPage(writeMail({ ...content, reason }, site));
}

/** What the link of an email to its page says: the page of a large digest lists the first only. */
function labelPage({ groups, total: count }: Digest): string {
  const shown = countReleases(groups.flatMap(({ items }) => items));
  return shown < count
    ? say("mail.see_some_of", { shown, count })
    : say("mail.see_all_of", { count });
}

/** Says what has changed, as far as it is wanted. */
function digestMail(
  digest: Digest,
  { siteName, siteUrl, pageUrl, changesUrl = siteUrl }: DigestSite & {
    /** The page with everything; null: this is it. */
    pageUrl: string | null;
    /** Where all changes are. */
    changesUrl?: string;
  },
  extent: Extent,
): MailContent {
  const shown = new Set(digest.groups.flatMap(({ items }) => items).slice(0, extent.items));
  const changed = { days: formatDays(digest), count: digest.total };
  const counts = countEach(digest);
  const summary = joinParts(counts.map(({ text }) => text));
  const more = digest.total - countReleases([...shown]);
  const shownKinds = digest.groups.flatMap(({ kind, items }) =>
    Array<ChangeKind>(countReleases(items.filter((item) => shown.has(item)))).fill(kind)
  );
  const left = countLeftOut(digest.counts ?? {}, shownKinds);
  const end: MailPart[] = more > 0
    ? [
      { kind: "paragraph", text: say("mail.and_more_releases", { count: more, kinds: left }) },
      pageUrl === null
        ? { kind: "button", label: say("mail.see_all"), url: changesUrl }
        : { kind: "button", label: labelPage(digest), url: pageUrl },
    ]
    : [{ kind: "button", label: say("mail.open_roadmap"), url: `${siteUrl}/` }];
  return {
    subject: writeSubject(digest, summary),
    preheader: say("mail.changed", changed),
    heading: writeHeading(digest, summary),
    ...digest.day && { day: digest.day },
    parts: [
      { kind: "paragraph", text: say("list.sentence", { words: say("mail.changed", changed) }) },
      ...digest.total > 1 ? [{ kind: "counts" as const, counts }] : [],
      ...pageUrl === null ? [] : [{ kind: "link" as const, label: say("mail.view"), url: pageUrl }],
      ...digest.groups.flatMap(({ kind, items }): MailPart[] => {
        const title = titleKind(kind, items.length);
        const some = items.filter((item) => shown.has(item)).map((item) => shorten(item, extent));
        return some.length > 0
          ? [{ kind: "releases", title, tone: KIND_TONES[kind], bullet: "*", items: some }]
          : [];
      }),
      ...(digest.due ?? []).flatMap((section) =>
        writeDueSection(section, { siteUrl, pageUrl, most: extent.due })
      ),
      ...end,
    ],
    reason: digest.covers
      ? say("mail.subscribed_covering", { site: siteName, covers: digest.covers })
      : say("mail.are_subscribed", { site: siteName }),
  };
}

function shorten(
  { releases, changes, ...item }: DigestItem,
  { names, hasDiffs }: Extent,
): MailItem {
  return {
    ...item,
    changes: hasDiffs ? changes : changes?.map(({ text }) => ({ text })),
    ...releases && {
      releases: releases.slice(0, names),
      more: Math.max(0, releases.length - names),
    },
  };
}

const DUE_TITLES = { next30: "mail.next_30_days", overdue: "list.overdue_title" } as const;

function writeDueSection(
  { period, items, total, query }: DueSection,
  { siteUrl, pageUrl, most }: { siteUrl: string; pageUrl: string | null; most: number },
): MailPart[] {
  const shown = items.slice(0, most);
  const more = total - shown.length;
  const url = query === null ? pageUrl : `${siteUrl}/${query}`;
  const label = say("list.and_more", { count: more });
  return [
    {
      kind: "releases",
      title: say(DUE_TITLES[period]),
      tone: period === "overdue" ? "amber" : "blue",
      bullet: "-",
      items: shown,
    },
    ...more > 0
      ? [
        url === null
          ? { kind: "paragraph" as const, text: label }
          : { kind: "link" as const, label, url },
      ]
      : [],
  ];
}

/** What happened how often, such as `1 shipped` and `2 slipped`. */
function countEach(digest: Digest): { text: string; tone: MailTone }[] {
  const counts = countsOf(digest);
  const more = digest.total - Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [
    ...CHANGE_KINDS.flatMap((kind) =>
      countKinds({ [kind]: counts[kind] }).map((text) => ({ text, tone: KIND_TONES[kind] }))
    ),
    ...more > 0 ? [{ text: say("list.more", { count: more }), tone: "quiet" as const }] : [],
  ];
}

/** How many releases there are of each kind; of an older version only those that are listed. */
function countsOf({ groups, counts }: Digest): KindCounts {
  return counts ??
    Object.fromEntries(groups.map(({ kind, items }) => [kind, countReleases(items)]));
}

/** As on the pages (static/styles/tokens.css). */
export const KIND_TONES: Readonly<Record<ChangeKind, MailTone>> = {
  shipped: "green",
  cancelled: "red",
  removed: "red",
  slipped: "amber",
  taken_back: "amber",
  started: "amber",
  earlier: "green",
  added: "blue",
  restored: "blue",
  dated: "blue",
  undated: "amber",
  edited: "quiet",
};

/** The days of a digest in words. */
function formatDays({ days: { first, last } }: Digest): string {
  return first === last
    ? formatDay(first)
    : say("mail.days", { first: formatDay(first), last: formatDay(last) });
}

/** Mail programs show some 70 characters of a subject. */
const NAME_LENGTH = 60;
/** The most releases with the same kind of change that a heading names; it has up to two kinds. */
const MAX_NAMES = 2;
const MAX_SENTENCES = 2;

/**
 * What a digest is about, for the subject of its mail: the news of its only release, or else
 * the counts, and one of the releases.
 */
function writeSubject(digest: Digest, summary: string): string {
  const [group] = digest.groups;
  const only = onlyItem(digest);
  if (only) return describeOne(group!.kind, only);
  const first = group?.items[0];
  if (!first || first.releases) return summary;
  return say("mail.subject", {
    summary,
    name: shortName(first),
    others: digest.total - 1,
  });
}

/** The same as a sentence or two, which names what matters most. */
function writeHeading(digest: Digest, summary: string): string {
  const only = onlyItem(digest);
  if (only) return describeOne(digest.groups[0]!.kind, only);
  const counts = countsOf(digest);
  const sentences = CHANGE_KINDS.filter((kind) => counts[kind]).slice(0, MAX_SENTENCES)
    .map((kind) => {
      const group = digest.groups.find((group) => group.kind === kind);
      const words = describeKind(kind, counts[kind]!, group?.items ?? []);
      return say("list.sentence", { words });
    });
  return joinSentences(sentences) || summary;
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
      return say("mail.moved_to", { name, date: item.to! });
    case "earlier":
      return say("mail.moved_up", { name, date: item.to! });
    case "dated":
      return say("mail.now_planned", { name, date: item.to! });
    default:
      return say(`news.${kind}`, { names: name, count: 1 });
  }
}

function describeKind(kind: ChangeKind, count: number, items: readonly DigestItem[]): string {
  if (count > MAX_NAMES || count > items.length) return say(`news_count.${kind}`, { count });
  return say(`news.${kind}`, { names: listInWords(items.map(shortName)), count });
}

function shortName({ feature_name, releases }: DigestItem): string {
  return releases ? feature_name : excerpt(feature_name, { length: NAME_LENGTH });
}
