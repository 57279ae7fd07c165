import { getLogger } from "@logtape/logtape";
import type { Database } from "../../database/database.ts";
import { LastFailure } from "../../work/last_failure.ts";
import { postponeMessage, shortenWaits } from "./messages_sql.ts";
import {
  endPause,
  type MailPause,
  notePause,
  PAUSED,
  type PauseKind,
  readPause,
  throttle,
} from "./mail_state_sql.ts";
import {
  addLink,
  type ClaimedMail,
  claimMails,
  dropMails,
  finishMail,
  giveBack,
  giveMailUp,
  isHostRefusing,
  mayBeAboutUs,
} from "./outbox_sql.ts";
import { endMail, writeMail, type WrittenMail } from "../mail/mail_frame.ts";
import {
  LINK_HOURS,
  lostLinkMail,
  preferencesMail,
  verificationMail,
} from "../subscriptions/link_mails.ts";
import { readWatchedNames } from "../subscriptions/preferences_sql.ts";
import { WrittenDigests } from "../digests/written_digests.ts";
import { type LinkPurpose, makeLinkToken, makeVerificationToken } from "../tokens.ts";
import type { MailLogo, MailSite } from "../mail/mail_content.ts";
import {
  type Mail,
  type Mailer,
  MailRefused,
  NoMailLeaves,
  reasonOf,
  Throttled,
} from "../mail/mail.ts";
import {
  delayAfter,
  DELAYS,
  drainQueue,
  drawPause,
  type JobsDone,
  NOTHING_DONE,
  waitUntil,
} from "./drain_queue.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { dayOf } from "../../text/cadence.ts";
import { writeReminder } from "../reminders/reminder_mail.ts";
import { readReminded } from "../reminders/reminders_sql.ts";

const MINUTE = 60_000;
/** The most mails of one claim. */
const BATCH = 50;
/** At a rate a claim is for so many seconds. */
const BATCH_SECONDS = 2;
/** What was claimed for longer, in milliseconds, goes back: preferences may have changed meanwhile. */
const MAX_AGE = 10_000;
/** A rate needs so many connections at least, and one for each email a second. */
const RATE_CONNECTIONS = 3;

const log = getLogger(["roadcast", "mail"]);

/** What the sender of a process works with. */
interface OutboxParts {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly tokenSecret: string;
  readonly siteName: string;
  /** The time zone of what is sent. */
  readonly zone: string;
  /** The site for the people of a variant. */
  readonly siteFor: (variant: VariantName) => Site;
  readonly logo?: MailLogo;
  /** The most connections to the mail server. */
  readonly connections: number;
  /** Emails a minute of all processes, at most; 0: as fast as the server takes them. */
  readonly rate: number;
}

/** A mail of a batch. */
interface BatchedMail {
  readonly mail: ClaimedMail;
  readonly claimedAt: Date;
  /** When it may go out, and when it goes back, by `performance.now()`. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** What was claimed and is not on its way yet. */
interface Run {
  batch: BatchedMail[];
  /** Others wait for the claim that is being made: whether it finds any. */
  claiming: Promise<boolean> | null;
  /** While emails wait together, one is tried for all: what it said of them before. */
  pause: MailPause | null;
  isOver: boolean;
}

/** Sends the mails that wait in the database, beside the senders of other processes. */
export class Outbox {
  /** The ids of the mails that this process has claimed. */
  readonly #claimed = new Set<string>();
  readonly #leaseSeconds: number;
  readonly #atOnce: number;
  readonly #digests: WrittenDigests;
  readonly #lastPause = new LastFailure();

  constructor(private readonly parts: OutboxParts) {
    const { mailer, connections, rate } = parts;
    this.#leaseSeconds = (mailer.maxMs + MINUTE) / 1000;
    this.#atOnce = rate === 0
      ? connections
      : Math.min(connections, Math.max(RATE_CONNECTIONS, Math.ceil(rate / 60)));
    this.#digests = new WrittenDigests(parts);
  }

  /** Closes the connections to the mail server. */
  close(): void {
    this.parts.mailer.close();
  }

  /** Sends every mail that is due, several at once, until the signal; returns the attempts. */
  async sendDue(ending?: AbortSignal): Promise<JobsDone> {
    const { database, clock } = this.parts;
    const leaseSeconds = this.#leaseSeconds;
    const waits = { now: clock(), leaseSeconds, delays: DELAYS };
    if (!await shortenWaits(database, "mails", waits)) return NOTHING_DONE;
    const run: Run = { batch: [], claiming: null, pause: null, isOver: false };
    try {
      return await drainQueue({
        atOnce: this.#atOnce,
        pauseMs: drawPause(Math.random),
        claim: () => this.#next(run, ending),
        do: (one) => this.#send(one, run).finally(() => this.#claimed.delete(one.mail.mail_id)),
      }, ending);
    } finally {
      await this.#giveBack(run);
    }
  }

