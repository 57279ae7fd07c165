import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { readRefusingHosts } from "../../lib/delivery/outbox/outbox_sql.ts";
import { SERVICE_CHECKS } from "../../lib/doctor/service_checks.ts";
import { importItems, makeItem } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { readStatuses, startDigests } from "../support/subjects/digests.ts";
import { startWithMail, stateOf, subscribe } from "../support/subjects/subscribing.ts";
import { verifyAll } from "../support/subjects/clock.ts";

const ANN = "ann@example.com";

/** Imports a change and sends its digest, which the mail server accepts or refuses. */
async function notifySomething(
  database: Database,
  services: Awaited<ReturnType<typeof startDigests>>,
): Promise<void> {
  const feature_name = crypto.randomUUID();
  services.advance(60); // which of two emails is newer counts
  await importItems(database, [makeItem(1, { feature_name })]);
  await services.queue();
  await services.app.sendMails();
}

testOnDatabases("A host that rejects all its mailboxes is about the sender", async (database) => {
  await using services = await startDigests(database);
  const emails = ["ann@example.com", "bob@example.com", "eve@example.com", "joe@example.org"];
  for (const email of emails) await services.verify(email);
  services.advance(1); // what comes now is newer than the links
  const statusesOf = async (host: string) => {
    const rows = await database.query<{ status: string; refusals: number }>(sql`
      select distinct status, refusals from outbox join subscriptions using (subscription_id)
      where kind = 'digest' and email like ${`%@${host}`}
    `);
    return rows.map(({ status, refusals }) => [status, refusals]);
  };
  services.refuse(550, "Blocked by zen.spamhaus.org");
  await notifySomething(database, services);
  assertEquals(await statusesOf("example.com"), [["waiting", 0]]);
  assertEquals(await statusesOf("example.org"), [["failed", 1]], "one mailbox says nothing");
  const [host, ...others] = await readRefusingHosts(database);
  assertEquals([host!.host, host!.mails, others], ["example.com", 3, []]);
  match(host!.reason, /550 Blocked by zen/);
  const check = SERVICE_CHECKS.find(({ name }) => name === "mail server")!;
  const config = readConfig({ SMTP_URL: services.mail.url, MAIL_FROM: "roadmap@example.com" });
  const { state, text } = await check.run({ config, database: Promise.resolve(database) });
  assertEquals(state, "fail");
  match(
    text,
    /^example\.com rejects emails to all of its addresses \(3 emails kept .*Blocked by zen/,
  );

  services.refuse(null);
  services.advance(60);
  assertEquals((await services.send()).length, 3);
  assertEquals(await readRefusingHosts(database), []);
});

testOnDatabases(
  "A refusal is about a mailbox where its host says so or takes another",
  async (database) => {
    for (
      const [names, words, whose] of [
        [["ann", "bob", "eve"], "No such user here", /ann|bob/],
        [["ann", "bob"], "5.1.1 No such user here", /@/],
      ] as const
    ) {
      await emptyDatabase(database);
      await using services = await startDigests(database);
      for (const name of names) await services.verify(`${name}@example.com`);
      services.refuse(550, words, whose);
      await notifySomething(database, services);
      // Whom it refused before it accepted one is tried once more.
      services.advance(60);
      await services.send();
      const sent = names.map((name) => whose.test(`${name}@`) ? "failed" : "sent");
      assertEquals((await readStatuses(database)).sort(), sent.sort());
    }
  },
);

testOnDatabases("Anybody may enter addresses that a host does not have", async (database) => {
  await using services = await startDigests(database);
  services.refuse(550, "No such user here");
  for (const name of ["ann", "bob"]) {
    await subscribe(services.app, { email: `${name}@example.com` }, {}, "/roadmap");
  }
  await services.app.sendMails();
  const mails = await database.query<{ status: string }>(sql`select status from outbox`);
  assertEquals(mails.map(({ status }) => status), ["failed", "failed"]);
  assertEquals(await readRefusingHosts(database), []);
});

testOnDatabases("Temporary and policy refusals do not set a mailbox aside", async (database) => {
  let refusal = { code: 250, message: "ok" };
  let refusesData = false;
  const refuse = () => Object.assign(new Error(refusal.message), { responseCode: refusal.code });
  await using services = await startWithMail(database, {}, {
    onRcptTo: (_address, _session, done) =>
      done(refusal.code === 250 || refusesData ? null : refuse()),
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done(refusal.code === 250 ? null : refuse()));
    },
  });
  const { app } = services;
  assertEquals((await subscribe(app, { email: ANN })).status, 202);
  await verifyAll(database);
  await importItems(database, [makeItem(1)]);
  const attempts = async () => {
    for (let number = 1; number <= 4; number++) {
      await database.query(sql`delete from outbox`);
      await database.query(sql`
        insert into outbox (
          subscription_id, kind, changes_up_to, created_at, due_at, give_up_at
        )
        select subscription_id, 'digest', 1, '2026-07-20', '2026-07-20', '2026-07-22'
        from subscriptions
      `);
      await app.sendMails();
    }
    const [row] = await database.query<{ state: string; refusals: number; statuses: string[] }>(sql`
      select state, refusals,
        (select array_agg(distinct status) from outbox) as statuses
      from subscriptions
    `);
    return { ...row! };
  };
  const verified = { state: "verified", refusals: 0 };
  refusal = { code: 451, message: "try later" };
  assertEquals(await attempts(), { ...verified, statuses: ["waiting"] });
  refusal = { code: 552, message: "mailbox full" };
  assertEquals(await attempts(), { ...verified, statuses: ["waiting"] });
  refusal = { code: 550, message: "5.7.1 your network is blocked" };
  assertEquals(await attempts(), { ...verified, statuses: ["failed"] });
  refusesData = true;
  refusal = { code: 554, message: "this looks like spam" };
  assertEquals(await attempts(), { ...verified, statuses: ["failed"] });
});

testOnDatabases("A day of temporary refusals is no bounce and loses nothing", async (database) => {
  await using services = await startDigests(database);
  await services.verify(ANN);
  await importItems(database, [makeItem(1)]);
  services.refuse(451);
  await services.queue();
  for (let hour = 0; hour <= 30; hour++) {
    await services.app.sendMails();
    services.app.advance(3600);
  }
  assertEquals(await readStatuses(database), ["failed"]);
  assertEquals(await stateOf(database, ANN), "verified");
  services.refuse(null);
  assertEquals((await services.digest()).length, 1);
});
