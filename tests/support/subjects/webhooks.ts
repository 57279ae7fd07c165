import { readConfig } from "../../../lib/config/config.ts";
import type { Database } from "../../../lib/database/database.ts";
import {
  addWebhook,
  changeWebhook,
  parseWebhookUrl,
} from "../../../lib/delivery/webhooks/edit_webhooks.ts";
import { type Resolve, resolveByMachine } from "../../../lib/http/outgoing/checked_addresses.ts";
import type { WebhookFilter, WebhookKind } from "../../../lib/delivery/webhooks/webhook.ts";
import type { Cadence } from "../../../lib/text/cadence.ts";
import { notifyWebhooks, queueDueWebhooks } from "../../../lib/delivery/webhooks/queue_webhooks.ts";
import { WebhookSender } from "../../../lib/delivery/webhooks/webhook_sender.ts";
import { listDeliveries, listWebhooks } from "../../../lib/delivery/webhooks/webhooks_sql.ts";
import { siteFor, sitesOf } from "../../../lib/roadmap/sites.ts";
import { importItems } from "../app.ts";

/** The initial time of the clock. */
export const START = Date.parse("2026-07-20T12:00:00Z");
const SECRET = "a secret of the server, long enough";

/** A request as received by a webhook receiver. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A webhook receiver on loopback. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
}

/** Starts a receiver that responds with 204 by default, over TLS if it has a certificate. */
export function startReceiver(
  answer: (received: Received, count: number) => Response | Promise<Response> = () =>
    new Response(null, { status: 204 }),
  certificate?: { key: string; cert: string },
): Receiver {
  const received: Received[] = [];
  const stopping = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {}, signal: stopping.signal, ...certificate },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      const one = { path: pathname + search, headers, body: await request.text() };
      received.push(one);
      return await answer(one, received.length);
    },
  );
  return {
    port: server.addr.port,
    url: `${certificate ? "https" : "http"}://127.0.0.1:${server.addr.port}`,
    received,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.finished;
    },
  };
}

/** How a test sends webhooks: its resolver, timeout, settings and clock. */
export interface WebhookOptions {
  allowsPrivate?: boolean;
  resolve?: Resolve;
  timeoutMs?: number;
  settings?: Record<string, string>;
  /** The initial time of the clock, in milliseconds since 1970. */
  start?: number;
}

/** Adds webhooks, imports, and sends as a process does, with a clock that the test sets. */
export function startWebhooks(database: Database, options: WebhookOptions = {}) {
  const {
    allowsPrivate = true,
    resolve = resolveByMachine,
    timeoutMs,
    settings = {},
    start = START,
  } = options;
  const config = readConfig(settings);
  let now = start;
  const clock = () => new Date(now);
  const tell = notifyWebhooks(config, clock);
  const site = sitesOf(config)[0]!;
  const sender = new WebhookSender({
    database,
    clock,
    tokenSecret: SECRET,
    siteName: config.SITE_NAME,
    siteFor: (variant) => siteFor(variant, config),
    allowsPrivate,
    resolve,
    ...timeoutMs !== undefined && { timeoutMs },
  });
  return {
    add(
      url: string,
      { kind = "standard", name = crypto.randomUUID(), filter = {}, cadence = "immediate" }: {
        kind?: WebhookKind;
        name?: string;
        filter?: WebhookFilter;
        cadence?: Cadence;
      } = {},
    ) {
      const webhook = { url: parseWebhookUrl(url), kind, filter, name, cadence };
      const now = clock();
      // The job of a server has run some minutes ago.
      return queueDueWebhooks(database, { site, times: config.webhookTimes, now }).then(() =>
        addWebhook(database, webhook, { tokenSecret: SECRET, allowsPrivate, resolve, now })
      );
    },
    /** Changes what a webhook is narrowed to and its cadence, as the operator's page does. */
    change: (name: string, { url = null, filter = {}, cadence }: {
      /** Null: it stays. */
      url?: string | null;
      filter?: WebhookFilter;
      cadence: Cadence;
    }) =>
      changeWebhook(database, name, {
        url: url === null ? null : parseWebhookUrl(url),
        filter,
        cadence,
      }, {
        tokenSecret: SECRET,
        allowsPrivate,
        resolve,
        now: clock(),
        site,
        zone: config.DIGEST_ZONE,
      }),
    /** Queues deliveries, as an import does in its transaction. */
    tell,
    import: (items: unknown, options: Parameters<typeof importItems>[2] = {}) =>
      importItems(database, items, { onChange: tell, allowMassRemoval: true, ...options }),
    send: () => sender.sendDue(),
    /** Puts down what is due now, and sends it, as the job of a server does. */
    async look(moment: string | null = null) {
      if (moment !== null) now = Date.parse(moment);
      await queueDueWebhooks(database, { site, times: config.webhookTimes, now: clock() });
      return await sender.sendDue();
    },
    advance: (minutes: number) => now += minutes * 60_000,
    list: () => listWebhooks(database),
    deliveries: async () =>
      (await listDeliveries(database, { name: null, limit: 10_000 })).map((row) => ({ ...row })),
    [Symbol.asyncDispose]: () => Promise.resolve(sender.abort()),
  };
}
