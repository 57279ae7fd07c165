import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { sql } from "../../lib/database/sql.ts";
import { makeItem } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { expireLeases } from "../support/subjects/clock.ts";
import { listedIn, readStatuses, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { postForm } from "../support/subjects/subscribing.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const HOUR = 3600;
const ANN = "ann@example.com";

/** `fail` is a mail server outage, `refuse` a permanent refusal. */
const SENDING = ["send", "fail", "refuse"];
/** What happens while an email is on its way; `lease`: so slowly that another process may take it. */
const MEANWHILE = ["nothing", "import", "pause", "lease"];
const steps = fc.array(
  fc.oneof(
    fc.constantFrom("import", "import", "queue", "pause", "pause unseen", "go on", "day"),
    fc.tuple(fc.constantFrom(...SENDING), fc.constantFrom(...MEANWHILE)),
  ),
  { minLength: 4, maxLength: 16 },
);

slowOnDatabases(
  "Each change is sent once, whatever is imported, paused or refused before or meanwhile",
  async (database) => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        await emptyDatabase(database);
        await using services = await startDigests(database);
        await services.verify(ANN, { cadence: "immediate" });
        const link = new URL(linkOf(services.newestTo(ANN), "/preferences"));
        const token = link.searchParams.get("token")!;
        let isPaused = false;
        const pause = (paused_until: string) => {
          isPaused = paused_until !== "";
          const fields = { token, cadence: "immediate", paused_until };
          return postForm(services.app, "/roadmap/preferences", fields);
        };
        const items: Record<string, unknown>[] = [];
        const told: string[] = [];
        let refusals = 0;
        const send = async (refusal: number | null) => {
          services.refuse(refusal);
          const [wasPaused, before] = [isPaused, items.length];
          const mails = await services.send();
          assert(!wasPaused || mails.length === 0, "nothing comes during a pause");
          for (const mail of mails) told.push(...listedIn(mail));
          // What comes meanwhile goes out right behind.
          if (refusal !== null || isPaused) return;
          for (const { feature_name } of items.slice(before)) {
            assert(told.includes(`${feature_name}`));
          }
        };
        const acts: Record<string, () => Promise<unknown>> = {
          import: () => {
            items.push(makeItem(items.length + 1));
            return services.import(items);
          },
          queue: () => services.queue(),
          send: () => send(null),
          fail: () => send(451),
          // A mailbox is set aside after three refusals in a row.
          refuse: () => refusals++ < 2 ? send(554) : Promise.resolve(),
          pause: () => pause("2027-01-01"),
          "pause unseen": () => {
            isPaused = true;
            return database.query(sql`update subscriptions set paused_until = '2027-01-01'`);
          },
          "go on": () => pause(""),
          day: () => Promise.resolve(services.advance(25 * HOUR)),
          lease: () => expireLeases(database).then(() => acts.import!()),
        };
        for (const step of steps) {
          const [act, meanwhile = "nothing"] = [step].flat();
          services.duringSending(async () => void await acts[meanwhile]?.());
          await acts[act!]!();
          services.duringSending(() => Promise.resolve());
          const waiting = (await readStatuses(database)).filter((one) => one === "waiting");
          assert(waiting.length <= 1, `${waiting.length} digests wait for one subscriber`);
          services.advance(HOUR);
        }
        for (const step of ["go on", "day", "send", "queue", "send"]) await acts[step]!();
        const all = items.map(({ feature_name }) => feature_name);
        assertEquals(told.toSorted(), all.toSorted());
      }),
      { numRuns: runs(25, database), endOnFailure: true },
    );
  },
);
