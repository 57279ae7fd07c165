import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { queueDigests } from "../../lib/delivery/digests/queue_digests.ts";
import { delayAfter } from "../../lib/delivery/outbox/drain_queue.ts";
import { seedRandom } from "../../bench/data/seed_random.ts";
import { importItems, makeItem } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { killable } from "../support/killable.ts";
import {
  SMTP_STEPS,
  type SmtpAnswer,
  type SmtpStep,
  startOddMailServer,
} from "../support/servers/odd_mail_server.ts";
import { runs } from "../support/slow.ts";
import { expireLeases, verifyAll } from "../support/subjects/clock.ts";
import { requestAt, START, startSender } from "../support/subjects/sender.ts";

const MINUTE = 60_000;
const DAY = 24 * 60;

/** Whose digests there are: what a mailbox is called says what its server makes of its emails. */
const MAILBOXES = [
  ...["well1@a.example", "well2@a.example", "well3@c.example", "well4@d.example"],
  ...["dead1@b.example", "dead2@b.example", "dead3@b.example", "dead4@a.example"],
  ...["gone@a.example", "grey1@c.example", "grey2@d.example", "full@c.example"],
  ...["cut@d.example", "slow@c.example"],
];

/** What a server says for a while, whoever the email is for. */
const WEATHERS = ["calm", "calm", "odd", "odd", "away", "refused", "throttled", "long"] as const;

type Weather = (typeof WEATHERS)[number];

const ODD_ANSWERS: readonly SmtpAnswer[] = [
  ...["250 ok", "220 ok", "334 ", "354 go on"] as const,
  ...["421 4.3.2 closing", "421 bye", "450 busy", "450 4.2.0 greylisted", "451 try later"] as const,
  ...["451 4.7.1 greylisted", "452 4.2.2 full", "452 4.3.1 no space"] as const,
  ...["454 4.7.0 Throttling failure", "455 no"] as const,
  ...["500 what", "503 bad sequence", "504 need a fully-qualified hostname"] as const,
  ...["530 5.7.0 TLS is required", "535 5.7.8 no", "550 no", "550 5.1.1 unknown"] as const,
  ...["550 5.7.1 blocked", "552 full", "554 5.6.0 no", "close", "close"] as const,
];

/** A mail server in some weather; it notes whom it was asked to take an email for. */
async function startWeather(database: Database, draw: () => number) {
  const state = { weather: "calm" as Weather, asked: new Map<string, number>(), isHealed: false };
  /** How often a mailbox did not get an email that was meant for it. */
  const failures = new Map<string, number>();
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(draw() * values.length)]!;
  const count = (counts: Map<string, number>, to: string) =>
    counts.set(to, (counts.get(to) ?? 0) + 1);
  function sayOf(to: string): SmtpAnswer | null {
    if (to.startsWith("dead")) return "550 no such user";
    if (to.startsWith("gone")) return "550 5.1.1 no such user";
    if (to.startsWith("full") && !state.isHealed) return "452 4.2.2 over quota";
    const isNew = (state.asked.get(to) ?? 0) % 2 === 1;
    return to.startsWith("grey") && isNew ? "450 4.2.0 greylisted" : null;
  }
  function sayToAll(step: SmtpStep): SmtpAnswer | null {
    switch (state.weather) {
      case "odd":
        if (draw() < 0.005) return "silence";
        return draw() < 0.12 ? pick(ODD_ANSWERS) : null;
      case "away":
        return step === "connect" ? "close" : null;
      case "refused":
        return step === "MAIL" ? "550 5.7.60 may not send as this sender" : null;
      case "throttled":
        return step === "body" ? pick(["454 4.7.0 Throttling failure", "421 slow down"]) : null;
      case "calm":
      case "long":
        return null;
    }
  }
  /** Of some mailboxes the server says something at the end of an email. */
  const sayAtEnd = (to: string): SmtpAnswer | null =>
    to.startsWith("cut") ? "close" : to.startsWith("slow") ? "451 4.3.0 try later" : null;
  const server = await startOddMailServer(async (step, to) => {
    if (step === "RCPT") {
      count(state.asked, to);
      // A run that takes longer than its leases.
      if (state.weather === "long") await expireLeases(database);
    }
    const said = sayToAll(step) ??
      (step === "RCPT" ? sayOf(to) : step === "body" ? sayAtEnd(to) : null);
    const isOfOne = SMTP_STEPS.indexOf(step) >= SMTP_STEPS.indexOf("RCPT");
    const isTaken = said === null || (step === "DATA" ? /^[23]/ : /^2/).test(said);
    if (isOfOne && !isTaken) count(failures, to);
    return said;
  });
  return Object.assign(server, { state, failures, pick });
}

