import { type SpacedPart, spaceParts } from "../../text/word_diff.ts";
import { Xml, xml } from "../../text/xml.ts";
import type { MailChange, MailItem, MailPart, MailTone } from "./mail_content.ts";
import { type MailStyle, PILLS, STYLES } from "./mail_styles.ts";
import { language, say } from "../../text/messages.ts";

/** The attributes of a table that only lays out; it has no width in Outlook but by such. */
export const LAYOUT = xml`role="presentation" cellpadding="0" cellspacing="0" border="0"`;

/** The attributes of an element of a mail. */
export function look({ class: name, style }: MailStyle): Xml {
  return name ? xml`class="${name}" style="${style}"` : xml`style="${style}"`;
}

/** Markup without the indentation that makes it readable here. */
export function compact({ text }: Xml): Xml {
  const lines = text.split("\n").map((line) => line.trim());
  return new Xml(lines.filter(Boolean).join("\n"));
}

/** The parts of a mail as HTML. */
export function writeHtml(parts: readonly MailPart[], siteUrl: string): Xml {
  return compact(xml`${parts.map((part) => writePart(part, siteUrl))}`);
}

function writePart(part: MailPart, siteUrl: string): Xml {
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
        <p ${look(STYLES.counts)}>${part.counts.map(writePill)}</p>
      `;
    case "releases":
      return xml`
        <h2 ${look(STYLES.group)}><span ${look(PILLS[part.tone])}>${part.title}</span></h2>
        <table ${LAYOUT} width="100%">
          ${part.items.map((item) => writeItem(item, siteUrl))}
        </table>
      `;
  }
}

/** A release as a row of a table. */
function writeItem(item: MailItem, siteUrl: string): Xml {
  if (item.releases) return writeStory(item, item.releases, siteUrl);
  const name = lookOf(item, STYLES.name);
  const change = lookOf(item, STYLES.change);
  // In Arabic a Latin name at its beginning must not turn the line around.
  const turn = language().direction === "rtl" ? "rtl" : "auto";
  return xml`
    <tr>
      <td ${look(STYLES.item)}>
      <a href="${siteUrl}/release/${item.release_item_id}" dir="auto" ${name}>${item
        .feature_name}</a>
      <div dir="${turn}" ${look(STYLES.details)}>${item.pill && writePill(item.pill)}${item
        .details}</div>
      ${item.sentence && xml`<div dir="auto" ${change}>${item.sentence}</div>`}
      ${(item.changes ?? []).map(writeChange)}
      </td>
    </tr>
  `;
}

/** The attributes of a text of a source, which may be in another language. */
function lookOf({ lang }: MailItem, style: MailStyle): Xml {
  const looks = look(style);
  return lang === undefined ? looks : xml`lang="${lang}" ${looks}`;
}

function writePill({ text, tone }: { text: string; tone: MailTone }): Xml {
  return xml`
    <span ${look(PILLS[tone])}>${text}</span>
  `;
}

/** A sentence about several releases, and which they are. */
function writeStory(
  { feature_name, more = 0 }: MailItem,
  releases: NonNullable<MailItem["releases"]>,
  siteUrl: string,
): Xml {
  return xml`
    <tr>
      <td ${look(STYLES.item)}>
      <div dir="auto" ${look(STYLES.story)}>${feature_name}</div>
      ${releases.map(({ feature_name: label, release_item_id }) =>
        xml`<div dir="auto" ${look(STYLES.change)}>
        ${writeLink({ label, url: `${siteUrl}/release/${release_item_id}` }, STYLES.link)}
      </div>`
      )}
      ${more === 0
        ? undefined
        : xml`<div ${look(STYLES.change)}>${say("list.and_more", { count: more })}</div>`}
      </td>
    </tr>
  `;
}

/** A link that looks as it should. */
export function writeLink({ label, url }: { label: string; url: string }, style: MailStyle): Xml {
  return xml`<a href="${url}" ${look(style)}>${label}</a>`;
}

function writeChange({ text, diff }: MailChange): Xml {
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
