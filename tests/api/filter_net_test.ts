import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { readFile } from "node:fs/promises";
import type { Filter } from "../../lib/roadmap/filter/filter.ts";
import {
  FILTER_NAMES,
  FILTER_PARAMETERS,
  type FilterName,
  type FilterValues,
  LIST_NAMES,
  NO_FILTER,
} from "../../lib/roadmap/filter/filter_values.ts";
import { describeFilter } from "../../lib/roadmap/filter/filter_words.ts";
import { PREFERENCE_LISTS } from "../../lib/roadmap/filter/preference_lists.ts";
import { importItems, makeItem, startApp, type TestApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { runs, stride } from "../support/slow.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { subscribe } from "../support/subjects/subscribing.ts";
import { toolRequest } from "../support/subjects/tool_request.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";

/** A release as plain JavaScript filters it; days as `YYYY-MM-DD`. */
interface Release {
  name: string;
  product_names: string[];
  release_type: string;
  release_status: string;
  tags: Record<string, string[]>;
  source: string;
  last_modified: string;
  release_date: string | null;
  dates: Record<string, string>;
  isOpen: boolean;
  text: string;
  active: boolean;
}

const NAMES = ("Aardvark Badger Camel Dingo Eland Ferret Gopher Hyena Ibex Jackal Koala Lemur " +
  "Marmot Numbat Ocelot Puma").split(" ");
const STATUSES = ["Planned", "In development", "Shipped", "Cancelled"];
/** By place; what is open has the first and the last day of every period, and the days beside them. */
const DATES = [
  ...["2026-07-19", "2026-07-20", "2026-06-30", "2026-07-27", "2026-08-10", null, "2026-07-28"],
  ...["2026-08-19", "2026-12-31", "2026-07-22", "2026-08-20", "2026-07-22", "2026-10-18"],
  ...["2026-10-19", "2026-12-31", null],
];
const PREVIEWS = ["2026-06-30", "2026-07-19", "2026-07-22"];

const REMOVED_ON = "2026-07-19";
const isRemoved = (name: string) => name === "Camel" || name === "Lemur";
const dayOf = (place: number) => `2026-07-${String(place + 2).padStart(2, "0")}`;

/** Releases in which every filter finds some and leaves some out. */
const RELEASES = NAMES.map((name, place): Release => {
  const status = STATUSES[place % 5 === 4 ? 3 : place % 3]!;
  return {
    name,
    product_names: place % 4 === 0
      ? ["Maps", "Mail"]
      : [place === 9 ? "Maps, Mail" : place % 2 ? "Mail" : "Chat"],
    release_type: place % 3 === 1 ? "Preview" : "General availability",
    release_status: status,
    tags: {
      Platform: [place % 3 ? "Web" : "iOS"],
      ...place % 2 && { Ring: place % 4 === 1 ? ["Early"] : ["Early", "a:b"] },
    },
    source: place < 7 ? "one" : "two",
    last_modified: isRemoved(name) ? REMOVED_ON : dayOf(place),
    release_date: DATES[place]!,
    dates: place % 5 === 4 ? {} : { Preview: PREVIEWS[place % 3]! },
    isOpen: ["Planned", "In development"].includes(status),
    text: place % 2 ? "plated with copper" : "repair of cars",
    active: !isRemoved(name),
  };
});

/** What plain JavaScript knows of a filter: values to try, and whether a release passes one. */
interface Model<Name extends FilterName> {
  values: readonly string[][];
  passes(release: Release, value: NonNullable<Filter[Name]>): boolean;
}

const isBefore = (days: number) =>
  new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);

