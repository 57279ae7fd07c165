import type { Database } from "../lib/database/database.ts";
import { reactivateMailbox } from "../lib/delivery/bounces/bounces_sql.ts";
import {
  countSubscriptions,
  deleteSubscriber,
  readBounced,
} from "../lib/delivery/subscriptions/subscribers_sql.ts";
import {
  describeBrought,
  importSubscribers,
  previewSubscribers,
} from "../lib/delivery/subscriptions/import_subscribers.ts";
import {
  readSubscriberFile,
  type SubscriberFile,
} from "../lib/delivery/subscriptions/subscriber_file.ts";
import { decodeText } from "../lib/import/fetching/decode_text.ts";
import { sitesOf } from "../lib/roadmap/sites.ts";
import { ExpectedError } from "../lib/expected_error.ts";
import type { Config } from "../lib/config/config.ts";
import { exportSubscribers } from "../lib/delivery/subscriptions/export_subscribers.ts";
import { parseEmailAddress } from "../lib/delivery/subscriptions/email_address.ts";
import { dayOf } from "../lib/text/cadence.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseGiven, UsageError } from "./given.ts";

const MAX_LISTED = 10_000;
/** A longer file is no list of subscribers. */
const MAX_BYTES = 100 * 1024 * 1024;

/** `deno task subscriptions`: counts, lists or imports them, or deletes a person's data. */
export const run: Command = async (args, config) => {
  const { values, positionals: [verb, path] } = parseGiven("subscriptions", args);
  const imports = verb !== undefined;
  if (imports && verb !== "import") throw new UsageError(`Unexpected "${verb}"`);
  if (imports && path === undefined) {
    throw new UsageError("Which file is to be imported?");
  }
  if (!imports && (values["dry-run"] || values.encoding !== undefined)) {
    throw new UsageError("--dry-run and --encoding are of an import");
  }
  const chosen = (["export", "bounced", "reactivate", "delete"] as const)
    .filter((name) => values[name] !== undefined);
  if (chosen.length > 1 || imports && chosen.length > 0) {
    const either = [...imports ? ["import"] : [], ...chosen.map((name) => `--${name}`)];
    throw new UsageError(`Either ${either.join(" or ")}`);
  }
  const named = values.delete ?? values.reactivate;
  const address = named === undefined ? null : readAddress(named);
  const file = imports ? await readFile(path!, values.encoding) : null;
  await withDatabase(config, async (database) => {
    if (file !== null) return await importFile(database, file, config, values["dry-run"] ?? false);
    if (address !== null && values.delete) {
      const isDeleted = await deleteSubscriber(database, address);
      console.log(
        isDeleted ? `Deleted all data about ${address}` : `There is no data about ${address}`,
      );
    } else if (address !== null) {
      const isReactivated = await reactivateMailbox(database, address);
      console.log(
        isReactivated
          ? `${address} gets emails again, about changes from now on`
          : `${address} is not among the addresses that rejected too many emails`,
      );
    } else if (values.export) await exportAll(database, dayOf(systemClock(), config.DIGEST_ZONE));
    else if (values.bounced) await listBounced(database);
    else await showCounts(database);
  });
};

async function readFile(path: string, encoding: string | undefined): Promise<SubscriberFile> {
  let bytes: Uint8Array;
  try {
    const { size, isFile } = await Deno.stat(path);
    if (!isFile) throw new ExpectedError(`${path} is no file`);
    if (size > MAX_BYTES) throw new ExpectedError(`${path} has more than 100 MB: split it`);
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw new ExpectedError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  return readSubscriberFile(decodeText({ shown: path, bytes, charset: null }, encoding));
}

async function importFile(
  database: Database,
  file: SubscriberFile,
  config: Config,
  isDry: boolean,
): Promise<void> {
  const variants = sitesOf(config).map(({ variant }) => variant.name);
  const brought = isDry
    ? await previewSubscribers(database, file)
    : await importSubscribers(database, file, { variants, now: systemClock() });
  for (const line of describeBrought(file, brought, { isDone: !isDry })) await write(`${line}\n`);
}

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

function readAddress(text: string): string {
  const { address, reason } = parseEmailAddress(text);
  if (address === undefined) {
    throw new UsageError(`The address "${text}" ${reason}`);
  }
  return address;
}
