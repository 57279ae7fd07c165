import { getLogger } from "@logtape/logtape";
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../../database/database.ts";
import { LastFailure } from "../../work/last_failure.ts";
import { postponeMessage, shortenWaits } from "./messages_sql.ts";
import {
  finishMail,
  giveMailUp,
  postponeAll,
  REFUSES_SEVERAL,
  takeMail,
  type TakenMail,
  tryAgain,
} from "./outbox_sql.ts";
import { endMail, writeMail, type WrittenMail } from "../mail/mail_frame.ts";
import { LINK_HOURS, lostLinkMail, preferencesMail, verificationMail } from "../mail/link_mails.ts";
import { readWatchedNames } from "../subscriptions/preferences_sql.ts";
import { WrittenDigests } from "../digests/written_digests.ts";
import { type LinkPurpose, makeLinkToken, makeVerificationToken } from "../tokens.ts";
import type { MailLogo, MailSite } from "../mail/mail_content.ts";
import { type Mail, type Mailer, MailRefused, NoMailLeaves, reasonOf } from "../mail/mail.ts";
import { delayAfter, DELAYS, drainQueue, drawPause, type JobsDone } from "./drain_queue.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { dayOf } from "../../text/cadence.ts";
import { writeReminder } from "../reminders/reminder_mail.ts";
import { readReminded } from "../reminders/reminders_sql.ts";

const MINUTE = 60_000;
/** How long a verification link is good. */
const LINK_MS = LINK_HOURS * 60 * MINUTE;
const MAILS_AT_ONCE = { freely: 5, atRate: 3 };

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
  /** Emails a minute, at most; 0 or absent: as fast as the server takes them. */
  readonly rate?: number;
}

/** A mail that this process has taken, with the token of the link that it will carry. */
interface QueuedMail {
  mail: TakenMail;
  token: string;
  takenAt: Date;
  /** The last change that a digest tells of; null: it is none, or its receiver wants none now. */
  upTo: string | null;
}

/** What hosts said of mailboxes during one run. */
class Refusals {
  readonly #accepted = new Set<string>();
  readonly #refused: { mail: TakenMail; refusal: MailRefused }[] = [];

  noteAccepted({ email }: TakenMail): void {
    this.#accepted.add(hostOf(email));
  }

  /** False: it says for sure that the mailbox is at fault. */
  note(mail: TakenMail, error: unknown): boolean {
    if (!(error instanceof MailRefused) || !error.isOfReceiver || error.isCertain) return false;
    // Anybody may enter an address that is not there.
    if (mail.kind === "verification") return false;
    this.#refused.push({ mail, refusal: error });
    return true;
  }

  /**
   * All of them. A host that refused several mailboxes, and accepted none, has something against us,
   * such as an entry in a blocklist, and not against the mailboxes.
   */
  *all(): Generator<{ mail: TakenMail; refusal: MailRefused; isAboutUs: boolean; host: string }> {
    const byHost = Map.groupBy(this.#refused, ({ mail }) => hostOf(mail.email));
    for (const [host, refused] of byHost) {
      const receivers = new Set(refused.map(({ mail }) => mail.subscription_id));
      const isAboutUs = receivers.size > 1 && !this.#accepted.has(host);
      for (const one of refused) yield { ...one, isAboutUs, host };
    }
  }
}

/** What a run knows of the mail server. */
interface Run {
  readonly refusals: Refusals;
  /** A mail is on its way, or was. */
  isTrying: boolean;
  /** No mail leaves. */
  isOver: boolean;
}

function hostOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

/** Sends the mails that wait in the database, beside the senders of other processes. */
export class Outbox {
  /** The ids of the mails that are on their way. */
  readonly #sending = new Set<string>();
  readonly #leaseSeconds: number;
  readonly #digests: WrittenDigests;
  readonly #lastOutage = new LastFailure();
  /** No mail has left since one failed for a reason that is the same for all. */
  #isAway = false;
  #hasBegun = false;
  /** When the next mail may go out, where they go out at a rate. */
  #nextAt = 0;

  constructor(private readonly parts: OutboxParts) {
    this.#leaseSeconds = (parts.mailer.maxMs + MINUTE) / 1000;
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
    await shortenWaits(database, "mails", { now: clock(), leaseSeconds, delays: DELAYS });
    if (!this.#hasBegun) await tryAgain(database, clock());
    this.#hasBegun = true;
    const run: Run = { refusals: new Refusals(), isTrying: false, isOver: false };
    const done = await drainQueue({
      atOnce: this.parts.rate ? MAILS_AT_ONCE.atRate : MAILS_AT_ONCE.freely,
      pauseMs: drawPause(Math.random),
      take: () => this.#takeIn(run, ending),
      do: (queued) =>
        this.#send(queued, run).finally(() => this.#sending.delete(queued.mail.mail_id)),
    }, ending);
    await this.#settle(run.refusals);
    return done;
  }

  /** While no mail leaves, one is tried for all. */
  async #takeIn(run: Run, ending?: AbortSignal): Promise<QueuedMail | null> {
    if (run.isOver || this.#isAway && run.isTrying) return null;
    run.isTrying = true;
    const queued = await this.#keepRate(ending) ? await this.#take() : null;
    if (queued === null) run.isTrying = false;
    return queued;
  }

  /** Waits until another mail may go out; false: the end came first. */
  async #keepRate(ending?: AbortSignal): Promise<boolean> {
    const { rate = 0 } = this.parts;
    if (rate === 0) return true;
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + MINUTE / rate;
    return await delay(at - now, true, ending && { signal: ending }).catch(() => false);
  }

