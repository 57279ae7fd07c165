import { formatDay } from "../text/dates.ts";

/** A day `YYYY-MM-DD`, readable for people and machines. */
export function Day({ day }: { day: string }) {
  return <time dateTime={day}>{formatDay(day)}</time>;
}
