import { type Xml, xml } from "../text/xml.ts";
import { formatLine, type MailContent, type MailSite, type MailWords } from "./mail_content.ts";
import { compact, LAYOUT, look, writeHtml, writeLink } from "./mail_html.ts";
import { STYLE_SHEET, STYLES } from "./mail_styles.ts";
import { writeText } from "./mail_text.ts";

/** What a mail says, written already: its parts are the same for all who get it. */
export interface WrittenMail extends Omit<MailContent, "parts"> {
  text: string;
  html: Xml;
}

/** Writes the parts of a mail, once for all who get it. */
export function writeMail({ parts, subject, preheader, ...content }: MailContent): WrittenMail {
  return {
    ...content,
    subject: formatLine(subject),
    preheader: formatLine(preheader),
    text: writeText(parts),
    html: writeHtml(parts),
  };
}

/** Puts around a mail what stands at the begin and the end of each: the design of all mails. */
export function frameMail(mail: WrittenMail, site: MailSite): MailWords {
  return { subject: mail.subject, text: frameText(mail, site), html: frameHtml(mail, site) };
}

const PREFERENCES = "Change what you get, and how often";
const UNSUBSCRIBE = "Unsubscribe";

function frameText({ heading, text, reason }: WrittenMail, site: MailSite): string {
  return `${heading}

${text}

${reason}

${PREFERENCES}: ${site.preferencesUrl}
${UNSUBSCRIBE}: ${site.unsubscribeUrl}
${site.siteName}: ${site.siteUrl}/
`;
}

/** Tables hold the width where a mail program knows no other way. */
function frameHtml(
  { subject, preheader, heading, html, reason }: WrittenMail,
  { siteName, siteUrl, unsubscribeUrl, preferencesUrl }: MailSite,
): string {
  const brand = writeLink({ label: siteName, url: `${siteUrl}/` }, STYLES.brand);
  const preferences = writeLink({ label: PREFERENCES, url: preferencesUrl }, STYLES.footLink);
  const unsubscribe = writeLink({ label: UNSUBSCRIBE, url: unsubscribeUrl }, STYLES.footLink);
  return compact(xml`
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
                ${html}
              </td>
                </tr>
                <tr>
                  <td ${look(STYLES.foot)}>
                    <p ${look(STYLES.footLine)}>${reason}</p>
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
