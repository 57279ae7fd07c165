import { parseArgs } from "node:util";
import { startBareHandler } from "./bare_limit.ts";
import { makeCases } from "./cases.ts";
import { measure, type Result, warmUp } from "./measure.ts";
import { findFreePort, readMemory, startProgram, startServer } from "./process.ts";
import { printGrowth, printResult, printTitle } from "./report.ts";
import { openScratch } from "./scratch.ts";

const USAGE =
  "deno task bench [--items 1083,100000] [--database embedded|postgres] [--only WORD] | --start | --imports | --fairness | --semantic | --delivery [--subscribers 100000] | --scale [--items 100000] [--seconds 180]";

if (import.meta.main) await run();

/** Measures requests, each figure next to its baseline from the same run. */
async function run(): Promise<void> {
  const { sizes, url, only, start, imports, fairness, semantic, subscribers, scaleSeconds } =
    readOptions();
  if (scaleSeconds !== null) return await runScale(sizes.at(-1)!, scaleSeconds, url!);
  if (subscribers !== null) return await runDelivery(subscribers, url);
  if (semantic) return await runSemantic(url);
  if (start) return await runStart(sizes[0]!);
  if (imports) return await runImports(sizes.at(-1)!, url);
  if (fairness) return await runFairness(sizes.at(-1)!, url);
  const results: Result[][] = [];
  for (const items of sizes) results.push(await measureWith(items, url, only));
  if (results.length > 1) printGrowth(results[0]!, results.at(-1)!);
}

/** The import of a whole roadmap, compared with one COPY. */
async function runImports(items: number, url: string | null): Promise<void> {
  const { benchImports } = await import("./imports.ts");
  conclude(await benchImports(items, url));
}

/** A client beside another one that asks for all it can get. */
async function runFairness(items: number, url: string | null): Promise<void> {
  const { benchFairness } = await import("./fairness.ts");
  conclude(await benchFairness(items, url));
}

/** The memory of a server with the embedded database. */
async function runStart(items: number): Promise<void> {
  const { benchStart } = await import("./start.ts");
  conclude(await benchStart(items));
}

/** Search by meaning, which needs a PostgreSQL with pgvector. */
async function runSemantic(url: string | null): Promise<void> {
  const { benchSemantic } = await import("./semantic.ts");
  conclude(await benchSemantic(url!));
}

/** Queueing and sending digests, and telling webhooks, on a PostgreSQL. */
async function runDelivery(subscribers: number, url: string | null): Promise<void> {
  const { benchDelivery } = await import("./delivery.ts");
  const { benchWebhooks } = await import("./webhooks.ts");
  const { benchSending } = await import("./sending.ts");
  const results = [
    await benchDelivery(subscribers, url!),
    await benchSending(url!),
    await benchWebhooks(url!),
  ];
  conclude(results.every((isGood) => isGood));
}

/** One server and four on one PostgreSQL, behind nginx. */
async function runScale(items: number, seconds: number, server: string): Promise<void> {
  const { benchScale } = await import("./scale.ts");
  conclude(await benchScale(items, { seconds, server }));
}

function conclude(isGood: boolean): void {
  console.log(isGood ? "All goals reached" : "Not all goals reached");
  Deno.exitCode = isGood ? 0 : 1;
}

/** Reads the options, or exits with the usage. */
function readOptions(): {
  sizes: number[];
  url: string | null;
  only: string;
  start: boolean;
  imports: boolean;
  fairness: boolean;
  semantic: boolean;
  /** Null: delivery is not measured. */
  subscribers: number | null;
  /** Null: several servers are not measured. */
  scaleSeconds: number | null;
} {
  try {
    const { values } = parseArgs({
      args: Deno.args,
      options: {
        items: { type: "string", default: "1083,100000" },
        database: { type: "string" },
        only: { type: "string", default: "" },
        start: { type: "boolean", default: false },
        imports: { type: "boolean", default: false },
        fairness: { type: "boolean", default: false },
        semantic: { type: "boolean", default: false },
        delivery: { type: "boolean", default: false },
        subscribers: { type: "string", default: "100000" },
        scale: { type: "boolean", default: false },
        seconds: { type: "string", default: "180" },
      },
    });
    const { items, database, only, start, imports, fairness, semantic, delivery, scale } = values;
    const sizes = items.split(",").map(Number);
    const url = Deno.env.get("BENCH_DATABASE_URL") || null;
    const kind = database ?? (url || semantic || delivery || scale ? "postgres" : "embedded");
    if (!sizes.every((size) => Number.isInteger(size) && size > 0)) {
      throw new Error(`--items takes whole numbers, not "${items}"`);
    }
    const subscribers = readNumber("--subscribers", values.subscribers);
    const seconds = readNumber("--seconds", values.seconds);
    if (!["embedded", "postgres"].includes(kind)) {
      throw new Error(`--database takes embedded or postgres, not "${kind}"`);
    }
    if (kind === "postgres" && !url) {
      throw new Error(
        "BENCH_DATABASE_URL is missing: a PostgreSQL on which databases may be made and dropped",
      );
    }
    return {
      sizes,
      url: kind === "postgres" ? url : null,
      only,
      start,
      imports,
      fairness,
      semantic,
      subscribers: delivery ? subscribers : null,
      scaleSeconds: scale ? seconds : null,
    };
  } catch (error) {
    console.error(`${(error as Error).message}. Usage: ${USAGE}`);
    Deno.exit(2);
  }
}

function readNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) {
    throw new Error(`${option} takes a whole number, not "${text}"`);
  }
  return number;
}

async function measureWith(items: number, url: string | null, only: string): Promise<Result[]> {
  console.error(`Making ${items} items …`);
  await using scratch = await openScratch(items, url);
  const port = findFreePort();
  await using service = await startServer({ ...scratch.settings.service, PORT: String(port) });
  await using handler = await startProgram(["bench/query_server.ts"], {
    environment: scratch.settings.handler,
  });
  const first = await fetch(`http://127.0.0.1:${port}/api/releases`);
  await first.body?.cancel();
  const cases = makeCases(scratch.ids, first.headers.get("ETag")!)
    .filter(({ name, atLeast = 0 }) => items >= atLeast && name.includes(only));
  const targets = {
    port,
    handlerPort: handler.said as number,
    connection: scratch.connection,
    startBareHandler: (request: string) => startBareHandler(port, request),
  };
  await warmUp([targets.port, targets.handlerPort]);
  printTitle(items, url ? "PostgreSQL" : "the embedded database");
  const results: Result[] = [];
  for (const one of cases) {
    const result = await measure(one, targets);
    printResult(result);
    results.push(result);
  }
  const memory = await readMemory(service.pid);
  console.log(`Memory of the service after all that: ${memory?.toFixed(0) ?? "unknown"} MB`);
  return results;
}
