import { shorten, toLine } from "../../text/phrases.ts";

const MAX_REASON = 500;

/** A mailbox refused an email for good, or its owner marked the email as spam. */
export interface Bounce {
  /** As the sender of the report writes the address. */
  readonly email: string;
  readonly isComplaint: boolean;
  /** One line. */
  readonly reason: string;
}

/** What a mail service reports of one email that it had accepted. */
export interface BounceReport {
  /** What its sender calls it, the same in each copy: who shares one with an earlier report is known. */
  readonly keys: readonly string[];
  /** Null: it is about something else, such as a delay. */
  readonly bounce: Bounce | null;
}

/** Makes one line of what a report says, as it is stored. */
export function toReason(...texts: (string | null | undefined)[]): string {
  const known = texts.filter((text) => text !== null && text !== undefined && text !== "");
  return shorten(toLine(known.join(": ").toWellFormed()), MAX_REASON);
}
