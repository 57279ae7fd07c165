import type { Database } from "../lib/database/database.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { sql } from "../lib/database/sql.ts";
import { readTokenSecret } from "../lib/delivery/token_secret_sql.ts";
import { addWebhook } from "../lib/delivery/webhooks/edit_webhooks.ts";
import { resolveByMachine } from "../lib/http/outgoing/checked_addresses.ts";
import type { Item } from "../lib/roadmap/item.ts";
import { PRODUCTS, VOCABULARY } from "./data/generate_items.ts";
import { seedRandom } from "./data/seed_random.ts";
import { percentile } from "./load/percentile.ts";
import { startEmbeddingServer } from "./servers/embedding_server.ts";
import {
  findFreePort,
  readProcessorTime,
  runCommand,
  startServer,
  watchMemory,
} from "./servers/process.ts";
import { openScratch, readSomeItems } from "./servers/scratch.ts";
import { startSmtpSink } from "./servers/smtp_sink.ts";

/** The part of the releases that an import changes. */
const SHARE = 0.05;
/** An import with all subscribers is compared with one with so few. */
const FEW = 100;
const ADMIN_TOKEN = "token-of-the-benchmark";
/** How often each is measured; the median counts, of imports the shortest. */
const TIMES = { page: 5, search: 20, import: 5 };
/** Half of the subscribers have one of so many filters, each of which is a set of products; */
const FILTERS = 200;
/** the others watch so many releases, a list of their own each. */
const WATCHED = 5;
/** So many emails of each were finished before. */
const FINISHED = 10;
/** What a mail server far away takes for an answer, and how many connections make up for it. */
const ANSWER_MS = 20;
const MAIL_CONNECTIONS = "40";
/** Emails are counted for so long, with one process and with two. */
const SENDING_MS = 30_000;
/** Vectors are of one of so many topics. */
const TOPICS = 200;
const DIMENSIONS = 512;

type Settings = Record<string, string>;
/** What one size costs; the names are rows of the table. */
type Costs = Settings;

/** Prints what roadmaps of these sizes cost, each with so many subscribers, or as many as releases. */
export async function benchGrowth(
  sizes: readonly number[],
  { url, subscribers }: { url: string | null; subscribers: number | null },
): Promise<void> {
  const all: Costs[] = [];
  for (const size of sizes) {
    console.error(`Making ${size} items …`);
    all.push(await measureSize(size, subscribers ?? size, url));
    console.error(all.at(-1));
  }
  const print = (...cells: string[]) => console.log(`| ${cells.join(" | ")} |`);
  print(url ? "PostgreSQL" : "embedded", ...sizes.map((size) => size.toLocaleString("en")));
  print("---", ...sizes.map(() => "---:"));
  for (const name of Object.keys(all[0]!)) print(name, ...all.map((costs) => costs[name]!));
}

