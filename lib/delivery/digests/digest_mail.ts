import { countOf } from "../../text/count_of.ts";
import { formatDay } from "../../text/dates.ts";
import { type ChangeKind, countKinds, KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import { countReleases, type Digest, type DigestItem, type NamedRelease } from "./digest.ts";
import { DUE_TITLES, type DueItem, type DueSection, MAX_DUE_ITEMS } from "./due_section.ts";
import { writeHeading, writeSubject } from "./headline.ts";
import type { MailContent, MailPart, MailTone, WrittenItem } from "../mail/mail_content.ts";
import { writeHtmlItem } from "../mail/mail_html.ts";
import { writeTextItem } from "../mail/mail_text.ts";

/** A longer mail would not be read. */
const MAX_ITEMS = 50;
/** What the releases may take, in bytes: some mail programs cut off a mail of 100 KB. */
const MAX_BYTES = 78_000;

/** Says what has changed. What is too much for a mail stands on the page of the digest. */
export function digestMail(
  digest: Digest,
  { siteName, siteUrl, pageUrl }: { siteName: string; siteUrl: string; pageUrl: string },
): MailContent {
  const due = (digest.due ?? []).flatMap((section) =>
    writeDueSection(section, { siteUrl, pageUrl })
  );
  const room = MAX_BYTES - bytesOf(due);
  const written = writeFitting(digest.groups.flatMap(({ items }) => items), { siteUrl, room });
  const changed = `${countOf(digest.total, "release")} changed`;
  const summary = summarise(digest);
  const counts = countEach(digest);
  const more = digest.total - countReleases([...written.keys()]);
  const end: MailPart[] = more > 0
    ? [
      { kind: "paragraph", text: `and ${countOf(more, "more release")}.` },
      { kind: "button", label: "See all changes in your browser", url: pageUrl },
    ]
    : [{ kind: "button", label: "Open the roadmap", url: `${siteUrl}/` }];
  return {
    subject: writeSubject(digest, summary),
    preheader: `${formatDays(digest)}: ${changed}`,
    heading: writeHeading(digest, summary),
    parts: [
      { kind: "paragraph", text: `${formatDays(digest)}: ${changed}.` },
      ...digest.total > 1 ? [{ kind: "counts" as const, counts }] : [],
      { kind: "link", label: "View in your browser", url: pageUrl },
      ...digest.groups.flatMap(({ kind, items }): MailPart[] => {
        const fitting = items.flatMap((item) => written.get(item) ?? []);
        const { title } = KINDS_IN_WORDS[kind];
        return fitting.length > 0
          ? [{ kind: "releases", title, tone: TONES[kind], items: fitting }]
          : [];
      }),
      ...due,
      ...end,
    ],
    reason: `You are receiving this email because you subscribed to ${siteName}${
      digest.covers ? `: ${digest.covers}` : ""
    }.`,
  };
}

function writeDueSection(
  { period, items, total, query }: DueSection,
  { siteUrl, pageUrl }: { siteUrl: string; pageUrl: string },
): MailPart[] {
  const shown = items.slice(0, MAX_DUE_ITEMS);
  const more = total - shown.length;
  const url = query === null ? pageUrl : `${siteUrl}/${query}`;
  return [
    {
      kind: "releases",
      title: DUE_TITLES[period],
      tone: period === "overdue" ? "amber" : "blue",
      items: shown.map((item) => writeDueItem(item, siteUrl)),
    },
    ...more > 0
      ? [{ kind: "link" as const, label: `and ${more.toLocaleString("en")} more`, url }]
      : [],
  ];
}

/** A release that is due, for a list of a mail. */
export function writeDueItem(item: DueItem, siteUrl: string): WrittenItem {
  const url = `${siteUrl}/release/${item.release_item_id}`;
  return {
    html: writeHtmlItem({ ...item, changes: [] }, () => url),
    text: [`- ${item.feature_name}`, item.details, url].join("\n  "),
  };
}

/** What happened how often, such as `1 shipped, 2 slipped`. */
export function summarise(digest: Digest): string {
  return countEach(digest).map(({ text }) => text).join(", ");
}

function countEach({ groups, total }: Digest): { text: string; tone: MailTone }[] {
  const listed = countReleases(groups.flatMap(({ items }) => items));
  return [
    ...groups.flatMap(({ kind, items }) =>
      countKinds(new Map([[kind, countReleases(items)]])).map((text) => (
        { text, tone: TONES[kind] }
      ))
    ),
    ...total > listed
      ? [{ text: `${(total - listed).toLocaleString("en")} more`, tone: "quiet" as const }]
      : [],
  ];
}

/** As on the pages (static/style.css). */
const TONES: Readonly<Record<ChangeKind, MailTone>> = {
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
export function formatDays({ days: { first, last } }: Digest): string {
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}

/** As many releases as a mail may have; then, as far as there is room, which words were rewritten. */
function writeFitting(
  items: readonly DigestItem[],
  { siteUrl, room }: { siteUrl: string; room: number },
): ReadonlyMap<DigestItem, WrittenItem> {
  const fitting = new Map<DigestItem, WrittenItem & { bytes: number }>();
  const fits = (item: DigestItem, written: WrittenItem) => {
    const bytes = encodedBytes(written.html.text + written.text);
    const more = bytes - (fitting.get(item)?.bytes ?? 0);
    if (more > room) return false;
    room -= more;
    fitting.set(item, { ...written, bytes });
    return true;
  };
  for (const item of items.slice(0, MAX_ITEMS)) {
    if (!fits(item, writeItem(withoutDiffs(item), siteUrl))) break;
  }
  for (const item of fitting.keys()) {
    if (item.changes.some(({ diff }) => diff)) fits(item, writeItem(item, siteUrl));
  }
  return fitting;
}

function writeItem(item: DigestItem, siteUrl: string): WrittenItem {
  const urlOf = ({ release_item_id }: NamedRelease) => `${siteUrl}/release/${release_item_id}`;
  return { html: writeHtmlItem(item, urlOf), text: writeTextItem(item, urlOf) };
}

function withoutDiffs(item: DigestItem): DigestItem {
  return { ...item, changes: item.changes.map(({ text }) => ({ text })) };
}

function bytesOf(parts: readonly MailPart[]): number {
  return parts.flatMap((part) => part.kind === "releases" ? part.items : [])
    .reduce((sum, { html, text }) => sum + encodedBytes(html.text + text), 0);
}

/** The bytes of a text in quoted-printable (RFC 2045, section 6.7), its line breaks included. */
export function encodedBytes(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let encoded = 0;
  for (const byte of bytes) encoded += byte > 126 || byte === 61 /* = */ ? 3 : 1;
  return Math.ceil(encoded * 77 / 74);
}
