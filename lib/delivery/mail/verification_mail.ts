import type { MailContent } from "./mail_content.ts";

/** Says what asks whether an address was given by the one who reads the mail. */
export function verificationMail({ siteName, verifyUrl, endsAt }: {
  siteName: string;
  verifyUrl: string;
  endsAt: Date;
}): MailContent {
  const toConfirm = `To confirm, open this link before ${formatMoment(endsAt)}.`;
  return {
    subject: `Confirm your subscription to ${siteName}`,
    preheader: toConfirm,
    heading: "Confirm your subscription",
    parts: [
      {
        kind: "paragraph",
        text: `Somebody, hopefully you, asked to get news of ${siteName} by mail at this address.`,
      },
      { kind: "paragraph", text: toConfirm },
      { kind: "button", label: "Confirm the subscription", url: verifyUrl },
      {
        kind: "paragraph",
        text: "If it was not you, do nothing: without the link nobody can subscribe you.",
      },
    ],
    reason: `You get this mail because your address was entered at ${siteName}.`,
  };
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
