import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import {
  CHANGE_KINDS,
  type ChangeKind,
  countKinds,
  nameKind,
  titleKind,
} from "../../lib/roadmap/changes/kinds.ts";
import { importItems, makeItem } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

/** What a source says of a release; null: it does not have it. */
type State = Partial<Record<"status" | "date" | "type" | "blog" | "text", string | null>> | null;

/** The states of a release, the first one known before; what becomes of it, in variant B where that differs. */
type History = [states: State[], kind: ChangeKind | null, ofB?: ChangeKind | null];

const Q3 = "2026-09-30";
const Q4 = "2026-12-31";
const SHIPPED = { status: "Shipped" };

const HISTORIES: Record<string, History> = {
  "added": [[null, {}], "added"],
  "added and edited": [[null, {}, { type: "Beta" }], "added"],
  "added and shipped": [[null, {}, SHIPPED], "added"],
  "added and removed": [[null, {}, null], null],
  "added, removed, restored": [[null, {}, null, {}], "added"],
  "removed": [[{}, null], "removed", null],
  "edited and removed": [[{}, { type: "Beta" }, null], "removed", null],
  "removed and restored": [[{}, null, {}], null],
  "removed and restored otherwise": [[{}, null, { type: "Beta" }], "edited"],
  "removed and restored later": [[{}, null, { date: Q4 }], "slipped"],
  "removed twice": [[{}, null, {}, null], "removed", null],
  "there and back": [[{}, { type: "Beta", date: Q4 }, {}], null],
  "a text there and back": [[{}, { text: "Other" }, {}], null],
  "a text rewritten twice": [[{}, { text: "Other" }, { text: "New" }], "edited"],
  "later, then earlier than ever": [
    [{ date: Q3 }, { date: Q4 }, { date: "2026-06-30" }],
    "earlier",
  ],
  "slipped twice": [[{}, { date: Q4 }, { date: "2027-03-31" }], "slipped"],
  "slipped and back": [[{}, { date: Q4 }, { date: Q3 }], null],
  "undated and dated": [[{}, { date: null }, { date: Q3 }], null],
  "undated and dated later": [[{}, { date: null }, { date: Q4 }], "slipped"],
  "moved within its quarter": [[{}, { date: Q4 }, { date: "2026-09-01" }], "edited", "earlier"],
  "shipped and taken back": [[{}, SHIPPED, {}], null],
  "shipped and taken back to another": [[{}, SHIPPED, { status: "In development" }], "started"],
  "started and planned under another word": [[{}, { status: "In development" }, {
    status: "Announced",
  }], "edited"],
  "started, then shipped": [[{}, { status: "In development" }, SHIPPED], "shipped"],
  "slipped and shipped": [[{}, { date: Q4 }, { ...SHIPPED, date: Q4 }], "shipped"],
  "cancelled and revived": [[{}, { status: "Cancelled" }, {}], null],
  "announced": [[{}, { blog: "Post" }], "edited", null],
  "not touched": [[{}], null],
  "shipped and moved": [[{}, { status: "Launched", date: Q4 }], "shipped"],
  "cancelled": [[{}, { status: "Cancelled" }], "cancelled"],
  "started and slipped": [[{}, { status: "In development", date: "2027-03-31" }], "slipped"],
  "slipped within its quarter": [[{ date: "2026-07-31" }, {}], "edited", "slipped"],
  "dated": [[{ date: null }, {}], "dated"],
  "undated": [[{}, { date: null }], "undated"],
  "taken back": [[{ status: "Launched" }, {}], "taken_back"],
  "taken back from work": [[{ status: "Rolling out" }, {}], "taken_back"],
  "back from the dead": [[{ status: "Cancelled" }, {}], "taken_back"],
  "of another status of its tone": [[{}, { status: "Considered" }], "edited"],
  "shipped, its date corrected": [
    [{ status: "Launched" }, { status: "Launched", date: Q4 }],
    "edited",
  ],
};

