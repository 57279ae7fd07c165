import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { migrate, readMigrations } from "../../../lib/database/migrate.ts";
import { openPostgres } from "../../../lib/database/postgres/postgres.ts";
import { sql } from "../../../lib/database/sql.ts";
import { importItems, makeItem } from "../../support/app.ts";
import { runCommand, runHere, runTask } from "../../support/command.ts";
import { createScratchDatabase, TEST_DATABASE_URL, withEmbedded } from "../../support/databases.ts";
import { readStatuses } from "../../support/subjects/digests.ts";
import { linkOf, startMailServer } from "../../support/servers/mail_server.ts";
import { startWithMail, subscribe } from "../../support/subjects/subscribing.ts";

/** Verifies addresses with the links of real emails. */
async function verify(
  database: Database,
  emails: readonly string[],
  preferences: Record<string, unknown> = {},
): Promise<void> {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  for (const email of emails) {
    // Upcoming releases depend on the day on which this runs.
    assertEquals((await subscribe(app, { email, upcoming: false, ...preferences })).status, 202);
  }
  await app.sendMails();
  for (const received of await mail.receive(emails.length)) {
    assertEquals((await app.fetch(linkOf(received, "/verify-email"))).status, 200);
  }
}

Deno.test("On the embedded database the task sends emails or leaves them to a server", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await withEmbedded(folder, async (database) => {
      await verify(database, ["ann@example.com"]);
      await importItems(database, [makeItem(1)]);
    });
    const left = await runHere(["digest"], { DATA_DIR: folder });
    assertEquals(left, {
      code: 0,
      out: "Queued 1 email, up to 2026-07-20\n" +
        "SMTP_URL is not set here: a running server sends what is queued; until then it waits",
      err: "",
    });
    assertEquals(await withEmbedded(folder, readStatuses), ["waiting"]);

    await using server = await startMailServer();
    const smtp = { SMTP_URL: server.url, MAIL_FROM: "roadmap@example.com" };
    const sentLater = await runTask(["digest"], { DATA_DIR: folder, ...smtp });
    assertEquals(sentLater.out, "Queued 0 emails, up to 2026-07-20");
    const [first] = server.received;
    assertEquals([server.received.length, first!.envelopeTo], [1, ["ann@example.com"]]);
    match(first!.text!, /\* Feature 1\n/);

    await withEmbedded(folder, (database) => importItems(database, [makeItem(1), makeItem(2)]));
    server.received.length = 0;
    const sent = await runHere(["digest"], { DATA_DIR: folder, ...smtp });
    assertEquals(sent, {
      code: 0,
      out: "Queued 1 email, up to 2026-07-20",
      err: "",
    });
    const [mail] = server.received;
    assertEquals(mail!.envelopeTo, ["ann@example.com"]);
    match(mail!.text!, /\* Feature 2\n/);
    assert(!mail!.text!.includes("Feature 1"));

    const again = await runHere(["digest"], { DATA_DIR: folder, ...smtp });
    assertEquals(again.out, "Queued 0 emails, up to 2026-07-20");
    assertEquals(server.received.length, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("The command sends reminders of watched releases once", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const in7Days = new Date(Date.now() + 7 * 24 * 3_600_000).toISOString().slice(0, 10);
    const items = [makeItem(1, { release_date: in7Days }), makeItem(2, { release_date: in7Days })];
    await withEmbedded(folder, async (database) => {
      await importItems(database, items);
      await verify(database, ["ann@example.com"], { releases: [items[0]!.release_item_id] });
    });
    await using server = await startMailServer();
    const settings = { DATA_DIR: folder, SMTP_URL: server.url, MAIL_FROM: "roadmap@example.com" };
    const nothing = "Queued 0 emails, up to 2026-07-20";
    const reminded = await runHere(["digest", "--cadence", "weekly"], settings);
    assertEquals(reminded, { code: 0, out: `${nothing}\nQueued reminders: 1 email`, err: "" });
    assertEquals(server.received.map(({ envelopeTo }) => envelopeTo), [["ann@example.com"]]);
    match(server.received[0]!.subject!, /^Feature 1 is planned for .*, (?:which ends )?in 7 days$/);
    assertEquals((await runHere(["digest"], settings)).out, nothing);
    assertEquals(server.received.length, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("The command takes no positional arguments", async () => {
  const { code, out, err } = await runHere(["digest", "now"], {});
  assertEquals([code, out], [2, ""]);
  assertEquals(err, 'Unexpected "now". Usage: deno task digest [--cadence immediate|daily|weekly]');
});

Deno.test({
  name: "Two concurrent commands queue each email once, for a server to send (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const database = await openPostgres(url);
    try {
      await migrate(database, await readMigrations());
      const emails = Array.from({ length: 20 }, (_, number) => `a${number}@example.com`);
      await verify(database, emails);
      await importItems(database, [makeItem(1)]);
      const ends = await Promise.all(
        [1, 2].map(() => runCommand(["digest"], { DATABASE_URL: url })),
      );
      const queued = ends.map(({ code, out, err }) => {
        assertEquals([code, err], [0, ""]);
        return Number(/^Queued (\d+) emails?, up to/.exec(out)![1]);
      });
      assertEquals(queued[0]! + queued[1]!, emails.length);
      const rows = await database.query(sql`
        select status, count(*)::int as mails, count(distinct subscription_id)::int as people
        from outbox where kind = 'digest' group by status
      `);
      assertEquals([...rows], [{ status: "waiting", mails: 20, people: 20 }]);
    } finally {
      await database.close();
      await drop();
    }
  },
});
