import { getLogger } from "@logtape/logtape";
import type { Database } from "../database/database.ts";
import { failMail, finishMail, takeMail, type TakenMail } from "./outbox_sql.ts";
import { formatDigestMail } from "./digest_mail.tsx";
import { formatVerificationMail } from "./verification_mail.tsx";
import { makeUnsubscribeToken, makeVerificationToken } from "./tokens.ts";
import { type Mail, type Mailer, MailRefused, reasonOf } from "./mailer.ts";
import { repeat, type RepeatedJob } from "../repeat.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long a verification link is good. */
const LINK_MS = 24 * HOUR;
/** The second attempt comes after the first of these delays; they double up to the last. */
const DELAY = { first: MINUTE, longest: 4 * HOUR };
const POLL_MS = 5_000;
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
  readonly siteUrl: (variant: "A" | "B") => string;
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

  constructor(private readonly parts: OutboxParts) {}

  /** Sends from now on whatever comes due. */
  start(): void {
    this.#job = repeat("Sending mails", POLL_MS, () => this.sendDue());
  }

  /** Has a new mail sent at once, where this process sends. */
  wake(): void {
    this.#job?.trigger();
  }

  /** Finishes the mails that are on their way, and takes no more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#job?.stop();
    this.parts.mailer.close();
  }

  /** Sends every mail that is due, several at once. */
  async sendDue(): Promise<void> {
    const first = await this.#take();
    if (first === null) return;
    const workers = Array.from(
      { length: MAILS_AT_ONCE },
      (_, index) => this.#sendOneAfterAnother(index === 0 ? first : null),
    );
    const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  async #sendOneAfterAnother(first: Letter | null): Promise<void> {
    let letter = first ?? await this.#take();
    while (letter !== null) {
      await this.#send(letter);
      letter = await this.#take();
    }
  }

  async #take(): Promise<Letter | null> {
    if (this.#isStopping) return null;
    const { database, mailer, clock } = this.parts;
    const takenAt = clock();
    const { token, hash } = makeVerificationToken();
    const mail = await takeMail(database, {
      now: takenAt,
      leaseUntil: after(takenAt, mailer.longestMs + MINUTE),
      link: { hash, expiresAt: after(takenAt, LINK_MS) },
    });
    return mail && { mail, token, takenAt };
  }

  async #send(letter: Letter): Promise<void> {
    const { database, mailer, clock } = this.parts;
    const { mail_id: id } = letter.mail;
    try {
      await mailer.send(this.#write(letter));
    } catch (error) {
      await this.#noteFailure(letter.mail, error);
      return;
    }
    await finishMail(database, id, { status: mailer.outcome, now: clock() });
    log.info("Mail {id} was {outcome}", { id, outcome: mailer.outcome });
  }

  #write({ mail, token, takenAt }: Letter): Mail {
    const { siteName, siteUrl, tokenSecret } = this.parts;
    const base = siteUrl(mail.variant);
    const unsubscribeToken = makeUnsubscribeToken(mail.subscription_id, tokenSecret);
    const unsubscribeUrl = `${base}/unsubscribe?token=${unsubscribeToken}`;
    const site = { siteName, siteUrl: base, unsubscribeUrl };
    const words = mail.digest
      ? formatDigestMail({ ...site, digest: mail.digest })
      : formatVerificationMail({
        ...site,
        verifyUrl: `${base}/verify-email?token=${token}`,
        endsAt: after(takenAt, LINK_MS),
      });
    return { ...words, id: mail.mail_id, to: mail.email, unsubscribeUrl, date: takenAt };
  }

  /** The log says less than the outbox, because a server's answer may repeat the address. */
  async #noteFailure(mail: TakenMail, error: unknown): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock();
    const dueAt = after(now, delayAfter(mail.attempts));
    const isFinal = error instanceof MailRefused || dueAt.getTime() > mail.give_up_at;
    await failMail(database, mail, {
      reason: reasonOf(error),
      dueAt: isFinal ? null : dueAt,
      now,
    });
    const noted = { id: mail.mail_id, attempt: mail.attempts, dueAt: dueAt.toISOString() };
    if (isFinal) log.error("Mail {id} failed for good in attempt {attempt}", noted);
    else log.warn("Mail {id} failed in attempt {attempt}, the next one is at {dueAt}", noted);
  }
}

/**
 * How long to wait after so many attempts, in milliseconds.
 *
 * ```ts
 * const minutes = [1, 2, 3, 9, 20].map((attempts) => delayAfter(attempts) / 60_000);
 * if (minutes.join() !== "1,2,4,240,240") throw new Error(minutes.join());
 * ```
 */
export function delayAfter(attempts: number): number {
  return Math.min(DELAY.first * 2 ** (attempts - 1), DELAY.longest);
}

function after(moment: Date, milliseconds: number): Date {
  return new Date(moment.getTime() + milliseconds);
}