function whole(state: State): Known | null {
  return state && { status: "Planned", date: Q3, type: "GA", blog: null, text: "A text", ...state };
}

/** What a source that has a release in such a state sends; its product keeps it from being joined. */
function toItem(name: string, number: number, state: NonNullable<State>) {
  const { status, date, type, blog, text } = whole(state)!;
  return makeItem(number, {
    feature_name: name,
    product_name: `Product ${name}`,
    release_status: status,
    release_date: date,
    release_type: type,
    blog_title: blog,
    feature_description: text,
    last_modified: null,
  });
}

/** What became of each release that is mentioned, by its name. */
type Told = Record<string, ChangeKind>;

/** Everything that says what became of releases. */
interface Surfaces {
  mail: Told;
  mailOfB: Told;
  /** The mails of those who want some kinds only. */
  wanted: Told[];
  chat: Told;
  feed: Told;
  /** The counts in words, of the mail and of the chat. */
  counts: [mail: string, chat: string];
}

/**
 * Imports the first state of all releases, a third of them from another source, a month earlier, and the others on one day, then reads
 * what a digest, a weekly chat and a feed say of them. The list of changes tells every step.
 */
async function tell(
  database: Database,
  histories: Record<string, State[]>,
  wanted: readonly ChangeKind[][],
): Promise<Surfaces> {
  const length = Math.max(...Object.values(histories).map((states) => states.length));
  const importStep = async (step: number, asOf: string) => {
    for (const source of ["default", "other"]) {
      const items = Object.entries(histories).flatMap(([name, states], place) => {
        const state = states[Math.min(step, states.length - 1)];
        const isHere = state && (place % 3 === 0) === (source === "other");
        return isHere ? [toItem(name, place + 1, state)] : [];
      });
      // Without a release a snapshot is none.
      const rest = toItem(`rest of ${source}`, source === "other" ? 901 : 900, {});
      await importItems(database, [...items, rest], {
        asOf,
        sourceName: source,
        allowMassRemoval: true,
      });
    }
  };
  await using receiver = startReceiver();
  await using services = await startDigests(database, { ROADMAP_VARIANT: "both" });
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "Site" } });
  await importStep(0, "2026-06-20");
  await services.verify("a@example.com");
  await services.verify("b@example.com", {}, "/roadmap/b");
  for (const [place, kinds] of wanted.entries()) {
    await services.verify(`w${place}@example.com`, { kinds });
  }
  const chats = Object.groupBy(
    Object.keys(histories).entries(),
    ([place]) => Math.floor(place / 10),
  );
  for (const some of [...Object.values(chats), undefined]) {
    const filter = some ? { product_name: some.map(([, name]) => `Product ${name}`) } : {};
    await webhooks.add(`${receiver.url}/chat`, { kind: "ntfy", filter, cadence: "weekly" });
  }
  for (let step = 1; step < length; step++) {
    await importStep(step, "2026-07-20");
  }
  const mails = await services.digest();
  const page = (to: string) => {
    const mail = mails.find(({ envelopeTo }) => envelopeTo[0] === to);
    return mail?.text ?? "";
  };
  await webhooks.look("2026-07-27T07:00:00Z");
  const messages = receiver.received.map(({ body }) => JSON.parse(body));
  const { items } = await services.app.json(
    "/roadmap/feed.json?include_inactive=true&limit=100",
  ) as { items: { title: string; id: string }[] };
  for (const [site, precision] of [["", "quarter"], ["/b", "day"]] as const) {
    const { data } = await services.app.json(`/roadmap${site}/api/changes?limit=1000`) as {
      data: { release_item_id: string; kinds: ChangeKind[] }[];
    };
    for (const [place, [name, states]] of Object.entries(histories).entries()) {
      const { release_item_id } = toItem(name, place + 1, {});
      const steps = data.filter((entry) => entry.release_item_id === release_item_id);
      assertEquals([name, steps.map(({ kinds }) => kinds)], [name, stepsOf(states, precision)]);
    }
  }
  const mail = page("a@example.com");
  return {
    mail: readMail(mail),
    mailOfB: readMail(page("b@example.com")),
    wanted: wanted.map((_, place) => readMail(page(`w${place}@example.com`))),
    chat: readTitles(messages.flatMap(({ message }) => message.split("\n"))),
    feed: readTitles(
      items.filter(({ id }) => id.endsWith(":2026-07-20")).map(({ title }) => title),
    ),
    counts: [
      /^.* releases? changed\.\n\n(.*)$/m.exec(mail)?.[1] ?? "",
      longest(messages.map(({ title }) => title.replace(/^Site: /, ""))),
    ],
  };
}