/** A new filter needs a line here, and nothing else of this file. */
const MODEL: { readonly [Name in FilterName]: Model<Name> } = {
  product_name: {
    values: [["Maps"], ["Maps, Mail"], ["Chat", "Maps"]],
    passes: ({ product_names }, values) => values.some((value) => product_names.includes(value)),
  },
  release_type: {
    values: [["Preview"]],
    passes: ({ release_type }, values) => values.includes(release_type),
  },
  release_status: {
    values: [["Shipped"], ["Cancelled", "Planned"]],
    passes: ({ release_status }, values) => values.includes(release_status),
  },
  tag: {
    values: [["Ring:Early"], ["Ring:a:b"], ["Platform:Web", "Platform:iOS", "Ring:Early"]],
    passes: ({ tags }, values) =>
      [...Map.groupBy(values, (value) => value.split(":")[0]!)].every(([group, some]) =>
        some.some((value) => tags[group]?.includes(value.slice(group.length + 1)))
      ),
  },
  source: { values: [["two"]], passes: ({ source }, values) => values.includes(source) },
  modified_within_days: {
    values: [["10"]],
    passes: ({ last_modified }, days) => last_modified >= isBefore(Number(days)),
  },
  modified_since: {
    values: [["2026-07-08"]],
    passes: ({ last_modified }, day) => last_modified >= day,
  },
  date_name: { values: [["preview"], ["Nothing"]], passes: (_release, name) => name === "preview" },
  release_date_from: {
    values: [["2026-07-22"], ["Q4 2026"]],
    passes: ({ release_date }, from) =>
      release_date !== null && release_date >= (from === "Q4 2026" ? "2026-10-01" : from),
  },
  release_date_to: {
    values: [["2026-07-22"], ["Q3 2026"]],
    passes: ({ release_date }, to) =>
      release_date !== null && release_date <= (to === "Q3 2026" ? "2026-09-30" : to),
  },
  due: {
    values: [["overdue"], ["next7"], ["next30"], ["next90"]],
    passes: ({ isOpen, release_date }, due) =>
      isOpen && release_date !== null &&
      (due === "overdue"
        ? release_date < TODAY
        : release_date >= TODAY && release_date <= isBefore(-Number(due.slice(4)))),
  },
  q: { values: [["copper"]], passes: ({ text }, q) => text.includes(q) },
  match: { values: [["words"]], passes: () => true },
  include_inactive: { values: [["true"]], passes: () => true },
};

/** A filter as the pairs of an address. */
type Pairs = readonly (readonly [FilterName, string])[];

/** The names of what passes, with removed releases or without. */
function expected(pairs: Pairs, { removed = false, of = RELEASES } = {}): string[] {
  const given = Map.groupBy(pairs, ([name]) => name);
  const isShown = removed || given.has("include_inactive");
  return of.filter((release) =>
    (isShown || release.active) && [...given].every(([name, values]) => {
      const all = values.map(([, value]) => value);
      const value = FILTER_PARAMETERS[name] === "list" ? all : all[0]!;
      // Overdue is asked of the release date only.
      const asked = value === "overdue" ? release : byDate(release, pairs);
      return MODEL[name].passes(asked, value as never);
    })
  ).map(({ name }) => name).sort();
}

/** The release with the date that is asked by. */
function byDate(release: Release, pairs: Pairs): Release {
  return pairs.some(([name]) => name === "date_name")
    ? { ...release, release_date: release.dates.Preview ?? null }
    : release;
}

function toQuery(pairs: Pairs): string {
  return new URLSearchParams(pairs as unknown as string[][]).toString();
}

const namesIn = (text: string) => NAMES.filter((name) => text.includes(name)).sort();

async function read(app: TestApp, path: string): Promise<string> {
  const response = await app.fetch(path);
  const text = await response.text();
  assertEquals(response.status, 200, `${path} ${text}`);
  return text;
}

/** Some days of history, so that everything is in the changelog; then Camel and Lemur are removed. */
async function importReleases(database: Parameters<typeof importItems>[0]): Promise<void> {
  const rows = (source: string, removed: boolean) =>
    RELEASES.map((release, place) => ({ release, row: toRow(release, place) })).filter((
      { release },
    ) => release.source === source && (removed || release.active)).map(({ row }) => row);
  for (const [asOf, removed] of [["2026-07-18", true], ["2026-07-19", false]] as const) {
    await importItems(database, rows("one", removed), { asOf, sourceName: "one" });
    await importItems(database, rows("two", removed), { asOf, sourceName: "two" });
  }
}

