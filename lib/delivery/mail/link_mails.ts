import { cleanName, excerpt } from "../../text/plain_text.ts";
import { countOf } from "../../text/phrases.ts";
import type { MailContent, MailSite } from "./mail_content.ts";

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
  const about = watched.length > 0
    ? `email updates about ${nameOf(watched, SUBJECT_LENGTH)}`
    : null;
  return {
    subject: about ? `Confirm: ${about}` : `Confirm your subscription to ${siteName}`,
    preheader: toConfirm,
    heading: about ? `Confirm ${about}` : "Confirm your subscription",
    parts: [
      {
        kind: "paragraph",
        text: watched.length > 0
          ? `Please confirm that you'd like an email when ${describeWatched(watched)}.`
          : `Please confirm that you'd like emails from ${siteName}.`,
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

/**
 * Says what leads to the preferences of an address that is subscribed already. What was requested
 * stands on that page only: the request may come from a stranger, who must not write to others.
 */
export function preferencesMail({ siteName, preferencesUrl }: MailSite): MailContent {
  const toChange = "To review and save the changes, open your preferences.";
  return {
    subject: `Change your subscription to ${siteName}?`,
    preheader: toChange,
    heading: "Change your subscription?",
    parts: [
      {
        kind: "paragraph",
        text: `This address is already subscribed to ${siteName}. ` +
          "A request was made to change what it gets.",
      },
      { kind: "paragraph", text: toChange },
      { kind: "button", label: "Open your preferences", url: `${preferencesUrl}&asked=1` },
      {
        kind: "paragraph",
        text: "If this wasn't you, ignore this email: your subscription stays as it is.",
      },
    ],
    reason: `You are receiving this email because you are subscribed to ${siteName}.`,
  };
}

/** The email with the link to the preferences, for a person who has requested it. */
export function lostLinkMail({ siteName, preferencesUrl }: MailSite): MailContent {
  const toOpen = "Use this link to see or change what you get, or to unsubscribe.";
  return {
    subject: `Your link to ${siteName}`,
    preheader: toOpen,
    heading: "Your preferences",
    parts: [
      { kind: "paragraph", text: toOpen },
      { kind: "button", label: "Open your preferences", url: preferencesUrl },
      {
        kind: "paragraph",
        text: "If you didn't ask for this link, ignore this email: nothing changes.",
      },
    ],
    reason: `You are receiving this email because you are subscribed to ${siteName}.`,
  };
}
