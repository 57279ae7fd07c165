import type { Answered } from "./mixed_load.ts";
import { percentile } from "./percentile.ts";
import type { Seconds } from "./processor_time.ts";
import { KIND_NAMES } from "./scale_requests.ts";
import type { ScaleRun } from "./scale_run.ts";

/** Prints what is loaded. */
export function printScaleTitle({ items, subscribers, seconds }: ScaleOptions): void {
  console.log(
    `\n${count(items)} releases and ${count(subscribers)} daily subscribers, ` +
      `${seconds} s of load through nginx`,
  );
}

/** Prints the figures of a run. */
export function printRun(run: ScaleRun): void {
  const { processes, answers, milliseconds, imports, digests, memory, wrong } = run;
  const seconds = milliseconds / 1_000;
  console.log(`\n${processes === 1 ? "One process" : `${processes} processes`}`);
  console.log(row("", "per second", "p50 ms", "p99 ms", "from nginx"));
  for (const kind of KIND_NAMES) {
    printAnswers(kind, answers.filter((one) => one.kind === kind), seconds);
  }
  printAnswers("All requests", answers, seconds);
  const quiet = answers.filter(({ sentAt }) => sentAt < run.quietMs);
  printAnswers("  before the first import", quiet, run.quietMs / 1_000);
  console.log(
    `Addresses: ${count(new Set(answers.map(({ path }) => path)).size)}. ` +
      `Statuses: ${statusesOf(answers)}`,
  );
  printSeconds("Processor seconds", run.seconds.all, answers);
  printSeconds("  before the first import", run.seconds.quiet, quiet);
  console.log(
    `Memory of a server, at most: ${memory.map((size) => size.toFixed(0)).join(", ")} MB. ` +
      `Connections to PostgreSQL, at most: ${run.connections}`,
  );
  console.log(
    `Imports: ${imports.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(", ")}; served by ` +
      `all servers ${imports.map(({ noticed }) => `${noticed.toFixed(0)} ms`).join(", ")} later`,
  );
  console.log(
    `Digests: ${count(digests.count)} queued in ${
      (digests.queued - digests.begun).toFixed(1)
    } s, ` +
      `begun ${digests.begun.toFixed(1)} s after they were due`,
  );
  console.log(
    `Mails: ${count(digests.sent)} sent, ${digests.underLoad.toFixed(0)} a second under load, ` +
      `${digests.atRest.toFixed(0)} after it; the others wait in the outbox`,
  );
  const each = (spent: number) => `${(spent / digests.sentAtRest * 1_000).toFixed(1)} ms`;
  console.log(
    `Processor time of each mail after the load: ${
      each(run.seconds.rest.servers)
    } in the servers, ` +
      `${each(run.seconds.rest.PostgreSQL)} in PostgreSQL`,
  );
  console.log(wrong.length === 0 ? "Nothing lost, doubled or different" : wrong.join("\n"));
}

function printAnswers(name: string, answers: readonly Answered[], seconds: number): void {
  const times = Float64Array.from(answers.map(({ took }) => took)).sort();
  const fromEdge = answers.filter(({ isFromEdge }) => isFromEdge).length / answers.length;
  console.log(
    row(
      name,
      (answers.length / seconds).toFixed(answers.length < seconds * 10 ? 1 : 0),
      percentile(times, 0.5).toFixed(1),
      percentile(times, 0.99).toFixed(1),
      `${(fromEdge * 100).toFixed(0)} %`,
    ),
  );
}

/** By part, and of the servers and PostgreSQL for each request that reached a server. */
function printSeconds(name: string, seconds: Seconds, answers: readonly Answered[]): void {
  const parts = Object.entries(seconds).map(([part, spent]) => `${part} ${spent.toFixed(1)}`);
  const reached = answers.filter(({ isFromEdge }) => !isFromEdge).length;
  const each = (spent: number) => `${(spent / reached * 1_000).toFixed(1)} ms`;
  console.log(
    `${name}: ${parts.join(", ")}; for each of ${count(reached)} requests that reached a server: ` +
      `${each(seconds.servers)} there, ${each(seconds.PostgreSQL)} in PostgreSQL`,
  );
}

function statusesOf(answers: readonly Answered[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b)
    .map(([status, times]) => `${status || "broken"} ${count(times)}`).join(", ");
}

function row(name: string, ...columns: string[]): string {
  return name.padEnd(28) + columns.map((column) => column.padStart(11)).join("");
}

function count(number: number): string {
  return number.toLocaleString("en");
}

/** How much data, and for how long. */
export interface ScaleOptions {
  items: number;
  subscribers: number;
  seconds: number;
}
