import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { importItems, makeItem } from "../support/app.ts";
import type { Database } from "../../lib/database/database.ts";
import { emptyDatabase } from "../support/databases.ts";
import { recordStatements } from "../support/record_statements.ts";
import { slowOnDatabases } from "../support/slow.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";

const SETTINGS = { SUBSCRIBE_LIMIT: "1000", VERIFICATION_LIMIT: "1000" };
const RELEASES = 120;

const id = (number: number) => makeItem(number).release_item_id as string;

/** What a release is before it changes, and afterwards. */
const roadmap = (isChanged: (number: number) => boolean) =>
  Array.from(
    { length: RELEASES },
    (_, number) =>
      makeItem(number, {
        product_name: number < 60 ? "P1" : "P2",
        release_date: "2026-07-30",
        ...isChanged(number) && { release_type: "Preview" },
      }),
  );

/** Sends a digest to so many of each sort, all in one claim; returns who got which, and the statements. */
async function sendTo(database: Database, subscribers: number) {
  const recording = recordStatements(database);
  await using services = await startDigests(recording.database, SETTINGS);
  await importItems(database, roadmap(() => false));
  for (let number = 0; number < subscribers; number++) {
    const own = 2 * number;
    await services.verify(`own${own}@example.com`, { releases: [id(own), id(own + 1)] });
    await services.verify(`both${own}@example.com`, {
      products: ["P2"],
      types: ["Preview"],
      releases: [id(own)],
    });
    await services.verify(`quiet${own}@example.com`, { releases: [id(own + 1)] });
  }
  await importItems(database, roadmap((number) => number % 2 === 0 && number < 62));
  await services.queue();
  recording.texts.length = 0;
  const mails = await services.send();
  const got = Object.fromEntries(
    mails.map((mail) => [mail.envelopeTo[0]!.split("@")[0]!, listedIn(mail)]),
  );
  const due = mails.map(({ text }) => /Next 30 days/.test(text!));
  return { got, due, statements: recording.texts.length };
}

slowOnDatabases("Own lists of releases cost a statement to finish each email", async (database) => {
  const few = await sendTo(database, 2);
  await emptyDatabase(database);
  const many = await sendTo(database, 16);
  for (const [name, listed] of Object.entries(many.got)) {
    const own = Number(/\d+/.exec(name)![0]);
    const wanted = name.startsWith("own") ? [own] : [own, 60];
    assertEquals(listed.toSorted(), wanted.map((number) => `Feature ${number}`).toSorted(), name);
  }
  const sent = (one: typeof few) => Object.keys(one.got).length;
  assertEquals([sent(few), sent(many)], [4, 32]);
  assert(many.due.every(Boolean) && few.due.every(Boolean));
  const [a, b] = [few, many].map((one) => one.statements - sent(one));
  // A slow machine asks some more times for what is left.
  assert(b! <= a! + 8, `${a} statements beside those that finish for 4 emails, ${b} for 32`);
});