function toRow(release: Release, place: number) {
  const { name, product_names, release_type, release_status, tags } = release;
  const { release_date, dates, text } = release;
  return makeItem(place + 1, {
    feature_name: name,
    product_name: product_names[0],
    product_names,
    release_type,
    release_status,
    tags,
    last_modified: dayOf(place),
    release_date,
    dates,
    feature_description: text,
  });
}

/** What a person, a program or an assistant reads of releases, narrowed by the query of an address. */
const SURFACES: readonly {
  path: string;
  /** It lists removed releases unless the filter says otherwise. */
  removed?: boolean;
  /** What was modified since a day are changes, here all of which are newer than any day asked for. */
  ofChanges?: boolean;
  /** It has room for some of them only. */
  isPart?: boolean;
  /** What it lists of what passes. */
  lists?: (release: Release) => boolean;
  namesIn?: (text: string) => string[];
}[] = [
  { path: "/?view=board", isPart: true },
  ...["/", "/search.json", "/embed", "/copy", "/releases.csv"].map((path) => ({ path })),
  ...["/api/releases", "/rss.xml", "/atom.xml", "/feed.json"].map((path) => ({ path })),
  ...["/api/changelog", "/api/changes", "/changes.csv"].map((path) => ({ path, removed: true })),
  ...["/changelog", "/copy?of=changelog"].map((path) => ({ path, removed: true, ofChanges: true })),
  {
    path: "/calendar.ics",
    lists: ({ active, release_date, release_status }) =>
      active && release_date !== null && release_status !== "Cancelled",
    namesIn: (text) =>
      text.split("BEGIN:VEVENT").filter((event) =>
        !event.includes("STATUS:CANCELLED") && !event.includes("Cancelled")
      ).flatMap(namesIn).sort(),
  },
];

/** Every value that the model names, on its own; `match` with the words that it is about. */
const SINGLE: readonly Pairs[] = [
  ...FILTER_NAMES.flatMap((name) =>
    MODEL[name].values.map((values): Pairs => [
      ...values.map((value) => [name, value] as const),
      ...name === "match" ? [["q", "copper"] as const] : [],
    ])
  ),
  // Of two starts the later one counts.
  [["modified_since", "2026-07-05"], ["modified_within_days", "10"]],
  [["modified_since", "2026-07-14"], ["modified_within_days", "10"]],
];

/** Several filters at once. */
const SEVERAL = fc.shuffledSubarray([...FILTER_NAMES], { minLength: 2, maxLength: 3 }).map((
  names,
) => names.flatMap((name): Pairs => MODEL[name].values[0]!.map((value) => [name, value])));

async function checkSurfaces(app: TestApp, pairs: Pairs): Promise<void> {
  const query = toQuery(pairs);
  for (const surface of SURFACES) {
    const { path, removed = false, isPart, lists, namesIn: find = namesIn } = surface;
    const found = find(await read(app, `${path}${path.includes("?") ? "&" : "?"}${query}`));
    const asked = pairs.filter(([name]) => !surface.ofChanges || !name.startsWith("modified_"));
    const all = expected(asked, {
      removed,
      of: lists ? RELEASES.filter((release) => lists(byDate(release, pairs))) : RELEASES,
    });
    assertEquals(found, isPart ? all.filter((name) => found.includes(name)) : all, path + query);
  }
}

testOnDatabases("What a filter leaves out is on no surface", async (database) => {
  await importReleases(database);
  await using app = await startApp(database, { EMBED_ORIGINS: "https://example.com" });
  const tried = SINGLE.filter((_, place) => place % stride(database) === 0);
  for (const pairs of tried) await checkSurfaces(app, pairs);
  await fc.assert(fc.asyncProperty(SEVERAL, (pairs) => checkSurfaces(app, pairs)), {
    numRuns: runs(8, database),
  });
});

