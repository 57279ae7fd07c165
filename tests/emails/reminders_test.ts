import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { queueDueDigests } from "../../lib/delivery/digests/digest_schedule.ts";
import { queueReminders } from "../../lib/delivery/reminders/reminders_sql.ts";
import { importItems, makeItem, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, NOW, startDigests } from "../support/subjects/digests.ts";
import { linkOf, type ReceivedMail } from "../support/servers/mail_server.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ANN = "ann@example.com";
const DAY = 24 * 3600;
const id = (number: number) => makeItem(number).release_item_id as string;

/** A service with a settable clock that sends reminders on demand or on schedule. */
async function startReminding(database: Database, settings: Record<string, string> = {}) {
  const services = await startDigests(database, settings);
  let now = NOW.getTime();
  const times = readConfig({}).digestTimes!;
  const clock = () => new Date(now);
  const sent = async () => (await services.send()).map(describe);
  const setTime = (moment: string) => {
    const to = Date.parse(moment);
    services.advance((to - now) / 1000);
    now = to;
  };
  return {
    services,
    setTime,
    /** What a server does every few seconds. */
    async look(moment: string) {
      setTime(moment);
      await queueDueDigests({ database, times, clock });
      return await sent();
    },
    /** Sends reminders at noon on a day. */
    async remind(day: string) {
      setTime(`${day}T12:00:00Z`);
      await queueReminders(database, {
        now: clock(),
        times: readConfig({}).digestTimes!,
        isByHand: true,
      });
      return await sent();
    },
    sent,
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

function describe({ envelopeTo, subject }: ReceivedMail): string {
  return `${envelopeTo[0]!.split("@")[0]}: ${subject}`;
}

const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY * 1000).toISOString().slice(0, 10);

/** The watched release, planned for a day. */
const planned = (release_date: string, fields: Record<string, unknown> = {}) =>
  makeItem(1, { feature_name: "Copilot in Excel", release_date, ...fields });

slowOnDatabases(
  "Reminders of a watched release are sent 30, 7 and 1 day before, at the digest time",
  async (database) => {
    await using reminding = await startReminding(database, { ROADMAP_VARIANT: "both" });
    const { services } = reminding;
    const items = [planned("2026-08-29"), makeItem(2, { release_date: "2026-08-29" })];
    await services.import(items);
    await services.verify(ANN, { releases: [id(1)] }, "/roadmap/b");
    await services.verify("all@example.com");
    await services.verify("not@example.com", { releases: [id(1)], reminders: false });
    const told: string[] = [];
    for (let day = TODAY; day <= "2026-09-05"; day = addDays(day, 1)) {
      for (const time of ["06:59", "07:00", "07:00", "19:00"]) {
        const mails = await reminding.look(`${day}T${time}:00Z`);
        told.push(...mails.map((mail) => `${day} ${time} ${mail}`));
      }
    }
    assertEquals(told, [
      "2026-07-30 07:00 ann: Copilot in Excel is planned for 29 August, in 30 days",
      "2026-08-22 07:00 ann: Copilot in Excel is planned for 29 August, in 7 days",
      "2026-08-28 07:00 ann: Copilot in Excel is planned for tomorrow, 29 August",
    ]);
  },
);

testOnDatabases("A reminder has the usual headers and unsubscribe links", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  await services.import([planned("2026-07-27")]);
  await services.verify(ANN, { releases: [id(1)] });
  await reminding.remind(TODAY);
  const [mail] = services.mail.received;
  const site = "https://example.com/roadmap";
  assertEquals(mail!.subject, "Copilot in Excel is planned for 27 July, in 7 days");
  match(mail!.text!, /^In 7 days\n-+\n\n- Copilot in Excel\n {2}Product · Planned · Q3 2026\n/m);
  assert(mail!.text!.includes(`${site}/release/${id(1)}`));
  match(mail!.text!, /because you watch this release on Roadcast\./);
  match(mail!.html as string, /<h1[^>]*>Copilot in Excel is planned for 27 July, in 7 days</);
  const head = mail!.raw.replace(/\r\n[ \t]+/g, " ");
  match(head, /^List-Unsubscribe: <https:\/\/example\.com\/roadmap\/unsubscribe\?token=/m);
  match(head, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
  match(head, /^List-ID: <changes\.roadmap\.example\.com>/m);
  assertEquals((await services.app.fetch(linkOf(mail!, "/preferences"))).status, 200);
  const token = new URL(linkOf(mail!, "/preferences")).searchParams.get("token")!;
  const exported = await services.app.fetch("/roadmap/preferences", {
    method: "POST",
    body: new URLSearchParams({ token, action: "export" }),
  });
  const stored = await exported.json();
  assertEquals([stored.reminders, stored.upcoming], [true, true]);
  assertEquals(stored.reminders_sent, [{
    release_item_id: id(1),
    planned_on: "2026-07-27",
    days_before: 7,
  }]);
});

testOnDatabases("A quarter counts as its last day", async (database) => {
  await using reminding = await startReminding(database);
  await reminding.services.import([planned("Q3 2026")]);
  await reminding.services.verify(ANN, { releases: [id(1)] });
  assertEquals(await reminding.remind("2026-09-23"), [
    "ann: Copilot in Excel is planned for Q3 2026, which ends in 7 days",
  ]);
  assertEquals(await reminding.remind("2026-09-29"), [
    "ann: Copilot in Excel is planned for Q3 2026, which ends tomorrow",
  ]);
});

testOnDatabases("A moved date restarts its reminders, and none is sent twice", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  await services.import([planned("2026-07-27")]);
  await services.verify(ANN, { releases: [id(1)], kinds: ["shipped"] });
  const seven = "ann: Copilot in Excel is planned for 27 July, in 7 days";
  assertEquals(await reminding.remind(TODAY), [seven]);
  await services.import([planned("2026-08-19")]);
  assertEquals(await reminding.remind(TODAY), [
    "ann: Copilot in Excel is planned for 19 August, in 30 days",
  ]);
  await services.import([planned("2026-07-27")]); // back again
  assertEquals(await reminding.remind(TODAY), []);
  assertEquals(await reminding.remind("2026-07-26"), [
    "ann: Copilot in Excel is planned for tomorrow, 27 July",
  ]);
});