function longest(texts: readonly string[]): string {
  return texts.toSorted((a, b) => b.length - a.length)[0] ?? "";
}

const BY_TITLE = new Map(CHANGE_KINDS.map((kind) => [titleKind(kind, 1), kind]));
const BY_NAME = new Map(CHANGE_KINDS.map((kind) => [nameKind(kind), kind]));

/** The releases that stand under the title of each kind. */
function readMail(text: string): Told {
  const told: Told = {};
  for (const [, title, list] of text.matchAll(/^(.+)\n-+\n\n((?:(?!^.+\n-+$)[^])*)/gm)) {
    const kind = BY_TITLE.get(title!);
    if (kind === undefined) continue;
    for (const [, name] of list!.matchAll(/^\* (.*)$/gm)) told[name!] = kind;
  }
  return told;
}

function readTitles(lines: readonly string[]): Told {
  return Object.fromEntries(lines.flatMap((line) => {
    const [, word, name] = /^([A-Z][a-z ]+): (.*?)(?: \(\d+\))?$/.exec(line) ?? [];
    const kind = BY_NAME.get(word ?? "");
    return kind === undefined ? [] : [[name!, kind]];
  }));
}

function countsOf(told: readonly [string, ChangeKind][]): string {
  return CHANGE_KINDS.flatMap((kind) => {
    const count = told.filter(([, one]) => one === kind).length;
    return countKinds({ [kind]: count });
  }).join(", ");
}

testOnDatabases("What became of a release is the same everywhere", async (database) => {
  const wanted: ChangeKind[] = ["slipped", "shipped", "removed", "added"];
  const states = Object.entries(HISTORIES).map(([name, [states]]) => [name, states]);
  const told = await tell(database, Object.fromEntries(states), [wanted]);
  const expected = (kindOf: (history: History) => ChangeKind | null) =>
    Object.entries(HISTORIES).flatMap(([name, history]): [string, ChangeKind][] => {
      const kind = kindOf(history);
      return kind === null ? [] : [[name, kind]];
    }).sort();
  const ofA = expected(([, kind]) => kind);
  assertEquals(sorted(told.mail), ofA);
  assertEquals(
    sorted(told.mailOfB),
    expected(([, kind, ofB = kind]) => ofB),
  );
  assertEquals(
    sorted(told.wanted[0]!),
    expected(([, kind]) => kind && wanted.includes(kind) ? kind : null),
  );
  assertEquals(sorted(told.chat), ofA);
  assertEquals(sorted(told.feed), ofA);
  assertEquals(told.counts, [countsOf(ofA), countsOf(ofA)]);
});

function sorted(told: Told): [string, ChangeKind][] {
  return Object.entries(told).sort();
}

