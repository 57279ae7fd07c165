import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { acceptLinkRequest } from "../../lib/delivery/subscriptions/subscription_requests_sql.ts";
import {
  deleteSubscriber,
  pruneSubscriptions,
} from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, NOW, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  postForm,
  startWithMail,
  stateOf,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ROUNDS = 12;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The number of waiting emails and of links that still work. */
async function readOpen(database: Database, email: string) {
  const [row] = await database.query<{ waiting: number; links: number }>(sql`
    select
      (
        select count(*)::int from outbox
        where outbox.subscription_id = subscriptions.subscription_id and status = 'waiting'
      ) as waiting,
      (
        select count(*)::int from verification_tokens as token
        where token.subscription_id = subscriptions.subscription_id
          and voided_at is null and used_at is null
      ) as links
    from subscriptions where email = ${email}
  `);
  return { ...row! };
}

testOnDatabases("Concurrent visits to one link show the same success page", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  for (let round = 0; round < ROUNDS; round++) {
    const email = `a${round}@example.com`;
    const link = linkOf(await subscribeAndRead(services, email), "/verify-email");
    const answers = await Promise.all([link, link, link].map((link) => app.fetch(link)));
    assertEquals(answers.map(({ status }) => status), [200, 200, 200]);
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    assertEquals(new Set(pages).size, 1);
    assertEquals(await stateOf(database, email), "verified");
  }
});

testOnDatabases("Verifying and unsubscribing concurrently ends unsubscribed", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  for (let round = 0; round < ROUNDS; round++) {
    const email = `a${round}@example.com`;
    const mail = await subscribeAndRead(services, email);
    const paths = round % 2 ? ["/verify-email", "/unsubscribe"] : ["/unsubscribe", "/verify-email"];
    const answers = await Promise.all(paths.map((path) => app.fetch(linkOf(mail, path))));
    const statusOf = (path: string) => answers[paths.indexOf(path)]!.status;
    assertEquals(statusOf("/unsubscribe"), 200);
    match(String(statusOf("/verify-email")), /^(200|404)$/);
    assertEquals(await stateOf(database, email), "unsubscribed");
    assertEquals(await readOpen(database, email), { waiting: 0, links: 0 });
    assertEquals((await app.fetch(linkOf(mail, "/verify-email"))).status, 404);
  }
});

slowOnDatabases("A concurrent request and link have one of two outcomes", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  for (let round = 0; round < ROUNDS; round++) {
    const email = `a${round}@example.com`;
    const link = linkOf(await subscribeAndRead(services, email), "/verify-email");
    const ask = () => subscribe(app, { email, products: ["New"] });
    const both = [() => app.fetch(link), ask];
    const answers = await Promise.all((round % 2 ? both : both.toReversed()).map((act) => act()));
    const followed = answers[round % 2 ? 0 : 1]!;
    const outcome = [followed.status, await stateOf(database, email)];
    // The new email leads to the preferences, or verifies if the request voided the link.
    const { waiting } = await readOpen(database, email);
    if (followed.status === 200) {
      assertEquals([...outcome, waiting], [200, "verified", 1]);
    } else assertEquals([...outcome, waiting], [404, "unverified", 1]);
  }
});

