import { ok } from "node:assert/strict";
import { makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases, stride } from "../support/slow.ts";

const PATHS = [
  "/",
  "/?view=board",
  "/?view=board&group=status",
  "/search.json",
  "/api/releases",
  "/api/filter-options",
  "/api/changelog",
  "/api/insights",
  "/api/changes",
  "/changelog",
  "/compare",
  "/insights",
  "/rss",
  "/atom.xml",
  "/feed.json",
  "/calendar.ics",
  "/releases.csv",
  "/changes.csv",
  "/badge.svg",
  "/subscribe",
  "/subscribe/preview",
];

/** First, last and impossible days, months and quarters. */
const DAYS = [
  "0000-00-00",
  "0000-01-01",
  "0001-01-01",
  "2026-02-30",
  "2026-99-99",
  "9999-12-31",
  "10000-01-01",
  "-0001-01-01",
  "Q1 0000",
  "Q1 0001",
  "Q4 9999",
  "Q5 2026",
];
const MONTHS = ["0000-01", "0001-01", "2026-00", "2026-13", "9999-12"];

/** Every parameter that holds a day, with what else reckons from it. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  as_of: DAYS.flatMap((day) =>
    [
      "",
      "&due=overdue",
      "&due=next90",
      "&modified_within_days=30",
      "&sort=soonest",
      "&q=in+this+year",
    ].map((more) => day + more)
  ),
  modified_since: DAYS,
  release_date_from: DAYS,
  release_date_to: DAYS,
  date: DAYS,
  from: DAYS.flatMap((day) => [day, `${day}&to=9999-12-31`, `${day}&to=${day}&due=overdue`]),
  to: DAYS.flatMap((day) => [day, `${day}&from=0001-01-01`]),
  month: MONTHS,
  before: DAYS.map((day) => `${day}.1`),
};

slowOnDatabases(
  "No day, month or quarter of an address ends in an error of the server",
  async (database) => {
    await using app = await serve(database, [makeItem(1, { release_date: "Q3 2026" })]);
    const failed: string[] = [];
    let count = 0;
    for (const path of PATHS) {
      for (const [name, values] of Object.entries(PARAMETERS)) {
        for (const value of values) {
          if (count++ % stride(database) > 0) continue;
          const address = `${path}${path.includes("?") ? "&" : "?"}${name}=${
            value.replaceAll(" ", "+")
          }`;
          const response = await app.fetch(address);
          await response.body?.cancel();
          if (response.status >= 500) {
            failed.push(`${response.status} ${address}`);
          }
        }
      }
    }
    for (const day of DAYS) {
      const { status } = await app.fetch(`/changelog/${encodeURIComponent(day)}`);
      if (status >= 500) failed.push(`${status} /changelog/${day}`);
    }
    ok(failed.length === 0, failed.join("\n"));
  },
);

testOnDatabases(
  "A month or a place of the changelog that no calendar has is refused by name",
  async (database) => {
    await using app = await startApp(database);
    for (
      const query of [
        "month=0000-01",
        "month=2026-13",
        "before=2026-99-99.1",
        "before=0000-01-01.1",
      ]
    ) {
      const response = await app.fetch(`/changelog?${query}`);
      const page = await response.text();
      ok(
        response.status === 400 && page.includes(query.split("=")[0]!),
        `${query}: ${response.status}`,
      );
    }
  },
);
