import type { ComponentChildren } from "preact";
import { toLine } from "../lib/text/phrases.ts";

/** A name from a source, which has a direction of its own. */
export function Name({ text, lang }: { text: string; lang?: string }) {
  return <bdi lang={lang}>{toLine(text)}</bdi>;
}

/** Words of a message in bold. */
export const strong = (words: ComponentChildren) => <strong>{words}</strong>;
/** Words of a message that stand back. */
export const quiet = (words: ComponentChildren) => <span class="quiet">{words}</span>;
/** Words of a message only for those who listen. */
export const hidden = (words: ComponentChildren) => <span class="visually-hidden">{words}</span>;
