import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Site } from "../roadmap/sites.ts";
import type { Variant } from "../roadmap/variant.ts";
import { readNetChanges } from "../roadmap/changes/net_changes_sql.ts";
import { readLastDays } from "./digests/covered_sql.ts";
import { DigestComposer } from "./digests/compose_digests.ts";
import { writeDigest } from "./digests/digest_mail.ts";
import { reasonOf } from "./mail/mail.ts";
import { type Cadence, dayOf } from "../text/cadence.ts";
import type { MailContent, MailSite, MailWords } from "./mail/mail_content.ts";
import { endMail, writeMail } from "./mail/mail_frame.ts";
import { openMailer } from "./mail/mailer.ts";
import { writeReminder } from "./reminders/reminder_mail.ts";
import { readNextReminded } from "./reminders/reminders_sql.ts";
import {
  LINK_HOURS,
  lostLinkMail,
  preferencesMail,
  verificationMail,
} from "./subscriptions/link_mails.ts";
import type { Preferences } from "./subscriptions/subscriptions_sql.ts";

/** The emails that Roadcast sends. */
export const SAMPLE_KINDS = [
  "digest",
  "reminder",
  "verification",
  "watch",
  "preferences",
  "link",
] as const;
/** @see SAMPLE_KINDS */
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/** The days whose changes are searched for the name of a release. */
const NAMED_DAYS = 3650;
/** How long the mail server may be silent, and take, while a page waits: a request has 10 s. */
const [TIMEOUT_MS, MAX_MS] = [5_000, 8_000];

const EVERYTHING: Preferences = {
  scope: "all",
  filter: {},
  releases: [],
  cadence: "weekly",
  upcoming: true,
  reminders: true,
};

interface SampleContext {
  readonly database: Database;
  readonly config: Config;
  readonly site: Site;
  readonly now: Date;
}

/**
 * An email as subscribers get it, with what the roadmap has now, but with links that have no token;
 * null where nothing changed that it could show.
 */
export async function writeSample(
  kind: SampleKind,
  { database, config: { SITE_NAME: siteName, DIGEST_ZONE: zone }, site: { variant, url }, now }:
    SampleContext,
): Promise<MailWords | null> {
  const today = dayOf(now, zone);
  const site = sampleSite(siteName, url);
  const write = (content: MailContent) => endMail(writeMail(content, site), site);
  const previewUrl = `${url}/subscribe/preview?cadence=${EVERYTHING.cadence}`;
  if (kind === "digest") {
    return await previewDigest(EVERYTHING, { database, variant, site, previewUrl, today });
  }
  if (kind === "reminder") {
    const item = await readNextReminded(database, today);
    return item && endMail(writeReminder([item], { variant, site }), site);
  }
  if (kind === "preferences") return write(preferencesMail(site));
  if (kind === "link") return write(lostLinkMail(site));
  let watched: string[] = [];
  if (kind === "watch") {
    const period = await readLastDays(database, NAMED_DAYS);
    if (period === null) return null;
    const { releases } = await readNetChanges(database, {
      ...period,
      view: variant,
      limit: 1,
      textLength: 0,
    });
    if (releases.length === 0) return null;
    watched = releases.map(({ feature_name }) => feature_name);
  }
  const verifyUrl = `${url}/verify-email?token=example`;
  const endsAt = new Date(now.getTime() + LINK_HOURS * 3_600_000);
  return write(verificationMail({ siteName, watched, verifyUrl, endsAt }));
}

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

/**
 * Sends an email as a test, at once and without the outbox, whose emails belong to subscribers.
 * Returns what became of it, or why it was not sent.
 */
export async function sendSample(
  { subject, ...words }: MailWords,
  { kind, to, config, site: { url }, now }: Omit<SampleContext, "database"> & {
    kind: SampleKind;
    to: string;
  },
): Promise<{ outcome: "sent" | "logged" } | { reason: string }> {
  const mailer = await openMailer(config, TIMEOUT_MS, MAX_MS);
  try {
    await mailer.send({
      ...words,
      subject: `[Test] ${subject}`,
      id: crypto.randomUUID(),
      to,
      site: sampleSite(config.SITE_NAME, url),
      isOfList: kind === "digest" || kind === "reminder",
      date: now,
    });
    return { outcome: mailer.outcome };
  } catch (error) {
    return { reason: reasonOf(error) };
  } finally {
    mailer.close();
  }
}

function sampleSite(siteName: string, siteUrl: string): MailSite {
  return {
    siteName,
    siteUrl,
    unsubscribeUrl: `${siteUrl}/unsubscribe?token=example`,
    preferencesUrl: `${siteUrl}/preferences?token=example`,
  };
}
