const NAMES = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** Links to the months that have changes, by year. */
export function MonthList({ months, chosen, hrefOf }: {
  months: readonly { month: string; count: number }[];
  chosen?: string;
  hrefOf: (month: string) => string;
}) {
  if (months.length < 2) return null;
  const years = Map.groupBy(months, ({ month }) => month.slice(0, 4));
  return (
    <nav class="months" aria-label="Months">
      {[...years].map(([year, months]) => (
        <div key={year}>
          <h2>{year}</h2>
          <ul>
            {months.map(({ month, count }) => (
              <li key={month}>
                <a
                  href={hrefOf(month)}
                  rel="nofollow"
                  aria-current={month === chosen ? "true" : undefined}
                >
                  {NAMES.format(new Date(`${month}-01T00:00:00Z`))}{" "}
                  <span class="quiet">{count.toLocaleString("en")}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
