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

testOnDatabases("List and board say the named date that is still to come", async (database) => {
  const ITEMS: [status: string, date: string, dates: Record<string, string>, next?: string][] = [
    ["In development", "2099-03-31", {
      Beta: "2020-06-30",
      Preview: "2098-09-30",
      GA: "2098-12-31",
    }, "Preview Q3 2098"],
    [
      "Launched",
      "2020-06-30",
      { Preview: "2020-03-31", Retirement: "2098-12-31" },
      "Retirement Q4 2098",
    ],
    ["In development", "2098-06-30", { Retirement: "2099-12-31" }],
    ["Cancelled", "2098-06-30", { Retirement: "2098-03-31" }],
    ["In development", "2098-06-30", {}],
  ];
  await importItems(
    database,
    ITEMS.map(([release_status, release_date, dates], place) =>
      makeItem(place, { release_status, release_date, dates })
    ),
  );
  await using app = await startApp(database);
  const expected = ITEMS.map(([, , , next]) => next);
  const nextOf = (items: { feature_name: string; next_date?: string }[]) =>
    items.toSorted((one, other) => one.feature_name < other.feature_name ? -1 : 1).map((
      { next_date },
    ) => next_date);
  assertEquals(nextOf((await app.json("/search.json")).items), expected);
  const { board } = await app.json("/search.json?view=board&from=Q3+2098");
  assertEquals(
    board?.columns.flatMap((column: { groups: { items: { next_date?: string }[] }[] }) =>
      column.groups.flatMap(({ items }) => items.flatMap(({ next_date }) => next_date ?? []))
    ).sort(),
    ["Preview Q3 2098"],
  );
  const page = textOf(await (await app.fetch("/")).text());
  assertEquals([/Q1 2099 ?Preview Q3 2098/.test(page), page.includes("Retirement Q4 2099")], [
    true,
    false,
  ]);
});

testOnDatabases("A release's page has a line for each of its dates", async (database) => {
  const id = makeItem(1).release_item_id;
  const item = (
    release_date: string | null,
    dates: Record<string, string>,
  ) => [
    makeItem(1, { last_modified: null, release_status: "In development", release_date, dates }),
    makeItem(2, { last_modified: null, release_date }),
  ];
  const steps: [day: string, preview: string, release: string | null][] = [
    ["2026-02-01", "2026-06-30", "2026-09-30"],
    ["2026-03-01", "2026-06-30", "2026-12-31"],
    ["2026-04-01", "2026-09-30", "2026-12-31"],
    ["2026-05-01", "2026-09-30", "2027-03-31"],
  ];
  for (const [asOf, Preview, date] of steps) {
    const Retirement = "2029-12-31";
    const late: Record<string, string> = asOf < "2026-04" ? {} : { "End of sale": "2028-12-31" };
    await importItems(database, item(date, { Preview, Retirement, ...late }), { asOf });
  }
  const read = async (settings: Record<string, string> = {}, path = `/release/${id}`) => {
    await using app = await startApp(database, settings);
    return await (await app.fetch(path)).text();
  };
  const page = await read();
  const rows = [...page.matchAll(/<dt>(.*?)<\/dt>(.*?)<\/dd><\/div>/gs)].map(([, name, said]) =>
    textOf(`${name}|${said}`)
  );
  assertEquals(rows.map((row) => row.trim()), [
    "Preview|Q3 2026Moved once: 1 quarter later than the original Q2 2026",
    "General availability|Q1 2027 Moved 2 times: 2 quarters later than the original Q3 2026",
    "End of sale|Q4 2028Not moved since 1 Apr 2026",
    "Retirement|Q4 2029Not moved since 1 Feb 2026",
  ]);
  const [drawing] = /<svg\s+class="promise-line".*?<\/svg>/s.exec(page)!;
  assertEquals(
    [...drawing.matchAll(/<path class="said" d="(.*?)".*?<text.*?>(.*?)<\/text>/gs)].map((
      [, path, name],
    ) => [name, path!.split("H").length - 1]),
    [["Preview", 2], ["Release date", 3], ["End of sale", 1], ["Retirement", 1]],
  );
  assertEquals(/ Preview: since 1 Feb 2026 Q2 2026, since 1 Apr 2026 Q3 2026/.test(drawing), true);
  // The names stand one below the other, inside the drawing.
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(drawing)!.map(Number);
  const names = [...drawing.matchAll(/<text x="(\d+)" y="(\d+)">[A-Z]/g)].map(([, x, y]) =>
    [Number(x), Number(y)] as const
  );
  const tops = names.map(([, y]) => y).sort((one, other) => one - other);
  assertEquals(names.length, 4);
  assertEquals(names.every(([x, y]) => x < width! && y < height!), true);
  assertEquals(tops.slice(1).every((y, place) => y - tops[place]! >= 14), true, tops.join());

  const days = await read({ ROADMAP_VARIANT: "b" });
  assertEquals(
    [days.match(/class="promise-line"/g)?.length, days.match(/<path class="said"/g)?.length],
    [1, 4],
  );
  assertEquals(
    / Preview: since 1 Feb 2026 30 Jun 2026, since 1 Apr 2026 30 Sep 2026/.test(days),
    true,
  );

  const copied = textOf(await read({}, `/copy?release_item_id=${id}`));
  assertEquals(copied.match(/(?:\w+ · )?Moved [^.]*\./g)?.slice(0, 2), [
    "Moved 2 times: 2 quarters later than the original Q3 2026.",
    "Preview · Moved once: 1 quarter later than the original Q2 2026.",
  ]);

  const arabic = textOf(await read({ LANGUAGE: "ar" })).replaceAll(/[\u2066-\u2069]/g, "");
  assertEquals(arabic.includes("ليس رق"), false, "a day is no number");
  assertEquals(arabic.includes("بعد الموعد الأول الربع الثاني 2026"), true, arabic);
});
