import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { makeItem } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { listedIn, readStatuses, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { subscribe } from "../support/subjects/subscribing.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const ANN = "ann@example.com";
const ID = "00000000-0000-4000-8000-00000000000";

type Services = Awaited<ReturnType<typeof startDigests>>;
type Field = [name: string, value: string];

/** Items of two products, types and statuses; each revision moves 1 and 5, and edits the others. */
function makeItems(revision: number) {
  return [1, 2, 3, 4, 5].map((number) =>
    makeItem(number, {
      product_name: number < 4 ? "Maps" : "Mail",
      release_type: number % 2 === 0 ? "Preview" : "General availability",
      release_status: number % 3 === 0 ? "Shipped" : "Planned",
      release_date: [1, 5].includes(number)
        ? new Date(Date.UTC(2027, 3 * revision)).toISOString().slice(0, 10)
        : null,
      feature_description: [1, 5].includes(number) ? "" : `Revision ${revision}`,
    })
  );
}

/** Verifies an address and returns a function that opens its preferences. */
async function verify(services: Services, asked: Record<string, unknown> = {}, email = ANN) {
  await services.verify(email, asked);
  const link = linkOf(services.newestTo(email), "/preferences");
  return async (asked = "") => await (await services.app.fetch(link + asked)).text();
}

/** The fields that a browser submits for the form of a page. */
function fieldsOf(page: string): Field[] {
  const [form] = /<form class="subscribe-form card".*?<\/form>/s.exec(page)!;
  return [...form.matchAll(/<input([^>]*)>/g)].filter(([, input]) =>
    !/type="(radio|checkbox)"/.test(input!) || / checked/.test(input!)
  ).map(([, input]) => {
    const read = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input!)?.[1] ?? "";
    return [read("name"), read("value")];
  });
}

async function save({ app }: Services, fields: readonly Field[]) {
  const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
  const response = await app.fetch("/roadmap/preferences", { method: "POST", body });
  return { status: response.status, page: await response.text() };
}

/** The numbers of the releases in the next digest, after all of them have changed. */
async function readTold(services: Services, revision: number): Promise<string> {
  await services.import(makeItems(revision));
  const mails = await services.digest();
  assert(mails.length < 2);
  return mails.flatMap(listedIn).map((name) => name.replace("Feature ", "")).sort().join("");
}

async function readScope(database: Database): Promise<string> {
  const [row] = await database.query<{ scope: string }>(sql`select scope from subscriptions`);
  return row!.scope;
}

slowOnDatabases("Removing the last watched release stops all emails", async (database) => {
  await using services = await startDigests(database);
  await services.import(makeItems(1));
  const open = await verify(services, { releases: [`${ID}1`], cadence: "immediate" });
  const before = fieldsOf(await open());
  await services.import(makeItems(2));
  const after = await save(services, before.filter(([name]) => name !== "releases"));
  assertEquals(after.status, 200);
  match(after.page, /You’re not watching any releases, so we won’t email you\./);
  match(after.page, new RegExp(`name="releases" value="${ID}1"/>`), "offered, and not ticked");
  assertEquals(await readStatuses(database), ["superseded"], "not even what was queued before");
  assertEquals(await readTold(services, 3), "");
  match(await open(), /not watching any releases/);
  // A form without the scope field, as on a page opened earlier, does not widen the scope.
  const token = before.find(([name]) => name === "token")!;
  await save(services, [token, ["cadence", "immediate"]]);
  assertEquals([await readScope(database), await readTold(services, 4)], ["watched", ""]);
  await save(services, before);
  assertEquals(await readTold(services, 5), "1");
});

testOnDatabases("Clearing a list is refused with a prompt to choose", async (database) => {
  await using services = await startDigests(database);
  await services.import(makeItems(1));
  const open = await verify(services, {
    products: ["Maps"],
    statuses: ["Planned"],
    releases: [`${ID}5`],
  });
  const before = fieldsOf(await open());
  const without = (...names: string[]) => before.filter(([name]) => !names.includes(name));
  for (
    const [fields, reason] of [
      [without("products"), /id="products-mistake">Choose at least one, or “All products”\./],
      [without("products", "scope"), /Choose at least one, or “All products”\./],
      [without("statuses"), /id="statuses-mistake">Choose at least one, or “All statuses”\./],
      [[...without("scope"), ["scope", "some"]], /must be one of the options shown\./],
    ] as [Field[], RegExp][]
  ) {
    const refused = await save(services, fields);
    assertEquals(refused.status, 400);
    match(refused.page, reason);
  }
  assertEquals(fieldsOf(await open()), before);
  assertEquals(await readTold(services, 2), "125");
  const wider = await save(services, [...without("products"), ["every", "products"]]);
  match(wider.page, /changes to releases with status Planned, and to the release you watch\./);
  assertEquals(await readTold(services, 3), "1245");
});

testOnDatabases("A request gets the scope that its fields imply", async (database) => {
  await using services = await startDigests(database);
  await services.import(makeItems(1));
  const releases = [`${ID}4`];
  let revision = 1;
  for (
    const [asked, scope, told] of [
      [{}, "all", "12345"],
      [{ products: [], releases: [] }, "all", "12345"],
      [{ release_type: "Preview" }, "chosen", "24"],
      [{ releases }, "watched", "4"],
      [{ releases, statuses: ["Shipped"] }, "chosen", "34"],
      [{ kinds: [] }, "all", "12345"],
      [{ kinds: "slipped" }, "chosen", "15"],
      [{ kind: ["slipped", "shipped"], kinds: ["slipped"] }, "chosen", "15"],
      [{ kind: "edited", products: ["Maps"] }, "chosen", "23"],
      [{ kind: "edited", releases }, "watched", "4"],
      [{ kind: "shipped", releases }, "watched", ""],
    ] as const
  ) {
    await database.query(sql`delete from subscriptions`);
    await services.verify(ANN, asked);
    assertEquals([await readScope(database), await readTold(services, ++revision)], [scope, told]);
  }
});

