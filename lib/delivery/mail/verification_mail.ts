import { cleanName, excerpt } from "../../text/plain_text.ts";
import { countOf } from "../../text/phrases.ts";
import type { MailContent } from "./mail_content.ts";

/** How long its link works. */
export const LINK_HOURS = 24;

/** So much of a name is shown, in characters. */
const NAME_LENGTH = 160;
const SUBJECT_LENGTH = 60;

/** The email by which a subscription is confirmed. */
export function verificationMail({ siteName, watched, verifyUrl, endsAt }: {
  siteName: string;
  /** Names of the releases to watch; empty where more than these is covered. */
  watched: readonly string[];
  verifyUrl: string;
  endsAt: Date;
}): MailContent {
  const toConfirm = `To confirm, open this link within ${LINK_HOURS} hours (by ${
    formatMoment(endsAt)
  }).`;
  const about = watched.length > 0 ? `updates about ${nameOf(watched, SUBJECT_LENGTH)}` : null;
  return {
    subject: about ? `Confirm ${about}` : `Confirm your subscription to ${siteName}`,
    preheader: toConfirm,
    heading: about ? `Confirm ${about}` : "Confirm your subscription",
    parts: [
      {
        kind: "paragraph",
        text: watched.length > 0
          ? `Confirm that you want email updates when ${describeWatched(watched)}.`
          : `Confirm that you want email updates from ${siteName}.`,
      },
      { kind: "paragraph", text: toConfirm },
      { kind: "button", label: "Confirm subscription", url: verifyUrl },
      {
        kind: "paragraph",
        text: "If you didn't request this, ignore this email: you won't be subscribed.",
      },
    ],
    reason: `You are receiving this email because this address was entered at ${siteName}.`,
  };
}

/** The first of the releases, and how many others. */
function nameOf([first, ...others]: readonly string[], length: number): string {
  const name = excerpt(cleanName(first!), { length });
  return others.length > 0 ? `${name} and ${countOf(others.length, "other release")}` : name;
}

function describeWatched([first, ...others]: readonly string[]): string {
  const name = `“${excerpt(cleanName(first!), { length: NAME_LENGTH })}”`;
  if (others.length === 0) return `${name} changes`;
  return `${name} or ${countOf(others.length, "other release")} change${
    others.length === 1 ? "s" : ""
  }`;
}

/** A moment in words that no country reads otherwise, such as 21 July 2026, 14:05 UTC. */
function formatMoment(moment: Date): string {
  const words = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(moment).replace(" at ", ", ");
  return `${words} UTC`;
}
