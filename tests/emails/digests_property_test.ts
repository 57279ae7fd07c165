import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { makeItem } from "../support/app.ts";
import { emptyDatabase } from "../support/databases.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { postForm } from "../support/subjects/subscribing.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const HOUR = 3600;
const ANN = "ann@example.com";

/** Possible steps: `fail` is a mail server outage, `refuse` a permanent refusal. */
const steps = fc.array(
  fc.constantFrom(...[
    "import",
    "import",
    "queue",
    "send",
    "fail",
    "refuse",
    "pause",
    "go on",
    "day",
  ]),
  { minLength: 4, maxLength: 14 },
);

slowOnDatabases(
  "Each change is sent once, whatever is imported, paused or refused in between",
  async (database) => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        await emptyDatabase(database);
        await using services = await startDigests(database);
        await services.verify(ANN, { cadence: "immediate" });
        const link = new URL(linkOf(services.newestTo(ANN), "/preferences"));
        const pause = (paused_until: string) =>
          postForm(services.app, "/roadmap/preferences", {
            token: link.searchParams.get("token")!,
            cadence: "immediate",
            paused_until,
          });
        const items: Record<string, unknown>[] = [];
        const told: string[] = [];
        let refusals = 0;
        const send = async (refusal: number | null) => {
          services.refuse(refusal);
          for (const mail of await services.send()) told.push(...listedIn(mail));
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
          "go on": () => pause(""),
          day: () => Promise.resolve(services.advance(25 * HOUR)),
        };
        for (const step of steps) {
          await acts[step]!();
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
