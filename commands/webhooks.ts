import type { Config } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { ExpectedError } from "../lib/expected_error.ts";
import { readTokenSecret } from "../lib/delivery/token_secret_sql.ts";
import {
  addWebhook,
  describeUnknown,
  parseWebhookUrl,
  rotateSecret,
  WEBHOOK_NAME,
} from "../lib/delivery/webhooks/edit_webhooks.ts";
import { testWebhook } from "../lib/delivery/webhooks/webhook_sender.ts";
import { WEBHOOK_KINDS, type WebhookFilter } from "../lib/delivery/webhooks/webhook.ts";
import {
  enableWebhook,
  findTarget,
  listDeliveries,
  type ListedDelivery,
  type ListedWebhook,
  listWebhooks,
  removeWebhook,
} from "../lib/delivery/webhooks/webhooks_sql.ts";
import { resolveByMachine } from "../lib/http/outgoing/checked_addresses.ts";
import { CHOSEN, readChosen } from "../lib/roadmap/filter/chosen_filter.ts";
import { sitesOf } from "../lib/roadmap/sites.ts";
import { CADENCES, describeCadence } from "../lib/text/cadence.ts";
import { inEnglish } from "../lib/text/messages.ts";
import { countOf } from "../lib/text/phrases.ts";
import { systemClock } from "../lib/work/async.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseChoice, parseGiven, UsageError } from "./given.ts";

const MAX_LISTED = 1_000;

/** `deno task webhooks`: adds, lists, removes, enables and tests webhooks. */
export const run: Command = async (args, config) => {
  const { values, positionals } = parseGiven("webhooks", args);
  const [action = "list", word, ...others] = positionals;
  // Which is not repeated: it may be an address.
  if (others.length > 0) throw new UsageError("Too many words");
  const [option] = Object.keys(values);
  if (option !== undefined && action !== "add") throw new UsageError(`--${option} goes with add`);
  if (action === "add") {
    const webhook = {
      url: parseWebhookUrl(requireWord(word, "URL")),
      kind: parseChoice(values.kind ?? "standard", "--kind", WEBHOOK_KINDS),
      name: parseName(values.name),
      filter: parseFilter(values),
      cadence: parseChoice(values.cadence ?? "immediate", "--cadence", CADENCES),
    };
    return await withDatabase(config, (database) => add(database, config, webhook));
  }
  if (action === "list") {
    if (word !== undefined) throw new UsageError(`Unexpected "${word}"`);
    return await withDatabase(config, list);
  }
  const act = new Map(Object.entries({ remove, enable, test, rotate, deliveries })).get(action);
  if (!act) throw new UsageError(`There is no "${action}"`);
  const name = action === "deliveries" ? word : requireWord(word, "NAME");
  console.log(
    await withDatabase(config, async (database) => {
      const said = await act(database, name!, config);
      if (said !== null) return said;
      const names = (await listWebhooks(database)).map(({ name }) => `"${name}"`).join(", ");
      throw new ExpectedError(
        `There is no webhook "${name}"; existing webhooks: ${names || "none"}`,
      );
    }),
  );
};

function requireWord(word: string | undefined, what: string): string {
  if (word === undefined) throw new UsageError(`The ${what} is missing`);
  return word;
}

async function add(
  database: Database,
  config: Config,
  webhook: Parameters<typeof addWebhook>[1],
): Promise<void> {
  const { name, shownUrl, secret } = await addWebhook(database, webhook, {
    tokenSecret: await findTokenSecret(database, config),
    allowsPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    resolve: resolveByMachine,
    now: systemClock(),
  });
  console.log(`Added the webhook "${name}" (${webhook.kind}): ${shownUrl}`);
  if (secret !== null) console.log(`Its secret, which is not shown again: ${secret}`);
  if (webhook.cadence !== "immediate") {
    const when = inEnglish(() => describeCadence(webhook.cadence, config.webhookTimes));
    console.log(`It gets all changes in one message, ${when}`);
  }
  const unknown = await describeUnknown(database, webhook.filter);
  if (unknown !== null) console.log(unknown);
}

