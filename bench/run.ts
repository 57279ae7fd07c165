import { parseArgs } from "node:util";
import { startBareHandler } from "./bare_limit.ts";
import { makeCases } from "./cases.ts";
import { measure, type Result, warmUp } from "./measure.ts";
import { findFreePort, readMemory, startProgram, startServer } from "./servers/process.ts";
import { printGrowth, printResult, printTitle } from "./report.ts";
import { openScratch } from "./servers/scratch.ts";

const USAGE =
  "deno task bench [--items 1083,100000] [--database embedded|postgres] [--only WORD] | --growth [--items 1000,10000,100000] [--subscribers 100000] | --scale [--items 100000] [--seconds 180] | --as-of [--items 100000] | --relevance [--held-out]";

interface Options {
  sizes: number[];
  /** Null: the embedded database. */
  url: string | null;
  /** Null: as many as releases. */
  subscribers: number | null;
  only: string;
  seconds: number;
  isHeldOut: boolean;
}

/** The benchmarks that have an option of their own; each says whether its goals are reached. */
const BENCHMARKS = {
  /** What a roadmap costs as it grows. */
  growth: async ({ sizes, ...options }) =>
    await (await import("./growth.ts")).benchGrowth(sizes, options),
  /** One server and four on one PostgreSQL, behind nginx. */
  scale: async ({ sizes, url, seconds }) =>
    await (await import("./scale.ts")).benchScale(sizes.at(-1)!, { seconds, server: url! }),
  /** First pages as of a day, compared with those of today. */
  "as-of": async ({ sizes, url }) =>
    await (await import("./as_of.ts")).benchAsOf(sizes.at(-1)!, url!),
  /** Judged questions, by words and by meaning. */
  relevance: async (options) => await (await import("./relevance.ts")).benchRelevance(options),
} satisfies Readonly<Record<string, (options: Options) => Promise<boolean | void>>>;
const NAMES = Object.keys(BENCHMARKS) as (keyof typeof BENCHMARKS)[];
/** Those that need a PostgreSQL. */
const ON_POSTGRES = ["scale", "as-of"];

if (import.meta.main) await run();

/** Measures requests, each figure next to its baseline from the same run, or one of the above. */
async function run(): Promise<void> {
  const { name, ...options } = readOptions();
  if (name !== undefined) {
    const isGood = await BENCHMARKS[name](options);
    if (isGood === undefined) return;
    console.log(isGood ? "All goals reached" : "Not all goals reached");
    Deno.exitCode = isGood ? 0 : 1;
    return;
  }
  const results: Result[][] = [];
  for (const items of options.sizes) {
    results.push(await measureWith(items, options.url, options.only));
  }
  if (results.length > 1) printGrowth(results[0]!, results.at(-1)!);
}

/** Reads the options, or exits with the usage. */
function readOptions(): Options & { name: typeof NAMES[number] | undefined } {
  try {
    const flags = Object.fromEntries(NAMES.map((name) => [name, { type: "boolean" }]));
    const { values } = parseArgs({
      args: Deno.args,
      options: {
        items: { type: "string" },
        database: { type: "string" },
        subscribers: { type: "string" },
        only: { type: "string", default: "" },
        seconds: { type: "string", default: "180" },
        "held-out": { type: "boolean", default: false },
        ...flags as Record<typeof NAMES[number], { type: "boolean" }>,
      },
    });
    const name = NAMES.find((name) => values[name]);
    const items = values.items ?? (name === "growth" ? "1000,10000,100000" : "1083,100000");
    const url = Deno.env.get("BENCH_DATABASE_URL") || null;
    const needsPostgres = url !== null || ON_POSTGRES.includes(name ?? "");
    const kind = values.database ?? (needsPostgres ? "postgres" : "embedded");
    if (!["embedded", "postgres"].includes(kind)) {
      throw new Error(`--database takes embedded or postgres, not "${kind}"`);
    }
    if (kind === "postgres" && !url) {
      throw new Error(
        "BENCH_DATABASE_URL is missing: a PostgreSQL on which databases may be made and dropped",
      );
    }
    return {
      name,
      sizes: items.split(",").map((size) => readNumber("--items", size)),
      url: kind === "postgres" ? url : null,
      subscribers: values.subscribers === undefined
        ? null
        : readNumber("--subscribers", values.subscribers),
      only: values.only,
      seconds: readNumber("--seconds", values.seconds),
      isHeldOut: values["held-out"],
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
  await using handler = await startProgram(["bench/servers/query_server.ts"], {
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
