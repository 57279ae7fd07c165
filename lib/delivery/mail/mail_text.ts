import { joinParts } from "../../text/phrases.ts";
import type { DiffPart } from "../../text/word_diff.ts";
import type { MailChange, MailItem, MailPart } from "./mail_content.ts";
import { say } from "../../text/messages.ts";

/** The parts of a mail as plain text. */
export function writeText(parts: readonly MailPart[], siteUrl: string): string {
  return parts.map((part) => writePart(part, siteUrl)).join("\n\n");
}

function writePart(part: MailPart, siteUrl: string): string {
  switch (part.kind) {
    case "paragraph":
      return part.text;
    case "button":
    case "link":
      return `${part.label}:\n${linkInText(part.url)}`;
    case "counts":
      return joinParts(part.counts.map(({ text }) => text));
    case "releases":
      return [
        `${part.title}\n${"-".repeat(part.title.length)}`,
        ...part.items.map((item) => `${part.bullet} ${writeItem(item, siteUrl)}`),
      ].join("\n\n");
  }
}

/** An address as the end of a line: mail programs leave a last slash out of the links that they make. */
export function linkInText(url: string): string {
  return url.replace(/\/$/, "");
}

/** A release, behind its bullet. */
function writeItem(item: MailItem, siteUrl: string): string {
  const { feature_name, pill, details, sentence, changes = [], releases, more = 0 } = item;
  const urlOf = (id: string) => `${siteUrl}/release/${id}`;
  const lines = releases
    ? [
      ...releases.flatMap((one) => [`- ${one.feature_name}`, `  ${urlOf(one.release_item_id)}`]),
      ...more > 0 ? [say("list.and_more", { count: more })] : [],
    ]
    : [
      [...pill ? [pill.text] : [], details].join(" · "),
      ...sentence ? [sentence] : [],
      ...changes.flatMap(writeChange),
      urlOf(item.release_item_id),
    ];
  return [feature_name, ...lines].join("\n  ");
}

function writeChange({ text, diff }: MailChange): string[] {
  if (!diff) return [text];
  return [
    text,
    `  ${say("mail.before", { text: without("added", diff) })}`,
    `  ${say("mail.now", { text: without("removed", diff) })}`,
  ];
}

/** One side of a diff. */
function without(kind: "added" | "removed", diff: readonly DiffPart[]): string {
  return diff.filter((part) => part.kind !== kind).map(({ text }) => text).join("").trim() ||
    say("mail.nothing");
}
