import type { Variant } from "../../roadmap/variant.ts";
import { countOf } from "../../text/count_of.ts";
import { quarterBoundedBy } from "../../text/dates.ts";
import { excerpt } from "../../text/plain_text.ts";
import { encodedBytes, writeDueItem } from "../digests/digest_mail.ts";
import { describeDueItem } from "../digests/due_section.ts";
import type { MailContent, MailPart, MailSite, WrittenItem } from "../mail/mail_content.ts";
import type { RemindedItem } from "./reminders_sql.ts";

/** As digests: mail programs show some 70 characters of a subject, and cut off a mail of 100 KB. */
const NAME_LENGTH = 60;
const MAX_ITEMS = 50;
const MAX_BYTES = 78_000;

/** Says which watched releases are planned for the next days, of which there is at least one. */
export function reminderMail(
  items: readonly RemindedItem[],
  { variant, site: { siteName, siteUrl, preferencesUrl } }: {
    variant: Variant;
    site: Pick<MailSite, "siteName" | "siteUrl" | "preferencesUrl">;
  },
): MailContent {
  const [first] = items;
  const written = writeFitting(items, { variant, siteUrl });
  const more = items.length - written.length;
  const news = describeOne(first!, variant);
  const count = `${countOf(items.length, "release")} you watch`;
  const others = items.length === 2 ? "1 other" : `${items.length - 1} others`;
  const when = describeWhen(first!.days_left);
  const isOnly = items.length === 1;
  return {
    subject: isOnly
      ? news
      : `${count} are coming up: ${shortName(first!, variant)} ${when} and ${others}`,
    preheader: isOnly ? describeDueItem(first!, variant).details : news,
    heading: isOnly ? news : `${count} are coming up`,
    parts: [
      ...[...Map.groupBy(written, ({ daysLeft }) => daysLeft)].map((
        [daysLeft, some],
      ): MailPart => ({
        kind: "releases",
        title: capitalise(describeWhen(daysLeft)),
        tone: "blue",
        items: some.map(({ item }) => item),
      })),
      ...more > 0
        ? [{ kind: "link" as const, label: `and ${more} more you watch`, url: preferencesUrl }]
        : [],
      { kind: "button", label: "Open the roadmap", url: `${siteUrl}/` },
    ],
    reason: `You are receiving this email because you watch ${
      isOnly ? "this release" : "these releases"
    } on ${siteName}.`,
  };
}

/** What a release is planned for, as a sentence; a day that ends a quarter may stand for it. */
function describeOne(item: RemindedItem, variant: Variant): string {
  const { release_date, days_left } = item;
  const name = shortName(item, variant);
  const quarter = variant.datePrecision === "quarter"
    ? quarterBoundedBy(release_date!, "last")
    : null;
  const when = describeWhen(days_left);
  if (quarter) return `${name} is planned for ${quarter}, which ends ${when}`;
  const day = describeDay(release_date!);
  return `${name} is planned for ${days_left < 2 ? `${when}, ${day}` : `${day}, ${when}`}`;
}

function describeWhen(daysLeft: number): string {
  if (daysLeft === 0) return "today";
  return daysLeft === 1 ? "tomorrow" : `in ${daysLeft} days`;
}

/** Of the next days, which need no year. */
function describeDay(day: string): string {
  const options = { day: "numeric", month: "long", timeZone: "UTC" } as const;
  return new Date(day).toLocaleDateString("en-GB", options);
}

function shortName(item: RemindedItem, variant: Variant): string {
  return excerpt(describeDueItem(item, variant).feature_name, { length: NAME_LENGTH });
}

function capitalise(words: string): string {
  return words[0]!.toUpperCase() + words.slice(1);
}

function writeFitting(
  items: readonly RemindedItem[],
  { variant, siteUrl }: { variant: Variant; siteUrl: string },
): { daysLeft: number; item: WrittenItem }[] {
  const fitting: { daysLeft: number; item: WrittenItem }[] = [];
  let room = MAX_BYTES;
  for (const one of items.slice(0, MAX_ITEMS)) {
    const item = writeDueItem(describeDueItem(one, variant), siteUrl);
    room -= encodedBytes(item.html.text + item.text);
    if (room < 0) break;
    fitting.push({ daysLeft: one.days_left, item });
  }
  return fitting;
}
