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

/** The states of a release, the first one known before; what becomes of it in both variants. */
interface History {
  states: State[];
  /** Null: nothing. */
  kind: ChangeKind | null;
  /** Where variant B says something else. */
  ofB?: ChangeKind | null;
  source?: string;
}

const Q3 = "2026-09-30";
const Q4 = "2026-12-31";
const SHIPPED = { status: "Shipped" };

const HISTORIES: Record<string, History> = {
  "added": { states: [null, {}], kind: "added" },
  "added and edited": { states: [null, {}, { type: "Beta" }], kind: "added" },
  "added and shipped": { states: [null, {}, SHIPPED], kind: "added" },
  "added and removed": { states: [null, {}, null], kind: null },
  "added, removed, restored": { states: [null, {}, null, {}], kind: "added" },
  "removed": { states: [{}, null], kind: "removed", ofB: null },
  "edited and removed": { states: [{}, { type: "Beta" }, null], kind: "removed", ofB: null },
  "removed and restored": { states: [{}, null, {}], kind: null },
  "removed and restored otherwise": { states: [{}, null, { type: "Beta" }], kind: "edited" },
  "removed and restored later": { states: [{}, null, { date: Q4 }], kind: "slipped" },
  "removed twice": { states: [{}, null, {}, null], kind: "removed", ofB: null },
  "there and back": { states: [{}, { type: "Beta", date: Q4 }, {}], kind: null },
  "a text there and back": { states: [{}, { text: "Other" }, {}], kind: null },
  "a text rewritten twice": { states: [{}, { text: "Other" }, { text: "New" }], kind: "edited" },
  "later, then earlier than ever": {
    states: [{ date: Q3 }, { date: Q4 }, { date: "2026-06-30" }],
    kind: "earlier",
  },
  "slipped twice": { states: [{}, { date: Q4 }, { date: "2027-03-31" }], kind: "slipped" },
  "slipped and back": { states: [{}, { date: Q4 }, { date: Q3 }], kind: null },
  "undated and dated": { states: [{}, { date: null }, { date: Q3 }], kind: null },
  "undated and dated later": { states: [{}, { date: null }, { date: Q4 }], kind: "slipped" },
  "moved within its quarter": {
    states: [{}, { date: Q4 }, { date: "2026-09-01" }],
    kind: "edited",
    ofB: "earlier",
  },
  "shipped and taken back": { states: [{}, SHIPPED, {}], kind: null },
  "shipped and taken back to another": {
    states: [{}, SHIPPED, { status: "In development" }],
    kind: "started",
  },
  "started and planned under another word": {
    states: [{}, { status: "In development" }, { status: "Announced" }],
    kind: "edited",
  },
  "started, then shipped": { states: [{}, { status: "In development" }, SHIPPED], kind: "shipped" },
  "slipped and shipped": { states: [{}, { date: Q4 }, { ...SHIPPED, date: Q4 }], kind: "shipped" },
  "cancelled and revived": { states: [{}, { status: "Cancelled" }, {}], kind: null },
  "announced": { states: [{}, { blog: "Post" }], kind: "edited", ofB: null },
  "of another source, slipped twice": {
    states: [{}, { date: Q4 }, { date: "2027-03-31" }],
    kind: "slipped",
    source: "other",
  },
  "of another source, there and back": {
    states: [{}, { date: Q4 }, {}],
    kind: null,
    source: "other",
  },
  "not touched": { states: [{}], kind: null },
};

const names = Object.keys(HISTORIES);

/** What a source that has a release in such a state sends; its product keeps it from being joined. */
function toItem(name: string, number: number, state: NonNullable<State>) {
  const { status = "Planned", date = Q3, type = "GA", blog = null, text = "A text" } = state;
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
  wanted: Told;
  chat: Told;
  feed: Told;
  /** The counts in words, of the mail and of the chat. */
  counts: [mail: string, chat: string];
}

/**
 * Imports the first state of all releases a month earlier, and the others on one day, then reads
 * what a digest, a weekly chat and a feed say of them.
 */
