import type { SubscriptionState } from "./subscriptions_sql.ts";

/** Mails by requests that one mailbox gets within 24 hours at most. */
const MAILS_A_DAY = 3;

/** What decides whether a mail goes out. */
export interface Standing {
  state: SubscriptionState;
  /** Something else is asked for than what is stored. */
  asks_otherwise: boolean;
  /** Mails by requests to all addresses of the mailbox within a day. */
  mails_to_mailbox: number;
  /** An address of the mailbox was unsubscribed, and is not verified again. */
  has_unsubscribed: boolean;
  /** After that it had a verification mail within a day. */
  is_mailed_since: boolean;
  /** Mails by requests to everybody within an hour. */
  mails_to_all: number;
}

/** Whether a request brings a mail. */
export function isMailAllowed(standing: Standing, mailsAnHour: number): boolean {
  return (standing.state !== "verified" || standing.asks_otherwise) &&
    standing.mails_to_mailbox < MAILS_A_DAY &&
    !(standing.has_unsubscribed && standing.is_mailed_since) &&
    standing.mails_to_all < mailsAnHour;
}
