import { countOf } from "../../text/phrases.ts";
import { formatDay } from "../../text/dates.ts";
import { type ChangeKind, countKinds, KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import { countReleases, type Digest, type DigestItem } from "./digest.ts";
import { DUE_TITLES, type DueItem, type DueSection, MAX_DUE_ITEMS } from "./due_section.ts";
import { writeHeading, writeSubject } from "./headline.ts";
import type { MailContent, MailItem, MailPart, MailSite, MailTone } from "../mail/mail_content.ts";
import { readAsPage, writeFitting, writeMail, type WrittenMail } from "../mail/mail_frame.ts";

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
const EXTENTS: readonly Extent[] = [
  { items: 50, hasDiffs: true },
  { items: 50, hasDiffs: false },
  { items: 20, hasDiffs: false },
  { items: 5, hasDiffs: false },
].map((extent) => ({ ...extent, names: 20, due: MAX_DUE_ITEMS }));

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
  const covers = digest.covers ? `: ${digest.covers}` : "";
  const reason = `${site.siteName} sent this email to its subscribers${covers}.`;
  return readAsPage(writeMail({ ...content, reason }, site));
}

/** Says what has changed, as far as it is wanted. */
export function digestMail(
  digest: Digest,
  { siteName, siteUrl, pageUrl, changesUrl = siteUrl }: {
    siteName: string;
    siteUrl: string;
    /** The page with everything; null: this is it. */
    pageUrl: string | null;
    /** Where all changes are. */
    changesUrl?: string;
  },
  extent: Extent = EXTENTS[0]!,
): MailContent {
  const shown = new Set(digest.groups.flatMap(({ items }) => items).slice(0, extent.items));
  const changed = `${countOf(digest.total, "release")} changed`;
  const summary = summarise(digest);
  const counts = countEach(digest);
  const more = digest.total - countReleases([...shown]);
  const end: MailPart[] = more > 0
    ? [
      { kind: "paragraph", text: `and ${countOf(more, "more release")}.` },
      pageUrl === null
        ? { kind: "button", label: "See all changes", url: changesUrl }
        : { kind: "button", label: "See all changes in your browser", url: pageUrl },
    ]
    : [{ kind: "button", label: "Open the roadmap", url: `${siteUrl}/` }];
  return {
    subject: writeSubject(digest, summary),
    preheader: `${formatDays(digest)}: ${changed}`,
    heading: writeHeading(digest, summary),
    parts: [
      { kind: "paragraph", text: `${formatDays(digest)}: ${changed}.` },
      ...digest.total > 1 ? [{ kind: "counts" as const, counts }] : [],
      ...pageUrl === null
        ? []
        : [{ kind: "link" as const, label: "View in your browser", url: pageUrl }],
      ...digest.groups.flatMap(({ kind, items }): MailPart[] => {
        const { title } = KINDS_IN_WORDS[kind];
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
    reason: `You are receiving this email because you subscribed to ${siteName}${
      digest.covers ? `: ${digest.covers}` : ""
    }.`,
  };
}

function shorten(
  { releases, changes, ...item }: DigestItem,
  { names, hasDiffs }: Extent,
): MailItem {
  return {
    ...item,
    changes: hasDiffs ? changes : changes.map(({ text }) => ({ text })),
    ...releases && {
      releases: releases.slice(0, names),
      more: Math.max(0, releases.length - names),
    },
  };
}

function writeDueSection(
  { period, items, total, query }: DueSection,
  { siteUrl, pageUrl, most }: { siteUrl: string; pageUrl: string | null; most: number },
): MailPart[] {
  const shown = items.slice(0, most);
  const more = total - shown.length;
  const url = query === null ? pageUrl : `${siteUrl}/${query}`;
  const label = `and ${more.toLocaleString("en")} more`;
  return [
    {
      kind: "releases",
      title: DUE_TITLES[period],
      tone: period === "overdue" ? "amber" : "blue",
      bullet: "-",
      items: shown.map(toMailItem),
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

/** A release that is due, for a list of a mail. */
export function toMailItem(item: DueItem): MailItem {
  return { ...item, changes: [] };
}

/** What happened how often, such as `1 shipped, 2 slipped`. */
function summarise(digest: Digest): string {
  return countEach(digest).map(({ text }) => text).join(", ");
}

function countEach({ groups, total }: Digest): { text: string; tone: MailTone }[] {
  const listed = countReleases(groups.flatMap(({ items }) => items));
  return [
    ...groups.flatMap(({ kind, items }) =>
      countKinds(new Map([[kind, countReleases(items)]])).map((text) => (
        { text, tone: KIND_TONES[kind] }
      ))
    ),
    ...total > listed
      ? [{ text: `${(total - listed).toLocaleString("en")} more`, tone: "quiet" as const }]
      : [],
  ];
}

/** As on the pages (static/style.css). */
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
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}
