import type { ComponentChildren } from "preact";
import { toLine } from "../lib/text/phrases.ts";

/** A name from a source, which has a direction of its own. */
export function Name({ text, lang }: { text: string; lang?: string }) {
  return <bdi lang={lang}>{toLine(text)}</bdi>;
}

/** A sentence of the documents: `code` between backticks, and links as their label. */
export function CodeText({ text }: { text: string }) {
  const parts = text.replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1").split("`");
  return <>{parts.map((part, place) => place % 2 === 0 ? part : <code key={place}>{part}</code>)}
  </>;
}

/** Words of a message in bold. */
export const strong = (words: ComponentChildren) => <strong>{words}</strong>;
/** Words of a message that stand back. */
export const quiet = (words: ComponentChildren) => <span class="quiet">{words}</span>;
/** Words of a message only for those who listen. */
export const hidden = (words: ComponentChildren) => <span class="visually-hidden">{words}</span>;