async function measureSize(size: number, subscribers: number, url: string | null): Promise<Costs> {
  await using scratch = await openScratch(size, url);
  await using sink = startSmtpSink(ANSWER_MS);
  await using embedding = startEmbeddingServer(vectorOf);
  await using receiver = startReceiver();
  const { service } = scratch.settings;
  await onDatabase(service, async (database) => {
    await addReceiver(database, receiver.url);
    await addSubscribers(database, 1, Math.min(FEW, subscribers));
  });
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = {
    ...service,
    ADMIN_TOKEN,
    DIGESTS: "off",
    MAIL_CONNECTIONS,
    MAIL_FROM: "roadmap@example.com",
    PORT: String(port),
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
  const changed = await readSomeItems(scratch.connection, Math.ceil(size * SHARE));
  const addMany = () =>
    onDatabase(service, (database) => addSubscribers(database, FEW + 1, subscribers));
  const costs = await measureServer(settings, { origin, changed, receiver, sink, addMany });
  const withMeaning = {
    ...settings,
    EMBEDDING_DIMENSIONS: String(DIMENSIONS),
    OPENAI_BASE_URL: embedding.url,
    QUESTION_LIMIT: "1000000",
    SEMANTIC_MIN_SIMILARITY: "0.3",
  };
  await runCommand(["embed"], withMeaning);
  await using _server = await startServer(withMeaning);
  const byMeaning = await measureSearches(`${origin}/api/releases?q=`, "semantic");
  return { ...costs, "search by meaning": byMeaning };
}

/** What a server costs that has no embedding service. */
async function measureServer(
  settings: Settings,
  { origin, changed, receiver, sink, addMany }: {
    origin: string;
    changed: readonly Item[];
    receiver: ReturnType<typeof startReceiver>;
    sink: ReturnType<typeof startSmtpSink>;
    addMany: () => Promise<void>;
  },
): Promise<Costs> {
  await using server = await startServer(settings);
  using memory = watchMemory([server.pid]);
  const pages: number[] = [];
  for (let round = 0; round < TIMES.page; round++) {
    const notified = receiver.next();
    await importItems(origin, changed.slice(0, 1), `Round ${round}`);
    await notified;
    pages.push(await time(() => read(`${origin}/`)));
  }
  const words = await measureSearches(`${origin}/api/releases?match=words&q=`, "words");
  const few = await measureImports(origin, changed, `with ${FEW}`);
  await addMany();
  const many = await measureImports(origin, changed, "with all");
  const notified = time(() => receiver.next());
  const importing = time(() => importItems(origin, changed, "Renamed"));
  let longest = 0;
  let isOver = false;
  void importing.catch(() => {}).finally(() => isOver = true);
  for (let number = 0; !isOver; number++) {
    longest = Math.max(longest, await time(() => read(`${origin}/api/releases?q=word${number}`)));
  }
  const webhook = show(await notified);
  // Without a mail server the command only queues; the servers, which have one, send.
  const queued = await time(() => runCommand(["digest"], { ...settings, SMTP_URL: "" }));
  const [taken, sent] = [await readProcessorTime(server.pid), sink.received];
  const alone = await sink.rate(SENDING_MS);
  const each = (await readProcessorTime(server.pid) - taken) / (sink.received - sent);
  const both = settings.DATABASE_URL === "" ? null : await measureBoth(settings, sink);
  if (sink.repeated > 0) throw new Error(`${sink.repeated} emails were sent twice`);
  return {
    "first page after an import": show(percentile(pages, 0.5)),
    "search by words": words,
    [`import of ${SHARE * 100}%, ${FEW} subscribers`]: show(few),
    "the same with all subscribers": show(many),
    "longest read meanwhile": show(longest),
    "webhook, from the start of the import": webhook,
    "digests to all, queued": show(queued),
    "emails a second, one process": alone.toFixed(0),
    "emails a second, two processes": both?.toFixed(0) ?? "–",
    "processor time of the server for each": `${each.toFixed(1)} ms`,
    "memory of the server": `${memory.most.toFixed(0)} MB`,
  };
}

/** Emails a second where a second process sends as well. */
async function measureBoth(settings: Settings, sink: ReturnType<typeof startSmtpSink>) {
  await using _second = await startServer({ ...settings, PORT: String(findFreePort()) });
  return await sink.rate(SENDING_MS);
}

/** Imports these releases a few times, and returns the shortest time; nobody reads meanwhile. */
async function measureImports(
  origin: string,
  items: readonly Item[],
  mark: string,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < TIMES.import; round++) {
    times.push(await time(() => importItems(origin, items, `${mark} ${round}`)));
  }
  return Math.min(...times);
}

/** Searches for two words each, another pair each time. */
async function measureSearches(address: string, mode: string): Promise<string> {
  const words = VOCABULARY.filter((word) => word.length >= 6);
  const times: number[] = [];
  for (let number = 0; number < TIMES.search; number++) {
    const search = `${words[number]}+${words[2 * number + 20]}`;
    times.push(await time(() => read(address + search, mode)));
  }
  return show(percentile(times, 0.5));
}

