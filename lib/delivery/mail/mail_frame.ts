import { xml } from "../../text/xml.ts";
import { CommonLines } from "./mail_body.ts";
import { formatLine, type MailContent, type MailSite, type MailWords } from "./mail_content.ts";
import { compact, LAYOUT, look, writeHtml, writeLink } from "./mail_html.ts";
import { STYLE_SHEET, STYLES } from "./mail_styles.ts";
import { linkInText, writeText } from "./mail_text.ts";

/** What a mail says to all who get it, written already. */
export interface WrittenMail {
  subject: string;
  text: CommonLines;
  html: CommonLines;
}

/** Writes a mail in the design of all mails, but for its end, which each receiver has of his own. */
export function writeMail(
  { subject, preheader, ...content }: MailContent,
  site: Pick<MailSite, "siteName" | "siteUrl" | "logo">,
): WrittenMail {
  const lines = { subject: formatLine(subject), preheader: formatLine(preheader) };
  return {
    subject: lines.subject,
    text: new CommonLines(beginText(content)),
    html: new CommonLines(beginHtml({ ...content, ...lines }, site)),
  };
}

/** Ends a mail with the links of its receiver. */
export function endMail({ subject, text, html }: WrittenMail, site: MailSite): MailWords {
  return {
    subject,
    text: { common: text, own: endText(site) },
    html: { common: html, own: endHtml(site) },
  };
}

/** The height of a logo in a mail, in pixels. */
export const LOGO_HEIGHT = 24;
const PREFERENCES = "Manage your preferences";
const UNSUBSCRIBE = "Unsubscribe";

function beginText({ heading, parts, reason }: Omit<MailContent, "subject" | "preheader">): string {
  return `${heading}

${writeText(parts)}

${reason}

`;
}

function endText({ siteName, siteUrl, unsubscribeUrl, preferencesUrl }: MailSite): string {
  return `${PREFERENCES}: ${preferencesUrl}
${UNSUBSCRIBE}: ${unsubscribeUrl}
${siteName}: ${linkInText(siteUrl)}
`;
}

/** Tables hold the width where a mail program knows no other way. */
function beginHtml(
  { subject, preheader, heading, parts, reason }: MailContent,
  { siteName, siteUrl, logo }: Pick<MailSite, "siteName" | "siteUrl" | "logo">,
): string {
  const sign = logo
    ? xml`<img src="${logo.url}" alt="" width="${logo.width}" height="${LOGO_HEIGHT}" ${
      look(STYLES.logo)
    }>`
    : xml`<span ${look(STYLES.mark)}></span>`;
  const brand = xml`
    <a href="${siteUrl}/" ${look(STYLES.brand)}>${sign}${siteName}</a>
  `;
  const begin = compact(xml`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="supported-color-schemes" content="light dark">
        <title>${subject}</title>
        <style>${STYLE_SHEET}</style>
      </head>
      <body ${look(STYLES.body)}>
        <div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${preheader}</div>
        <table ${LAYOUT} width="100%" ${look(STYLES.body)}>
          <tr>
            <td align="center" style="padding:24px 12px">
              <!--[if mso]><table role="presentation" width="600"><tr><td><![endif]-->
              <table ${LAYOUT} width="100%" style="max-width:600px;text-align:left">
                <tr>
                  <td ${look(STYLES.top)}>${brand}</td>
                </tr>
                <tr>
                  <td ${look(STYLES.card)}>
                    <h1 ${look(STYLES.heading)}>${heading}</h1>
                    ${writeHtml(parts)}
                  </td>
                </tr>
                <tr>
                  <td ${look(STYLES.foot)}>
                    <p ${look(STYLES.footLine)}>${reason}</p>
  `);
  return `${begin.text}\n`;
}

/** Closes what `beginHtml` opened. */
function endHtml({ unsubscribeUrl, preferencesUrl }: MailSite): string {
  const preferences = writeLink({ label: PREFERENCES, url: preferencesUrl }, STYLES.footLink);
  const unsubscribe = writeLink({ label: UNSUBSCRIBE, url: unsubscribeUrl }, STYLES.footLink);
  return compact(xml`
    <p ${look(STYLES.footLine)}>${preferences} · ${unsubscribe}</p>
    </td>
    </tr>
    </table>
    <!--[if mso]></td></tr></table><![endif]-->
    </td>
    </tr>
    </table>
    </body>
    </html>
  `).text;
}
