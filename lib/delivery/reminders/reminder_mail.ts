import type { Variant } from "../../roadmap/variant.ts";
import { capitalise, toLine } from "../../text/phrases.ts";
import { formatLongDayOfYear, quarterBoundedBy, showQuarter } from "../../text/dates.ts";
import { excerpt } from "../../text/plain_text.ts";
import { describeDueItem } from "../digests/due_section.ts";
import type { MailContent, MailPart, MailSite } from "../mail/mail_content.ts";
import { writeFitting, type WrittenMail } from "../mail/mail_frame.ts";
import type { RemindedItem } from "./reminders_sql.ts";
import { say } from "../../text/messages.ts";

/** As digests: mail programs show some 70 characters of a subject, and cut off a long mail. */
const NAME_LENGTH = 60;
const MAX_ITEMS = [50, 20, 5] as const;

interface ReminderContext {
  variant: Variant;
  site: Pick<MailSite, "siteName" | "siteUrl" | "preferencesUrl" | "logo">;
}

/** Writes which dates of watched releases are in the next days, of which there is at least one. */
export function writeReminder(
  items: readonly RemindedItem[],
  context: ReminderContext,
): WrittenMail {
  const contents = MAX_ITEMS.values().map((most) => reminderMail(items, { ...context, most }));
  return writeFitting(contents, context.site);
}

function reminderMail(
  items: readonly RemindedItem[],
  { variant, site: { siteName, siteUrl, preferencesUrl }, most }: ReminderContext & {
    most: number;
  },
): MailContent {
  const [first] = items;
  const shown = items.slice(0, most);
  const more = items.length - shown.length;
  const news = describeOne(first!, variant);
  const count = new Set(items.map(({ release_item_id }) => release_item_id)).size;
  const when = describeWhen(first!.days_left);
  const isOnly = count === 1;
  return {
    subject: isOnly ? news : say("remind.subject", {
      count,
      name: shortName(first!, variant),
      when,
      others: count - 1,
    }),
    preheader: isOnly ? describeDueItem(first!, variant).details : news,
    heading: isOnly ? news : say("remind.heading", { count }),
    parts: [
      ...[...Map.groupBy(shown, ({ days_left }) => days_left)].map((
        [daysLeft, some],
      ): MailPart => ({
        kind: "releases",
        title: capitalise(describeWhen(daysLeft)),
        tone: "blue",
        bullet: "-",
        items: some.map((item) => describeDueItem(item, variant)),
      })),
      ...more > 0
        ? [
          {
            kind: "link",
            label: say("remind.more", { count: more }),
            url: preferencesUrl,
          } as const,
        ]
        : [],
      { kind: "button", label: say("mail.open_roadmap"), url: `${siteUrl}/` },
    ],
    reason: say("remind.reason", { count, site: siteName }),
  };
}

/** When a date of a release is, as a sentence; a day that ends a quarter may stand for it. */
function describeOne(item: RemindedItem, variant: Variant): string {
  const { release_date, days_left, date_name } = item;
  const name = shortName(item, variant);
  const date = date_name === null ? null : toLine(date_name);
  const quarter = variant.datePrecision === "quarter"
    ? quarterBoundedBy(release_date!, "last")
    : null;
  const when = describeWhen(days_left);
  if (quarter) {
    const at = { name, quarter: showQuarter(quarter), when };
    return date === null ? say("remind.quarter", at) : say("remind.named_quarter", { ...at, date });
  }
  const at = { name, day: formatLongDayOfYear(release_date!), when };
  if (days_left < 2) {
    return date === null ? say("remind.soon", at) : say("remind.named_soon", { ...at, date });
  }
  return date === null ? say("remind.day", at) : say("remind.named_day", { ...at, date });
}

function describeWhen(daysLeft: number): string {
  return say("remind.when", { days: daysLeft });
}

function shortName(item: RemindedItem, variant: Variant): string {
  return excerpt(describeDueItem(item, variant).feature_name, { length: NAME_LENGTH });
}
