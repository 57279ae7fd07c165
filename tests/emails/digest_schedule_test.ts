import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Cadence } from "../../lib/text/cadence.ts";
import type { Database } from "../../lib/database/database.ts";
import { queueDueDigests, type ScheduleParts } from "../../lib/delivery/digests/digest_schedule.ts";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { queueImmediate } from "../../lib/delivery/digests/queue_digests.ts";
import { notifyWebhooks } from "../../lib/delivery/webhooks/queue_webhooks.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, NOW, readStatuses, startDigests } from "../support/subjects/digests.ts";
import { verifyAll } from "../support/subjects/clock.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** A Monday, before the digests are due. */
const MONDAY = Date.parse("2026-07-20T00:00:00Z");

/**
 * A schedule with a settable clock; `look` does what a server does every few seconds, when what it
 * queued before has been sent.
 */
function startSchedule(database: Database, settings: Record<string, string> = {}) {
  let now = MONDAY;
  const parts: ScheduleParts = {
    database,
    times: readConfig(settings).digestTimes!,
    clock: () => new Date(now),
  };
  return {
    parts,
    async look(moment: number) {
      now = moment;
      await database.query(sql`
        update subscriptions set last_notified_change = changes_up_to
        from outbox
        where outbox.subscription_id = subscriptions.subscription_id and status = 'waiting'
      `);
      await database.query(sql`update outbox set status = 'sent' where status = 'waiting'`);
      await queueDueDigests(parts);
    },
  };
}

/** Adds verified subscribers without sending emails. */
async function addSubscribers(database: Database, cadences: Record<string, Cadence>) {
  for (const [email, cadence] of Object.entries(cadences)) {
    await database.query(sql`
      insert into subscriptions (email, variant, requested_at, cadence)
      values (${email}, 'A', now(), ${cadence})
    `);
    await verifyAll(database, email);
  }
}

/** The digests queued for an address with the last change that they owe, oldest first. */
async function readQueued(database: Database, email: string) {
  const rows = await database.query<{ at: number; upTo: number }>(sql`
    select (extract(epoch from created_at) * 1000)::float8 as at, changes_up_to::int as "upTo"
    from outbox join subscriptions using (subscription_id)
    where email = ${email} and kind = 'digest'
    order by changes_up_to
  `);
  return [...rows];
}

async function readAt(database: Database, email: string): Promise<string[]> {
  return (await readQueued(database, email)).map(({ at }) => new Date(at).toISOString());
}

slowOnDatabases("60 weeks, one digest each, without drift, repeats or gaps", async (database) => {
  if (database.kind === "embedded") await database.script("set time zone 'America/New_York'");
  await addSubscribers(database, { "w@example.com": "weekly", "d@example.com": "daily" });
  const { look } = startSchedule(database);
  // On the embedded database beside PostgreSQL 12 weeks, in which New York changes its clocks.
  const [first, weeks] = [MONDAY + 10 * WEEK, runs(60, database)];
  await look(first); // the first start sends nothing yet
  for (let week = 0; week < weeks; week++) {
    const start = first + week * WEEK;
    await look(start + 7 * HOUR - 1); // a moment too early
    await look(start + 7 * HOUR + 14_000);
    await look(start + 9 * HOUR);
    await importItems(database, [makeItem(1, { feature_name: `Name ${week}` })]);
    await look(start + DAY + 7 * HOUR);
    await look(start + 4 * DAY);
  }
  await look(first + weeks * WEEK + 7 * HOUR);

  const offsets = { "w@example.com": WEEK + 7 * HOUR, "d@example.com": DAY + 7 * HOUR };
  for (const [email, offset] of Object.entries(offsets)) {
    const mails = await readQueued(database, email);
    assertEquals(mails.map(({ upTo }) => upTo), Array.from({ length: weeks }, (_, n) => n + 1));
    mails.forEach(({ at }, week) => {
      const slot = first + week * WEEK + offset;
      assert(at >= slot && at < slot + 60_000, `week ${week} was told ${new Date(at)}`);
    });
  }
});

testOnDatabases("Digests go out by the clock of DIGEST_ZONE", async (database) => {
  await addSubscribers(database, { "w@example.com": "weekly", "d@example.com": "daily" });
  const { look } = startSchedule(database, {
    DIGEST_ZONE: "America/New_York",
    DIGEST_TIME: "18:30",
    DIGEST_WEEKDAY: "friday",
  });
  await look(MONDAY);
  const moments = ["2026-07-24T22:30:00.000Z", "2026-11-06T23:30:00.000Z"]; // summer, winter
  for (const [place, moment] of moments.entries()) {
    await look(Date.parse(moment) - 30 * 60_000);
    await importItems(database, [makeItem(1, { feature_name: `Name ${place}` })]);
    await look(Date.parse(moment) - 1);
    await look(Date.parse(moment));
  }
  for (const email of ["w@example.com", "d@example.com"]) {
    assertEquals(await readAt(database, email), moments);
  }
});

