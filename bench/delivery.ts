import { type Connection, queryOne } from "../lib/database/database.ts";
import { sql } from "../lib/database/sql.ts";
import { PRODUCTS } from "./data/generate_items.ts";
import { runCommand } from "./servers/process.ts";
import { showSeconds } from "./report.ts";
import { openScratch } from "./servers/scratch.ts";

/** The ratio to one `insert … select`, and megabytes. */
const GOALS = { ratio: 10, memory: 300 } as const;
const ITEMS = 1_083;
/** Each number stands for a set of products. */
const FILTERS = 200;

/** Measures a run of digests beside one `insert … select` of as many emails; true: all goals reached. */
export async function benchDelivery(subscribers: number, server: string): Promise<boolean> {
  await using scratch = await openScratch(ITEMS, server);
  const { connection, settings } = scratch;
  await addSubscribers(connection, subscribers);
  console.log(
    `\nDigests for ${subscribers.toLocaleString("en")} subscribers with ${FILTERS} filters`,
  );
  const bare = await measureInsert(connection, subscribers);
  console.log(`One insert of as many mails${showSeconds(bare, 2).padStart(12)}`);
  const run = await runCommand(["digest"], settings.service);
  const { queued } = await queryOne<{ queued: number }>(
    connection,
    sql`select count(*)::int as queued from outbox where kind = 'digest'`,
  );
  if (queued !== subscribers) throw new Error(`${queued} of ${subscribers} mails were queued`);
  const ratio = run.milliseconds / bare;
  console.log(
    `deno task digest${showSeconds(run.milliseconds, 2).padStart(22)}   ratio ${ratio.toFixed(2)}`,
  );
  console.log(`Most memory of the command: ${run.memory.toFixed(0)} MB`);
  return ratio <= GOALS.ratio && run.memory <= GOALS.memory;
}

/** Adds verified subscribers of 200 different filters. */
export async function addSubscribers(connection: Connection, count: number): Promise<void> {
  await connection.query(sql`
    insert into subscriptions (email, variant, requested_at, scope, filter)
    select 'reader' || number || '@example.com', 'A', now(), 'chosen', jsonb_build_object(
      'product_name', (
        select jsonb_agg(product order by product) from unnest(${[
    ...PRODUCTS,
  ]}::text[]) with ordinality as all_products (product, place)
      where place <= 8 and ((number % ${FILTERS} + 1) >> (place::int - 1)) % 2 = 1
      )
    )
    from generate_series(1, ${count}::int) as number
  `);
  await connection.query(sql`
    update subscriptions set state = 'verified', verified_at = now()
  `);
  await connection.script("vacuum analyze subscriptions");
}

/** The least that queueing can take: one statement that puts as many mails down. */
async function measureInsert(connection: Connection, count: number): Promise<number> {
  const started = performance.now();
  await connection.query(sql`
    insert into outbox (subscription_id, kind, changes_up_to, created_at, due_at, give_up_at)
    select subscription_id, 'digest', 1, now(), now(), now()
    from subscriptions
  `);
  const milliseconds = performance.now() - started;
  const rows = await connection.query(sql`delete from outbox returning 1`);
  if (rows.length !== count) throw new Error(`${rows.length} of ${count} mails were put down`);
  await connection.script("vacuum analyze outbox");
  return milliseconds;
}