testOnDatabases("Finished releases and inactive subscribers get no reminders", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  const items = [
    makeItem(1, { release_date: "2026-07-27", release_status: "Shipped" }),
    makeItem(2, { release_date: "2026-07-27", release_status: "Cancelled" }),
    makeItem(3, { release_date: "2026-07-27" }),
    makeItem(4, { release_date: "2026-07-19" }),
    makeItem(5, { release_date: null }),
    makeItem(6, { release_date: "2026-07-27" }),
  ];
  await services.import(items);
  const releases = [1, 2, 3, 4, 5].map(id);
  for (const name of ["ann", "gone", "paused"]) {
    await services.verify(`${name}@example.com`, { releases });
  }
  await services.subscribe("unverified@example.com", { releases: [id(6)] });
  await services.import(items.filter((_, place) => place !== 2)); // the third one is removed
  await services.digest();
  await database.query(sql`
    update subscriptions set state = 'unsubscribed', unsubscribed_at = now()
    where email = 'gone@example.com'
  `);
  assertEquals(await reminding.remind(TODAY), []);
  await services.import(items);
  await services.digest();
  await database.query(sql`
    update subscriptions set paused_until = '2026-07-22' where email = 'paused@example.com'
  `);
  assertEquals(await reminding.remind(TODAY), ["ann: Feature 3 is planned for 27 July, in 7 days"]);
  assertEquals(await reminding.remind("2026-07-26"), [
    "ann: Feature 3 is planned for tomorrow, 27 July",
    "paused: Feature 3 is planned for tomorrow, 27 July",
  ]);
});