testOnDatabases("After downtime digests catch up once", async (database) => {
  await addSubscribers(database, { "w@example.com": "weekly", "d@example.com": "daily" });
  const { look } = startSchedule(database);
  await look(MONDAY);
  await importItems(database, [makeItem(1)]);
  const back = MONDAY + 5 * WEEK + 3 * DAY;
  await look(back);
  await look(back + 1000);
  for (const email of ["w@example.com", "d@example.com"]) {
    assertEquals(await readAt(database, email), [new Date(back).toISOString()]);
  }
  // From then on the usual schedule applies.
  await importItems(database, [makeItem(2)], { allowMassRemoval: true });
  await look(MONDAY + 6 * WEEK + 7 * HOUR);
  assertEquals((await readAt(database, "w@example.com")).length, 2);
});

testOnDatabases("Clock jumps neither repeat nor skip changes", async (database) => {
  await addSubscribers(database, { "w@example.com": "weekly", "d@example.com": "daily" });
  const { look } = startSchedule(database);
  const at = MONDAY + 7 * HOUR;
  await look(MONDAY);
  await importItems(database, [makeItem(1)]);
  await look(at);
  await look(at - HOUR); // set back to before the digest time
  await look(at + 1000);
  const once = await readAt(database, "d@example.com");
  assertEquals(once, [new Date(at).toISOString()]);

  // A year ahead and back: the next digests stay on schedule.
  await importItems(database, [makeItem(1), makeItem(2)]);
  await look(at + 52 * WEEK);
  assertEquals((await readAt(database, "w@example.com")).length, 2);
  await look(at + HOUR);
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await look(at + 2 * HOUR);
  assertEquals((await readAt(database, "w@example.com")).length, 2);
  await look(at + WEEK);
  assertEquals((await readAt(database, "w@example.com")).length, 3);
  for (const email of ["w@example.com", "d@example.com"]) {
    const mails = await readQueued(database, email);
    assertEquals(mails.map(({ upTo }) => upTo), [1, 2, 3], "each change is told once");
  }
});

testOnDatabases("Two servers queue each digest once", async (database) => {
  const emails = Array.from({ length: 30 }, (_, number) => `d${number}@example.com`);
  await addSubscribers(database, Object.fromEntries(emails.map((email) => [email, "daily"])));
  const [one, two] = [startSchedule(database), startSchedule(database)];
  await one.look(MONDAY);
  await importItems(database, [makeItem(1)]);
  const at = MONDAY + 7 * HOUR;
  await Promise.all([one.look(at), two.look(at), one.look(at), two.look(at + 1)]);
  await two.look(at + 2);
  assertEquals((await readStatuses(database)).length, emails.length);
});

testOnDatabases("Immediate subscribers get changes after the import", async (database) => {
  await using services = await startDigests(database);
  await services.verify("now@example.com", { cadence: "immediate" });
  await services.verify("week@example.com");
  services.mail.received.length = 0;
  await importItems(database, [makeItem(1)], {
    onChange: notifyWebhooks(readConfig({}), () => NOW),
  });
  assertEquals(await readStatuses(database), [], "nothing is queued within the import");
  await queueImmediate(database, { now: NOW, zone: "UTC" });
  await services.app.sendMails();
  const told = services.mail.received.map((mail) => [mail.envelopeTo[0], ...listedIn(mail)]);
  assertEquals(told, [["now@example.com", "Feature 1"]]);

  await services.import([makeItem(1)]);
  assertEquals((await readStatuses(database)).length, 1, "nothing changed");
  // What was refused goes with the next change, and not with the next look.
  services.refuse(550);
  await services.import([makeItem(1), makeItem(2)]);
  assertEquals(await services.send(), []);
  services.refuse(null);
  assertEquals(await queueImmediate(database, { now: NOW, zone: "UTC" }), 0);
  await services.import([makeItem(1), makeItem(2), makeItem(3)]);
  assertEquals((await services.send()).map(listedIn), [["Feature 2", "Feature 3"]]);
});

testOnDatabases("Paused subscribers get one digest after the pause", async (database) => {
  await addSubscribers(database, { "d@example.com": "daily", "n@example.com": "immediate" });
  await database.query(sql`update subscriptions set paused_until = '2026-07-23'`);
  const { look } = startSchedule(database);
  await look(MONDAY);
  await importItems(database, [makeItem(1)]);
  await look(MONDAY + DAY + 8 * HOUR);
  await importItems(database, [makeItem(1), makeItem(2)]);
  await look(MONDAY + 2 * DAY + 8 * HOUR);
  assertEquals(await readStatuses(database), []);
  await look(MONDAY + 3 * DAY + 8 * HOUR);
  for (const email of ["d@example.com", "n@example.com"]) {
    const mails = await readQueued(database, email);
    assertEquals(mails.map(({ upTo }) => upTo), [2]);
  }
});
