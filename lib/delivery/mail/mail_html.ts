import { type SpacedPart, spaceParts } from "../../text/word_diff.ts";
import { Xml, xml } from "../../text/xml.ts";
import type { DigestChange, DigestItem, NamedRelease } from "../digests/digest.ts";
import { firstOf, type MailPart } from "./mail_content.ts";
import { type MailStyle, PILLS, STYLES } from "./mail_styles.ts";

/** The attributes of a table that only lays out; it has no width in Outlook but by such. */
export const LAYOUT = xml`role="presentation" cellpadding="0" cellspacing="0" border="0"`;

/** The attributes of an element of a mail. */
export function look({ class: name, style }: MailStyle): Xml {
  return name ? xml`class="${name}" style="${style}"` : xml`style="${style}"`;
}

/** Markup without the indentation that makes it readable here. */
export function compact({ text }: Xml): Xml {
  return new Xml(text.replace(/(?<!\s)\s*\n\s*/g, "\n").trim());
}

/** The parts of a mail as HTML. */
export function writeHtml(parts: readonly MailPart[]): Xml {
  return compact(xml`${parts.map(writePart)}`);
}

function writePart(part: MailPart): Xml {
  switch (part.kind) {
    case "paragraph":
      return xml`
        <p ${look(STYLES.paragraph)}>${part.text}</p>
      `;
    case "link":
      return xml`
        <p ${look(STYLES.paragraph)}>${writeLink(part, STYLES.link)}</p>
      `;
    case "button":
      return xml`
        <table ${LAYOUT} style="margin:24px 0 16px">
          <tr>
            <td ${look(STYLES.buttonCell)}>${writeLink(part, STYLES.button)}</td>
          </tr>
        </table>
      `;
    case "counts":
      return xml`
        <p ${look(STYLES.counts)}>${part.counts.map(({ text, tone }) =>
          xml`
            <span ${look(PILLS[tone])}>${text}</span>
          `
        )}</p>
      `;
    case "releases":
      return xml`
        <h2 ${look(STYLES.group)}><span ${look(PILLS[part.tone])}>${part.title}</span></h2>
        <table ${LAYOUT} width="100%">
          ${part.items.map(({ html }) => html)}
        </table>
      `;
  }
}

/** A release of a digest as a row of a table. */
export function writeHtmlItem(
  item: DigestItem,
  urlOf: (release: NamedRelease) => string,
): Xml {
  const { releases } = item;
  if (releases) {
    const { shown, more } = firstOf(releases);
    return compact(xml`
      <tr>
        <td ${look(STYLES.item)}>
        <div dir="auto" ${look(STYLES.story)}>${item.feature_name}</div>
        ${shown.map((one) =>
          xml`<div dir="auto" ${look(STYLES.change)}>
          ${writeLink({ label: one.feature_name, url: urlOf(one) }, STYLES.link)}
        </div>`
        )}
        ${more.map((words) => xml`<div ${look(STYLES.change)}>${words}</div>`)}
        </td>
      </tr>
    `);
  }
  return compact(xml`
    <tr>
      <td ${look(STYLES.item)}>
      <a href="${urlOf(item)}" dir="auto" ${look(STYLES.name)}>${item.feature_name}</a>
      <div dir="auto" ${look(STYLES.details)}>${item.details}</div>
      ${item.sentence && xml`<div dir="auto" ${look(STYLES.change)}>${item.sentence}</div>`}
      ${item.changes.map(writeChange)}
      </td>
    </tr>
  `);
}

/** A link that looks as it should. */
export function writeLink({ label, url }: { label: string; url: string }, style: MailStyle): Xml {
  return xml`<a href="${url}" ${look(style)}>${label}</a>`;
}

function writeChange({ text, diff }: DigestChange): Xml {
  return xml`
    <div dir="auto" ${look(STYLES.change)}>${text}</div>
    ${diff &&
      xml`<div dir="auto" ${look(STYLES.diff)}>${spaceParts(diff).map(writeDiffPart)}</div>`}
  `;
}

function writeDiffPart({ kind, space, words }: SpacedPart): Xml {
  if (kind === "kept") return xml`${words}`;
  return kind === "removed"
    ? xml`${space}<del ${look(STYLES.removed)}>${words}</del>`
    : xml`${space}<ins ${look(STYLES.added)}>${words}</ins>`;
}
