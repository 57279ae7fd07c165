import { setTimeout as delay } from "node:timers/promises";

const MINUTE = 60_000;

/** The second attempt comes after the first of these delays; they double up to the last. */
const DELAY = { first: MINUTE, longest: 4 * 60 * MINUTE };
/** Between two looks into the outbox. */
const PAUSE = { shortest: 1_000, longest: 5_000 };

/**
 * How long to wait after a number of attempts, in milliseconds.
 *
 * ```ts
 * const minutes = [1, 2, 3, 9, 20].map((attempts) => delayAfter(attempts) / 60_000);
 * if (minutes.join() !== "1,2,4,240,240") throw new Error(minutes.join());
 * ```
 */
export function delayAfter(attempts: number): number {
  return Math.min(DELAY.first * 2 ** (attempts - 1), DELAY.longest);
}

/** In seconds: after no attempt, one, two … up to the longest. */
export const DELAYS = [
  0,
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => delayAfter(attempts) / 1000),
];

/**
 * How long to pause, in milliseconds.
 *
 * ```ts
 * const pauses = [0, 0.5, 1].map((drawn) => drawPause(() => drawn));
 * if (pauses.join() !== "1000,3000,5000") throw new Error(pauses.join());
 * ```
 */
export function drawPause(random: () => number): number {
  return PAUSE.shortest + random() * (PAUSE.longest - PAUSE.shortest);
}

/** A queue, and what is done with the jobs in it. */
interface Queue<Job> {
  /** At most this many jobs are done at once. */
  readonly atOnce: number;
  /** While jobs are being done, the queue is checked for new ones this often. */
  readonly pauseMs: number;
  /** Claims the next job, which no other process gets then; null if there is none. */
  claim(): Promise<Job | null>;
  /** False: it failed, and is tried again some other time. */
  do(job: Job): Promise<boolean>;
}

/** The jobs that were done, by how they ended. */
export interface JobsDone {
  sent: number;
  failed: number;
}

/** What was done where nothing was due. */
export const NOTHING_DONE: JobsDone = { sent: 0, failed: 0 };

/**
 * Does all jobs that are due or come due meanwhile, side by side, so that a slow one delays no
 * other; after the signal it takes no more, and finishes those that it has.
 */
export async function drainQueue<Job>(queue: Queue<Job>, ending?: AbortSignal): Promise<JobsDone> {
  const done = { ...NOTHING_DONE };
  const workers = new Set<Promise<void>>();
  const failures: unknown[] = [];

  async function work(): Promise<void> {
    for (let job = await claim(); job !== null; job = await claim()) {
      startWorker(); // there may be a job for another one
      done[await queue.do(job) ? "sent" : "failed"]++;
    }
  }
  function claim(): Promise<Job | null> {
    return ending?.aborted ? Promise.resolve(null) : queue.claim();
  }
  function startWorker(): void {
    if (workers.size >= queue.atOnce) return;
    const worker = work().catch((error) => void failures.push(error))
      .finally(() => workers.delete(worker));
    workers.add(worker);
  }

  startWorker();
  const timer = setInterval(startWorker, queue.pauseMs);
  while (workers.size > 0) await Promise.all(workers);
  clearInterval(timer);
  if (failures.length > 0) throw failures[0];
  return done;
}

/** Resolved at a moment of `performance.now()`; false: the end came first. */
export async function waitUntil(moment: number, ending?: AbortSignal): Promise<boolean> {
  const wait = moment - performance.now();
  if (wait <= 0) return true;
  return await delay(wait, true, ending && { signal: ending }).catch(() => false);
}
