import { formatDay } from "../text/dates.ts";

/** Says which day's roadmap a page shows, and leads to today's. */
export function AsOfNote({ day, firstDay, today, compare }: {
  /** All days as `YYYY-MM-DD`. */
  day: string;
  /** The as-of day of the first import; null: there was none. */
  firstDay: string | null;
  /** The address of the same page today. */
  today: string;
  /** The address that says what became of it. */
  compare: string;
}) {
  return (
    <p class="notice" role="note">
      <strong>The roadmap as of {formatDay(day)}</strong>
      {firstDay !== null && day < firstDay &&
        `. Nothing was imported by then: the first import is as of ${formatDay(firstDay)}`}
      {" · "}
      <a href={today}>Back to today</a>
      {firstDay !== null && day >= firstDay && (
        <>
          {" · "}
          <a href={compare}>Compare with today</a>
        </>
      )}
    </p>
  );
}
