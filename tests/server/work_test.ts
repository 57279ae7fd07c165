import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { addSchedule, claimWork, keepClaim } from "../../lib/database/leases.ts";
import { type Job, JobRunner, type JobSignals, repeat } from "../../lib/service/job_runner.ts";
import { startService } from "../../lib/service/start_service.ts";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { LastFailure } from "../../lib/work/last_failure.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { answerConditionally, serveSource } from "../support/servers/source_server.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { startWithMail, subscribe } from "../support/subjects/subscribing.ts";
import { recordLog } from "../support/log.ts";
import { waitFor } from "../support/wait_for.ts";
import { makeDue, verifyAll } from "../support/subjects/clock.ts";
import { slowOnDatabases } from "../support/slow.ts";

const TOKEN = "an-admin-token-of-31-characters";
const NOTHING = {
  imports: { imported: 0, failed: 0 },
  digests: { queued: 0 },
  mails: { sent: 0, failed: 0 },
  webhooks: { sent: 0, failed: 0 },
  pruning: { done: 0 },
};

function post(app: TestApp, headers: Record<string, string> = {}): Promise<Response> {
  return app.fetch("/api/work", {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}`, ...headers },
  });
}

async function work(app: TestApp) {
  const response = await post(app);
  assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
  return await response.json();
}

/** A source with one item more each time it is set. */
function serveItems() {
  let count = 1;
  const server = serveSource((request) => {
    const items = Array.from({ length: count }, (_, index) => makeItem(index + 1));
    return answerConditionally(request, `"${count}"`, JSON.stringify(items));
  });
  return Object.assign(server, { add: () => count++ });
}

slowOnDatabases("Due work runs on demand, and the response has its counts", async (database) => {
  await using source = serveItems();
  await using embedding = startEmbeddingServer();
  await using services = await startWithMail(database, {
    ADMIN_TOKEN: TOKEN,
    ROADMAP_SOURCE: source.url,
    OPENAI_BASE_URL: embedding.url,
    EMBEDDING_DIMENSIONS: "16",
  });
  const { app, mail } = services;
  const nothing = { ...NOTHING, embeddings: { embedded: 0, refused: 0, failed: 0 } };
  await subscribe(app, { email: "ann@example.com", cadence: "immediate" });
  assertEquals(await work(app), {
    ...nothing,
    imports: { imported: 1, failed: 0 },
    mails: { sent: 1, failed: 0 },
    embeddings: { embedded: 1, refused: 0, failed: 0 },
    pruning: { done: 1 },
  });
  assertEquals((await app.json("/api/releases")).data.length, 1);
  assertEquals(await work(app), nothing);

  // Who wants changes at once is told in the call that imports them.
  await verifyAll(database);
  source.add();
  await makeDue(database, "sync %");
  assertEquals(await work(app), {
    ...nothing,
    imports: { imported: 1, failed: 0 },
    digests: { queued: 1 },
    mails: { sent: 1, failed: 0 },
    embeddings: { embedded: 1, refused: 0, failed: 0 },
  });
  assertEquals(mail.received.map(({ envelopeTo }) => envelopeTo), [
    ["ann@example.com"],
    ["ann@example.com"],
  ]);

  // A source that fails is counted, and tried again when its pause is over.
  await makeDue(database, "sync %");
  await source[Symbol.asyncDispose]();
  assertEquals((await work(app)).imports, { imported: 0, failed: 1 });
  assertEquals((await work(app)).imports, { imported: 0, failed: 0 });
});

testOnDatabases(
  "Daily and weekly digests are queued once their time has passed",
  async (database) => {
    await using source = serveItems();
    await using services = await startWithMail(database, {
      ADMIN_TOKEN: TOKEN,
      ROADMAP_SOURCE: source.url,
    });
    const { app } = services;
    await subscribe(app, { email: "ann@example.com", cadence: "daily" });
    await verifyAll(database);
    assertEquals((await work(app)).digests, { queued: 0 });
    await importItems(database, [makeItem(9)], { partial: true });
    await database.query(
      sql`update slots set slot = slot - interval '1 day' where name like 'digests %'`,
    );
    const { digests, mails } = await work(app);
    assertEquals([digests, mails], [{ queued: 1 }, { sent: 1, failed: 0 }]);
    assertEquals(await work(app), NOTHING);
  },
);

testOnDatabases("Two concurrent requests do each piece of work once", async (database) => {
  await using source = serveItems();
  const settings = { ADMIN_TOKEN: TOKEN, ROADMAP_SOURCE: source.url };
  await using one = await startApp(database, settings);
  await using other = await startApp(database, settings);
  for (const email of ["ann@example.com", "bob@example.com"]) await subscribe(one, { email });
  const [first, second] = await Promise.all([work(one), work(other)]);
  const sum = (job: string, count: string) => first[job][count] + second[job][count];
  assertEquals([sum("imports", "imported"), sum("imports", "failed")], [1, 0]);
  assertEquals([sum("mails", "sent"), sum("pruning", "done")], [2, 1]);
  assertEquals(source.asked.length, 1);
});

testOnDatabases("Expired rate limit counts are removed", async (database) => {
  const now = Date.now();
  const addCounts = (now: number) =>
    database.query(sql`
      insert into request_counts values
        ('past', 1, ${now - 60_000}::bigint), ('running', 1, ${now + 60_000}::bigint),
        ('of a wrong clock', 1, ${now + 3 * 3_600_000}::bigint)
    `);
  const readKeys = async () =>
    (await database.query<{ key: string }>(sql`select key from request_counts`))
      .map(({ key }) => key);

  await using app = await startApp(database, { ADMIN_TOKEN: TOKEN });
  app.setClock(new Date(now).toISOString());
  await addCounts(now);
  await work(app);
  assertEquals(await readKeys(), ["running"]);

  await database.query(sql`delete from request_counts`);
  await addCounts(now);
  const service = await startService(database, readConfig({}));
  await service.jobs.start("pruning");
  assertEquals((await readKeys()).length, 3, "this is due once an hour");
  await service.stop();
  await makeDue(database, "pruning");
  const next = await startService(database, readConfig({}));
  await next.jobs.start();
  assertEquals(await readKeys(), ["running"]);
  await next.stop();
});

testOnDatabases(
  "A process already at work says so, with Retry-After",
  async (database) => {
    const rest = Promise.withResolvers<void>();
    await using source = serveSource(async () => {
      await rest.promise;
      return Response.json([makeItem(1)]);
    });
    await using app = await startApp(database, { ADMIN_TOKEN: TOKEN, ROADMAP_SOURCE: source.url });
    const running = work(app);
    await waitFor(
      "the import",
      async () =>
        (await database.query(sql`select from schedules where holder is not null`)).length === 1,
    );
    const second = await post(app);
    assertEquals([second.status, second.headers.get("retry-after")], [409, "60"]);
    assertEquals((await second.json()).detail, "The work is already running");
    rest.resolve();
    assertEquals((await running).imports, { imported: 1, failed: 0 });
    assertEquals((await work(app)).imports, { imported: 0, failed: 0 });
  },
);

testOnDatabases("A failed job is reported, and does not stop the others", async (database) => {
  await using source = serveItems();
  await using app = await startApp(database, { ADMIN_TOKEN: TOKEN, ROADMAP_SOURCE: source.url });
  await database.script("alter table slots rename to slots_away");
  try {
    const response = await post(app);
    assertEquals([response.status, response.headers.get("retry-after")], [503, "60"]);
    const { detail, errors } = await response.json();
    assertEquals(detail, "Some jobs failed: digests, webhooks");
    assertEquals(errors, [
      { name: "digests", reason: "failed; see the server log" },
      { name: "webhooks", reason: "failed; see the server log" },
    ]);
  } finally {
    await database.script("alter table slots_away rename to slots");
  }
  assertEquals((await app.json("/api/releases")).data.length, 1);
  assertEquals((await work(app)).digests, { queued: 0 });
});

testOnDatabases(
  "Work is refused without the token, and when none is set",
  async (database) => {
    {
      await using app = await startApp(database);
      assertEquals((await post(app)).status, 404);
      assertEquals((await app.json("/openapi.json")).paths["/api/work"], undefined);
    }
    await using source = serveItems();
    await using app = await startApp(database, { ADMIN_TOKEN: TOKEN, ROADMAP_SOURCE: source.url });
    const missing = await post(app, { Authorization: "" });
    assertEquals(missing.status, 401);
    match(missing.headers.get("www-authenticate")!, /^Bearer /);
    assertEquals((await post(app, { Authorization: `Bearer ${TOKEN}x` })).status, 401);
    assertEquals((await post(app, { "Sec-Fetch-Site": "cross-site" })).status, 403);
    assertEquals((await app.fetch("/api/work")).status, 405);
    assertEquals(source.asked, []);
    const { post: described } = (await app.json("/openapi.json")).paths["/api/work"];
    assert(["200", "401", "409", "503"].every((status) => status in described.responses));
  },
);

Deno.test("The pause of a job begins when its work has ended, even after a failure", async () => {
  const pauseMs = 20;
  const pauses: number[] = [];
  const isRepeated = Promise.withResolvers<void>();
  let endedAt = -Infinity;
  const job = repeat("slow", pauseMs, async () => {
    pauses.push(performance.now() - endedAt);
    await delay(3 * pauseMs);
    endedAt = performance.now();
    if (pauses.length === 4) isRepeated.resolve();
    if (pauses.length % 2) throw new Error("the service is down");
  });
  await isRepeated.promise;
  await job.stop();
  // Timers are exact to a millisecond.
  assertEquals(pauses.filter((pause) => pause < pauseMs - 1), []);
});

Deno.test("A trigger starts a job at once, and again after the run that it interrupts", async () => {
  let runs = 0;
  const ending = Promise.withResolvers<void>();
  const job = repeat("endless", 3_600_000, async () => {
    runs++;
    if (runs === 1) await ending.promise;
  });
  job.trigger();
  job.trigger();
  assertEquals(runs, 1);
  ending.resolve();
  await waitFor("the second run", () => Promise.resolve(runs === 2));
  job.trigger();
  await waitFor("the third run", () => Promise.resolve(runs === 3));
  await job.stop();
  job.trigger();
  assertEquals(runs, 3);
});

testOnDatabases("A process that lost its claim to some work is notified", async (database) => {
  const claim = { holder: crypto.randomUUID(), seconds: 0.06 };
  await addSchedule(database, "slow");
  assert(await claimWork(database, "slow", { ...claim, maxPause: 60 }));
  using kept = keepClaim(database, "slow", claim);
  assertEquals(kept.lost.aborted, false);
  await database.query(sql`update schedules set holder = 'another' where name = 'slow'`);
  await waitFor("the loss to be noticed", () => Promise.resolve(kept.lost.aborted));
  match(String(kept.lost.reason), /another process has taken over this work/);
});

Deno.test("After the time limit, or on shutdown, no more work is started", async () => {
  const seen: JobSignals[] = [];
  const untilEnd: Job = {
    name: "long",
    everySeconds: 60,
    run: ({ ending }) =>
      new Promise<{ done: number }>((resolve) => {
        if (ending.aborted) resolve({ done: 0 });
        ending.addEventListener("abort", () => resolve({ done: 1 }));
      }),
  };
  const last: Job = {
    name: "last",
    everySeconds: 60,
    run: (signals) => {
      seen.push(signals);
      return Promise.resolve({ done: Number(!signals.ending.aborted) });
    },
  };
  const short = new JobRunner(() => [untilEnd, last], 20);
  const counts = { long: { done: 1 }, last: { done: 0 } };
  assertEquals(await short.runDue(), { counts, failed: [] });
  assertEquals(seen[0]!.stopping.aborted, false, "what has begun may end");

  const endless = new JobRunner(() => [untilEnd, last]);
  const running = endless.runDue();
  await endless.stop();
  assertEquals(await running, { counts, failed: [] });
  assertEquals(seen[1]!.stopping.aborted, true);
  assertEquals(endless.runDue(), null);
});

Deno.test("A scheduler's run logs the same failure of a job once, until the job succeeds", async () => {
  await using log = await recordLog();
  let isFailing = true;
  const job: Job = {
    name: "import",
    everySeconds: 60,
    run: () => isFailing ? Promise.reject(new Error("gone")) : Promise.resolve({ done: 1 }),
  };
  const other: Job = { ...job, run: () => Promise.reject(new Error("other")) };
  const runner = new JobRunner(() => [job, other]);
  for (const fails of [true, true, false, true]) {
    isFailing = fails;
    await runner.runDue();
  }
  const failures = log.lines.filter((line) => line.includes("failed"));
  assertEquals(failures.map((line) => /gone|other/.exec(line)?.[0]), ["gone", "other", "gone"]);
});

Deno.test("Of repeated failures, each new reason is logged, and the same one once a day", () => {
  const last = new LastFailure(24 * 3_600_000);
  const isNewsAt = (reason: string, hours: number) => last.isNews(reason, hours * 3_600_000);
  assertEquals([isNewsAt("gone", 0), isNewsAt("gone", 1)], [true, false]);
  assertEquals([isNewsAt("wrong", 2), isNewsAt("gone", 3)], [true, true]);
  const hours = Array.from({ length: 56 }, (_, index) => index + 4);
  assertEquals(hours.filter((hour) => isNewsAt("gone", hour)), [27, 51]);
  assertEquals([last.end(), last.end()], [true, false]);
  assertEquals(isNewsAt("gone", 60), true);
});
