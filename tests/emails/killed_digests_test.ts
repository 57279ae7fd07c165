import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { queryOne } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { queueDigests } from "../../lib/delivery/digests/queue_digests.ts";
import { importItems, makeItem } from "../support/app.ts";
import { killable } from "../support/killable.ts";
import { expireLeases } from "../support/subjects/clock.ts";
import { listedIn, NOW, startDigests } from "../support/subjects/digests.ts";
import { slowOnDatabases, stride } from "../support/slow.ts";

/** Whose digests have which changes: all, some and none, which are passed without an email. */
const RECEIVERS: Record<string, Record<string, unknown>> = {
  "all@example.com": { cadence: "daily" },
  "maps@example.com": { cadence: "daily", product_name: ["Maps"] },
  "none@example.com": { cadence: "daily", product_name: ["Mail"] },
};

const EXPECTED = { "all@example.com": ["One", "Two", "Three"], "maps@example.com": ["One", "Two"] };

/** What is imported before the run, while an email is being sent, and after it. */
const IMPORTS = [["Maps", "One"], ["Maps", "Two"], ["Docs", "Three"]] as const;
const DAY = 24 * 60 * 60;

slowOnDatabases(
  "A process killed at any statement of a run loses no change and repeats one email at most",
  async (database) => {
    await importItems(database, [makeItem(1, { product_name: "Mail" })]);
    const process = killable(database);
    await using services = await startDigests(process.database);
    let [wasKilled, step, now, number] = [true, 0, NOW.getTime(), 1];
    for (; wasKilled; step += stride(database)) {
      const imported = new Set<number>();
      const importNext = async (place: 0 | 1 | 2) => {
        if (imported.has(place)) return;
        imported.add(place);
        const [product_name, feature_name] = IMPORTS[place];
        const item = makeItem(++number, { product_name, feature_name });
        await importItems(database, [item], { partial: true });
      };
      await database.query(sql`delete from subscriptions`);
      for (const [email, preferences] of Object.entries(RECEIVERS)) {
        await services.verify(email, preferences);
      }
      const queueElsewhere = () => queueDigests(database, { now: new Date(now), zone: "UTC" });
      const told: Record<string, string[]> = {};
      const note = () => {
        for (const mail of services.mail.received.splice(0)) {
          (told[mail.envelopeTo[0]!] ??= []).push(...listedIn(mail));
        }
      };
      services.mail.received.length = 0;
      await importNext(0);
      services.duringSending(async () => {
        await importNext(1);
        await queueElsewhere();
      });
      process.killAt(step);
      await services.queue().then(() => services.app.sendMails()).catch((error) => {
        assert(process.isKilled(), error);
      });
      wasKilled = process.isKilled();
      process.killAt(Infinity);
      note();
      const { most } = await queryOne<{ most: number }>(
        database,
        sql`
          select coalesce(max(waiting), 0)::int as most
          from (
            select count(*) as waiting from outbox where status = 'waiting' group by subscription_id
          ) as counts
        `,
      );
      assert(most <= 1, `${most} digests wait for one subscriber after ${step} statements`);
      services.duringSending(() => Promise.resolve());
      await expireLeases(database);
      for (const place of [1, 2] as const) {
        await importNext(place);
        now += DAY * 1000;
        services.advance(DAY);
        await services.queue();
        await services.app.sendMails();
      }
      note();
      const repeated = Object.values(told).flatMap((names) =>
        names.filter((name, index) => names.indexOf(name) !== index)
      );
      const once = Object.fromEntries(
        Object.entries(told).map(([email, names]) => [email, [...new Set(names)]]),
      );
      const sorted = (names: string[]) => names.toSorted();
      for (const email of Object.keys({ ...once, ...EXPECTED }) as (keyof typeof EXPECTED)[]) {
        assertEquals(sorted(once[email] ?? []), sorted(EXPECTED[email] ?? []), `${email}, ${step}`);
      }
      assert(repeated.length <= (wasKilled ? 2 : 0), `${repeated} came twice, ${step}`);
    }
    assert(step > 10, `only ${step} statements`);
  },
);
