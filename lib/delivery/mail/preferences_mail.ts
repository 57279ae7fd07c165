import type { MailContent, MailSite } from "./mail_content.ts";

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
