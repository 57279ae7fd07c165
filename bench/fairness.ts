import { setTimeout as delay } from "node:timers/promises";
import { type Kind, writeFairRequest } from "./load/fair_requests.ts";
import { runLoadOnThread } from "./load/load.ts";
import { percentile } from "./load/percentile.ts";
import { findFreePort, startServer } from "./servers/process.ts";
import { openScratch } from "./servers/scratch.ts";

/** How much longer a request may take beside one other client than the dearest answer alone. */
const GOAL = 3;
const ATTACK_MS = 10_000;
const ALONE_MS = 4_000;
/** The time in which the other client's connections are made. */
const HEAD_START_MS = 1_000;
/** More than are answered in one load. */
const REQUESTS = 10_000;
const KINDS: readonly Kind[] = ["board", "list", "mcp"];
const CONNECTIONS = [20, 60, 400];
const SHARES = [0.5, 0.99];

/** Measures what one client can do to another one's requests; true: all goals reached. */
export async function benchFairness(items: number, url: string | null): Promise<boolean> {
  await using scratch = await openScratch(items, url);
  const port = findFreePort();
  await using _service = await startServer({
    ...scratch.settings.service,
    PORT: String(port),
    TRUSTED_PROXIES: "1",
    LOG_REQUESTS: "off",
  });
  let first = 0;
  const load = (client: string, kind: Kind, connections: number, milliseconds: number) => {
    const from = first += REQUESTS;
    const requests = Array.from(
      { length: REQUESTS },
      (_, number) => writeFairRequest(kind, client, from + number),
    );
    return runLoadOnThread({
      port,
      requests,
      connections,
      milliseconds,
      status: 200,
      mayBeRefused: true,
    });
  };
  const alone = (kind: Kind) => load("192.0.2.1", kind, 1, ALONE_MS);
  console.log(
    `\n${items.toLocaleString("en")} items on ${url ? "PostgreSQL" : "the embedded database"}`,
  );
  console.log("                              p50 ms    p99 ms    by those of the dearest answer");
  await alone("page"); // what every answer needs is known then
  let dearest: readonly number[] = [];
  for (const kind of [...KINDS, "page"] as const) {
    const { latencies: took } = await alone(kind);
    if (percentile(took, 0.5) > (percentile(dearest, 0.5) || 0)) dearest = took;
    printTimes(`${kind} alone`, took);
  }
  let isGood = true;
  for (const kind of KINDS) {
    for (const connections of CONNECTIONS) {
      const other = load("198.51.100.1", kind, connections, HEAD_START_MS + ATTACK_MS);
      await delay(HEAD_START_MS);
      const { latencies: took, refused } = await load("192.0.2.1", "page", 1, ATTACK_MS);
      const { latencies: served, refused: otherRefused } = await other;
      printTimes(`page beside ${connections} x ${kind}`, took, dearest);
      console.log(
        `  answered ${took.length}, refused ${refused}; the other ${served.length}, ${otherRefused}`,
      );
      isGood &&= refused === 0 && ratiosOf(took, dearest).every((ratio) => ratio <= GOAL);
    }
  }
  return isGood;
}

function printTimes(name: string, took: readonly number[], dearest?: readonly number[]): void {
  const figures = SHARES.map((share) => percentile(took, share).toFixed(0).padStart(10));
  const ratios = dearest ? ratiosOf(took, dearest).map((ratio) => ratio.toFixed(2)) : [];
  console.log(`${name.padEnd(26)}${figures.join("")}    ${ratios.join(" and ")}`);
}

/** Medians by medians, the slowest by the slowest: other load on the machine affects them alike. */
function ratiosOf(took: readonly number[], dearest: readonly number[]): number[] {
  return SHARES.map((share) => percentile(took, share) / percentile(dearest, share));
}