testOnDatabases("Outdated reminders are dropped before they are sent", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  const due = (
    status: string,
  ) => [
    makeItem(1, { release_date: "2026-07-27", release_status: status }),
    makeItem(2, { release_date: "2026-07-27" }),
  ];
  await services.import(due("Planned"));
  await services.verify("both@example.com", { releases: [id(1), id(2)], kinds: ["removed"] });
  await services.verify("one@example.com", { releases: [id(1)], kinds: ["removed"] });
  await services.verify("left@example.com", { releases: [id(2)], kinds: ["removed"] });
  const leave = linkOf(services.newestTo("left@example.com"), "/unsubscribe");
  await queueReminders(database, { now: NOW, times: readConfig({}).digestTimes!, isByHand: true });
  await services.import(due("Shipped"));
  await services.app.fetch(leave, { method: "POST" });
  assertEquals(await reminding.sent(), ["both: Feature 2 is planned for 27 July, in 7 days"]);
  const rows = await database.query<{ status: string }>(sql`
    select status from outbox where kind = 'reminder' order by status
  `);
  assertEquals(rows.map(({ status }) => status), ["sent", "superseded"]);
});

testOnDatabases("A day's reminders are one email per subscriber", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  const items = Array.from(
    { length: 100 },
    (_, place) => makeItem(place + 1, { release_date: place < 2 ? "2026-07-21" : "2026-07-27" }),
  );
  await services.import(items);
  await services.verify(ANN, { releases: items.map((_, place) => id(place + 1)) });
  await services.verify("two@example.com", { releases: [id(1), id(3)] });
  assertEquals(await reminding.remind(TODAY), [
    "ann: 100 releases you watch are coming up: Feature 1 tomorrow and 99 others",
    "two: 2 releases you watch are coming up: Feature 1 tomorrow and 1 other",
  ]);
  const { text, raw } = services.newestTo(ANN);
  assertEquals(text!.match(/^- /gm)!.length, 50);
  match(text!, /^Tomorrow\n-+\n\n- Feature 1\n.*- Feature 2\n.*^In 7 days\n/ms);
  match(text!, /^and 50 more you watch:\nhttps:\/\/example\.com\/roadmap\/preferences\?token=/m);
  assert(raw.length < 90_000, `${raw.length}`);
  assertEquals(listedIn(services.newestTo(ANN)), []); // no digest
});

testOnDatabases("Long names and a long list stay under 90 KB", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  const items = Array.from(
    { length: 60 },
    (_, place) =>
      makeItem(place + 1, { feature_name: "🗓️".repeat(90) + place, release_date: "2026-07-27" }),
  );
  await services.import(items);
  await services.verify(ANN, { releases: items.map((_, place) => id(place + 1)) });
  assertEquals((await reminding.remind(TODAY)).length, 1);
  const { raw } = services.newestTo(ANN);
  assert(new TextEncoder().encode(raw).length < 90_000, `${raw.length}`);
  match(services.newestTo(ANN).text!, /^and \d+ more you watch:$/m);
});

testOnDatabases("Named dates remind as well, in the email of the day", async (database) => {
  await using reminding = await startReminding(database, { ROADMAP_VARIANT: "both" });
  const { services } = reminding;
  const dates = { Preview: "2026-07-27", "End of support": "2026-09-30", Old: "2026-07-01" };
  const shipped = { dates: { Retirement: "2026-08-20" }, release_status: "Shipped" };
  await services.import([
    planned("2026-08-19", { dates }),
    makeItem(2, { release_date: "2026-07-01", ...shipped }),
    makeItem(3, { release_date: null, ...shipped, release_status: "Cancelled" }),
  ]);
  await services.verify(ANN, { releases: [id(1), id(3)] }, "/roadmap/b");
  await services.verify("bob@example.com", { releases: [id(1), id(2)], kinds: ["removed"] });
  assertEquals(await reminding.remind(TODAY), [
    "ann: Preview of Copilot in Excel is on 27 July, in 7 days",
    "bob: Preview of Copilot in Excel is on 27 July, in 7 days",
  ]);
  match(
    services.newestTo(ANN).text!,
    /^In 7 days\n-+\n\n- Copilot in Excel\n {2}Product · Planned · Preview 27 Jul 2026\n.*^In 30 days\n-+\n\n- Copilot in Excel\n {2}Product · Planned · 19 Aug 2026\n/ms,
  );
  assertEquals(await reminding.remind(TODAY), []);
  assertEquals(await reminding.remind("2026-07-21"), [
    "bob: Retirement of Feature 2 is on 20 August, in 30 days",
  ]);
  assertEquals(await reminding.remind("2026-07-26"), [
    "ann: Preview of Copilot in Excel is tomorrow, 27 July",
    "bob: Preview of Copilot in Excel is tomorrow, 27 July",
  ]);
  // The preview moves to the day of the release: both are reminded of together.
  await services.import([planned("2026-08-19", { dates: { Preview: "2026-08-19" } })]);
  assertEquals(await reminding.remind("2026-08-12"), [
    "ann: Copilot in Excel is planned for 19 August, in 7 days",
    "bob: Copilot in Excel is planned for 19 August, in 7 days",
  ]);
  match(services.newestTo(ANN).text!, /· 19 Aug 2026\n.*· Preview 19 Aug 2026\n/s);
});

