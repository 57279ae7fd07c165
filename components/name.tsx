import { toLine } from "../lib/text/phrases.ts";

/** A name from a source, which has a direction of its own. */
export function Name({ text }: { text: string }) {
  return <bdi>{toLine(text)}</bdi>;
}
