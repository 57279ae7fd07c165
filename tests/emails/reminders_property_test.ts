import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { queueDueDigests } from "../../lib/delivery/digests/digest_schedule.ts";
import { queueReminders } from "../../lib/delivery/reminders/reminders_sql.ts";
import { makeItem } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { NOW, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const DAY_MS = 24 * 3_600_000;
const RELEASES = [1, 2, 3, 4, 5, 6];
const id = (number: number) => makeItem(number).release_item_id as string;
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Possible steps: `jump` moves the clock by hours, `plan` a release to some days from now. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("day" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("jump" as const),
      hours: fc.oneof(
        fc.integer({ min: -45 * 24, max: 45 * 24 }),
        fc.constantFrom(-6 * 24, 6 * 24, 23 * 24),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("plan" as const),
      changed: fc.uniqueArray(
        fc.record({
          release: fc.constantFrom(...RELEASES),
          ahead: fc.constantFrom(-1, 1, 2, 7, 7, 8, 20, 30, 30, 31),
          status: fc.constantFrom(...Array<string>(5).fill("Planned"), "Shipped", "Cancelled"),
          isListed: fc.constantFrom(true, true, true, true, true, false),
        }),
        { selector: ({ release }) => release, minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("watch" as const),
      releases: fc.subarray(RELEASES, { minLength: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("run" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("hand" as const) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("send" as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

slowOnDatabases(
  "Each reminder is sent at most once and never too late, however clocks jump and dates move",
  async (database) => {
    const numRuns = runs(10, database);
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        await emptyDatabase(database);
        sent += await play(steps);
      }),
      { numRuns },
    );
    assert(sent > 0 || numRuns < 10, "no reminder was sent: the test shows nothing");

    /** Runs a sequence of steps and returns the number of reminders sent. */
    async function play(steps: readonly Step[]): Promise<number> {
      await using services = await startDigests(database);
      let now = NOW.getTime();
      const jump = (ms: number) => {
        now += ms;
        services.advance(ms / 1000);
      };
      const plans = new Map(
        RELEASES.map((
          release,
        ) => [release, { day: isoDay(now + 7 * DAY_MS), status: "Planned", isListed: true }]),
      );
      let watched = [1, 2, 3, 4];
      const importAll = () =>
        services.import(
          RELEASES.filter((release) => plans.get(release)!.isListed).map((release) => {
            const { day: release_date, status: release_status } = plans.get(release)!;
            return makeItem(release, { release_date, release_status });
          }).concat(makeItem(99, { release_date: null })),
        );
      await importAll();
      const mail = await services.subscribe("ann@example.com", {
        releases: watched.map(id),
        kinds: ["restored"],
      });
      await services.app.fetch(linkOf(mail, "/verify-email"));
      const token = new URL(linkOf(mail, "/preferences")).searchParams.get("token")!;
      const parts = { database, times: readConfig({}).digestTimes!, clock: () => new Date(now) };
      /** The email queued for each reminder. */
      const mails = new Map<string, string>();
      let sent = 0;
      async function checkQueued(): Promise<void> {
        const rows = await database.query<{ key: string; mail_id: string }>(sql`
          select concat_ws(' ', release_item_id, planned_on, days_before) as key, mail_id
          from reminders where mail_id is not null -- of a deleted email, only the note is left
        `);
        for (const { key, mail_id } of rows) {
          assertEquals(mails.get(key) ?? mail_id, mail_id, `${key} was queued twice`);
          mails.set(key, mail_id);
        }
      }
      const acts = {
        day: () => Promise.resolve(jump(DAY_MS)),
        jump: ({ hours }: { hours: number }) => Promise.resolve(jump(hours * 3_600_000)),
        async plan({ changed }: Extract<Step, { does: "plan" }>) {
          for (const { release, ahead, ...plan } of changed) {
            plans.set(release, { ...plan, day: isoDay(now + ahead * DAY_MS) });
          }
          await importAll();
        },
        async watch({ releases }: { releases: number[] }) {
          watched = releases;
          const answer = await services.app.fetch("/roadmap/preferences", {
            method: "POST",
            body: new URLSearchParams([["token", token], ["scope", "watched"], [
              "kinds",
              "restored",
            ], ...releases.map((release): [string, string] => ["releases", id(release)])]),
          });
          assertEquals(answer.status, 200);
        },
        // Two servers and a manual run at once.
        async run() {
          const byHand = queueReminders(database, {
            now: new Date(now),
            times: readConfig({}).digestTimes!,
            isByHand: true,
          });
          await Promise.all([queueDueDigests(parts), byHand, queueDueDigests(parts)]);
        },
        async hand() {
          const options = {
            now: new Date(now),
            times: readConfig({}).digestTimes!,
            isByHand: true,
          };
          await Promise.all([queueReminders(database, options), queueReminders(database, options)]);
        },
        async send() {
          for (const { text = "" } of await services.send()) {
            const [, ...sections] = text.split(/^(In \d+ days|Today|Tomorrow)\n-+\n/m);
            for (let place = 0; place < sections.length; place += 2) {
              const left = /\d+/.exec(sections[place]!)?.[0] ??
                { Today: 0, Tomorrow: 1 }[sections[place]!];
              for (const [, name] of sections[place + 1]!.matchAll(/^- (Feature \d+)$/gm)) {
                const release = Number(name!.slice("Feature ".length));
                const { day, status, isListed } = plans.get(release)!;
                const days = (Date.parse(day) - Date.parse(isoDay(now))) / DAY_MS;
                assertEquals([name, Number(left)], [name, days]);
                assert(days >= 0, `${name} was planned for ${day}`);
                assert(watched.includes(release), `${name} is not watched`);
                assert(status === "Planned" && isListed, `${name} is over`);
                sent++;
              }
            }
          }
        },
      };
      for (const one of steps) {
        await acts[one.does](one as never);
        await checkQueued();
      }
      return sent;
    }
  },
);