async function tell(
  database: Database,
  histories: Record<string, { states: State[]; source?: string }>,
  wanted: readonly ChangeKind[],
): Promise<Surfaces> {
  const length = Math.max(...Object.values(histories).map(({ states }) => states.length));
  const importStep = async (step: number, asOf: string) => {
    for (const source of ["default", "other"]) {
      const items = Object.entries(histories).flatMap(([name, history], place) => {
        const state = history.states[Math.min(step, history.states.length - 1)];
        if ((history.source ?? "default") !== source || !state) return [];
        return [toItem(name, place + 1, state)];
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
  await services.verify("w@example.com", { kinds: [...wanted] });
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
  const mail = page("a@example.com");
  return {
    mail: readMail(mail),
    mailOfB: readMail(page("b@example.com")),
    wanted: readMail(page("w@example.com")),
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

function countsOf(told: Told): string {
  return CHANGE_KINDS.flatMap((kind) => {
    const count = Object.values(told).filter((one) => one === kind).length;
    return countKinds({ [kind]: count });
  }).join(", ");
}

testOnDatabases("What became of a release is the same everywhere", async (database) => {
  const wanted: ChangeKind[] = ["slipped", "shipped", "removed", "added"];
  const { mail, mailOfB, wanted: narrowed, chat, feed, counts } = await tell(
    database,
    HISTORIES,
    wanted,
  );
  const expected = (kindOf: (history: History) => ChangeKind | null) =>
    Object.fromEntries(names.flatMap((name) => {
      const kind = kindOf(HISTORIES[name]!);
      return kind === null ? [] : [[name, kind]];
    }));
  const ofA = expected(({ kind }) => kind);
  assertEquals(sorted(mail), sorted(ofA));
  assertEquals(
    sorted(mailOfB),
    sorted(expected(({ kind, ofB }) => ofB === undefined ? kind : ofB)),
  );
  assertEquals(
    sorted(narrowed),
    sorted(expected(({ kind }) => kind && wanted.includes(kind) ? kind : null)),
  );
  assertEquals(sorted(chat), sorted(ofA));
  assertEquals(sorted(feed), sorted(ofA));
  assertEquals(counts, [countsOf(ofA), countsOf(ofA)]);
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

const state = fc.option(
  fc.record({
    status: fc.constantFrom("Planned", "Announced", "In development", "Shipped", "Cancelled"),
    date: fc.constantFrom(null, "2026-09-01", Q3, Q4, "2027-03-31"),
    type: fc.constantFrom("GA", "Beta"),
    blog: fc.constantFrom(null, "Post"),
    text: fc.constantFrom("A text", "Another text"),
  }),
  { freq: 4 },
);

slowOnDatabases(
  "Whatever happened to releases, everything says what a plain comparison of states says",
  async (database) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(state, { minLength: 2, maxLength: 6 }), { minLength: 3, maxLength: 9 }),
        fc.uniqueArray(fc.constantFrom(...CHANGE_KINDS), { minLength: 1 }),
        async (histories, wanted) => {
          await emptyDatabase(database);
          const named = Object.fromEntries(
            histories.map((
              states,
              place,
            ) => [`H${place}`, { states, source: place % 3 === 0 ? "other" : "default" }]),
          );
          const told = await tell(database, named, wanted);
          const by = (precision: "quarter" | "day", kinds?: readonly ChangeKind[]) =>
            Object.fromEntries(
              Object.entries(named).flatMap(([name, { states }]) => {
                const all = compare(states, precision);
                const isWanted = kinds === undefined || all.some((kind) => kinds.includes(kind));
                return isWanted && all.length > 0 ? [[name, all[0]!]] : [];
              }),
            );
          const ofA = by("quarter");
          assertEquals(sorted(told.mail), sorted(ofA));
          assertEquals(sorted(told.mailOfB), sorted(by("day")));
          assertEquals(sorted(told.wanted), sorted(by("quarter", wanted)));
          assertEquals(sorted(told.chat), sorted(ofA));
          assertEquals(sorted(told.feed), sorted(ofA));
          assertEquals(told.counts, [countsOf(ofA), countsOf(ofA)]);
        },
      ),
      { numRuns: runs(20, database) },
    );
  },
);

type Known = Required<NonNullable<State>>;
const TONES: Record<string, string> = {
  "Planned": "planned",
  "Announced": "planned",
  "In development": "in progress",
  "Shipped": "shipped",
  "Cancelled": "stopped",
};

/** Compares the first state with the last one, the heaviest kind first; the steps between do not matter. */
function compare(states: readonly State[], precision: "quarter" | "day"): ChangeKind[] {
  const isDay = precision === "day";
  const first = states[0] as Known | null;
  const last = states.at(-1) as Known | null;
  // What a release was when it was removed is what it is until it comes back.
  const known = states.findLast((state) => state !== null) as Known | undefined;
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
