import postgres from "postgres";
import { readConfig } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { completeSet, indexVectors, prepareSet } from "../lib/search/embedding_sets_sql.ts";
import type { ItemFilter } from "../lib/roadmap/filter/filter.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { openPostgres } from "../lib/database/postgres/postgres.ts";
import type { Services } from "../lib/service/services.ts";
import { startService } from "../lib/service/start_service.ts";
import { startEmbeddingServer } from "./embedding_server.ts";
import { SemanticData } from "./semantic_data.ts";
import { loadItems } from "./semantic_load.ts";

const ITEMS = 100_000;
const DIMENSIONS = 1_536;
const SEED = 7;
const QUESTIONS = 60;
/** Warm-up queries, sent until every connection has prepared its statements. */
const WARM_UPS = 20;
const PAGE = 50;

/** What the filter of each case keeps, and the condition of the bare statement. */
const CASES: readonly { name: string; filter: ItemFilter; condition: string }[] = [
  { name: "no filter", filter: {}, condition: "true" },
  {
    name: "keeps 50 %",
    filter: { release_status: ["Planned"] },
    condition: "release_status = 'Planned'",
  },
  {
    name: "keeps 7 %",
    filter: { product_name: ["Product 3"] },
    condition: "product_name = 'Product 3'",
  },
  {
    name: "keeps 1 %",
    filter: { release_type: ["Preview"] },
    condition: "release_type = 'Preview'",
  },
];

/** What a hand-written statement needs to find full pages with the nearest items. */
const BY_INDEX = "set local hnsw.ef_search = 200; set local hnsw.iterative_scan = relaxed_order";
const BY_COMPARING = "set local enable_hashjoin = off; set local enable_mergejoin = off";

/**
 * Benchmarks search by meaning on a scratch database of the given PostgreSQL; true: all goals
 * reached.
 */
export async function benchSemantic(serverUrl: string): Promise<boolean> {
  const scratch = await createScratch(serverUrl);
  const data = new SemanticData(DIMENSIONS, SEED);
  const vectors = data.questions(QUESTIONS + WARM_UPS);
  await using embedding = startEmbeddingServer((text) => vectors[Number(text.split(" ")[1])]!);
  const database = await openPostgres(scratch.url);
  try {
    await prepare(database, scratch.url, data);
    const config = readConfig({ DATABASE_URL: scratch.url, OPENAI_BASE_URL: embedding.url });
    const services = await startService(database, config);
    const bare = postgres(scratch.url, { max: 1, connection: { jit: "off" }, onnotice: () => {} });
    try {
      return await measureCases(services, bare, vectors);
    } finally {
      await bare.end();
      await services.stop();
    }
  } finally {
    await database.close();
    await scratch.drop();
  }
}

async function prepare(database: Database, url: string, data: SemanticData): Promise<void> {
  await migrate(database, await readMigrations());
  const set = await prepareSet(database, {
    model: "text-embedding-3-small",
    dimensions: DIMENSIONS,
  });
  const table = `embeddings_${set.set_id}`;
  const loaded = await time(() => loadItems(url, data.items(ITEMS), { table, half: true }));
  const indexed = await time(() => indexVectors(database, set));
  await completeSet(database, set);
  console.log(
    `${ITEMS} items x ${DIMENSIONS} loaded in ${seconds(loaded)}, indexed in ${seconds(indexed)}`,
  );
}

