import { countOf } from "../../text/count_of.ts";
import { formatDay } from "../../text/dates.ts";
import { type Digest, DIGEST_KINDS, type DigestGroup, type DigestItem } from "./digest.ts";
import type { MailContent, MailPart } from "../mail/mail_content.ts";
import { writeHtmlItem } from "../mail/mail_html.ts";
import { writeTextItem } from "../mail/mail_text.ts";

/** A longer mail would not be read. */
const MOST_ITEMS = 50;
/** What the releases may take, in bytes: some mail programs cut off a mail of 100 KB. */
const MOST_BYTES = 78_000;

/** Says what has changed. What is too much for a mail stands on the page of the digest. */
export function digestMail(
  digest: Digest,
  { siteName, siteUrl, pageUrl }: { siteName: string; siteUrl: string; pageUrl: string },
): MailContent {
  const { groups, listed } = fitGroups(digest.groups, siteUrl);
  const changed = `${countOf(digest.total, "release")} changed`;
  const summary = summarise(digest);
  const more = digest.total - listed;
  const end: MailPart[] = more > 0
    ? [
      { kind: "paragraph", text: `and ${countOf(more, "more release")}.` },
      { kind: "button", label: "See all changes in your browser", url: pageUrl },
    ]
    : [{ kind: "button", label: "Open the roadmap", url: `${siteUrl}/` }];
  return {
    subject: `${siteName}: ${changed}`,
    preheader: summary,
    heading: changed,
    parts: [
      { kind: "paragraph", text: `${tellDays(digest)}: ${summary}.` },
      { kind: "link", label: "View in your browser", url: pageUrl },
      ...groups.map(({ kind, items }): MailPart => (
        { kind: "releases", title: DIGEST_KINDS[kind].title, items, siteUrl }
      )),
      ...end,
    ],
    reason: `You are receiving this email because you subscribed to ${siteName}.`,
  };
}

/** What happened how often, such as `1 shipped, 2 moved later`. */
export function summarise({ groups, total }: Digest): string {
  const counts = groups.map(({ kind, items }) => `${items.length} ${DIGEST_KINDS[kind].count}`);
  const listed = groups.reduce((sum, { items }) => sum + items.length, 0);
  return [...counts, ...total > listed ? [`${(total - listed).toLocaleString("en")} more`] : []]
    .join(", ");
}

/** The days of a digest in words. */
export function tellDays({ days: { first, last } }: Digest): string {
  return first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`;
}

/** As many releases as a mail may have; then, as far as there is room, which words were rewritten. */
function fitGroups(
  groups: readonly DigestGroup[],
  siteUrl: string,
): { groups: DigestGroup[]; listed: number } {
  const sizeOf = (item: DigestItem) =>
    encodedBytes(writeHtmlItem(item, siteUrl).text + writeTextItem(item, siteUrl));
  let bytes = 0;
  const fits = (more: number) => {
    if (bytes + more > MOST_BYTES) return false;
    bytes += more;
    return true;
  };
  const fitting = new Map<DigestItem, DigestItem>();
  const rewritten: { item: DigestItem; size: number }[] = [];
  for (const item of groups.flatMap(({ items }) => items).slice(0, MOST_ITEMS)) {
    const bare = withoutDiffs(item);
    const size = sizeOf(bare);
    if (!fits(size)) break;
    fitting.set(item, bare);
    if (item.changes.some(({ diff }) => diff)) rewritten.push({ item, size });
  }
  for (const { item, size } of rewritten) {
    if (fits(sizeOf(item) - size)) fitting.set(item, item);
  }
  const fitted = groups.map(({ kind, items }) => ({
    kind,
    items: items.flatMap((item) => fitting.get(item) ?? []),
  }));
  return { groups: fitted.filter(({ items }) => items.length > 0), listed: fitting.size };
}

function withoutDiffs(item: DigestItem): DigestItem {
  return { ...item, changes: item.changes.map(({ text }) => ({ text })) };
}

/** The bytes of a text in quoted-printable (RFC 2045, section 6.7), its line breaks included. */
function encodedBytes(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let encoded = 0;
  for (const byte of bytes) encoded += byte > 126 || byte === 61 /* = */ ? 3 : 1;
  return Math.ceil(encoded * 77 / 74);
}
