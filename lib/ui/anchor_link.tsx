import { formatDay } from "../text/dates.ts";

/** A link to a place in the page, seen where the pointer or the focus is. */
export function AnchorLink({ id, day }: { id: string; day: string }) {
  return <a class="anchor" href={`#${id}`} aria-label={`Link to ${formatDay(day)}`}>#</a>;
}