async function isSomebodyLocked(database: Database): Promise<boolean> {
  const locked = await database.query(sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `);
  return locked.length > 0;
}

testOnDatabases("A pause during an import defers its changes", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com", { cadence: "immediate" });
  const link = new URL(linkOf(services.newestTo("ann@example.com"), "/preferences"));
  const token = link.searchParams.get("token")!;
  const pause = (paused_until: string) =>
    postForm(services.app, "/roadmap/preferences", { token, cadence: "immediate", paused_until });
  let pausing: ReturnType<typeof pause> | undefined;
  await services.import([makeItem(1)], async () => {
    pausing = pause("2026-08-01");
    // The embedded database does nothing else during a transaction.
    if (database.kind !== "embedded") await pausing;
  });
  assertEquals((await pausing)!.status, 200);
  assertEquals(await services.digest(), []);
  await pause("");
  assertEquals((await services.digest()).map(listedIn), [["Feature 1"]]);
});

/**
 * Takes an email in two steps, as the sender does, and does something else in between: it locks the
 * email, and then references the subscription.
 */
async function takeWhile(database: Database, act: () => Promise<unknown>): Promise<void> {
  let acting: Promise<unknown> = Promise.resolve();
  await database.transaction(async (connection) => {
    const [mail] = await connection.query<{ id: string }>(sql`
      select subscription_id as id from outbox where status = 'waiting' for update
    `);
    let hasEnded = false;
    acting = act().finally(() => hasEnded = true);
    acting.catch(() => {});
    // The embedded database does nothing else during a transaction.
    if (database.kind !== "embedded") {
      await waitFor(
        "it to wait for the mail",
        async () => hasEnded || await isSomebodyLocked(database),
      );
    }
    await connection.query(sql`
      insert into verification_tokens (token_hash, subscription_id, created_at, expires_at)
      values (sha256(random()::text::bytea), ${mail!.id}::uuid, now(), now())
    `);
  });
  await acting;
}

testOnDatabases("Requests and links do not deadlock with the sender", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const email = "ann@example.com";
  const link = linkOf(await subscribeAndRead(services, email), "/verify-email");
  await database.query(sql`update outbox set status = 'waiting'`);
  await takeWhile(database, async () => assertEquals((await app.fetch(link)).status, 200));

  await database.query(sql`update outbox set status = 'waiting'`);
  const leave = link.replace(/\/verify-email\?.*/, "") +
    /href="(\/unsubscribe[^"]+)"/.exec(await (await app.fetch(link)).text())![1]!;
  await takeWhile(database, async () => assertEquals((await app.fetch(leave)).status, 200));

  await subscribe(app, { email: "bob@example.com" });
  await takeWhile(database, async () => {
    assertEquals((await subscribe(app, { email: "bob@example.com" })).status, 202);
  });
  await takeWhile(database, async () => {
    assert(await deleteSubscriber(database, "bob@example.com"));
  });
  assertEquals(await stateOf(database, "bob@example.com"), undefined);
});

slowOnDatabases("Deleting deadlocks with nothing that happens meanwhile", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  const email = "ann@example.com";
  const items: Record<string, unknown>[] = [];
  for (let round = 0; round < 3 * ROUNDS; round++) {
    await services.verify(email, { cadence: "immediate" });
    items.push(makeItem(round + 1));
    await services.import(items);
    const [isDeleted] = await Promise.all([
      deleteSubscriber(database, email),
      acceptLinkRequest(database, { email, mailsAnHour: 1000, now: NOW }),
      app.sendMails(),
      app.sendMails(),
      pruneSubscriptions(database, new Date(NOW.getTime() + 31 * DAY_MS)),
    ]);
    assert(isDeleted);
    assertEquals(await stateOf(database, email), undefined);
  }
});

testOnDatabases("A token works only for its own purpose", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const mail = await subscribeAndRead(services, "ann@example.com");
  const tokenOf = (path: string) => new URL(linkOf(mail, path)).searchParams.get("token")!;
  const [verify, unsubscribe] = [tokenOf("/verify-email"), tokenOf("/unsubscribe")];
  for (
    const [path, token] of [
      ["/verify-email", unsubscribe],
      ["/api/verify-email", unsubscribe],
      ["/unsubscribe", verify],
      // An unsubscribe token is an id and a signature: neither part nor a hash of it opens anything.
      ["/unsubscribe", unsubscribe.slice(0, 22)],
      ["/verify-email", unsubscribe.slice(21)],
      ["/verify-email", Buffer.from(verify, "base64url").toString("hex")],
      ["/verify-email", verify.toLowerCase()],
      ["/unsubscribe", `${unsubscribe}${unsubscribe}`],
    ] as const
  ) {
    assertEquals([path, (await app.fetch(`${path}?token=${token}`)).status], [path, 404]);
    if (path.startsWith("/api")) continue;
    assertEquals([path, (await postForm(app, path, { token })).status], [path, 404]);
  }
  assertEquals(await stateOf(database, "ann@example.com"), "unverified");
  assertEquals((await app.fetch(linkOf(mail, "/verify-email"))).status, 200);
});
