import { language, say } from "../text/messages.ts";

/** A share from 0 to 1 as a person reads it. */
export function shareInWords(share: number | null): string {
  return share === null
    ? "–"
    : new Intl.NumberFormat(language().tag, { style: "percent" }).format(share);
}

/** A slip in quarters as a person reads it. */
export function slipInWords(quarters: number | null): string {
  if (quarters === null) return "–";
  if (quarters === 0) return say("figure.none");
  return say(
    quarters > 0 ? "figure.later" : "figure.earlier",
    { quarters: Math.abs(quarters) },
  );
}

/** How much later than promised, as a figure of its own. */
export function delayInWords(quarters: number): string {
  return quarters > 0 ? say("count.quarters", { count: quarters }) : slipInWords(quarters);
}
