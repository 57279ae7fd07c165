import type { Database } from "../../database/database.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { Cadence } from "../../text/cadence.ts";
import { readBody } from "../mail/mail_body.ts";
import { endMail, writeMail } from "../mail/mail_frame.ts";
import { describeScope } from "../subscriptions/preferences_in_words.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";
import { describeItem, formatDigest } from "./digest.ts";
import { digestMail } from "./digest_mail.ts";
import { type PendingFor, readLastDays, readPendingChanges } from "./pending_changes_sql.ts";

/** An email covers so many days; where they brought nothing, the preview looks further back. */
const DAYS: Readonly<Record<Cadence, number>> = { immediate: 1, daily: 1, weekly: 7 };
const LONGER_DAYS = 90;
/** As many releases as a mail lists at most. */
const MAX_ITEMS = 50;

/**
 * The last email that a subscription with these preferences would have got, as HTML; null where
 * nothing that it covers changed lately. It is about nobody: its links need no token.
 */
export async function previewDigest(
  preferences: Preferences,
  { database, site: { variant, url: siteUrl }, siteName, previewUrl, preferencesUrl }: {
    database: Database;
    site: Site;
    siteName: string;
    previewUrl: string;
    preferencesUrl: string;
  },
): Promise<string | null> {
  for (const days of [DAYS[preferences.cadence], LONGER_DAYS]) {
    const period = await readLastDays(database, days);
    if (period === null) return null;
    const covered: PendingFor = { ...preferences, last_notified_change: period.after };
    const { items, total } = await readPendingChanges(database, covered, {
      upTo: period.upTo,
      variant,
      limit: MAX_ITEMS,
    });
    if (total === 0) continue;
    const digest = {
      ...formatDigest(items.map((item) => describeItem(variant, item)), total),
      covers: describeScope(preferences),
    };
    const links = { unsubscribeUrl: preferencesUrl, preferencesUrl };
    const site = { siteName, siteUrl, ...links };
    const content = digestMail(digest, { siteName, siteUrl, pageUrl: previewUrl });
    return readBody(endMail(writeMail(content, site), site).html);
  }
  return null;
}
