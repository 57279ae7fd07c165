import { getLogger } from "@logtape/logtape";
import type { Database } from "../../database/database.ts";
import { doWhenDue } from "../../database/leases.ts";
import {
  type BounceMailbox,
  readFailure,
  readMailId,
  withBounceMailbox,
} from "./bounce_mailbox.ts";
import { handleReturnedMail } from "./bounces_sql.ts";

const EVERY_SECONDS = 300;
/** The most notifications read at a time; the others wait for the next run. */
const MAX_READ = 200;
/** How long the server may be silent, and how long one visit takes. */
const TIMES = { silenceMs: 10_000, maxMs: 45_000 };

const log = getLogger(["roadcast", "mail"]);

/** What one visit to the mailbox did. */
interface BouncesRead {
  read: number;
  /** How many of them were about an email of ours that a mailbox refused for good. */
  counted: number;
}

/**
 * Reads what mail servers returned since the last time, by one process over all on the database. A
 * notification is marked as read once it is handled; other messages stay as they are.
 */
export async function readBouncesIfDue(
  { database, settings, clock, failed }: {
    database: Database;
    settings: Parameters<typeof withBounceMailbox>[0];
    clock: () => Date;
    /** Those at which earlier visits failed: they come last, so that they hold no other up. */
    failed: Set<number>;
  },
  ending: AbortSignal,
): Promise<BouncesRead> {
  const done: BouncesRead = { read: 0, counted: 0 };
  await doWhenDue(
    database,
    { name: "bounces", everySeconds: EVERY_SECONDS },
    () =>
      withBounceMailbox(settings, TIMES, async (mailbox) => {
        const uids = (await mailbox.list())
          .toSorted((a, b) => Number(failed.has(a)) - Number(failed.has(b)));
        for (const uid of uids.slice(0, MAX_READ)) {
          if (ending.aborted) return;
          failed.add(uid);
          const now = clock();
          if (await handle(uid, { mailbox, database, now })) done.counted++;
          failed.delete(uid);
          done.read++;
        }
      }),
  );
  return done;
}

/** Handles a notification; true if it is about an email of ours, and counts. */
async function handle(
  uid: number,
  { mailbox, database, now }: { mailbox: BounceMailbox; database: Database; now: Date },
): Promise<boolean> {
  const { texts } = await mailbox.read(uid);
  const reason = texts && readFailure(texts.status);
  const mailId = texts && readMailId(texts.headers);
  const counted = reason && mailId
    ? await handleReturnedMail(database, { mailId, reason, now })
    : null;
  await mailbox.markRead(uid);
  if (counted?.isSetAside) {
    log.warn("The recipient of email {id} rejected too many emails and gets no more", {
      id: mailId,
    });
  }
  return counted !== null;
}
