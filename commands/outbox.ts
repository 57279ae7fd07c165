import type { Database } from "../lib/database/database.ts";
import { countMails, listMails, retryMails } from "../lib/delivery/outbox/outbox_sql.ts";
import { readPause } from "../lib/delivery/outbox/mail_state_sql.ts";
import { countOf } from "../lib/text/phrases.ts";
import { UUID } from "../lib/text/values.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseGiven, UsageError } from "./given.ts";

const MAX_LISTED = 1_000;

/** `deno task outbox`: lists waiting and failed mails with their reasons, or retries them. */
export const run: Command = async (args, config) => {
  const { values, positionals: [mailId] } = parseGiven("outbox", args);
  if (mailId !== undefined && !values.retry) {
    throw new UsageError(`Unexpected "${mailId}"`);
  }
  if (mailId !== undefined && !UUID.test(mailId)) {
    throw new UsageError(`The id of an email is a UUID, not "${mailId}"`);
  }
  await withDatabase(config, async (database) => {
    if (values.retry) await retry(database, mailId ?? null);
    else await list(database, values.all ? "all" : "unsent");
  });
};

async function list(database: Database, which: "unsent" | "all"): Promise<void> {
  const mails = await listMails(database, { which, limit: MAX_LISTED });
  for (const mail of mails) {
    const next = mail.status === "waiting" ? `, next attempt ${mail.due_at}` : "";
    const attempts = countOf(mail.attempts, "attempt");
    console.log(
      `${mail.mail_id} ${mail.status} ${mail.email}, ${mail.created_at}, ${attempts}${next}`,
    );
    if (mail.last_error !== null) console.log(`  ${mail.last_error}`);
  }
  const pause = await readPause(database, systemClock());
  if (pause !== null) {
    console.log(`Emails are not being sent: ${pause.reason}; next attempt ${pause.until}`);
  }
  const counts = await countMails(database, "all");
  const words = counts.map(({ status, count }) => `${count} ${status}`);
  console.log(words.length > 0 ? words.join(", ") : "The outbox is empty");
}

async function retry(database: Database, mailId: string | null): Promise<void> {
  const count = await retryMails(database, { mailId, now: systemClock() });
  console.log(
    count === 0
      ? "No such email: only waiting or failed emails to recipients who still need them can be retried"
      : `${countOf(count, "email")} ${
        count === 1 ? "is" : "are"
      } due now; a running server sends them`,
  );
}
