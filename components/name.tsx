import { toLine } from "../lib/text/phrases.ts";

/** A name from a source, which has a direction of its own. */
export function Name({ text, lang }: { text: string; lang?: string }) {
  return <bdi lang={lang}>{toLine(text)}</bdi>;
}
