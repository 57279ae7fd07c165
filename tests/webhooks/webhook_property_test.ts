import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { makeItem } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";
import { findFreePort } from "../support/server.ts";
import { runs } from "../support/slow.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";

const HOUR = 60;
const DAY = 24 * HOUR;

/** What a receiver may answer; `closed`: nothing. */
const ANSWERS = ["ok", "ok", "500", "404", "308", "wait", "closed"] as const;
type Answer = (typeof ANSWERS)[number] | "410";

/** Receivers that answer so or so; one more, the last one, always answers. */
const ODD = [0, 1, 2, 3, 4, 5];
const LAST = ODD.length;

/** Steps of a history: `away` is an outage of ours, in days. */
const history = fc.array(
  fc.oneof(
    fc.constant({ does: "import" as const }),
    fc.record({ does: fc.constant("hours" as const), hours: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ does: fc.constant("away" as const), days: fc.integer({ min: 1, max: 6 }) }),
    fc.record({
      does: fc.constant("answer" as const),
      who: fc.constantFrom(...ODD),
      answer: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...ANSWERS) },
        fc.constant("410" as const),
      ),
    }),
  ),
  { minLength: 10, maxLength: 30 },
);

testOnDatabases(
  "Whatever receivers answer, each delivery arrives, waits with a reason, or is given up",
  async (database) => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await emptyDatabase(database);
        const answers: Answer[] = ODD.map(() => "ok");
        const got: string[][] = [...ODD, LAST].map(() => []);
        await using receiver = startReceiver(({ path, body }) => {
          const who = Number(path.slice(1));
          const answer = answers[who] ?? "ok";
          if (answer === "ok") {
            for (const { release_item_id } of JSON.parse(body).data.changes) {
              got[who]!.push(release_item_id);
            }
            return new Response();
          }
          if (answer === "wait") {
            return new Response(null, { status: 429, headers: { "retry-after": "7200" } });
          }
          return new Response("no", { status: Number(answer) });
        });
        const closed = findFreePort();
        await using webhooks = startWebhooks(database);
        for (const who of [...ODD, LAST]) {
          await webhooks.add(`${receiver.url}/${who}`, { name: `${who}` });
        }
        const point = (who: number, answer: Answer) =>
          webhooks.change(`${who}`, {
            url: `${answer === "closed" ? `http://127.0.0.1:${closed}` : receiver.url}/${who}`,
            cadence: "immediate",
          });

        const items: ReturnType<typeof makeItem>[] = [];
        const isOff = ODD.map(() => false);
        /** For how many minutes we tried since the oldest delivery that waits failed first. */
        const failing = ODD.map(() => 0);
        const isWaiting = ODD.map(() => false);
        async function send() {
          const { sent, failed } = await webhooks.send();
          if (sent + failed === 0) return;
          const deliveries = await webhooks.deliveries();
          for (const { status, attempts, last_error, name } of deliveries) {
            assert(["sent", "waiting", "failed"].includes(status));
            if (status === "sent") assertEquals(last_error, null);
            if (status === "failed") assert(last_error !== null);
            if (status === "waiting" && attempts > 0) {
              assert(last_error !== null, name);
            }
          }
          // No receiver delays another.
          const ids = items.map(({ release_item_id }) => release_item_id);
          assertEquals(got[LAST], ids);
          for (const { name, disabled_at, disabled_reason } of await webhooks.list()) {
            const who = Number(name);
            const waits = deliveries.some((one) => one.name === name && one.status === "waiting");
            if (who === LAST || isOff[who]) {
              assertEquals([who, disabled_at !== null], [who, who !== LAST]);
              continue;
            }
            if (disabled_at !== null) {
              isOff[who] = true;
              assert(!waits, "what waited was given up");
              const isGone = /It answered 410/.test(disabled_reason!);
              // Attempts are hours apart.
              assert(isGone || failing[who]! >= 3 * DAY - 4 * HOUR, `${name} ${failing[who]}`);
              assert(answers[who] !== "ok", "a receiver that answers stays");
            } else if (answers[who] === "ok" && !waits) {
              assertEquals(got[who], ids, "all has arrived, once and in order");
            }
            isWaiting[who] = waits;
            if (!waits) failing[who] = 0;
          }
        }
        const pass = async (minutes: number) => {
          for (let left = minutes; left > 0; left -= HOUR) {
            webhooks.advance(HOUR);
            for (const who of ODD) if (isWaiting[who]) failing[who]! += HOUR;
            await send();
          }
        };
        for (const step of steps) {
          if (step.does === "import") {
            items.push(makeItem(items.length + 1));
            await webhooks.import(items);
            await send();
          } else if (step.does === "hours") await pass(step.hours * HOUR);
          else if (step.does === "away") {
            webhooks.advance(step.days * DAY);
            // Until the next attempt was due we were not late.
            for (const who of ODD) if (isWaiting[who]) failing[who]! += 4 * HOUR;
            await send();
          } else {
            answers[step.who] = step.answer;
            await point(step.who, step.answer);
          }
        }
        for (const who of ODD) {
          answers[who] = "ok";
          await point(who, "ok");
        }
        await pass(5 * HOUR * 6);
        for (const { status } of await webhooks.deliveries()) {
          assert(status !== "waiting");
        }
        for (const who of ODD) {
          if (!isOff[who]) assertEquals(got[who], got[LAST]);
        }
      }),
      { numRuns: runs(20, database), endOnFailure: true },
    );
  },
);