function findTokenSecret(database: Database, config: Config): Promise<string> | string {
  return config.TOKEN_SECRET ?? readTokenSecret(database);
}

async function list(database: Database): Promise<void> {
  const webhooks = await listWebhooks(database);
  for (const webhook of webhooks) console.log(describeWebhook(webhook));
  if (webhooks.length === 0) console.log("No webhooks yet");
}

async function remove(database: Database, name: string): Promise<string | null> {
  return await removeWebhook(database, name) ? `Removed the webhook "${name}"` : null;
}

async function enable(database: Database, name: string): Promise<string | null> {
  const due = await enableWebhook(database, name, systemClock());
  if (due === null) return null;
  const words = due === 1 ? "1 waiting delivery is" : `${due} waiting deliveries are`;
  return `The webhook "${name}" is enabled; ${words} due now`;
}

async function test(database: Database, name: string, config: Config): Promise<string | null> {
  const outcome = await testWebhook(database, name, {
    context: { siteName: config.SITE_NAME, site: sitesOf(config)[0]! },
    tokenSecret: await findTokenSecret(database, config),
    allowsPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    resolve: resolveByMachine,
    now: systemClock(),
  });
  if (outcome === null) return null;
  if (!outcome.isSuccess) throw new ExpectedError(`The test failed. ${outcome.text}`);
  return `The test succeeded. ${outcome.text}`;
}

async function rotate(database: Database, name: string, config: Config): Promise<string | null> {
  const tokenSecret = await findTokenSecret(database, config);
  const secret = await rotateSecret(database, name, { tokenSecret, now: systemClock() });
  return secret && `The new secret of "${name}", which is not shown again: ${secret}\n` +
      "For 24 hours each delivery has the signatures of both secrets";
}

async function deliveries(database: Database, name: string | undefined): Promise<string | null> {
  if (name !== undefined && await findTarget(database, name) === null) return null;
  const listed = await listDeliveries(database, { name: name ?? null, limit: MAX_LISTED });
  return listed.map(describeDelivery).join("\n") || "No deliveries yet";
}

function describeWebhook(webhook: ListedWebhook): string {
  const { name, kind, shown_url, filter, cadence, disabled_at, disabled_reason, last_at } = webhook;
  const values = Object.entries(filter).map(([name, values]) =>
    `${name} ${values.map((value) => `"${value}"`).join(", ")}`
  );
  return [
    name,
    kind,
    shown_url,
    disabled_at === null ? "enabled" : `disabled ${disabled_at} (${disabled_reason})`,
    ...cadence === "immediate" ? [] : [cadence],
    ...values,
    last_at === null ? "nothing delivered yet" : `last delivery ${last_at} ${webhook.last_status}`,
  ].join("  ");
}

/** A delivery in one line, and what the receiver answered in a second one. */
function describeDelivery(delivery: ListedDelivery): string {
  const { mail_id, status, attempts, created_at, due_at, finished_at, last_error } = delivery;
  const next = status === "waiting" ? `next attempt ${due_at}` : `ended ${finished_at}`;
  const line = [
    `${mail_id} ${status} ${delivery.name}`,
    created_at,
    countOf(attempts, "attempt"),
    next,
  ].join(", ");
  return last_error === null ? line : `${line}\n  ${last_error}`;
}

function parseName(name: string | undefined): string | undefined {
  if (name === undefined || WEBHOOK_NAME.test(name)) return name;
  throw new UsageError("--name takes 1 to 100 characters without control characters");
}

/** What a webhook is narrowed to; the option of a list is called as its filter. */
function parseFilter(
  { "change-kind": kind, ...values }: Record<string, string | string[] | undefined>,
): WebhookFilter {
  const { filter, mistakes: [mistake] } = readChosen(Object.fromEntries(
    Object.keys(CHOSEN).map((name) => [
      name,
      [(name === "kind" ? kind : values[name.replace("_", "-")]) ?? []].flat(),
    ]),
  ));
  if (!mistake) return filter;
  const option = mistake.name === "kind" ? "change-kind" : mistake.name.replace("_", "-");
  throw new UsageError(`--${option} ${mistake.reason}`);
}