interface QueuedMail {
  mail_id: string;
  email: string;
  status: string;
  attempts: number;
  last_error: string | null;
  /** In minutes, of the moment at which it is read. */
  wait: number;
  /** In minutes, from when it was queued until it was given up. */
  tried: number | null;
}

function readQueue(database: Database, now: number): Promise<QueuedMail[]> {
  return database.query(sql`
    select mail_id, email, status, attempts, last_error,
      (extract(epoch from due_at) * 1000 - ${now})::float8 / ${MINUTE} as wait,
      (extract(epoch from finished_at - created_at) / 60)::float8 as tried
    from outbox join subscriptions using (subscription_id)
  `);
}

async function addMailboxes(database: Database): Promise<void> {
  await database.query(sql`
    insert into subscriptions (
      email, variant, requested_at, scope, filter, cadence, last_notified_change
    )
    select email, 'A', now(), 'all', '{}', 'daily', 0 from unnest(${MAILBOXES}::text[]) as email
  `);
  await verifyAll(database);
}

async function sendThroughWeather(database: Database, seed: number): Promise<void> {
  await emptyDatabase(database);
  const draw = seedRandom(seed);
  await using server = await startWeather(database, draw);
  await addMailboxes(database);
  const second = killable(database);
  let now = START;
  let kills = 0;
  const start = async (on: Database) => {
    const sender = await startSender(on, { url: server.url, timeoutMs: 300 });
    sender.advance((now - START) / MINUTE);
    return sender;
  };
  const senders = [await start(database), await start(second.database)];
  /** The attempts of an email that failed with their connection. */
  const lost = new Map<string, Set<number>>();
  const items: Record<string, unknown>[] = [];
  let requests = 0;

  async function import_(): Promise<void> {
    items.push(makeItem(items.length + 1));
    await importItems(database, items);
    await queueDigests(database, { now: new Date(now), zone: "UTC" });
    const email = `${server.pick(["well", "dead", "gone", "grey"])}${++requests}@new.example`;
    await requestAt(database, new Date(now), email);
  }

  /** A run of one process or two, which ends, and asks for no email twice. */
  async function run(weather: Weather): Promise<void> {
    Object.assign(server.state, { weather, asked: new Map() });
    const before = Map.groupBy(
      (await readQueue(database, now)).filter(({ status }) => status === "waiting"),
      ({ email }) => email,
    );
    const isKilled = weather !== "long" && draw() < 0.3;
    second.killAt(isKilled ? Math.floor(draw() * 60) : Infinity);
    const tooLong = AbortSignal.timeout(20_000);
    const running = senders.slice(0, weather === "long" ? 1 : 2).map((sender) =>
      sender.send(tooLong)
    );
    const ended = await Promise.allSettled(running);
    assert(!tooLong.aborted, `a run does not end: ${JSON.stringify([...server.state.asked])}`);
    for (const one of ended) {
      if (one.status === "rejected" && !one.reason.message.startsWith("killed")) {
        throw one.reason;
      }
    }
    if (second.isKilled()) {
      kills++;
      second.killAt(Infinity);
      await senders[1]![Symbol.asyncDispose]();
      senders[1] = await start(second.database);
      await expireLeases(database);
    } else {
      for (const [to, times] of server.state.asked) {
        // What one gives back as no email leaves, another may have in its hands before it knows.
        const others = weather === "long" ? 0 : 1;
        const waited = (before.get(to)?.length ?? 0) + others;
        assert(times <= waited, `${to} was asked ${times} times in a run, for ${waited} emails`);
      }
    }
    for (const mail of await readQueue(database, now)) {
      if (mail.status !== "waiting") continue;
      // A connection that was lost before the server was told of the mailbox, as beside another email.
      if (/\(E(?!AUTH|ENVELOPE|MESSAGE)[A-Z]+\)/.test(mail.last_error ?? "")) {
        lost.set(mail.mail_id, (lost.get(mail.mail_id) ?? new Set()).add(mail.attempts));
      }
      const own = Math.max(
        1,
        (server.failures.get(mail.email) ?? 0) + kills + (lost.get(mail.mail_id)?.size ?? 0),
      );
      const isAllsFault = mail.last_error?.startsWith("Emails are not being sent") ?? false;
      const longest = isAllsFault ? 4 * 60 : delayAfter(own) / MINUTE;
      const what = JSON.stringify({ ...mail, failures: own, longest });
      assert(mail.wait <= longest, `waits longer than its failures justify: ${what}`);
      const isExplained = mail.attempts === 0 || mail.last_error !== null || kills > 0;
      assert(isExplained, `waits without a reason: ${what}`);
    }
  }

  function advance(minutes: number): void {
    now += minutes * MINUTE;
    for (const sender of senders) sender.advance(minutes);
  }

  try {
    for (let day = 0; day < 3; day++) {
      await import_();
      for (let minutes = 0; minutes < DAY;) {
        const weather = server.pick(WEATHERS);
        const until = Math.min(DAY, minutes + 60 + draw() * 240);
        while (minutes < until) {
          await run(weather);
          const pause = 1 + Math.floor(draw() * 60);
          advance(pause);
          minutes += pause;
        }
      }
    }
    server.state.isHealed = true;
    await import_();
    // No email waits for longer than four hours.
    for (let minutes = 0; minutes < 2 * DAY; minutes += 240) {
      await run("calm");
      advance(240);
    }
    await assertAllLeft(database, {
      server,
      names: items.map(({ feature_name }) => String(feature_name)),
      kills,
      now,
    });
  } finally {
    for (const sender of senders) await sender[Symbol.asyncDispose]();
  }
}

