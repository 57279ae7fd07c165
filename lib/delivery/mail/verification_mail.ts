import type { MailContent } from "./mail_content.ts";

/** The email by which a subscription is confirmed. */
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
        text: `Confirm that you want email updates from ${siteName}.`,
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

/** A moment in words that no country reads otherwise, such as 21 July 2026, 14:05 UTC. */
function formatMoment(moment: Date): string {
  const words = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(moment).replace(" at ", ", ");
  return `${words} UTC`;
}