testOnDatabases("Tools of assistants take every filter", async (database) => {
  await importReleases(database);
  await using app = await startApp(database);
  for (const pairs of SINGLE) {
    const input = Object.fromEntries(
      [...Map.groupBy(pairs.filter(([name]) => name !== "match"), ([name]) => name)].map(
        ([name, values]) => {
          const all = values.map(([, value]) => value);
          const takes = FILTER_PARAMETERS[name];
          return [name, takes === "list" ? all : takes === "flag" ? true : all[0]];
        },
      ),
    );
    for (const [tool, removed] of [["search_releases", false], ["list_changes", true]] as const) {
      const answer = await app.fetch("/mcp", toolRequest(tool, { ...input, page_size: undefined }));
      const names = namesIn(await answer.text());
      const all = expected(pairs, { removed });
      assertEquals(
        tool === "search_releases" ? names.length : names,
        tool === "search_releases" ? Math.min(all.length, 10) : all,
        `${tool} ${toQuery(pairs)}`,
      );
      assertEquals(names.filter((name) => !all.includes(name)), []);
    }
  }
});

testOnDatabases("The number beside a choice is what choosing it finds", async (database) => {
  await importReleases(database);
  await using app = await startApp(database);
  for (const pairs of SINGLE) {
    const { counts } = JSON.parse(await read(app, `/api/filter-options?${toQuery(pairs)}`));
    const page = JSON.parse(await read(app, `/search.json?${toQuery(pairs)}`));
    for (const name of LIST_NAMES) {
      for (const [value, count] of Object.entries<number>(counts[name])) {
        const group = name === "tag" ? value.split(":")[0] : undefined;
        const others = pairs.filter(([other, one]) =>
          other !== name || group !== undefined && one.split(":")[0] !== group
        );
        const found = expected([...others, [name, value]]).length;
        const about = `${name}=${value} beside ${toQuery(pairs)}`;
        assertEquals(count, found, about);
        assertEquals(page.counts[name][value] ?? 0, found, about);
      }
    }
  }
});

testOnDatabases("The releases that changed are those of the list", async (database) => {
  await importReleases(database);
  await using app = await startApp(database);
  const [first] = (await app.json("/api/changes?limit=1")).data;
  const nameOf = new Map(
    RELEASES.map(({ name }, place) => [makeItem(place + 1).release_item_id, name]),
  );
  for (const pairs of SINGLE) {
    for (const removed of [true, false]) {
      if (!removed && pairs.some(([name]) => name === "include_inactive")) {
        continue;
      }
      const query = `after=${first.cursor}&${toQuery(pairs)}${
        removed ? "" : "&include_inactive=false"
      }`;
      const changed = await app.json(`/api/changes/releases?${query}`);
      assertEquals(
        changed.release_item_ids.map((id: string) => nameOf.get(id)).sort(),
        // What came and went since is no change.
        expected(pairs, { removed, of: RELEASES.filter(({ active }) => active) }).filter((name) =>
          name !== first.release.feature_name
        ),
        query,
      );
    }
  }
});

