import { shorten } from "./shorten.ts";

/** A text of a source for a message: in quotation marks, and shortened. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
