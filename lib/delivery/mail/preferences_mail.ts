import type { MailContent, MailSite } from "./mail_content.ts";

/**
 * Says what leads to the preferences of an address that is subscribed already. What was asked for
 * stands on that page only: whoever asked may be a stranger, who must not write to others.
 */
export function preferencesMail({ siteName, preferencesUrl }: MailSite): MailContent {
  const toChange = "To see what was asked for, and to save it, open your preferences.";
  return {
    subject: `Change your subscription to ${siteName}?`,
    preheader: toChange,
    heading: "Change your subscription?",
    parts: [
      {
        kind: "paragraph",
        text: `Somebody, hopefully you, asked for other news of ${siteName} at this address, ` +
          "which is subscribed already.",
      },
      { kind: "paragraph", text: toChange },
      { kind: "button", label: "Open your preferences", url: `${preferencesUrl}&asked=1` },
      {
        kind: "paragraph",
        text: "If it was not you, do nothing: your subscription stays as it is.",
      },
    ],
    reason: `You get this mail because your address is subscribed to ${siteName}.`,
  };
}
