import { shorten, toLine } from "../../text/phrases.ts";
import type { PauseKind } from "../outbox/mail_state_sql.ts";
import type { MailSite, MailWords } from "./mail_content.ts";

/** A mail that is ready to go out. */
export interface Mail extends MailWords {
  /** The same each time the mail is sent, so that a receiver can recognize a second copy. */
  id: string;
  to: string;
  site: MailSite;
  /** It goes to all subscribers, and is not the answer to a request of one. */
  isOfList: boolean;
  date: Date;
}

/** Where mails go. */
export interface Mailer {
  /** What becomes of a mail that was sent without an error. */
  readonly outcome: "sent" | "logged";
  /** Longest time that `send` takes, in milliseconds. */
  readonly maxMs: number;
  /**
   * @throws {MailRefused} where trying again is of no use
   * @throws {NoMailLeaves} where no other mail goes out either
   * @throws {Throttled} where others are to wait a little, too; any other error where they need not
   */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in, without sending anything; returns why that failed, or null. */
  verify(): Promise<unknown>;
  close(): void;
}

/** The server will never take this mail. */
export class MailRefused extends Error {
  override name = "MailRefused";

  constructor(
    cause: unknown,
    /** The server takes no mail for this receiver: the mailbox is at fault, not the mail or we. */
    readonly isOfReceiver: boolean,
    /** It says that there is no such mailbox. */
    readonly isCertain: boolean,
  ) {
    super(reasonOf(cause), { cause });
  }
}

/**
 * No mail leaves: the server cannot be reached, or refused us before it heard of any receiver, as
 * at AUTH or MAIL FROM. That is about our settings or the server, and the same for every mail.
 */
export class NoMailLeaves extends Error {
  override name = "NoMailLeaves";

  constructor(cause: unknown, readonly kind: PauseKind) {
    super(reasonOf(cause), { cause });
  }
}

/** The server asks to slow down, once it has heard of a receiver. */
export class Throttled extends Error {
  override name = "Throttled";

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

/** What went wrong, in one line, as it is stored with the mail. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const line = shorten(toLine(message ?? String(error)), 500);
  return code && !line.includes(code) ? `${line} (${code})` : line;
}
