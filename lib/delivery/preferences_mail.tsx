import {
  formatSubject,
  frameHtml,
  frameText,
  type MailSite,
  type MailWords,
} from "./mail_frame.tsx";

/**
 * Writes the mail that leads to the preferences of an address that is subscribed already. What was
 * asked for stands on that page only: whoever asked may be a stranger, who must not write to others.
 */
export function formatPreferencesMail(mail: MailSite): MailWords {
  const { siteName, preferencesUrl } = mail;
  const subject = formatSubject(`Change your subscription to ${siteName}?`);
  const asked = `Somebody, hopefully you, asked for other news of ${siteName} at this address, ` +
    "which is subscribed already.";
  const toChange = "To see what was asked for, and to save it, open your preferences:";
  const otherwise = "If it was not you, do nothing: your subscription stays as it is.";
  const children = (
    <>
      <p>{asked}</p>
      <p>{toChange}</p>
      <p>
        <a href={`${preferencesUrl}&asked=1`}>{`${preferencesUrl}&asked=1`}</a>
      </p>
      <p>{otherwise}</p>
    </>
  );
  return {
    subject,
    text: frameText(mail, [asked, toChange, `${preferencesUrl}&asked=1`, otherwise].join("\n\n")),
    html: frameHtml(mail, { subject, children }),
  };
}
