import { countOf } from "../text/phrases.ts";

/** A share from 0 to 1 as a person reads it. */
export function shareInWords(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)}%`;
}

/** A slip in quarters as a person reads it. */
export function slipInWords(quarters: number | null): string {
  if (quarters === null) return "–";
  if (quarters === 0) return "none";
  return `${countOf(Math.abs(quarters), "quarter")} ${quarters > 0 ? "later" : "earlier"}`;
}

/** How much later than promised, as a figure of its own. */
export function delayInWords(quarters: number): string {
  return quarters > 0 ? countOf(quarters, "quarter") : slipInWords(quarters);
}