  /** Decides what refusals are about, now that all of a run are known. */
  async #settle(refusals: Refusals): Promise<void> {
    const hosts = new Set<string>();
    for (const { mail, refusal, isAboutUs, host } of refusals.all()) {
      if (!isAboutUs) {
        await this.#noteFailure(mail, refusal);
        continue;
      }
      const reason = `${host}${REFUSES_SEVERAL} ${reasonOf(refusal)}`;
      await this.#noteFailure(mail, new Error(reason));
      if (!hosts.has(host)) {
        log.warn(
          "{host} rejects several recipients, so the problem is this server: emails are kept",
          { host },
        );
      }
      hosts.add(host);
    }
  }

  async #take(): Promise<QueuedMail | null> {
    const { database, clock } = this.parts;
    const takenAt = clock();
    const { token, hash } = makeVerificationToken();
    const mail = await takeMail(database, {
      now: takenAt,
      day: dayOf(takenAt, this.parts.zone),
      leaseSeconds: this.#leaseSeconds,
      except: this.#sending,
      link: { hash, expiresAt: after(takenAt, LINK_MS) },
    });
    if (mail === null) return null;
    this.#sending.add(mail.mail_id);
    const upTo = mail.kind === "digest" && mail.gets_digests ? mail.last_change : null;
    return { mail, token, takenAt, upTo };
  }

  async #send(queued: QueuedMail, run: Run): Promise<boolean> {
    const { database, mailer, clock } = this.parts;
    const { mail: { mail_id: id }, upTo } = queued;
    try {
      const mail = await this.#write(queued);
      if (mail === null) {
        await finishMail(database, queued.mail, { status: "superseded", now: clock(), upTo });
        return true;
      }
      await mailer.send(mail);
    } catch (error) {
      if (error instanceof NoMailLeaves) await this.#wait(queued.mail, error, run);
      else if (!run.refusals.note(queued.mail, error)) await this.#noteFailure(queued.mail, error);
      return false;
    }
    this.#isAway = false;
    run.refusals.noteAccepted(queued.mail);
    if (this.#lastOutage.end()) log.info("The mail server accepts emails again");
    await finishMail(database, queued.mail, { status: mailer.outcome, now: clock(), upTo });
    log.info("Mail {id} was {outcome}", { id, outcome: mailer.outcome });
    return true;
  }

  /** Null: there is nothing to say any more. */
  async #write(queued: QueuedMail): Promise<Mail | null> {
    const { mail, takenAt } = queued;
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
    const written = await this.#say(queued, site);
    if (written === null) return null;
    return {
      ...endMail(written, site),
      id: mail.mail_id,
      to: mail.email,
      site,
      isOfList: mail.kind === "digest" || mail.kind === "reminder",
      date: takenAt,
    };
  }

  async #say(
    { mail, token, takenAt, upTo }: QueuedMail,
    site: MailSite,
  ): Promise<WrittenMail | null> {
    const { variant } = this.parts.siteFor(mail.variant);
    const today = dayOf(takenAt, this.parts.zone);
    switch (mail.kind) {
      case "digest": {
        if (upTo === null) return null;
        const asked = { receiver: mail, upTo, now: takenAt, today, variant };
        return await this.#digests.write(asked, site);
      }
      case "reminder": {
        const items = await readReminded(this.parts.database, mail.mail_id, today);
        if (items.length === 0) return null;
        return writeReminder(items, { variant, site });
      }
      case "preferences":
        return writeMail(mail.is_asked ? preferencesMail(site) : lostLinkMail(site), site);
      case "verification":
      case "invitation":
        return writeMail(
          verificationMail({
            ...site,
            isInvitation: mail.kind === "invitation",
            watched: await readWatchedNames(this.parts.database, mail.subscription_id),
            verifyUrl: `${site.siteUrl}/verify-email?token=${token}`,
            endsAt: after(takenAt, LINK_MS),
          }),
          site,
        );
    }
  }

  /** The log says less than the outbox, because a server's answer may repeat the address. */
  async #noteFailure(mail: TakenMail, error: unknown): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock();
    const dueAt = after(now, delayAfter(mail.attempts));
    const isFinal = error instanceof MailRefused || dueAt.getTime() > mail.give_up_at;
    const reason = reasonOf(error);
    const noted = { id: mail.mail_id, attempt: mail.attempts, dueAt: dueAt.toISOString() };
    if (isFinal) {
      const isRefusal = error instanceof MailRefused && error.isOfReceiver;
      const isSetAside = await giveMailUp(database, mail, { reason, isRefusal, now });
      log.error("Email {id} failed permanently in attempt {attempt}", noted);
      if (isSetAside) {
        log.warn("The recipient of email {id} rejected too many emails and gets no more", noted);
      }
      return;
    }
    await postponeMessage(database, mail, { reason, dueAt });
    log.warn("Email {id} failed in attempt {attempt}, next attempt at {dueAt}", noted);
  }

  /** Ends a run in which no mail leaves; says so once for all mails, and once an hour. */
  async #wait(mail: TakenMail, error: NoMailLeaves, run: Run): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock();
    run.isOver = this.#isAway = true;
    const dueAt = after(now, delayAfter(mail.attempts));
    if (dueAt.getTime() > mail.give_up_at) await this.#noteFailure(mail, error);
    await postponeAll(database, mail, { reason: error.message, dueAt, now });
    const kind = error.isRefused ? "refused" : "away";
    if (!this.#lastOutage.isNews(kind, now.getTime())) return;
    const what = error.isRefused
      ? "The mail server refuses this service, so emails wait and are retried: {error}"
      : "Cannot reach the mail server, emails wait and are retried: {error}";
    log.warn(what, { error: error.message });
  }
}

function after(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds);
}