testOnDatabases("What is left out is the lightest, and counted by kind", async (database) => {
  const items = (change: (number: number) => Record<string, unknown> = () => ({})) =>
    Array.from({ length: 150 }, (_, place) => {
      const product_name = `${place < 145 ? "Alpha" : "Zeta"} ${place}`;
      return makeItem(place + 1, { product_name, last_modified: null, ...change(place) });
    });
  await using receiver = startReceiver();
  await using services = await startDigests(database, { SITE_NAME: "Site" });
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "Site" } });
  await importItems(database, items());
  await services.verify("a@example.com", { upcoming: false });
  await webhooks.add(`${receiver.url}/chat`, { kind: "ntfy", cadence: "daily" });
  await importItems(
    database,
    items((place) =>
      place < 147 ? { feature_description: "Other" } : { release_status: "Shipped" }
    ),
  );
  const [mail] = await services.digest();
  assertEquals(mail!.subject, "3 shipped, 147 edited: Feature 148 and others");
  const told = readMail(mail!.text!);
  assertEquals(sorted(told).filter(([, kind]) => kind === "shipped").map(([name]) => name), [
    "Feature 148",
    "Feature 149",
    "Feature 150",
  ]);
  assertEquals(Object.keys(told).length, 50);
  match(mail!.text!, /^3 releases shipped\. 147 releases were edited\.$/m);
  match(mail!.text!, /^and 100 more releases: 100 edited\.$/m);
  const page = await services.app.fetch(linkOf(mail!, "/digest"));
  match(await page.text(), /and 50 more releases: 50 edited\./);
  await webhooks.look("2026-07-21T07:00:00Z");
  const { title, message } = JSON.parse(receiver.received[0]!.body);
  assertEquals(title, "Site: 3 shipped, 147 edited");
  match(message, /^Shipped: Feature 148\n/);
  match(message, /\nand 140 more: 140 edited$/);
});

testOnDatabases("A feed says New of an addition alone", async (database) => {
  await using services = await startDigests(database);
  const titles = async () => {
    services.advance(60);
    const { items } = await services.app.json("/roadmap/feed.json") as {
      items: { title: string; content_html: string }[];
    };
    return items.map(({ title, content_html }) =>
      `${title}${/First seen|Added to/.test(content_html) ? " (first seen)" : ""}`
    ).sort();
  };
  const dated = (last_modified: string, more = {}) =>
    [1, 2].map((number) =>
      makeItem(number, { last_modified, feature_name: `X${number}`, ...number === 1 && more })
    );
  // The first import of a source is no news.
  await importItems(database, dated("2026-07-01"), { asOf: "2026-07-02", announce: false });
  assertEquals(await titles(), ["X1", "X2"]);
  const third = makeItem(3, { feature_name: "X3", last_modified: "2026-07-01" });
  await importItems(database, [...dated("2026-07-01"), third], { asOf: "2026-07-04" });
  assertEquals(await titles(), ["New: X3 (first seen)", "X1", "X2"]);
  const rewritten = { feature_description: "Other" };
  await importItems(database, [...dated("2026-07-05", rewritten), third], { asOf: "2026-07-05" });
  assertEquals(await titles(), ["Edited: X1", "New: X3 (first seen)", "X2"]);
  // Its source touches them.
  const touched = [...dated("2026-07-06", rewritten), { ...third, last_modified: "2026-07-06" }];
  await importItems(database, touched, { asOf: "2026-07-06" });
  assertEquals(await titles(), ["X1", "X2", "X3"]);
});

type Known = Required<NonNullable<State>>;
const TONES: Record<string, string> = {
  "Planned": "planned",
  "Announced": "planned",
  "Considered": "planned",
  "In development": "in progress",
  "Rolling out": "in progress",
  "Shipped": "shipped",
  "Launched": "shipped",
  "Cancelled": "stopped",
};

const state = fc.option(
  fc.record({
    status: fc.constantFrom(...Object.keys(TONES)),
    date: fc.constantFrom(null, "2026-09-01", Q3, Q4, "2027-03-31"),
    type: fc.constantFrom("GA", "Beta"),
    blog: fc.constantFrom(null, "Post"),
    text: fc.constantFrom("A text", "Another text"),
  }),
  { freq: 4 },
);
const kinds = fc.uniqueArray(fc.constantFrom(...CHANGE_KINDS), { minLength: 1 });

