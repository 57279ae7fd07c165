import { type Accent, OWN_ACCENT } from "../../config/accent.ts";
import { type Xml, xml } from "../../text/xml.ts";
import { CommonLines } from "./mail_body.ts";
import type { MailContent, MailFragment, MailSite, MailWords } from "./mail_content.ts";
import { compact, LAYOUT, look, writeHtml, writeLink } from "./mail_html.ts";
import { STYLE_SHEET, STYLES } from "./mail_styles.ts";
import { linkInText, writeText } from "./mail_text.ts";
import { formatDay } from "../../text/dates.ts";
import { language, say } from "../../text/messages.ts";

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
  // A header field and a preheader are one line.
  const lines = {
    subject: subject.replace(/\s+/g, " "),
    preheader: preheader.replace(/\s+/g, " "),
  };
  return {
    subject: lines.subject,
    text: new CommonLines(endOnce(beginText(content, site.siteUrl), site.siteName)),
    html: new CommonLines(
      endOnce(beginHtml({ ...content, ...lines }, site), xml`${site.siteName}`.text),
    ),
  };
}

/** A sentence that ends in the name of a site with a full stop, such as "Acme Inc.", has one. */
function endOnce(written: string, siteName: string): string {
  return siteName.endsWith(".") ? written.replaceAll(`${siteName}.`, siteName) : written;
}

/** So long is a mail at most, in bytes as it is sent, but for its head and its end. */
const MAX_BYTES = 86_000;

/**
 * Writes the first of some mails, each of which says less than the one before, that mail programs show
 * as a whole: some cut off what is longer than 90 KB. Where none is short enough, the last one.
 */
export function writeFitting(
  contents: Iterable<MailContent>,
  site: Pick<MailSite, "siteName" | "siteUrl" | "logo">,
): WrittenMail {
  let written: WrittenMail | undefined;
  for (const content of contents) {
    written = writeMail(content, site);
    if (written.text.encoded.length + written.html.encoded.length <= MAX_BYTES) break;
  }
  return written!;
}

/** A mail as a page that names no receiver. */
export function readAsPage({ html }: WrittenMail): string {
  return html.text + closeHtml().text;
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

function beginText(
  { heading, day, parts, reason }: Omit<MailContent, "subject" | "preheader">,
  siteUrl: string,
): string {
  return `${day ? `${formatDay(day)}\n\n` : ""}${heading}

${writeText(parts, siteUrl)}

${reason}

`;
}

/** The links at the end of a mail: of a digest first to another cadence, which its page asks for. */
function linksOf({ cadence, preferencesUrl, unsubscribeUrl }: MailSite) {
  const other = cadence === "weekly" ? "daily" : "weekly";
  const toOther = new URL(preferencesUrl);
  toOther.searchParams.set("cadence", other);
  return [
    ...cadence ? [{ label: say("mail.get_it", { cadence: other }), url: toOther.href }] : [],
    { label: say("mail.preferences"), url: preferencesUrl },
    { label: say("unsubscribe.unsubscribe"), url: unsubscribeUrl },
  ];
}

function endText(site: MailSite): string {
  const links = [...linksOf(site), { label: site.siteName, url: linkInText(site.siteUrl) }];
  return links.map(({ label, url }) => `${label}: ${url}\n`).join("");
}

/** Tables hold the width where a mail program knows no other way. */
function beginHtml(
  { subject, preheader, heading, day, parts, reason }: MailContent,
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
  const { tag, direction } = language();
  const [start, end] = direction === "rtl" ? ["right", "left"] : ["left", "right"];
  const head = day === undefined ? brand : xml`
    <table ${LAYOUT} width="100%">
      <tr>
        <td ${look(STYLES.site)}>${brand}</td>
        <td align="${end}" ${look(STYLES.day)}>${formatDay(day)}</td>
      </tr>
    </table>
  `;
  const lang = direction === "rtl" ? xml`lang="${tag}" dir="rtl"` : xml`lang="${tag}"`;
  const begin = compact(xml`
    <!doctype html>
    <html ${lang}>
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
              <table ${LAYOUT} width="100%" style="max-width:600px;text-align:${start}">
                <tr>
                  <td ${look(STYLES.top)}>${head}</td>
                </tr>
                <tr>
                  <td ${look(STYLES.card)}>
                    <h1 ${look(STYLES.heading)}>${heading}</h1>
                    ${writeHtml(parts, siteUrl)}
                  </td>
                </tr>
                <tr>
                  <td ${look(STYLES.foot)}>
                    <p ${look(STYLES.footLine)}>${reason}</p>
  `);
  return `${begin.text}\n`;
}

/** The links of the receiver, and the end. */
function endHtml(site: MailSite): string {
  const [first, ...others] = linksOf(site).map((link) => writeLink(link, STYLES.footLink));
  return compact(xml`
    <p ${look(STYLES.footLine)}>${first!}${others.map((link) =>
      xml`
        · ${link}
      `
    )}</p>
    ${closeHtml()}
  `).text;
}

/** Closes what `beginHtml` opened. */
function closeHtml(): Xml {
  return xml`
    </td>
    </tr>
    </table>
    <!--[if mso]></td></tr></table><![endif]-->
    </td>
    </tr>
    </table>
    </body>
    </html>
  `;
}

/** Writes what a person pastes into an email of their own as HTML, and as the same in text. */
export function writeFragment(
  { heading, parts }: MailFragment,
  { siteUrl, accent }: { siteUrl: string; accent: Pick<Accent, "light"> },
): { html: string; text: string } {
  const html = compact(xml`
    <table ${LAYOUT} width="100%" style="max-width:600px;text-align:left">
      <tr>
        <td ${look(STYLES.fragment)}>
          <h2 dir="auto" ${look(STYLES.heading)}>${heading}</h2>
          ${writeHtml(parts, siteUrl)}
        </td>
      </tr>
    </table>
  `);
  return {
    html: html.text.replace(
      ATTRIBUTE,
      (attribute, name) =>
        name === "class" ? "" : attribute.replaceAll(OWN_ACCENT.light, accent.light),
    ),
    text: `${heading}\n\n${writeText(parts, siteUrl)}\n`,
  };
}

/**
 * The classes are for the style sheet in the head of a mail, which is not pasted. A quotation mark in
 * a text is escaped, so that no text is taken for an attribute.
 */
const ATTRIBUTE = / (class|style)="[^"]*"/g;
