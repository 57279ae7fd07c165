import { cleanName, excerpt } from "../../text/plain_text.ts";
import { formatLongDay, isoDate } from "../../text/dates.ts";
import type { MailContent, MailSite } from "../mail/mail_content.ts";
import { say } from "../../text/messages.ts";

/** How long its link works. */
export const LINK_HOURS = 24;

/** So much of a name is shown, in characters. */
const NAME_LENGTH = 160;
const SUBJECT_LENGTH = 60;

/** The email by which a subscription is confirmed. */
export function verificationMail({ siteName, watched, isInvitation, verifyUrl, endsAt }: {
  siteName: string;
  /** The address was brought along from another service. */
  isInvitation?: boolean;
  /** Names of the releases to watch; empty where more than these is covered. */
  watched: readonly string[];
  verifyUrl: string;
  endsAt: Date;
}): MailContent {
  const toConfirm = say("mail.to_confirm", { hours: LINK_HOURS, moment: formatMoment(endsAt) });
  const title = watched.length > 0
    ? say("mail.confirm_updates", { name: nameOf(watched) })
    : say("mail.confirm_site", { site: siteName });
  return {
    subject: title,
    preheader: toConfirm,
    heading: title,
    parts: [
      {
        kind: "paragraph",
        text: isInvitation
          ? say("mail.moved", { site: siteName })
          : watched.length > 0
          ? describeWatched(watched)
          : say("mail.please_confirm", { site: siteName }),
      },
      { kind: "paragraph", text: toConfirm },
      { kind: "button", label: say("mail.confirm_button"), url: verifyUrl },
      ...isInvitation ? [] : [{ kind: "paragraph", text: say("mail.not_requested") } as const],
    ],
    reason: say(isInvitation ? "mail.was_subscribed" : "mail.entered", { site: siteName }),
  };
}

/** The first of the releases, and how many others. */
function nameOf([first, ...others]: readonly string[]): string {
  const name = excerpt(cleanName(first!), { length: SUBJECT_LENGTH });
  return others.length > 0 ? say("mail.and_others", { name, count: others.length }) : name;
}

function describeWatched([first, ...others]: readonly string[]): string {
  const name = excerpt(cleanName(first!), { length: NAME_LENGTH });
  return say("mail.confirm_watched", { name, others: others.length });
}

/** A moment in words that no country reads otherwise, such as 21 July 2026, 14:05 UTC. */
function formatMoment(moment: Date): string {
  return say("mail.moment", {
    day: formatLongDay(isoDate(moment)),
    time: moment.toISOString().slice(11, 16),
  });
}

/**
 * Says what leads to the preferences of an address that is subscribed already. What was requested
 * stands on that page only: the request may come from a stranger, who must not write to others.
 */
export function preferencesMail({ siteName, preferencesUrl }: MailSite): MailContent {
  const toChange = say("mail.to_change");
  return {
    subject: say("mail.change_site", { site: siteName }),
    preheader: toChange,
    heading: say("mail.change_site", { site: siteName }),
    parts: [
      { kind: "paragraph", text: say("mail.already_subscribed", { site: siteName }) },
      { kind: "paragraph", text: toChange },
      { kind: "button", label: say("mail.open_preferences"), url: `${preferencesUrl}&asked=1` },
      { kind: "paragraph", text: say("mail.not_you") },
    ],
    reason: say("mail.are_subscribed", { site: siteName }),
  };
}

/** The email with the link to the preferences, for a person who has requested it. */
export function lostLinkMail({ siteName, preferencesUrl }: MailSite): MailContent {
  const toOpen = say("mail.to_open");
  return {
    subject: say("mail.your_link", { site: siteName }),
    preheader: toOpen,
    heading: say("own.preferences"),
    parts: [
      { kind: "paragraph", text: toOpen },
      { kind: "button", label: say("mail.open_preferences"), url: preferencesUrl },
      { kind: "paragraph", text: say("mail.not_asked") },
    ],
    reason: say("mail.are_subscribed", { site: siteName }),
  };
}