/** The fields of a form as a browser sends them. */
function sentBy(form: string): [string, string][] {
  const attribute = (tag: string, name: string) =>
    new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&quot;", '"');
  const inputs = [...form.matchAll(/<input[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const [name, type] = [attribute(tag, "name"), attribute(tag, "type")];
    if (!name || type === "checkbox" && !/\schecked(\s|=|>|\/)/.test(tag)) {
      return [];
    }
    return [[name, attribute(tag, "value") ?? ""]];
  });
  const selects = [...form.matchAll(/<select[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name, options]): [string, string] => {
      const selected = /<option[^>]*\sselected[^>]*>/.exec(options!)?.[0] ?? "";
      return [name!, attribute(selected, "value") ?? ""];
    },
  );
  return [...inputs, ...selects].filter(([, value]) => value !== "");
}

const FORMS = [
  { path: "/", form: /<form id="search-form".*?<\/form>/s },
  { path: "/changelog", form: /<form class="filter-bar".*?<\/form>/s },
  { path: "/insights", form: /<form class="filter-bar".*?<\/form>/s },
  { path: "/compare", form: /<form class="filter-bar".*?<\/form>/s },
];

testOnDatabases("Forms keep every filter, and let go of each", async (database) => {
  await importReleases(database);
  await using app = await startApp(database);
  for (const pairs of SINGLE) {
    for (const { path, form } of FORMS) {
      const page = await read(app, `${path}?${toQuery(pairs)}`);
      const found = form.exec(page)?.[0] ?? "";
      const words = /<input[^>]*id="q"[^>]*form="search-form"[^>]*>/.exec(page)?.[0] ?? "";
      const sent = sentBy(found + words).map((pair) => pair.join("="));
      for (const [name, value] of pairs) {
        // Pages search words, whatever an address says; removed releases are on these two anyway.
        if (name === "match") continue;
        if (name === "include_inactive" && path !== "/") continue;
        const day = { "Q4 2026": "2026-10-01", "Q3 2026": "2026-09-30" }[value] ?? value;
        const isKept = [value, day].some((one) => sent.includes(`${name}=${one}`));
        assert(isKept, `${path}?${toQuery(pairs)} sends ${sent}`);
        const hidden = new RegExp(`<input[^>]*type="hidden"[^>]*name="${name}"`);
        assert(!hidden.test(found), `${name} cannot be taken off on ${path}`);
      }
    }
  }
});

testOnDatabases("What a surface cannot take is named in its answer", async (database) => {
  await importReleases(database);
  await using app = await startApp(database, { SUBSCRIBE_LIMIT: "1000" });
  const stored = new Set<string>([
    ...Object.values(PREFERENCE_LISTS).map(({ parameter }) => parameter),
    "match",
  ]);
  for (const name of FILTER_NAMES) {
    const values = MODEL[name].values[0]!;
    const value = FILTER_PARAMETERS[name] === "list" ? values : values[0];
    const email = `${name.replaceAll("_", "-")}@example.com`;
    const { ignored = [] } = await (await subscribe(app, { email, [name]: value })).json();
    assertEquals(ignored, stored.has(name) ? [] : [name]);
    const page = await read(app, `/subscribe?${toQuery([[name, values[0]!]])}`);
    const isSaid = page.includes("These filters don’t apply to emails:");
    assertEquals(isSaid, !stored.has(name) && name !== "include_inactive", name);
  }
  for (const path of ["/api/changes", "/api/changes/releases"]) {
    const { ignored } = await app.json(`${path}?sort=soonest&foo=1&product_name=Maps`);
    assertEquals(ignored, ["foo", "sort"]);
    assertEquals("ignored" in await app.json(`${path}?product_name=Maps`), false);
  }
});

/** The lists that webhooks and subscriptions have, each with as much as it may say at once. */
const LISTS = Object.entries(PREFERENCE_LISTS).flatMap(([list, { parameter }]) => {
  if (parameter === "kind" || parameter === "source") return [];
  const values = MODEL[parameter].values.findLast(([value]) => value !== "Nothing")!;
  const covered = expected(values.map((value) => [parameter, value]), { removed: true });
  return [{ list, parameter, values: [...values].sort(), covered }];
});

testOnDatabases("Webhooks cover what their lists say", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  for (const { parameter: name, values } of LISTS) {
    await webhooks.add(`${receiver.url}/${name}`, { name, filter: { [name]: values } });
  }
  await webhooks.import(RELEASES.map(toRow));
  await webhooks.send();
  await using app = await startApp(database);
  for (const { parameter: name, covered } of LISTS) {
    const body = receiver.received.find(({ path }) => path === `/${name}`)!.body;
    assertEquals(namesIn(body), covered, name);
    const { changes, changes_url } = JSON.parse(body).data;
    assertEquals(namesIn(await read(app, changes_url)), covered, changes_url);
    for (const { release } of changes) {
      const { product_names } = RELEASES.find(({ name }) => name === release.feature_name)!;
      assertEquals(release.product_names ?? [release.product_name], product_names);
    }
  }
});

