import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { sql } from "../../../lib/database/sql.ts";
import { inDatabase, testOnOwnDatabases } from "../../support/fault_databases.ts";
import { startMailServer } from "../../support/servers/mail_server.ts";

import { startServer } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";
import { expireLeases } from "../../support/subjects/clock.ts";

const ADDRESSES = ["ann@example.com", "bob@example.com", "eve@example.com"];

testOnOwnDatabases(
  "A process killed while sending duplicates each email at most once, and loses none",
  async (database) => {
    const copies = new Map(ADDRESSES.map((address) => [address, 0]));
    const arrived = Promise.withResolvers<string>();
    await using mail = await startMailServer({
      onData(stream, session, done) {
        stream.resume();
        stream.on("end", () => {
          const isFirst = [...copies.values()].every((count) => count === 0);
          const { address } = session.envelope.rcptTo[0]!;
          copies.set(address, copies.get(address)! + 1);
          // The mail server has the first copy, and the sender gets no response.
          if (isFirst) arrived.resolve(address);
          else done();
        });
      },
    });
    const settings = { ...database, SMTP_URL: mail.url, MAIL_FROM: "roadmap@example.com" };
    {
      await using server = await startServer(settings);
      for (const email of ADDRESSES) await subscribe(server.url, email);
      await arrived.promise;
      server.kill("SIGKILL");
      await server.ended;
    }
    const held = await arrived.promise;
    // The dead process still holds its lease, which expires after two minutes.
    assertEquals((await readOutbox(settings)).find(({ email }) => email === held)!.leased, true);
    await inDatabase(settings, expireLeases);
    {
      await using server = await startServer(settings);
      await waitFor("all mails", () => [...copies.values()].every((count) => count > 0));
      await waitFor("the second copy", () => copies.get(held)! > 1);
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0, server.output());
    }
    const states = await readOutbox(settings);
    assertEquals(
      states.map(({ email, status }) => [email, status]),
      ADDRESSES.map((email) => [email, "sent"]),
    );
    // An attempt counts from its start: the killed process may have started some in vain.
    for (const { email, attempts } of states) {
      const sent = copies.get(email)!;
      assertEquals(sent >= 1 && sent <= attempts, true, `${email}: ${sent} of ${attempts}`);
    }
    assertEquals(copies.get(held), 2);
    assertEquals([...copies.values()].filter((count) => count > 2), []);
  },
);

async function subscribe(url: string, email: string): Promise<void> {
  const response = await fetch(`${url}/api/subscribe`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email }),
  });
  await response.body?.cancel();
  assertEquals(response.status, 202);
}

/** The emails, by address, of a database that no server has open. */
function readOutbox(settings: Record<string, string>) {
  return inDatabase(
    settings,
    (database) =>
      database.query<{ email: string; status: string; attempts: number; leased: boolean }>(sql`
      select email, status, attempts, coalesce(leased_until > now(), false) as leased
      from outbox join subscriptions using (subscription_id)
      order by email
    `),
  );
}