  /** The next mail that may go out now; null: none is due, or none is to go out. */
  async #next(run: Run, ending?: AbortSignal): Promise<BatchedMail | null> {
    while (!run.isOver && !ending?.aborted) {
      if (run.batch[0] && run.batch[0].endsAt < performance.now()) await this.#giveBack(run);
      const next = run.batch.shift();
      if (next) {
        if (await waitUntil(next.startsAt, ending)) return next;
        run.batch.push(next);
      } else {
        run.claiming ??= this.#claim(run).finally(() => run.claiming = null);
        if (!await run.claiming) return null;
      }
    }
    return null;
  }

  async #claim(run: Run): Promise<boolean> {
    const { database, clock, rate, zone } = this.parts;
    const now = clock();
    const pause = await readPause(database, now);
    // One is tried for all, and is on its way.
    if (pause?.lasts || run.pause !== null) return false;
    const atRate = rate === 0 ? BATCH : Math.ceil(rate / 60 * BATCH_SECONDS);
    const claimed = await claimMails(database, {
      now,
      day: dayOf(now, zone),
      leaseSeconds: this.#leaseSeconds,
      limit: pause === null ? Math.min(BATCH, atRate) : 1,
      except: this.#claimed,
    });
    if (claimed.length === 0) return false;
    for (const { mail_id } of claimed) this.#claimed.add(mail_id);
    try {
      run.batch = await this.#schedule(await this.#dropEmpty(claimed, now), now);
    } catch (error) {
      for (const { mail_id } of claimed) this.#claimed.delete(mail_id);
      throw error;
    }
    if (run.batch.length > 0) run.pause = pause;
    return true;
  }

  /** Says when each may go out. */
  async #schedule(mails: readonly ClaimedMail[], claimedAt: Date): Promise<BatchedMail[]> {
    const { database, rate } = this.parts;
    const seconds = rate === 0 ? 0 : 60 / rate;
    const turns = { count: mails.length, seconds };
    const wait = rate > 0 && mails.length > 0 ? await throttle(database, turns) : 0;
    const begun = performance.now() + wait;
    return mails.map((mail, place) => {
      const startsAt = begun + place * seconds * 1000;
      return { mail, claimedAt, startsAt, endsAt: startsAt + MAX_AGE };
    });
  }

  /** Makes the digests among some mails together, and removes those that have nothing to say. */
  async #dropEmpty(mails: ClaimedMail[], now: Date): Promise<ClaimedMail[]> {
    const asked = mails.flatMap((mail) => this.#askDigest(mail, now) ?? []);
    // What fails here fails again for the mail that is to blame, when it is sent.
    const ids = await this.#digests.make(asked, now).catch(() => null);
    if (ids === null) return mails;
    const empty = asked.filter((_, place) => ids[place] === null).map(({ receiver }) => receiver);
    if (empty.length === 0) return mails;
    await dropMails(this.parts.database, empty, now);
    for (const { mail_id } of empty) this.#claimed.delete(mail_id);
    return mails.filter((mail) => !empty.includes(mail));
  }

  /** Null: the mail is no digest, or its receiver gets none now. */
  #askDigest(receiver: ClaimedMail, now: Date) {
    const { siteFor, zone } = this.parts;
    if (receiver.kind !== "digest" || receiver.up_to === null) return null;
    const { variant } = siteFor(receiver.variant);
    return { receiver, upTo: receiver.up_to, today: dayOf(now, zone), variant };
  }

  async #giveBack(run: Run): Promise<void> {
    const left = run.batch.splice(0).map(({ mail }) => mail);
    if (left.length === 0) return;
    for (const { mail_id } of left) this.#claimed.delete(mail_id);
    await giveBack(this.parts.database, left);
  }

  async #send(batched: BatchedMail, run: Run): Promise<boolean> {
    const { database, mailer, clock } = this.parts;
    const { mail } = batched;
    try {
      const written = await this.#write(batched);
      if (written === null) {
        await dropMails(database, [mail], clock());
        return true;
      }
      await mailer.send(written);
    } catch (error) {
      await this.#noteFailure(mail, error, run);
      return false;
    }
    await finishMail(database, mail, { status: mailer.outcome, now: clock() });
    log.info("Mail {id} was {outcome}", { id: mail.mail_id, outcome: mailer.outcome });
    if (run.pause !== null) {
      run.pause = null;
      if (await endPause(database)) log.info("The mail server accepts emails again");
      this.#lastPause.end();
    }
    return true;
  }

  /** Null: there is nothing to say any more. */
  async #write(batched: BatchedMail): Promise<Mail | null> {
    const { mail, claimedAt } = batched;
    const { siteName, siteFor, logo, tokenSecret } = this.parts;
    const { url: base } = siteFor(mail.variant);
    const linkTo = (purpose: LinkPurpose) =>
      `${base}/${purpose}?token=${makeLinkToken(purpose, mail.subscription_id, tokenSecret)}`;
    const site: MailSite = {
      siteName,
      siteUrl: base,
      ...logo && { logo },
      unsubscribeUrl: linkTo("unsubscribe"),
      preferencesUrl: linkTo("preferences"),
      ...mail.kind === "digest" && { cadence: mail.cadence },
    };
    const written = await this.#say(batched, site);
    if (written === null) return null;
    return {
      ...endMail(written, site),
      id: mail.mail_id,
      to: mail.email,
      site,
      isOfList: mail.kind === "digest" || mail.kind === "reminder",
      date: claimedAt,
    };
  }

  async #say(
    { mail, claimedAt: now }: BatchedMail,
    site: MailSite,
  ): Promise<WrittenMail | null> {
    const { database, siteFor, zone } = this.parts;
    const { variant } = siteFor(mail.variant);
    const today = dayOf(now, zone);
    switch (mail.kind) {
      case "digest": {
        const asked = this.#askDigest(mail, now);
        return asked && await this.#digests.write(asked, site, now);
      }
      case "reminder": {
        const items = await readReminded(database, mail.mail_id, today);
        if (items.length === 0) return null;
        return writeReminder(items, { variant, site });
      }
      case "preferences":
        return writeMail(mail.is_asked ? preferencesMail(site) : lostLinkMail(site), site);
      case "verification":
      case "invitation": {
        const { token, hash } = makeVerificationToken();
        const endsAt = new Date(now.getTime() + LINK_HOURS * 60 * MINUTE);
        if (!await addLink(database, mail, { hash, now, expiresAt: endsAt })) return null;
        const watched = await readWatchedNames(database, mail.subscription_id);
        const verifyUrl = `${site.siteUrl}/verify-email?token=${token}`;
        const isInvitation = mail.kind === "invitation";
        return writeMail(
          verificationMail({ ...site, isInvitation, watched, verifyUrl, endsAt }),
          site,
        );
      }
    }
  }

  async #noteFailure(mail: ClaimedMail, error: unknown, run: Run): Promise<void> {
    if (error instanceof NoMailLeaves && !await this.#isOfMail(error)) {
      run.isOver = true;
      const pausedUntil = await this.#pause(error.kind, reasonOf(error));
      if (pausedUntil.getTime() > mail.give_up_at) await this.#giveUp(mail, error);
      else await giveBack(this.parts.database, [mail]);
      return;
    }
    if (error instanceof Throttled) {
      run.isOver = true;
      await this.#pause("busy", reasonOf(error));
    }
    const { database, clock } = this.parts;
    const isRefused = error instanceof MailRefused;
    // Anybody may enter an address that is not there: the host is not asked for others then.
    const isFinal = isRefused &&
      (!error.isOfReceiver || error.isCertain || mail.kind === "verification" ||
        !await mayBeAboutUs(database, mail));
    if (isFinal) return await this.#giveUp(mail, error, { isRefusal: error.isOfReceiver });
    const dueAt = new Date(clock().getTime() + delayAfter(mail.attempts));
    if (dueAt.getTime() > mail.give_up_at) {
      const isRefusal = isRefused && !await isHostRefusing(database, mail);
      return await this.#giveUp(mail, error, { isRefusal });
    }
    await postponeMessage(database, mail, { reason: reasonOf(error), dueAt, isRefused });
    // The log says less than the outbox, because a server's answer may repeat the address.
    log.warn("Email {id} failed in attempt {attempt}, next attempt at {dueAt}", {
      id: mail.mail_id,
      attempt: mail.attempts,
      dueAt: dueAt.toISOString(),
    });
  }

  /** A server may break off for one mail, and be there for others. */
  async #isOfMail({ kind }: NoMailLeaves): Promise<boolean> {
    return kind === "away" && await this.parts.mailer.verify() === null;
  }

  /** Has all mails wait; says so once, and once an hour. */
  async #pause(kind: PauseKind, reason: string): Promise<Date> {
    const { database, clock } = this.parts;
    const now = clock();
    const until = await notePause(database, { kind, reason, now });
    if (this.#lastPause.isNews(kind, now.getTime())) log.warn(PAUSED[kind], { error: reason });
    return until;
  }

  async #giveUp(mail: ClaimedMail, error: unknown, { isRefusal = false } = {}): Promise<void> {
    const { database, clock } = this.parts;
    const noted = { id: mail.mail_id, attempt: mail.attempts };
    const reason = reasonOf(error);
    const isSetAside = await giveMailUp(database, mail, { reason, isRefusal, now: clock() });
    log.error("Email {id} failed permanently in attempt {attempt}", noted);
    if (isSetAside) {
      log.warn("The recipient of email {id} rejected too many emails and gets no more", noted);
    }
  }
}