slowOnDatabases(
  "Whatever happened to releases, everything says what a plain comparison of states says",
  async (database) => {
    const someStates = fc.array(state, { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        // Many at once: what takes time are imports and mails.
        fc.array(someStates, { minLength: 24, maxLength: 36 }),
        fc.array(kinds, { minLength: 4, maxLength: 4 }),
        async (histories, wanted) => {
          await emptyDatabase(database);
          const named = histories.map((states, place) => [`H${place}`, states] as const);
          const told = await tell(database, Object.fromEntries(named), wanted);
          const by = (precision: "quarter" | "day", kinds?: readonly ChangeKind[]) =>
            named.flatMap(([name, states]): [string, ChangeKind][] => {
              const all = compare(states, precision);
              const isWanted = kinds === undefined || all.some((kind) => kinds.includes(kind));
              return isWanted && all.length > 0 ? [[name, all[0]!]] : [];
            }).sort();
          const ofA = by("quarter");
          assertEquals(sorted(told.mail), ofA);
          assertEquals(sorted(told.mailOfB), by("day"));
          for (const [place, kinds] of wanted.entries()) {
            assertEquals(sorted(told.wanted[place]!), by("quarter", kinds));
          }
          assertEquals(sorted(told.chat), ofA);
          assertEquals(sorted(told.feed), ofA);
          assertEquals(told.counts, [countsOf(ofA), countsOf(ofA)]);
        },
      ),
      { numRuns: runs(5, database) },
    );
  },
);

/** What each import does to a release that has these states, the first of them with the first import. */
function stepsOf(states: readonly State[], precision: "quarter" | "day"): ChangeKind[][] {
  let known: State = null;
  return states.flatMap((state, step) => {
    const before = states[step - 1] ?? null;
    if (state === null) return before === null ? [] : [["removed"]];
    const isBack = before === null && known !== null;
    const found = compare([isBack ? known : before, state], precision);
    known = state;
    if (isBack) return [CHANGE_KINDS.filter((kind) => kind === "restored" || found.includes(kind))];
    return found.length > 0 ? [found] : [];
  });
}

/** Compares the first state with the last one, the heaviest kind first; the steps between do not matter. */
function compare(states: readonly State[], precision: "quarter" | "day"): ChangeKind[] {
  const isDay = precision === "day";
  const [first, last] = [whole(states[0]!), whole(states.at(-1)!)];
  // What a release was when it was removed is what it is until it comes back.
  const known = whole(states.findLast((state) => state !== null) ?? null);
  if (last === null && (first === null || isDay)) return [];
  if (first === null) return ["added"];
  const [before, after] = [first, last ?? known!];
  const found = new Set<ChangeKind>(last === null ? ["removed"] : []);
  const [was, is] = [TONES[before.status!]!, TONES[after.status!]!];
  const isOpen = is === "planned" || is === "in progress";
  if (was !== is) {
    if (is === "shipped") found.add("shipped");
    if (is === "stopped") found.add("cancelled");
    if (is === "in progress") {
      found.add(was === "shipped" ? "taken_back" : "started");
    }
    if (is === "planned") found.add("taken_back");
  } else if (before.status !== after.status) found.add("edited");
  const shown = (date: string) => {
    const quarter = Math.ceil(Number(date.slice(5, 7)) / 3);
    return isDay ? date : `${date.slice(0, 4)} Q${quarter}`;
  };
  if (before.date !== after.date) {
    if (before.date === null) found.add("dated");
    else if (after.date === null) found.add("undated");
    else if (isOpen) {
      const [from, to] = [shown(before.date), shown(after.date)];
      found.add(from === to ? "edited" : to > from ? "slipped" : "earlier");
    } else if (was === is) found.add("edited");
  }
  if (before.type !== after.type || before.text !== after.text) {
    found.add("edited");
  }
  if (!isDay && before.blog !== after.blog) found.add("edited");
  return CHANGE_KINDS.filter((kind) => found.has(kind));
}
