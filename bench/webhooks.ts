import { join } from "node:path";
import type { Database } from "../lib/database/database.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { readTokenSecret } from "../lib/delivery/token_secret_sql.ts";
import { addWebhook } from "../lib/delivery/webhooks/edit_webhooks.ts";
import { resolveByMachine } from "../lib/http/outgoing/checked_addresses.ts";
import { PRODUCTS } from "./data/generate_items.ts";
import { findFreePort, runCommand, startProgram } from "./servers/process.ts";
import { openScratch, readSomeItems } from "./servers/scratch.ts";

const ITEMS = 1_083;
const CHANGED = 300;
const WEBHOOKS = 1_000;
const HANGING = 10;
/** Seconds until all that answer have been told, from the start of the import. */
const GOAL = 30;
/** So long is waited for them at most. */
const TIMEOUT_MS = 120_000;

/** Measures how long one import takes to reach many webhooks while some hang; true: the goal is reached. */
export async function benchWebhooks(server: string): Promise<boolean> {
  await using scratch = await openScratch(ITEMS, server);
  const { DATABASE_URL } = scratch.settings.service;
  using receivers = startReceivers();
  await addWebhooks(DATABASE_URL, receivers.urlOf);
  const items = await readSomeItems(scratch.connection, CHANGED);
  const renamed = items.map((item) => ({
    ...item,
    feature_name: `${item.feature_name}, renamed`,
  }));
  const file = join(await Deno.makeTempDir(), "changed.json");
  await Deno.writeTextFile(file, JSON.stringify(renamed));
  const port = findFreePort();
  const environment = {
    DATABASE_URL,
    WEBHOOK_ALLOW_PRIVATE: "true",
    PORT: String(port),
    HOST: "127.0.0.1",
  };
  await using _service = await startProgram(["main.ts", "serve"], { environment });
  await (await fetch(`http://127.0.0.1:${port}/health`)).body?.cancel();
  const started = performance.now();
  const imported = (await runCommand(["import", file, "--partial"], environment)).milliseconds /
    1000;
  await receivers.reached(WEBHOOKS - HANGING);
  const told = (performance.now() - started) / 1000;
  console.log(
    `\n${WEBHOOKS.toLocaleString("en")} webhooks, ${HANGING} of which hang: import ${
      imported.toFixed(2)
    } s, the others told ${told.toFixed(2)} s after it began (goal ${GOAL} s)`,
  );
  return told <= GOAL;
}

/** A receiver that answers, and one that never does. */
function startReceivers() {
  const told = new Set<string>();
  const stopping = new AbortController();
  const listen = (handler: (request: Request) => Promise<Response>): string => {
    const { signal } = stopping;
    const { addr } = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {}, signal },
      handler,
    );
    return `http://127.0.0.1:${addr.port}`;
  };
  const all = Promise.withResolvers<void>();
  let wanted = Infinity;
  const answering = listen(async (request) => {
    await request.arrayBuffer();
    told.add(new URL(request.url).pathname);
    if (told.size >= wanted) all.resolve();
    return new Response(null, { status: 204 });
  });
  const hanging = listen(() => new Promise(() => {}));
  return {
    urlOf: (number: number) => `${number < HANGING ? hanging : answering}/${number}`,
    async reached(count: number) {
      wanted = count;
      if (told.size >= count) return;
      const timer = setTimeout(
        () => all.reject(new Error(`Only ${told.size} of ${count} webhooks were told`)),
        TIMEOUT_MS,
      );
      await all.promise.finally(() => clearTimeout(timer));
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

/** Every second one has a filter of its own or shares it with a few. */
async function addWebhooks(url: string, urlOf: (number: number) => string): Promise<void> {
  const database: Database = await openDatabase({ DATABASE_URL: url, DATA_DIR: "" });
  try {
    const tokenSecret = await readTokenSecret(database);
    const options = { tokenSecret, allowsPrivate: true, resolve: resolveByMachine };
    for (let number = 0; number < WEBHOOKS; number++) {
      const products = PRODUCTS.filter((_, place) => (number % 200 + 1) >> place & 1).sort();
      const filter = number % 2 === 0 ? {} : { product_name: products };
      const webhook = {
        url: new URL(urlOf(number)),
        kind: "standard" as const,
        filter,
        cadence: "immediate" as const,
      };
      await addWebhook(database, { ...webhook, name: `webhook ${number}` }, {
        ...options,
        now: new Date(),
      });
    }
  } finally {
    await database.close();
  }
}
