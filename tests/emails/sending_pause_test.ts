import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { drawPause } from "../../lib/delivery/outbox/drain_queue.ts";
import { JobRunner } from "../../lib/service/job_runner.ts";
import { startService } from "../../lib/service/start_service.ts";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { createApp } from "../../routes/app.ts";
import { type MailServer, startMailServer } from "../support/servers/mail_server.ts";
import { startSender } from "../support/subjects/sender.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** The shortest pause between two checks of the outbox. */
const SHORTEST_MS = 1_000;

/** A database that records when an outbox check started, and when one found nothing to send. */
function watchLooks(database: Database) {
  const watched = { beganAt: -Infinity, foundNothingAt: -Infinity };
  return Object.assign(watched, {
    database: {
      ...database,
      async query<Row>(statement: Parameters<Database["query"]>[0]) {
        const { text } = statement.compile();
        const isLook = text.includes("set due_at = least(");
        if (isLook) watched.beganAt = performance.now();
        const rows = await database.query<Row>(statement);
        const [answer] = rows as { is_due?: boolean }[];
        if (isLook && answer?.is_due === false) watched.foundNothingAt = performance.now();
        return rows;
      },
    },
  });
}

/** A service that sends emails while it serves requests, as `deno task start` does. */
async function startSending(database: Database, mail: MailServer) {
  const config = readConfig({
    SMTP_URL: mail.url,
    MAIL_FROM: "roadmap@example.com",
    SUBSCRIBE_LIMIT: "1000",
  });
  const service = await startService(database, config);
  const app = createApp(service);
  void service.jobs.start("mails");
  return {
    subscribe: async (email: string) => {
      const response = await app(
        new Request("http://localhost:8000/api/subscribe", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ email }),
        }),
      );
      assertEquals(response.status, 202);
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

slowOnDatabases("A request does not trigger sending, but its email is prompt", async (database) => {
  let connections = 0;
  await using mail = await startMailServer({
    onConnect(_session, done) {
      connections++;
      done();
    },
  });
  const watched = watchLooks(database);
  await using service = await startSending(watched.database, mail);
  // There is at least a second between checks; a machine slower than that tries again.
  for (let attempt = 1;; attempt++) {
    const asked = performance.now();
    await waitFor(
      "a look that finds nothing",
      () => watched.beganAt > asked && watched.foundNothingAt > watched.beganAt,
    );
    const [before, { beganAt }] = [connections, watched];
    await service.subscribe(`a${attempt}@example.com`);
    await sleep(SHORTEST_MS / 2);
    if (performance.now() - beganAt < SHORTEST_MS) {
      assertEquals([connections, watched.beganAt], [before, beganAt]);
      break;
    }
    assert(attempt < 20, "the machine is too slow for this test");
    await waitFor("the mail", () => mail.received.length === attempt);
  }
  await waitFor("the mail", () => mail.received.length > 0);
});

slowOnDatabases("Each pause between two checks is drawn separately", async (database) => {
  await using mail = await startMailServer();
  await using sender = await startSender(database, { url: mail.url });
  let drawn = 0;
  const jobs = new JobRunner(() => [{
    name: "mails",
    everySeconds: () => drawPause(() => drawn++ < 2 ? 0 : 1_000) / 1000, // an hour, from the third on
    run: async () => ({ ...await sender.send() }),
  }]);
  const begun = performance.now();
  await jobs.start();
  await waitFor("the third pause", () => drawn === 3);
  assert(performance.now() - begun >= 2 * SHORTEST_MS - 20);
  await jobs.stop();
});

slowOnDatabases("A slow address does not delay others", async (database) => {
  const stuck: (() => void)[] = [];
  await using mail = await startMailServer({
    onRcptTo({ address }, _session, done) {
      if (address.startsWith("slow")) stuck.push(() => done());
      else done();
    },
  });
  await using service = await startSending(database, mail);
  await service.subscribe("slow@example.com");
  await waitFor("the slow one", () => stuck.length === 1);
  for (const email of ["a@example.com", "b@example.com"]) {
    await service.subscribe(email);
    // Well before the slow one times out.
    await waitFor(email, () => mail.received.at(-1)?.envelopeTo[0] === email, 15_000);
  }
  assertEquals([stuck.length, mail.received.length], [1, 2]);
  stuck[0]!();
  await waitFor("the slow mail", () => mail.received.length === 3);
});
