import { getLogger } from "@logtape/logtape";
import type { Database } from "../database/database.ts";
import { failMail, finishMail, shortenWaits, takeMail, type TakenMail } from "./outbox_sql.ts";
import { formatDigestMail } from "./digest_mail.tsx";
import { formatPreferencesMail } from "./preferences_mail.tsx";
import { formatVerificationMail } from "./verification_mail.tsx";
import { type LinkPurpose, makeLinkToken, makeVerificationToken } from "./tokens.ts";
import type { MailSite, MailWords } from "./mail_frame.tsx";
import { type Mail, type Mailer, MailRefused, reasonOf } from "./mailer.ts";
import { delayAfter, DELAYS, drawPause } from "./outbox_delays.ts";
import { repeat, type RepeatedJob } from "../repeat.ts";
import type { VariantName } from "../roadmap/variant.ts";

const MINUTE = 60_000;
/** How long a verification link is good. */
const LINK_MS = 24 * 60 * MINUTE;
const MAILS_AT_ONCE = 5;

const log = getLogger(["roadcast", "mail"]);

/** What the sender of a process works with. */
export interface OutboxParts {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly tokenSecret: string;
  readonly siteName: string;
  /** The address of the site that shows a variant, without a slash at its end. */
  readonly siteUrl: (variant: VariantName) => string;
  /** Numbers from 0 up to 1, of which the pauses are drawn; absent: `Math.random`. */
  readonly random?: () => number;
}

/** A mail that this process has taken, with the token of the link that it will carry. */
interface Letter {
  mail: TakenMail;
  token: string;
  takenAt: Date;
}

/** Sends the mails that wait in the database, beside the senders of other processes. */
export class Outbox {
  #job: RepeatedJob | null = null;
  #isStopping = false;
  /** Each takes one mail after another, so that a slow one keeps the others of its own only. */
  readonly #workers = new Set<Promise<void>>();
  /** The ids of the mails that are on their way. */
  readonly #sending = new Set<string>();
  readonly #leaseSeconds: number;
  /** The attempts so far, by how they ended. */
  readonly #counts = { sent: 0, failed: 0 };
  /** Once aborted, no more mails are taken. */
  #ending: AbortSignal | undefined;

  constructor(private readonly parts: OutboxParts) {
    this.#leaseSeconds = (parts.mailer.longestMs + MINUTE) / 1000;
  }

  /**
   * Sends from now on whatever comes due, some seconds after it did. The pauses are random, and no
   * request ends one: sending slows the requests beside it, and whoever measured the one after his
   * own would learn whether that had a mail sent.
   */
  start(): void {
    const { random = Math.random } = this.parts;
    this.#job = repeat("Sending mails", () => drawPause(random), () => this.#begin());
  }