testOnDatabases("Subscriptions cover what their lists say, and say it", async (database) => {
  await using services = await startDigests(database, { SUBSCRIBE_LIMIT: "1000" });
  const due = ["overdue", "next7"].flatMap((period) => expected([["due", period]]));
  const wanted = [
    ...LISTS.filter(({ list }) => list !== "date_name").map(({ list, values, covered }) => ({
      name: list as string,
      asked: { [list]: values } as Record<string, string[]>,
      covered,
    })),
    {
      name: "several",
      asked: { searches: ["copper"], due: ["overdue", "next7"] },
      covered: expected([["q", "copper"]], { removed: true }).filter((name) => due.includes(name)),
    },
  ];
  const said: string[] = [];
  for (const { name, asked } of wanted) {
    const email = `${name}@example.com`;
    await services.verify(email, asked);
    const link = linkOf(services.newestTo(email), "/preferences");
    const page = await (await services.app.fetch(link)).text();
    said.push(/changes to .*?\./.exec(page)?.[0] ?? page);
  }
  await importItems(database, RELEASES.map(toRow));
  const mails = await services.digest();
  const lines = new Map(
    mails.flatMap(({ text }) => [...text!.matchAll(/^\* (.*)\n {2}(.*)$/gm)]).map((
      [, name, details],
    ) => [name, details!.split(" · ")[0]]),
  );
  const ofSeveral = RELEASES.filter(({ name, product_names }) =>
    lines.has(name) && product_names.length > 1
  );
  assert(ofSeveral.length > 0);
  for (const { name, product_names } of ofSeveral) {
    assertEquals(lines.get(name), product_names.join(", "));
  }
  const told = mails.map((mail) => [mail.envelopeTo[0], listedIn(mail).toSorted()]);
  const covered = wanted.map(({ name, covered }) => [`${name}@example.com`, covered]);
  assertEquals(told.sort(), covered.sort());
  assertEquals(said, [
    "changes to Chat and Maps releases.",
    "changes to releases of type Preview.",
    "changes to releases with status Cancelled or Planned.",
    "changes to releases with Platform Web or iOS and Ring Early.",
    "changes to releases that match “copper”.",
    "changes to releases that are due in the next 90 days.",
    "changes to releases that match “copper” and are overdue or due in the next 7 days.",
  ]);
});

Deno.test("Every filter is said in words, and documented", async () => {
  const documents = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
  for (const name of FILTER_NAMES) {
    assert(documents.includes(`\`${name}\``), `docs/api.md has ${name}`);
    if (name === "match") continue;
    const values = MODEL[name].values[0]!;
    const value = FILTER_PARAMETERS[name] === "list" ? values : values[0]!;
    const words = describeFilter({ ...NO_FILTER, [name]: value } as FilterValues);
    assert(words !== "", `describeFilter says ${name}`);
  }
});

/** Questions by how they are searched. */
const QUESTIONS = {
  words: "copper",
  similar: "coppre",
  "any-word": "copper umbrella",
  related: "vehicles repair",
  substring: "%",
} as const;

testOnDatabases("In every mode of search a choice finds what its number says", async (database) => {
  await importReleases(database);
  await using app = await startApp(database);
  for (const [mode, q] of Object.entries(QUESTIONS)) {
    const query = new URLSearchParams({ q });
    const { counts, total, mode: found } = await app.json(`/search.json?${query}`);
    assertEquals(found, mode, q);
    for (const name of LIST_NAMES) {
      for (const [value, count] of Object.entries<number>(counts[name])) {
        const chosen = new URLSearchParams({ q, [name]: value });
        const narrowed = await app.json(`/search.json?${chosen}`);
        assertEquals(narrowed.total, count, `${chosen}`);
        assert(narrowed.total <= total, `${chosen} finds more than ${query}`);
      }
    }
  }
});
