import type { DiffPart } from "../text/word_diff.ts";
import { type Xml, xml } from "../text/xml.ts";
import type { DigestChange, DigestItem } from "./digest.ts";
import { type MailPart, releaseUrl } from "./mail_content.ts";
import { type MailStyle, STYLES } from "./mail_styles.ts";

/** The attributes of an element of a mail. */
export function look({ class: name, style }: MailStyle): Xml {
  return name ? xml`class="${name}" style="${style}"` : xml`style="${style}"`;
}

/** The parts of a mail as HTML. */
export function writeHtml(parts: readonly MailPart[]): Xml {
  return xml`${parts.map(writePart)}`;
}

function writePart(part: MailPart): Xml {
  switch (part.kind) {
    case "paragraph":
      return xml`<p ${look(STYLES.paragraph)}>${part.text}</p>`;
    case "link":
      return xml`<p ${look(STYLES.paragraph)}><a href="${part.url}" ${
        look(STYLES.link)
      }>${part.label}</a></p>`;
    case "button":
      return xml`
        <table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 16px">
          <tr>
            <td ${look(STYLES.buttonCell)}><a href="${part.url}" ${look(STYLES.button)}>${part
              .label}</a></td>
          </tr>
        </table>
      `;
    case "releases":
      return xml`
        <h2 ${look(STYLES.group)}>${part.title}</h2>
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0"
          border="0">${part.items.map((item) => writeHtmlItem(item, part.siteUrl))}</table>
      `;
  }
}

/** A release of a digest as a row of a table. */
export function writeHtmlItem(item: DigestItem, siteUrl: string): Xml {
  return xml`
    <tr>
      <td ${look(STYLES.item)}>
    <a href="${releaseUrl(item, siteUrl)}" ${look(STYLES.name)}>${item.feature_name}</a>
    <div ${look(STYLES.details)}>${item.details}</div>${item.changes.map(writeChange)}
      </td>
    </tr>
  `;
}

function writeChange({ text, diff }: DigestChange): Xml {
  return xml`
    <div ${look(STYLES.change)}>${text}</div>${diff && writeDiff(diff)}
  `;
}

function writeDiff(diff: readonly DiffPart[]): Xml {
  const parts = diff.map(({ kind, text }, place) => {
    if (kind === "kept") return xml`${text}`;
    const words = text.trimStart();
    const space = words !== text || diff[place - 1]?.kind === "removed" ? " " : "";
    return kind === "removed"
      ? xml`${space}<del ${look(STYLES.removed)}>${words}</del>`
      : xml`${space}<ins ${look(STYLES.added)}>${words}</ins>`;
  });
  return xml`
    <div ${look(STYLES.diff)}>${parts}</div>
  `;
}
