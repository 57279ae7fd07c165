import {
  formatSubject,
  frameHtml,
  frameText,
  type MailSite,
  type MailWords,
} from "./mail_frame.tsx";

/** What a verification mail says. */
export interface VerificationMail extends MailSite {
  verifyUrl: string;
  /** When the link ends. */
  endsAt: Date;
}

/** Writes the mail that asks whether an address was given by the one who reads it. */
export function formatVerificationMail(mail: VerificationMail): MailWords {
  const { siteName, verifyUrl } = mail;
  const subject = formatSubject(`Confirm your subscription to ${siteName}`);
  const endsAt = formatMoment(mail.endsAt);
  const asked =
    `Somebody, hopefully you, asked to get news of ${siteName} by mail at this address.`;
  const toConfirm = `To confirm, open this link before ${endsAt}:`;
  const otherwise = "If it was not you, do nothing: without the link nobody can subscribe you.";
  const children = (
    <>
      <p>{asked}</p>
      <p>{toConfirm}</p>
      <p>
        <a href={verifyUrl}>{verifyUrl}</a>
      </p>
      <p>{otherwise}</p>
    </>
  );
  return {
    subject,
    text: frameText(mail, [asked, toConfirm, verifyUrl, otherwise].join("\n\n")),
    html: frameHtml(mail, { subject, children }),
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
