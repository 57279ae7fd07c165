import type { Database } from "../../database/database.ts";
import type { Variant } from "../../roadmap/variant.ts";
import type { Cadence } from "../../text/cadence.ts";
import type { MailSite, MailWords } from "../mail/mail_content.ts";
import { endMail } from "../mail/mail_frame.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";
import { DigestComposer } from "./compose_digests.ts";
import { readLastDays } from "./covered_sql.ts";
import { writeDigest } from "./digest_mail.ts";

/** The days that an email covers; where they brought nothing, the preview looks further back. */
const DAYS: Readonly<Record<Cadence, number>> = { immediate: 1, daily: 1, weekly: 7 };
const LONGER_DAYS = 90;

/**
 * The last email that a subscription with these preferences would have got; null where nothing that
 * it covers changed lately. It has no receiver: its links have no token of a subscriber.
 */
export async function previewDigest(
  preferences: Preferences,
  { database, variant, site, previewUrl, today }: {
    database: Database;
    variant: Variant;
    site: MailSite;
    previewUrl: string;
    /** `YYYY-MM-DD` */
    today: string;
  },
): Promise<MailWords | null> {
  for (const days of [DAYS[preferences.cadence], LONGER_DAYS]) {
    const period = await readLastDays(database, days);
    if (period === null) return null;
    const receiver = { ...preferences, last_notified_change: period.after };
    const asked = { receiver, upTo: period.upTo, today, variant };
    const [digest] = await new DigestComposer(database).compose([asked]);
    if (!digest) continue;
    const { cadence } = preferences;
    return endMail(writeDigest(digest, { ...site, pageUrl: previewUrl }), { ...site, cadence });
  }
  return null;
}
