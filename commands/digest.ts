import { readTokenSecret } from "../lib/delivery/token_secret_sql.ts";
import { CADENCES } from "../lib/text/cadence.ts";
import { queueDigests } from "../lib/delivery/digests/queue_digests.ts";
import { queueReminders } from "../lib/delivery/reminders/reminders_sql.ts";
import { startLog } from "../lib/log.ts";
import { systemClock } from "../lib/work/async.ts";
import { openOutbox } from "../lib/service/start_service.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseChoice, parseGiven } from "./given.ts";
import { countOf } from "../lib/text/phrases.ts";

/** `deno task digest`: emails verified subscribers what has changed since their last digest. */
export const run: Command = async (args, config) => {
  const { values } = parseGiven("digest", args);
  const cadence = values.cadence && parseChoice(values.cadence, "--cadence", CADENCES);
  await startLog("warning"); // only failures matter
  await withDatabase(config, async (database) => {
    const now = systemClock();
    const { queued, day } = await queueDigests(database, {
      now,
      zone: config.DIGEST_ZONE,
      ...cadence && { cadences: [cadence] },
    });
    const until = day === null ? "nothing has been imported yet" : `up to ${day}`;
    console.log(`Queued ${countOf(queued, "email")}, ${until}`);
    const reminders = await queueReminders(database, {
      now,
      times: config.webhookTimes,
      isByHand: true,
    });
    if (reminders > 0) console.log(`Queued reminders: ${countOf(reminders, "email")}`);
    if (config.smtp === null) {
      console.log(
        "SMTP_URL is not set here: a running server sends what is queued; until then it waits",
      );
      return;
    }
    // No server may be running to send them.
    if (database.kind !== "embedded") return;
    const tokenSecret = config.TOKEN_SECRET ?? await readTokenSecret(database);
    const outbox = await openOutbox(database, config, { clock: systemClock, tokenSecret });
    try {
      await outbox.sendDue();
    } finally {
      outbox.close();
    }
  }, { needsSame: true });
};
