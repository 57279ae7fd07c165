import type { Connection, Database } from "../../database/database.ts";
import { FieldError, firstLineOf } from "../../expected_error.ts";
import {
  AddressRefused,
  findCheckedAddresses,
  type Resolve,
} from "../../http/outgoing/checked_addresses.ts";
import { explainConnection } from "../../http/outgoing/connection_reason.ts";
import { describeNoProxy } from "../../http/outgoing/proxy.ts";
import { capitalise } from "../../text/phrases.ts";
import { ADDRESSES } from "./chat_formats.ts";
import { describeRefusedAddress } from "./post_message.ts";
import { makeWebhookSecret, openTarget, sealTarget } from "./sealed_target.ts";
import type { Cadence } from "../../text/cadence.ts";
import type { WebhookFilter, WebhookKind } from "./webhook.ts";
import { findTarget, storeTarget, storeWebhook, updateWebhook } from "./webhooks_sql.ts";
import { listsOf } from "../../roadmap/filter/preference_lists.ts";
import type { Site } from "../../roadmap/sites.ts";
import { findProductsWith, findUnknown } from "../subscriptions/unknown_values_sql.ts";
import { queueWebhooks } from "./queue_webhooks.ts";

/** A short name without control characters, which a terminal would obey. */
export const WEBHOOK_NAME = /^[^\p{Cc}\p{Bidi_Control}]{1,100}$/u;

/** The most names that are tried where none was given. */
const MAX_NAMES = 1_000;

/** What a webhook is added with. */
interface AddOptions {
  tokenSecret: string;
  allowsPrivate: boolean;
  resolve: Resolve;
  now: Date;
}

/**
 * Reads the address of a webhook.
 *
 * @throws {FieldError} that says what is wrong with it
 */
export function parseWebhookUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FieldError({
      url: "A webhook has an http or https address, such as https://example.com/x",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new FieldError({
      url: "The address of a webhook has no user and password: the signature identifies the sender",
    });
  }
  url.hash = "";
  return url;
}

/** An address as it may be shown: what stands behind the host can be a secret. */
function showWebhookUrl({ origin, pathname, search }: URL): string {
  return pathname === "/" && search === "" ? `${origin}/` : `${origin}/…`;
}

/**
 * Stores a webhook, which receives what changes from now on, by the name of its host where it has
 * none. Its secret, null for a chat, is shown nowhere else.
 *
 * @throws {FieldError} if its address is not public or none of its kind, or its name is taken
 */
export async function addWebhook(
  database: Database,
  { url, name, ...wanted }: {
    url: URL;
    kind: WebhookKind;
    name?: string;
    filter: WebhookFilter;
    cadence: Cadence;
  },
  { tokenSecret, now, ...options }: AddOptions,
): Promise<{ name: string; shownUrl: string; secret: string | null }> {
  const { kind } = wanted;
  await requireRightAddress(kind, url, options);
  const id = crypto.randomUUID();
  const secret = kind === "standard" ? makeWebhookSecret() : null;
  const shownUrl = showWebhookUrl(url);
  const target = sealTarget({ url: url.href, secret }, id, tokenSecret);
  for (const free of name === undefined ? namesLike(url.hostname) : [name]) {
    const webhook = { ...wanted, webhook_id: id, name: free, shown_url: shownUrl, target };
    if (await storeWebhook(database, webhook, now)) return { name: free, shownUrl, secret };
  }
  throw new FieldError({
    name: `There is already a webhook named "${name ?? url.hostname}": choose another name`,
  });
}

/** @throws {FieldError} if an address is not public or none of its kind */
async function requireRightAddress(
  kind: WebhookKind,
  url: URL,
  { allowsPrivate, resolve }: Pick<AddOptions, "allowsPrivate" | "resolve">,
): Promise<void> {
  const rule = ADDRESSES[kind];
  if (rule && !rule.fits(url)) {
    throw new FieldError({ url: `The address of a webhook of kind ${kind} is ${rule.right}` });
  }
  if (allowsPrivate) return;
  try {
    await findCheckedAddresses(url, { allowsPrivate: false, resolve });
  } catch (error) {
    if (error instanceof AddressRefused) {
      throw new FieldError({ url: describeRefusedAddress(error) });
    }
    const reason = explainConnection(error, url.hostname) ??
      `cannot find the address of ${url.hostname}: ${firstLineOf(error)}`;
    throw new FieldError({ url: capitalise(reason) + describeNoProxy(url) });
  }
}

function* namesLike(host: string): Generator<string> {
  const name = host.slice(0, 90);
  yield name;
  for (let number = 2; number <= MAX_NAMES; number++) yield `${name}-${number}`;
}

/**
 * Changes what a webhook is narrowed to, its cadence, and its address if one is given; its kind and
 * its secret stay. What waits for a cadence that ends is due at once where the new one is `immediate`.
 * False if none has this name.
 *
 * @throws {FieldError} if the address is not public or none of its kind
 */
export async function changeWebhook(
  database: Database,
  name: string,
  { url, filter, cadence }: { url: URL | null; filter: WebhookFilter; cadence: Cadence },
  { site, zone, ...options }: AddOptions & { site: Site; zone: string },
): Promise<boolean> {
  const found = await findTarget(database, name);
  if (found === null) return false;
  const { webhook_id: id, kind, target } = found;
  const { tokenSecret, now } = options;
  if (url !== null) await requireRightAddress(kind, url, options);
  const moved = url && {
    target: sealTarget(
      { ...openTarget(target, id, tokenSecret), url: url.href },
      id,
      tokenSecret,
    ),
    shownUrl: showWebhookUrl(url),
  };
  return await database.transaction(async (connection) => {
    const isThere = await updateWebhook(connection, id, { filter, cadence, ...moved });
    if (cadence === "immediate") await queueWebhooks(connection, { site, zone, now, only: id });
    return isThere;
  });
}

/** How long the former secret of a webhook signs beside a new one. */
const FORMER_MS = 24 * 3_600_000;

/**
 * Gives a webhook a new secret and returns it; the former one signs as well for a day. Null if none
 * has this name.
 *
 * @throws {FieldError} if its kind has no secret
 */
export async function rotateSecret(
  database: Database,
  name: string,
  options: Pick<AddOptions, "tokenSecret" | "now">,
): Promise<string | null> {
  const { tokenSecret, now } = options;
  const found = await findTarget(database, name);
  if (found === null) return null;
  const { webhook_id: id, kind } = found;
  const { url, secret: before } = openTarget(found.target, id, tokenSecret);
  if (before === null) {
    throw new FieldError({
      kind: `A webhook of kind ${kind} has no secret: change its address instead`,
    });
  }
  const secret = makeWebhookSecret();
  const until = new Date(now.getTime() + FORMER_MS).toISOString();
  const to = sealTarget({ url, secret, former: { secret: before, until } }, id, tokenSecret);
  const isStored = await storeTarget(database, id, { from: found.target, to });
  return isStored ? secret : await rotateSecret(database, name, options);
}

/** Says which values of a webhook's filter no release has now, and which may be meant; null: none. */
export async function describeUnknown(
  connection: Connection,
  filter: WebhookFilter,
): Promise<string | null> {
  const unknown = await findUnknown(connection, listsOf(filter));
  if (unknown === null) return null;
  const meant = await findProductsWith(connection, unknown.products ?? []);
  const values = Object.values(unknown).flat().map((value) => {
    const product = meant.get(value);
    return `"${value}"` + (product === undefined ? "" : ` (did you mean "${product}"?)`);
  });
  return `No release has ${values.join(", ")} now; it is sent once one does`;
}
