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
  /** @throws {MailRefused} where trying again is of no use; any other error where it may be */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in, without sending anything. */
  verify(): Promise<SignIn>;
  close(): void;
}

/** What came of signing in to a mail server. */
export interface SignIn {
  /** The ways of signing in that the server names (RFC 4954, section 3), such as `XOAUTH2`. */
  readonly methods: readonly string[];
  /** Why it failed; null: it did not. */
  readonly error: unknown;
}

/** The server will never take this mail. */
export class MailRefused extends Error {
  override name = "MailRefused";
  /** The server takes no mail for this receiver: the mailbox is at fault, not the mail or we. */
  readonly isOfReceiver: boolean;
  /** It says that there is no such mailbox. */
  readonly isCertain: boolean;

  constructor(message: string, { isOfReceiver, isCertain, ...options }: ErrorOptions & {
    isOfReceiver: boolean;
    isCertain: boolean;
  }) {
    super(message, options);
    this.isOfReceiver = isOfReceiver;
    this.isCertain = isCertain;
  }
}

/** Whether a mail failed before the server gave any answer to it. */
export function isServerAway(error: unknown): boolean {
  return !(error instanceof MailRefused) &&
    (error as { responseCode?: number }).responseCode === undefined;
}

/** What went wrong, in one line, as it is stored with the mail. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  const line = (message ?? String(error)).replace(/\s+/g, " ").trim().slice(0, 500);
  return code && !line.includes(code) ? `${line} (${code})` : line;
}
