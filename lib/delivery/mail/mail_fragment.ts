import { type Accent, OWN_ACCENT } from "../../config/accent.ts";
import { xml } from "../../text/xml.ts";
import type { MailPart } from "./mail_content.ts";
import { compact, LAYOUT, look, writeHtml } from "./mail_html.ts";
import { STYLES } from "./mail_styles.ts";
import { writeText } from "./mail_text.ts";

/** What a person pastes into an email of their own. */
export interface MailFragment {
  heading: string;
  parts: MailPart[];
}

/** Writes a fragment as HTML, and as the same in text. */
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