async function measureCases(
  services: Services,
  bare: postgres.Sql,
  vectors: readonly Float32Array[],
): Promise<boolean> {
  console.log(
    "case         recall@10  full pages  ours p50/p95    bare p50/p95    ratio  exact p50",
  );
  const { minSimilarity } = services.config.embedding!;
  let good = true;
  const [warmUps, questions] = [vectors.slice(QUESTIONS), vectors.slice(0, QUESTIONS)];
  for (const { name, filter, condition } of CASES) {
    const keeps: ItemFilter = { include_inactive: false, ...filter };
    const { count } = await services.selections.select(keeps);
    const searchFor = (number: number) => ({ filter: { ...keeps, q: `question ${number}` } });
    const runBare = (vector: Float32Array) => searchBare(bare, vector, { condition, count });
    const runOurs = async (number: number) => {
      const search = { ...searchFor(number), end: PAGE, client: null };
      const { selection } = await services.semantic!.select(search);
      return selection!.slice(0, PAGE);
    };
    // The exact comparison comes first: it also fetches the vectors, so no search waits for the
    // service, and it fills the server's buffers with pages that no index search needs.
    const exact: { nearest: string[]; findable: number; took: number }[] = [];
    for (const number of vectors.keys()) {
      const started = performance.now();
      const near = (await services.semantic!.measure(searchFor(number).filter))!;
      exact.push({
        took: performance.now() - started,
        nearest: near.slice(0, 10).map(({ release_item_id }) => release_item_id),
        findable: near.filter(({ similarity }) => similarity >= minSimilarity).length,
      });
    }
    for (const [index, vector] of warmUps.entries()) {
      await runBare(vector);
      await runOurs(QUESTIONS + index);
    }
    const times = { ours: [] as number[], bare: [] as number[] };
    let recalled = 0;
    let full = 0; // pages that hold all there is to find, up to PAGE items
    for (const [number, vector] of questions.entries()) {
      const measureBare = async () => {
        times.bare.push(await time(() => runBare(vector)));
      };
      const measureOurs = async () => {
        let found: string[] = [];
        times.ours.push(await time(async () => found = await runOurs(number)));
        const { nearest, findable } = exact[number]!;
        recalled += nearest.filter((id) => found.slice(0, 10).includes(id)).length;
        full += found.length === Math.min(PAGE, findable) ? 1 : 0;
      };
      // In turn, so neither always finds the pages that the other has just read.
      const turns = number % 2 ? [measureBare, measureOurs] : [measureOurs, measureBare];
      for (const turn of turns) await turn();
    }
    const recall = recalled / (10 * QUESTIONS);
    const ratio = quantile(times.ours, 0.5) / quantile(times.bare, 0.5);
    good &&= recall >= 0.95 && full === QUESTIONS && ratio <= 1.5;
    console.log(
      [
        name.padEnd(12),
        recall.toFixed(3).padStart(9),
        `${full}/${QUESTIONS}`.padStart(11),
        shown(times.ours),
        shown(times.bare),
        ratio.toFixed(2).padStart(6),
        `${quantile(exact.map(({ took }) => took), 0.5).toFixed(1)} ms`.padStart(10),
      ].join(" "),
    );
  }
  return good;
}

/** The first page by the best bare statement: no count, no minimum similarity, no cache. */
async function searchBare(
  bare: postgres.Sql,
  vector: Float32Array,
  { condition, count }: { condition: string; count: number },
): Promise<void> {
  const byIndex = count > ITEMS / 5;
  const rows = await bare.begin(async (transaction) => {
    await transaction.unsafe(byIndex ? BY_INDEX : BY_COMPARING);
    return await transaction.unsafe(
      `select release_item_id
      from ${byIndex ? "items" : `(select * from items where ${condition} offset 0) as items`}
      join embeddings_1 using (text_hash)
      where active and ${condition}
      order by (embedding <=> (select $1::text::halfvec(${DIMENSIONS}))) ${byIndex ? "" : "+ 0"}
      limit ${PAGE}`,
      [`[${vector.join(",")}]`],
      { prepare: true },
    );
  });
  if (rows.length < PAGE) throw new Error(`The bare statement found only ${rows.length} rows`);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function quantile(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;
}

function shown(times: number[]): string {
  return `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.95).toFixed(1)} ms`.padStart(16);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(0)} s`;
}

async function createScratch(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `roadcast_bench_${crypto.randomUUID().slice(0, 8)}`;
  const run = async (statement: string) => {
    const server = postgres(serverUrl, { max: 1, onnotice: () => {} });
    await server.unsafe(statement);
    await server.end();
  };
  await run(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}