testOnDatabases("Who chose a named date is reminded of that one only", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  const dates = { Preview: "2026-08-19", Beta: "2026-07-27" };
  await services.import([planned("2026-07-27", { dates }), makeItem(2, { dates: {} })]);
  await services.verify(ANN, { releases: [id(1), id(2)], date_name: "preview" });
  assertEquals(await reminding.remind(TODAY), [
    "ann: Preview of Copilot in Excel is on 19 August, in 30 days",
  ]);
});

slowOnDatabases("What fell before named dates were read reminds nobody", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  await services.import([planned("2026-12-31"), makeItem(2, { release_date: "2026-08-29" })]);
  await services.verify(ANN, { releases: [id(1), id(2)] });
  await reminding.look(`${TODAY}T07:10:00Z`);
  // As an earlier version leaves it; from here no server runs until after the upgrade.
  await database.query(sql`update import_runs set reads_dates = false`);
  const dates = { Preview: "2026-08-29", "End of support": "2026-09-05" };
  await importItems(database, [
    planned("2026-12-31", { dates }),
    makeItem(2, { release_date: "2026-08-29" }),
  ], { asOf: "2026-08-05" });
  assertEquals(await reminding.look("2026-08-05T07:10:00Z"), [
    "ann: Feature 2 is planned for 29 August, in 24 days",
  ]);
  assertEquals(await reminding.look("2026-08-06T07:10:00Z"), [
    "ann: End of support of Copilot in Excel is on 5 September, in 30 days",
  ]);
});

slowOnDatabases("After downtime only the latest missed reminder is sent", async (database) => {
  await using reminding = await startReminding(database);
  const { services } = reminding;
  await services.import([
    planned("2026-08-29"),
    makeItem(2, { release_date: "2026-08-22" }),
    makeItem(3, { release_date: "2026-08-15" }),
    makeItem(4, { release_date: "2026-08-12" }),
  ]);
  for (const number of [1, 2, 3, 4]) {
    await services.verify(`w${number}@example.com`, { releases: [id(number)] });
  }
  assertEquals(await reminding.look(`${TODAY}T07:10:00Z`), []); // the first start
  // No server runs from here: the 30-day reminders are missed, for two also the 7-day ones.
  const told = [];
  for (let day = "2026-07-21"; day <= "2026-07-22"; day = addDays(day, 1)) {
    told.push(...await reminding.look(`${day}T07:10:00Z`));
  }
  assertEquals(told, []);
  assertEquals(await reminding.look("2026-08-09T03:00:00Z"), [
    "w1: Copilot in Excel is planned for 29 August, in 20 days",
    "w2: Feature 2 is planned for 22 August, in 13 days",
    "w3: Feature 3 is planned for 15 August, in 6 days",
    "w4: Feature 4 is planned for 12 August, in 3 days",
  ]);
  assertEquals(await reminding.look("2026-08-09T07:10:00Z"), []);
});
