import type { DiffPart } from "../../text/word_diff.ts";
import type { DigestChange, DigestItem, NamedRelease } from "../digests/digest.ts";
import { firstOf, type MailPart } from "./mail_content.ts";

/** The parts of a mail as plain text. */
export function writeText(parts: readonly MailPart[]): string {
  return parts.map(writePart).join("\n\n");
}

function writePart(part: MailPart): string {
  switch (part.kind) {
    case "paragraph":
      return part.text;
    case "button":
    case "link":
      return `${part.label}:\n${linkInText(part.url)}`;
    case "counts":
      return part.counts.map(({ text }) => text).join(", ");
    case "releases":
      return [
        `${part.title}\n${"-".repeat(part.title.length)}`,
        ...part.items.map(({ text }) => text),
      ].join("\n\n");
  }
}

/** An address as the end of a line: mail programs leave a last slash out of the links that they make. */
export function linkInText(url: string): string {
  return url.replace(/\/$/, "");
}

/** A release of a digest as plain text. */
export function writeTextItem(
  item: DigestItem,
  urlOf: (release: NamedRelease) => string,
): string {
  const { releases } = item;
  if (releases) {
    const { shown, more } = firstOf(releases);
    const names = shown.flatMap((one) => [`- ${one.feature_name}`, `  ${urlOf(one)}`]);
    return [`* ${item.feature_name}`, ...names, ...more].join("\n  ");
  }
  return [
    `* ${item.feature_name}`,
    item.details,
    ...item.sentence ? [item.sentence] : [],
    ...item.changes.flatMap(writeChange),
    urlOf(item),
  ].join("\n  ");
}

function writeChange({ text, diff }: DigestChange): string[] {
  if (!diff) return [text];
  return [text, `  Before: ${without("added", diff)}`, `  Now: ${without("removed", diff)}`];
}

/** One side of a diff. */
function without(kind: "added" | "removed", diff: readonly DiffPart[]): string {
  return diff.filter((part) => part.kind !== kind).map(({ text }) => text).join("").trim() ||
    "(nothing)";
}
