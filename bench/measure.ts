import type { Connection } from "../lib/database/database.ts";
import { type Case, type Limit, WARM_UP_PATHS } from "./cases.ts";
import { writeRequest } from "./load/http_messages.ts";
import { type Measured, runLoadOnThread } from "./load/load.ts";
import { percentile } from "./load/percentile.ts";
import type { Running } from "./servers/process.ts";
import { askFor } from "./queries.ts";

const CONNECTIONS = 16;
const ROUNDS = 5;
/** How long a cached response is requested in each round. */
const RETENTION_MS = 1_000;

/** The servers that a case is measured on. */
export interface Targets {
  port: number;
  /** Starts a handler that returns what the service answers to this request. */
  startBareHandler(request: string): Promise<Running>;
  handlerPort: number;
  connection: Connection;
}

/** Requests per second, and the times of single ones in milliseconds. */
export interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
}

export interface Result {
  name: string;
  service: Figures;
  limits: { limit: Limit; figures: Figures }[];
}

/** Measures the service and its baselines in turn, so a noisy machine affects all of them. */
export async function measure(
  { name, paths, headers = {}, status = 200, limits }: Case,
  targets: Targets,
): Promise<Result> {
  const isKept = paths.length === 1;
  await using bare = limits.includes("bare")
    ? await targets.startBareHandler(writeRequest(paths[0]!, headers))
    : null;
  const none = { service: [], bare: [], handler: [], queries: [] };
  const measured: Record<"service" | Limit, Measured[]> = none;
  const runOn = (port: number, paths: readonly string[]) =>
    load(port, paths, { headers, status, milliseconds: isKept ? RETENTION_MS : null });
  for (let round = 0; round < ROUNDS; round++) {
    const share = isKept ? paths : paths.filter((_, index) => index % ROUNDS === round);
    measured.service.push(await runOn(targets.port, share));
    for (const limit of limits) {
      measured[limit].push(
        limit === "queries"
          ? await ask(targets.connection, share)
          : await runOn(limit === "bare" ? bare!.said as number : targets.handlerPort, share),
      );
    }
  }
  return {
    name,
    service: summarise(measured.service),
    limits: limits.map((limit) => ({ limit, figures: summarise(measured[limit]) })),
  };
}

/** Warms up these servers until their code is compiled; nothing is measured. */
export async function warmUp(ports: readonly number[]): Promise<void> {
  for (const port of ports) await load(port, WARM_UP_PATHS, {});
}

async function load(
  port: number,
  paths: readonly string[],
  { headers = {}, status = 200, milliseconds = null }: Partial<
    Case & { milliseconds: number | null }
  >,
): Promise<Measured> {
  const requests = paths.map((path) => writeRequest(path, headers));
  return await runLoadOnThread({ port, requests, connections: CONNECTIONS, milliseconds, status });
}

/** The figures of all rounds together. */
export function summarise(rounds: readonly Measured[]): Figures {
  const latencies = rounds.flatMap(({ latencies }) => [...latencies]);
  const seconds = rounds.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

/** The same queries with the same concurrency. */
async function ask(connection: Connection, paths: readonly string[]): Promise<Measured> {
  const latencies: number[] = [];
  const started = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (next < paths.length) {
      const path = paths[next++]!;
      const asked = performance.now();
      await askFor(connection, path);
      latencies.push(performance.now() - asked);
    }
  }));
  return { milliseconds: performance.now() - started, latencies };
}
