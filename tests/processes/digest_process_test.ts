import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { join } from "node:path";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem } from "../support/app.ts";
import { runHere } from "../support/command.ts";
import { withEmbedded } from "../support/databases.ts";
import { listedIn } from "../support/subjects/digests.ts";
import { startMailServer } from "../support/servers/mail_server.ts";
import { startServer } from "../support/server.ts";

/** Subscribes an address for each cadence, and imports an item that they have been sent. */
async function seed(folder: string): Promise<void> {
  await withEmbedded(folder, async (database) => {
    await importItems(database, [makeItem(1)]);
    for (const cadence of ["immediate", "daily", "weekly"]) {
      await database.query(sql`
        insert into subscriptions (email, variant, requested_at, cadence)
        values (${`${cadence}@example.com`}, 'A', now(), ${cadence})
      `);
    }
    await database.query(sql`
      update subscriptions
      set state = 'verified', verified_at = now(),
        last_notified_change = (select max(change_id) from changes)
    `);
  });
}

Deno.test("A server queues what commands have imported, and catches up after downtime", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const settings = { DATA_DIR: join(folder, "data") };
    await seed(settings.DATA_DIR);
    const snapshot = join(folder, "roadmap.json");
    const importAll = async (count: number, more: Record<string, string> = {}) => {
      const items = Array.from({ length: count }, (_, index) => makeItem(index + 1));
      await Deno.writeTextFile(snapshot, JSON.stringify(items));
      assertEquals((await runHere(["import", snapshot], { ...settings, ...more })).code, 0);
    };
    const readQueued = () =>
      withEmbedded(settings.DATA_DIR, async (database) => {
        const rows = await database.query<{ email: string }>(sql`
          select email from outbox join subscriptions using (subscription_id) order by email
        `);
        return rows.map(({ email }) => email);
      });
    await importAll(2, { DIGESTS: "off" });
    assertEquals(await readQueued(), []);
    await importAll(3);
    assertEquals(await readQueued(), []);

    await withEmbedded(settings.DATA_DIR, (database) =>
      database.query(sql`
        insert into slots (name, slot)
        select 'digests ' || cadence, now() - interval '30 days' from unnest('{daily,weekly}'::text[]) as cadence
      `));
    await using mail = await startMailServer();
    const smtp = { SMTP_URL: mail.url, MAIL_FROM: "roadmap@example.com" };
    await using server = await startServer({ ...settings, ...smtp });
    const received = (await mail.receive(3))
      .toSorted((a, b) => a.envelopeTo[0]! < b.envelopeTo[0]! ? -1 : 1)
      .map((mail) => [mail.envelopeTo[0], ...listedIn(mail)]);
    const told = ["Feature 2", "Feature 3"];
    assertEquals(received, [
      ["daily@example.com", ...told],
      ["immediate@example.com", ...told],
      ["weekly@example.com", ...told],
    ]);
    match(server.output(), /Queued digests: 1 /);
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
