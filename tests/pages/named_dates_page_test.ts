import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

testOnDatabases("The changelog names the date that moved", async (database) => {
  const releases = (preview: string, release: string, retirement: string) =>
    [1, 2].map((n) =>
      makeItem(n, {
        last_modified: null,
        release_date: n === 1 ? "2027-12-31" : release,
        dates: { Preview: preview, Retirement: retirement },
      })
    );
  await importItems(database, releases("2026-08-31", "2027-03-31", "2029-03-31"), {
    asOf: "2026-07-10",
  });
  await importItems(database, releases("2026-11-30", "2027-06-30", "2029-06-30"), {
    asOf: "2026-07-15",
  });
  await using app = await startApp(database);
  const page = await (await app.fetch("/changelog/2026-07-15")).text();
  const entries = [...page.matchAll(/<li class="entry">(.*?)<\/p><\/li>/gs)]
    .map(([, entry]) => textOf(entry!));
  assertEquals(entries.length, 2);
  const [own, named] = entries.toSorted((one) => one.includes("Q1 2027") ? -1 : 1);
  // A move that its place on the right does not say stands below the name.
  assertEquals(
    [/Preview moved/, /Retirement moved/, /Preview from Q3 2026 → Q4 2026 *$/]
      .map((words) => [words.test(own!), words.test(named!)]),
    [[true, false], [true, true], [false, true]],
    entries.join("\n"),
  );
});