/** Works on the database for a moment: of an embedded one, beside the server or before it starts. */
async function onDatabase<Result>(
  { DATABASE_URL, DATA_DIR }: Settings,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase({ DATABASE_URL: DATABASE_URL || null, DATA_DIR: DATA_DIR! });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Adds subscribers who know all that was imported so far. */
async function addSubscribers(database: Database, first: number, last: number): Promise<void> {
  const products = [...PRODUCTS];
  await database.query(sql`
    insert into subscriptions (
      email, variant, requested_at, scope, filter, releases, last_notified_change
    )
    select 'reader' || number || '@example.com', 'A', now(),
      case when number % 2 = 0 then 'chosen' else 'watched' end,
      case when number % 2 = 1 then '{}' else jsonb_build_object('product_name', (
        select jsonb_agg(product order by product)
        from unnest(${products}::text[]) with ordinality as named (product, place)
        where place <= 8 and ((number / 2 % ${FILTERS} + 1) >> (place::int - 1)) % 2 = 1
      )) end,
      case when number % 2 = 0 then '{}' else ids[1 + number % (count - ${WATCHED}) : number % (count - ${WATCHED}) + ${WATCHED}] end,
      (select max(change_id) from changes)
    from generate_series(${first}::int, ${last}::int) as number, (
      select array_agg(release_item_id) as ids, count(*)::int as count from items
    ) as known
  `);
  await database.query(sql`
    update subscriptions set state = 'verified', verified_at = now() where state = 'unverified'
  `);
  await database.query(sql`
    insert into outbox (
      subscription_id, kind, status, created_at, due_at, give_up_at, finished_at
    )
    select subscription_id, 'digest', 'sent', day, day, day, day
    from subscriptions, generate_series(1, ${FINISHED}::int) as number,
      lateral (select now() - make_interval(days => number) as day) as finished
    where not exists (select from outbox where outbox.subscription_id = subscriptions.subscription_id)
  `);
  await database.script("vacuum analyze subscriptions");
  await database.script("vacuum analyze outbox");
}

async function addReceiver(database: Database, url: string): Promise<void> {
  await addWebhook(
    database,
    { url: new URL(url), kind: "standard", name: "all", filter: {}, cadence: "immediate" },
    {
      tokenSecret: await readTokenSecret(database),
      allowsPrivate: true,
      resolve: resolveByMachine,
      now: new Date(),
    },
  );
}

/** Receives what a webhook is notified of. */
function startReceiver() {
  let notified = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    await request.arrayBuffer();
    notified.resolve();
    notified = Promise.withResolvers();
    return new Response(null, { status: 204 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    next: () => notified.promise,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Imports these releases with another name. */
async function importItems(origin: string, items: readonly Item[], mark: string): Promise<void> {
  const response = await fetch(`${origin}/api/import?partial=true`, {
    method: "POST",
    headers: { "Authorization": `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify(
      items.map((item) => ({ ...item, feature_name: `${item.feature_name}, ${mark}` })),
    ),
  });
  const { changed } = await response.json();
  if (changed !== items.length) throw new Error(`${changed} of ${items.length} items changed`);
}

/** @param mode how a search has to be made */
async function read(address: string, mode?: string): Promise<string> {
  const response = await fetch(address);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${text}`);
  const made = response.headers.get("X-Search-Mode");
  if (mode !== undefined && made !== mode) throw new Error(`${address} was searched by ${made}`);
  return text;
}

/** The same for the same text: near to others of its topic, and hardly to any else. */
function vectorOf(text: string): Float32Array {
  const seed = [...text].reduce((sum, sign) => (sum * 31 + sign.codePointAt(0)!) | 0, 7);
  const [topic, own] = [seedRandom(seed % TOPICS), seedRandom(seed)];
  return new Float32Array(DIMENSIONS).map(() => topic() - 0.5 + 1.1 * (own() - 0.5));
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function show(milliseconds: number): string {
  return milliseconds < 1000
    ? `${milliseconds.toFixed(0)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
}
