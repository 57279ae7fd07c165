import postgres from "postgres";
import { readConfig } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { completeSet, MAX_NEAREST, prepareSet } from "../lib/search/embeddings_sql.ts";
import type { ItemFilter } from "../lib/roadmap/filter/filter.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { openPostgres } from "../lib/database/postgres/postgres.ts";
import type { Services } from "../lib/service/services.ts";
import { startService } from "../lib/service/start_service.ts";
import { startEmbeddingServer } from "./servers/embedding_server.ts";
import { percentile } from "./load/percentile.ts";
import { showSeconds } from "./report.ts";
import { createDatabase } from "./servers/scratch.ts";
import { SemanticData } from "./data/semantic_data.ts";
import { loadItems } from "./load/semantic_load.ts";

const ITEMS = 100_000;
const DIMENSIONS = 1_536;
const SEED = 7;
const MIN_SIMILARITY = 0.2;
const QUESTIONS = 60;
/** Warm-up queries, sent until every connection has prepared its statements. */
const WARM_UPS = 20;
const PAGE = 50;

/** What the filter of each case keeps; the bare statement has the same condition. */
const CASES: readonly { name: string; filter: Readonly<Record<string, string>> }[] = [
  { name: "no filter", filter: {} },
  { name: "keeps 50 %", filter: { release_status: "Planned" } },
  { name: "keeps 7 %", filter: { product_name: "Product 3" } },
  { name: "keeps 1 %", filter: { release_type: "Preview" } },
];

/**
 * Benchmarks search by meaning on a scratch database of the given PostgreSQL; true: all goals
 * reached.
 */
export async function benchSemantic(serverUrl: string): Promise<boolean> {
  await using scratch = await createDatabase(serverUrl);
  const data = new SemanticData(DIMENSIONS, SEED);
  const vectors = data.questions(QUESTIONS + WARM_UPS);
  await using embedding = startEmbeddingServer((text) => vectors[Number(text.split(" ")[1])]!);
  const database = await openPostgres(scratch.url);
  try {
    await prepare(database, scratch.url, data);
    const config = readConfig({
      DATABASE_URL: scratch.url,
      OPENAI_BASE_URL: embedding.url,
      SEMANTIC_MIN_SIMILARITY: String(MIN_SIMILARITY),
    });
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
  }
}

async function prepare(database: Database, url: string, data: SemanticData): Promise<void> {
  await migrate(database, await readMigrations());
  const set = await prepareSet(database, {
    model: "text-embedding-3-small",
    dimensions: DIMENSIONS,
  });
  const loaded = await time(() => loadItems(url, data.items(ITEMS), set.set_id));
  await completeSet(database, set);
  console.log(`${ITEMS} items x ${DIMENSIONS} loaded in ${showSeconds(loaded, 0)}`);
}

async function measureCases(
  services: Services,
  bare: postgres.Sql,
  vectors: readonly Float32Array[],
): Promise<boolean> {
  console.log("case          full pages  ours p50/p95    bare p50/p95    ratio");
  let good = true;
  const [warmUps, questions] = [vectors.slice(QUESTIONS), vectors.slice(0, QUESTIONS)];
  for (const { name, filter } of CASES) {
    const wanted = Object.entries(filter);
    const condition = wanted.map(([column, value]) => `${column} = '${value}'`)[0] ?? "true";
    const keeps: ItemFilter = {
      include_inactive: false,
      ...Object.fromEntries(wanted.map(([column, value]) => [column, [value]])),
    };
    const searchFor = (number: number) => ({ filter: { ...keeps, q: `question ${number}` } });
    const runBare = (vector: Float32Array) => searchBare(bare, vector, condition);
    const runOurs = async (number: number) => {
      const search = { ...searchFor(number), client: null };
      const { ids } = await services.semantic!.select(search);
      return ids!.slice(0, PAGE);
    };
    // The service is asked for the vectors before, so that no search waits for it.
    for (const number of vectors.keys()) await services.semantic!.measure(searchFor(number).filter);
    for (const [index, vector] of warmUps.entries()) {
      await runBare(vector);
      await runOurs(QUESTIONS + index);
    }
    const times = { ours: [] as number[], bare: [] as number[] };
    let full = 0;
    for (const [number, vector] of questions.entries()) {
      const measureBare = async () => {
        times.bare.push(await time(() => runBare(vector)));
      };
      const measureOurs = async () => {
        let found: string[] = [];
        times.ours.push(await time(async () => found = await runOurs(number)));
        full += found.length === PAGE ? 1 : 0;
      };
      // In turn, so neither always finds the pages that the other has just read.
      const turns = number % 2 ? [measureBare, measureOurs] : [measureOurs, measureBare];
      for (const turn of turns) await turn();
    }
    const ratio = percentile(times.ours, 0.5) / percentile(times.bare, 0.5);
    good &&= ratio <= 1.5;
    console.log(
      [
        name.padEnd(12),
        `${full}/${QUESTIONS}`.padStart(11),
        shown(times.ours),
        shown(times.bare),
        ratio.toFixed(2).padStart(6),
      ].join(" "),
    );
  }
  return good;
}

/** The nearest items by a bare statement: no minimum similarity, no cache. */
async function searchBare(
  bare: postgres.Sql,
  vector: Float32Array,
  condition: string,
): Promise<void> {
  const rows = await bare.unsafe(
    `select release_item_id
    from items
    join embeddings using (text_hash)
    where active and ${condition}
    order by embedding <=> (select $1::text::halfvec(${DIMENSIONS}))
    limit ${MAX_NEAREST}`,
    [`[${vector.join(",")}]`],
    { prepare: true },
  );
  if (rows.length < PAGE) throw new Error(`The bare statement found only ${rows.length} rows`);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function shown(times: number[]): string {
  return `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.95).toFixed(1)} ms`.padStart(
    16,
  );
}