/** Every email was sent once or given up, and who can be reached has read everything once. */
async function assertAllLeft(
  database: Database,
  { server, names, kills, now }: {
    server: Awaited<ReturnType<typeof startWeather>>;
    names: readonly string[];
    kills: number;
    now: number;
  },
): Promise<void> {
  for (const mail of await readQueue(database, now)) {
    assert(mail.status !== "waiting", `still waits: ${JSON.stringify(mail)}`);
    if (mail.status !== "failed") continue;
    const isRefused = /\b5\d\d\b/.test(mail.last_error ?? "");
    assert(isRefused || mail.tried! >= 19 * 60, `given up too soon: ${JSON.stringify(mail)}`);
  }
  const known = server.arrived.filter(({ answer }) => answer.startsWith("2"));
  const byId = Map.groupBy(known, ({ id }) => id);
  const copies = [...byId.values()].reduce((sum, { length }) => sum + length - 1, 0);
  // A process that dies between the server's answer and its own note knows of no email on its way.
  assert(copies <= 5 * kills, `${copies} emails came twice, with ${kills} kills`);
  for (const email of MAILBOXES.filter((email) => email.startsWith("well"))) {
    const read = (mails: typeof known) =>
      mails.filter(({ to }) => to === email).flatMap(({ text }) =>
        names.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
      );
    const told = read(server.arrived);
    assertEquals([...new Set(told)].toSorted(), names.toSorted(), `${email} missed something`);
    const repeated = read(known).length - new Set(read(known)).size;
    assert(repeated <= names.length * kills, `${email} read ${repeated} of them twice`);
  }
}

testOnDatabases(
  "Whatever a mail server answers, every email is sent once, waits with a reason or is given up",
  async (database) => {
    await fc.assert(fc.asyncProperty(fc.integer(), (seed) => sendThroughWeather(database, seed)), {
      numRuns: runs(10, database),
      endOnFailure: true,
    });
  },
);
