import type { Database } from "../lib/database/database.ts";
import { reactivateMailbox } from "../lib/delivery/bounces/bounces_sql.ts";
import {
  countSubscriptions,
  deleteSubscriber,
  readBounced,
} from "../lib/delivery/subscriptions/subscribers_sql.ts";
import { exportSubscribers } from "../lib/delivery/subscriptions/export_subscribers.ts";
import { parseEmailAddress } from "../lib/delivery/subscriptions/email_address.ts";
import { dayOf } from "../lib/text/cadence.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, parseWords, UsageError, withDatabase } from "./command.ts";
import { HELPS } from "./helps.ts";

const { usage: USAGE } = HELPS.subscriptions;
const MAX_LISTED = 10_000;

/** `deno task subscriptions`: counts or lists them, or deletes a person's data. */
export const run: Command = async (args, config) => {
  const { values } = parseWords(args, {
    export: { type: "boolean" },
    bounced: { type: "boolean" },
    reactivate: { type: "string" },
    delete: { type: "string" },
  }, { usage: USAGE });
  const chosen = (["export", "bounced", "reactivate", "delete"] as const)
    .filter((name) => values[name] !== undefined);
  if (chosen.length > 1) {
    throw new UsageError(`Either --${chosen.join(" or --")}. Usage: ${USAGE}`);
  }
  const named = values.delete ?? values.reactivate;
  const address = named === undefined ? null : readAddress(named);
  await withDatabase(config, async (database) => {
    if (address !== null && values.delete) await deleteAddress(database, address);
    else if (address !== null) await reactivate(database, address);
    else if (values.export) await exportAll(database, dayOf(systemClock(), config.DIGEST_ZONE));
    else if (values.bounced) await listBounced(database);
    else await showCounts(database);
  });
};

async function showCounts(database: Database): Promise<void> {
  for (const [state, count] of Object.entries(await countSubscriptions(database))) {
    if (state === "bounced" && count === 0) continue;
    console.log(`${state.padEnd(12)} ${count}`);
  }
}

async function listBounced(database: Database): Promise<void> {
  const bounced = await readBounced(database, MAX_LISTED);
  for (const { email, refused_at, refusal_reason } of bounced) {
    await write(`${email} ${refused_at}\n  ${refusal_reason}\n`);
  }
  if (bounced.length === 0) console.log("No address rejected too many emails");
}

async function exportAll(database: Database, today: string): Promise<void> {
  for await (const lines of exportSubscribers(database, today)) await write(lines);
}

async function write(text: string): Promise<void> {
  for (let bytes = new TextEncoder().encode(text); bytes.length > 0;) {
    bytes = bytes.subarray(await Deno.stdout.write(bytes));
  }
}

async function reactivate(database: Database, address: string): Promise<void> {
  const isReactivated = await reactivateMailbox(database, address);
  console.log(
    isReactivated
      ? `${address} gets emails again, about changes from now on`
      : `${address} is not among the addresses that rejected too many emails`,
  );
}

async function deleteAddress(database: Database, address: string): Promise<void> {
  const isDeleted = await deleteSubscriber(database, address);
  console.log(
    isDeleted ? `Deleted all data about ${address}` : `There is no data about ${address}`,
  );
}

function readAddress(text: string): string {
  const { address, reason } = parseEmailAddress(text);
  if (address === undefined) {
    throw new UsageError(`The address "${text}" ${reason}. Usage: ${USAGE}`);
  }
  return address;
}