  /** Finishes the mails that are on their way, and takes no more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#job?.stop();
    await Promise.allSettled(this.#workers);
    this.parts.mailer.close();
  }

  /** Sends every mail that is due, several at once, until the signal; returns the attempts. */
  async sendDue(ending?: AbortSignal): Promise<{ sent: number; failed: number }> {
    const before = { ...this.#counts };
    this.#ending = ending;
    try {
      await this.#begin();
      const workers = await Promise.allSettled(this.#workers);
      const broken = workers.find(({ status }) => status === "rejected");
      if (broken) throw (broken as PromiseRejectedResult).reason;
    } finally {
      this.#ending = undefined;
    }
    const { sent, failed } = this.#counts;
    return { sent: sent - before.sent, failed: failed - before.failed };
  }

  /** Has what is due sent, as far as there is room for more. */
  async #begin(): Promise<void> {
    const { database, clock } = this.parts;
    const leaseSeconds = this.#leaseSeconds;
    await shortenWaits(database, { now: clock(), leaseSeconds, delays: DELAYS });
    if (this.#workers.size >= MAILS_AT_ONCE) return;
    const first = await this.#take();
    if (first === null) return;
    this.#startWorker(first);
    while (this.#workers.size < MAILS_AT_ONCE) this.#startWorker(null);
  }

  #startWorker(first: Letter | null): void {
    const worker = this.#sendOneAfterAnother(first).finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
    worker.catch((error) => log.error("Sending mails failed: {error}", { error: String(error) }));
  }

  async #sendOneAfterAnother(first: Letter | null): Promise<void> {
    let letter = first ?? await this.#take();
    while (letter !== null) {
      const { mail_id: id } = letter.mail;
      await this.#send(letter).finally(() => this.#sending.delete(id));
      letter = await this.#take();
    }
  }

  async #take(): Promise<Letter | null> {
    if (this.#isStopping || this.#ending?.aborted) return null;
    const { database, clock } = this.parts;
    const takenAt = clock();
    const { token, hash } = makeVerificationToken();
    const mail = await takeMail(database, {
      now: takenAt,
      leaseSeconds: this.#leaseSeconds,
      except: this.#sending,
      link: { hash, expiresAt: after(takenAt, LINK_MS) },
    });
    if (mail === null) return null;
    this.#sending.add(mail.mail_id);
    return { mail, token, takenAt };
  }

  async #send(letter: Letter): Promise<void> {
    const { database, mailer, clock } = this.parts;
    const { mail_id: id } = letter.mail;
    try {
      await mailer.send(this.#write(letter));
    } catch (error) {
      this.#counts.failed++;
      await this.#noteFailure(letter.mail, error);
      return;
    }
    this.#counts.sent++;
    await finishMail(database, letter.mail, { status: mailer.outcome, now: clock() });
    log.info("Mail {id} was {outcome}", { id, outcome: mailer.outcome });
  }

  #write(letter: Letter): Mail {
    const { mail, takenAt } = letter;
    const { siteName, siteUrl, tokenSecret } = this.parts;
    const base = siteUrl(mail.variant);
    const linkTo = (purpose: LinkPurpose) =>
      `${base}/${purpose}?token=${makeLinkToken(purpose, mail.subscription_id, tokenSecret)}`;
    const unsubscribeUrl = linkTo("unsubscribe");
    const preferencesUrl = linkTo("preferences");
    const words = writeWords(letter, { siteName, siteUrl: base, unsubscribeUrl, preferencesUrl });
    return { ...words, id: mail.mail_id, to: mail.email, unsubscribeUrl, date: takenAt };
  }

  /** The log says less than the outbox, because a server's answer may repeat the address. */
  async #noteFailure(mail: TakenMail, error: unknown): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock();
    const dueAt = after(now, delayAfter(mail.attempts));
    const isFinal = error instanceof MailRefused || dueAt.getTime() > mail.give_up_at;
    const isSetAside = await failMail(database, mail, {
      reason: reasonOf(error),
      dueAt: isFinal ? null : dueAt,
      isRefusal: error instanceof MailRefused && error.isOfReceiver,
      now,
    });
    const noted = { id: mail.mail_id, attempt: mail.attempts, dueAt: dueAt.toISOString() };
    if (isFinal) log.error("Mail {id} failed for good in attempt {attempt}", noted);
    else log.warn("Mail {id} failed in attempt {attempt}, the next one is at {dueAt}", noted);
    if (isSetAside) log.warn("The receiver of mail {id} refused too often and gets no more", noted);
  }
}

function writeWords({ mail, token, takenAt }: Letter, site: MailSite): MailWords {
  switch (mail.kind) {
    case "digest":
      return formatDigestMail({ ...site, digest: mail.digest! });
    case "preferences":
      return formatPreferencesMail(site);
    case "verification":
      return formatVerificationMail({
        ...site,
        verifyUrl: `${site.siteUrl}/verify-email?token=${token}`,
        endsAt: after(takenAt, LINK_MS),
      });
  }
}

function after(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds);
}
