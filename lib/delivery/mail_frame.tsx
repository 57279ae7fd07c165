import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";

/** The words of a mail; the HTML and the text say the same. */
export interface MailWords {
  subject: string;
  text: string;
  html: string;
}

/** What every mail names at its end. */
export interface MailSite {
  siteName: string;
  siteUrl: string;
  unsubscribeUrl: string;
  /** Where the receiver chooses what comes, and when. */
  preferencesUrl: string;
}

/** A subject of one line, as a header field must be. */
export function formatSubject(words: string): string {
  return words.replace(/\s+/g, " ");
}

/** The text of a mail, with what stands at the end of each. */
export function frameText(
  { siteName, siteUrl, unsubscribeUrl, preferencesUrl }: MailSite,
  text: string,
): string {
  return `${text}

To change what comes, and when: ${preferencesUrl}
To hear nothing more from ${siteName}: ${unsubscribeUrl}

${siteName}: ${siteUrl}/
`;
}

/** The HTML of a mail, with what stands at the begin and the end of each. */
export function frameHtml(
  { siteName, siteUrl, unsubscribeUrl, preferencesUrl }: MailSite,
  { subject, children }: { subject: string; children: ComponentChildren },
): string {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{subject}</title>
      </head>
      <body>
        <h1>{subject}</h1>
        {children}
        <hr />
        <p>
          <a href={preferencesUrl}>Change what comes, and when</a>
          {" · "}
          <a href={unsubscribeUrl}>Hear nothing more from {siteName}</a>
          {" · "}
          <a href={`${siteUrl}/`}>{siteName}</a>
        </p>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