testOnDatabases("A digest has changes of the chosen kinds only", async (database) => {
  await using services = await startDigests(database);
  await services.import(makeItems(1));
  const open = await verify(services, { kind: ["slipped", "shipped"] });
  const page = await open();
  match(page, /changes to all releases \(only Shipped and Slipped\)\./);
  const fields = fieldsOf(page);
  const slipped = fields.filter(([, value]) => value !== "shipped");
  match((await save(services, slipped)).page, /\(only Slipped\)/);
  assertEquals(await readTold(services, 2), "15");
  const none = await save(services, slipped.filter(([name]) => name !== "kinds"));
  assertEquals(none.status, 400);
  match(none.page, /Choose at least one, or “All changes”\./);
  assertEquals(await readTold(services, 3), "15");
  const all = await save(services, [...slipped, ["every", "kinds"]]);
  match(all.page, /Every Monday at 07:00 UTC, if anything changed\./);
  assertEquals(await readTold(services, 4), "12345");
  for (const wrong of [{ kind: "moved" }, { kinds: ["shipped", "Slipped"] }, { kinds: [1] }]) {
    const refused = await subscribe(services.app, { email: ANN, ...wrong }, {}, "/roadmap");
    assertEquals(refused.status, 400);
    match((await refused.json()).detail, /must be one of shipped, cancelled, .*, edited/);
  }
});

testOnDatabases("Watching a release does not narrow a subscription to all", async (database) => {
  await using services = await startDigests(database);
  await services.import(makeItems(1));
  const open = await verify(services);
  await subscribe(services.app, { email: ANN, releases: [`${ID}2`] }, {}, "/roadmap");
  await services.app.sendMails();
  const page = await open("&amp;asked=1"); // as some mail programs write it
  match(page, /These are the requested changes/);
  const fields = fieldsOf(page);
  assert(fields.some(([name, value]) => name === "releases" && value === `${ID}2`));
  await save(services, fields);
  assertEquals(await readTold(services, 2), "12345");
});

testOnDatabases("The subscribe form applies only the fields of its scope", async (database) => {
  await using services = await startDigests(database);
  await services.import(makeItems(1));
  const send = async (...fields: Field[]) => {
    const body = new URLSearchParams([["email", ANN], ...fields]);
    const response = await services.app.fetch("/roadmap/subscribe", { method: "POST", body });
    return { status: response.status, page: await response.text() };
  };
  // The page of an earlier version said beside its lists which of them count.
  const all = await send(["scope", "all"], ["products", "Maps"], ["every", "types"]);
  assertEquals(all.status, 202);
  assert(!all.page.includes("ignored"));
  assertEquals(await readScope(database), "all");
  assertEquals((await send(["products", "Maps"])).status, 202);
  assertEquals(await readScope(database), "chosen");
  assertEquals((await send()).status, 202);
  assertEquals(await readScope(database), "all");
});

/** Initial preferences, and which of the remaining fields to remove at each step. */
const begin = fc.record({
  products: fc.subarray(["Maps", "Mail"]),
  types: fc.subarray(["Preview", "General availability"]),
  statuses: fc.subarray(["Planned", "Shipped"]),
  kinds: fc.subarray(["slipped", "edited", "shipped"]),
  releases: fc.subarray([`${ID}1`, `${ID}4`, `${ID}5`]),
});
const people = fc.array(
  fc.record({ begin, takes: fc.array(fc.nat(30), { minLength: 2, maxLength: 7 }) }),
  { minLength: 6, maxLength: 6 },
);

slowOnDatabases("Removing preferences never adds releases to the digests", async (database) => {
  await fc.assert(
    fc.asyncProperty(people, async (people) => {
      await emptyDatabase(database);
      await using services = await startDigests(database);
      await services.import(makeItems(0));
      const opened = [];
      for (const [place, { begin, takes }] of people.entries()) {
        const email = `p${place}@example.com`;
        opened.push({ email, takes, open: await verify(services, begin, email), told: "" });
      }
      for (let revision = 1; revision <= 8; revision++) {
        const statuses = new Map<string, number>();
        for (const { email, takes, open } of opened) {
          const take = takes[revision - 2];
          if (take === undefined) continue;
          const { status } = await save(services, takeAway(fieldsOf(await open()), take));
          assert(status === 200 || status === 400);
          statuses.set(email, status);
        }
        await services.import(makeItems(revision));
        const mails = Map.groupBy(await services.digest(), ({ envelopeTo }) => envelopeTo[0]);
        for (const one of opened) {
          const [mail, ...others] = mails.get(one.email) ?? [];
          assertEquals(others, []);
          const now = mail
            ? listedIn(mail).map((name) => name.replace("Feature ", "")).sort().join("")
            : "";
          const isNarrower = [...now].every((number) => one.told.includes(number));
          assert(revision === 1 || isNarrower, `${one.told} became ${now}`);
          if (revision > 1 && statuses.get(one.email) !== 200) assertEquals(now, one.told);
          one.told = now;
        }
      }
    }),
    { numRuns: runs(4, database) },
  );
});

/** Unchecks a box or narrows the scope. */
function takeAway(fields: Field[], take: number): Field[] {
  const boxes = fields.filter(([name]) => !["token", "cadence", "paused_until"].includes(name));
  const taken = boxes[take % boxes.length]!;
  return taken[0] === "scope"
    ? fields.map((field) => field === taken ? ["scope", "watched"] : field)
    : fields.filter((field) => field !== taken);
}
