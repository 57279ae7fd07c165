import { join } from "node:path";
import { delay } from "../lib/work/delay.ts";
import type { Answered, MixedLoad } from "./mixed_load.ts";
import { openPlainConnection } from "./plain_connection.ts";
import { ProcessWatch, type Seconds, subtract } from "./processor_time.ts";
import { runInWorker } from "./run_in_worker.ts";
import { checkDigests, checkSameAnswers, countDigests, readReceived } from "./scale_checks.ts";
import { checkImports, planImports, readState } from "./scale_imports.ts";
import { type Servers, startServers } from "./scale_servers.ts";
import { queueDigests, runImport, waitForMails } from "./scale_work.ts";

const READERS = 16;
const SEARCHERS = 2;
/** Between two imports, where the load lasts that long. */
const IMPORT_MS = 60_000;
/** After the load, for as long mails go on being sent by servers that have nothing else to do. */
const REST_MS = 30_000;
const SAMPLE_IDS = 10;

/** What one run measured, and what it found wrong. */
export interface ScaleRun {
  readonly processes: number;
  readonly milliseconds: number;
  readonly answers: readonly Answered[];
  /** Before the first import and the digests, in milliseconds from the start. */
  readonly quietMs: number;
  readonly seconds: Readonly<Record<"quiet" | "all" | "rest", Seconds>>;
  /** Megabytes of each server, at most. */
  readonly memory: readonly number[];
  readonly connections: number;
  /** Of each import in seconds, and the longest until a server served its data, in milliseconds. */
  readonly imports: readonly { seconds: number; noticed: number }[];
  readonly digests: {
    /** Seconds from their being due to the begin of queueing, and to its end. */
    begun: number;
    queued: number;
    count: number;
    sent: number;
    /** Mails a second during the load, and after it, and how many these were. */
    underLoad: number;
    atRest: number;
    sentAtRest: number;
  };
  readonly wrong: readonly string[];
}

/** Loads this many servers on a database of their own, and checks what they did. */
export async function runScale(
  processes: number,
  { databaseUrl, seconds, folder }: { databaseUrl: string; seconds: number; folder: string },
): Promise<ScaleRun> {
  const milliseconds = seconds * 1_000;
  const every = Math.min(IMPORT_MS, milliseconds / 3);
  const quietMs = every / 2;
  await using database = openPlainConnection(databaseUrl);
  const before = await readState(database);
  const count = Math.floor((milliseconds - quietMs) / every - 0.01) + 1;
  const plan = await planImports(database, count);
  const ids = [...before.items.keys()];
  const mailsFile = join(folder, `mails-${processes}`);
  await using servers = await startServers(processes, { databaseUrl, mailsFile });
  using watch = watchServers(servers, databaseUrl);
  const begun = await watch.look();
  const started = performance.now();
  const loading = startLoad({
    port: servers.nginx.port,
    milliseconds,
    readers: READERS,
    searchers: SEARCHERS,
    ids,
  });
  const wrong: string[] = [];
  const imports: { seconds: number; noticed: number }[] = [];
  let quiet: Seconds | undefined;
  let queueing: Promise<{ begun: number; queued: number }> | undefined;
  for (const [number, planned] of plan.entries()) {
    await delay(Math.max(0, started + quietMs + number * every - performance.now()));
    quiet ??= subtract(await watch.look(), begun);
    const taken = await runImport(servers.urls, number, planned);
    imports.push(taken);
    wrong.push(...taken.wrong);
    queueing ??= queueDigests(database);
  }
  const answers = await loading;
  const all = subtract(await watch.look(), begun);
  const loadEnded = Date.now();
  const { begun: dueFor, queued } = await queueing!;
  const beforeRest = await watch.look();
  const restBegan = Date.now();
  await waitForMails(database, restBegan + REST_MS);
  const restEnded = Date.now();
  const rest = subtract(await watch.look(), beforeRest);
  wrong.push(
    ...await checkSameAnswers(servers.urls, [...plan.at(-1)!.before.keys()].slice(0, SAMPLE_IDS)),
  );
  await servers.stop();
  const received = await readReceived(mailsFile);
  wrong.push(
    ...await checkImports(database, plan, before),
    ...await checkDigests(database, received, before.lastChange),
    ...checkStatuses(answers),
  );
  const counts = await countDigests(database);
  const sentIn = (from: number, to: number) =>
    received.filter(({ at }) => at >= from && at < to).length;
  const rate = (from: number, to: number) =>
    sentIn(from, to) /
    Math.max(0.001, (to - from) / 1_000);
  return {
    processes,
    milliseconds,
    answers,
    quietMs,
    seconds: { quiet: quiet!, all, rest },
    memory: watch.memory,
    connections: watch.connections,
    imports,
    digests: {
      begun: dueFor,
      queued,
      count: Object.values(counts).reduce((sum, one) => sum + one, 0),
      sent: counts.sent ?? 0,
      underLoad: rate(received[0]?.at ?? loadEnded, loadEnded),
      atRest: rate(restBegan, restEnded),
      sentAtRest: sentIn(restBegan, restEnded),
    },
    wrong,
  };
}

function watchServers({ pids, nginx, sinkPid }: Servers, databaseUrl: string): ProcessWatch {
  return new ProcessWatch({
    servers: pids,
    nginx: nginx.pid,
    load: [Deno.pid, sinkPid],
    database: new URL(databaseUrl).pathname.slice(1),
  });
}

function startLoad(load: MixedLoad): Promise<Answered[]> {
  return runInWorker(new URL("./mixed_load_worker.ts", import.meta.url), load);
}

/** A busy server answers 503; anything else is a fault. */
function checkStatuses(answers: readonly Answered[]): string[] {
  const wrong = answers.filter(({ status }) => ![200, 304, 503].includes(status));
  return wrong.slice(0, 5).map(({ status, path }) => `${path} was answered ${status}`);
}
