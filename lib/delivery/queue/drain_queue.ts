/** A queue, and what is done with the jobs in it. */
interface Queue<Job> {
  /** At most this many jobs are done at once. */
  readonly atOnce: number;
  /** While jobs are being done, the queue is checked for new ones this often. */
  readonly pauseMs: number;
  /** Takes the next job, which no other process gets then; null if there is none. */
  take(): Promise<Job | null>;
  /** False: it failed, and is tried again some other time. */
  do(job: Job): Promise<boolean>;
}

/** The jobs that were done, by how they ended. */
export interface JobsDone {
  sent: number;
  failed: number;
}

/**
 * Does all jobs that are due or come due meanwhile, side by side, so that a slow one delays no
 * other; after the signal it takes no more, and finishes those that it has.
 */
export async function drainQueue<Job>(queue: Queue<Job>, ending?: AbortSignal): Promise<JobsDone> {
  const done: JobsDone = { sent: 0, failed: 0 };
  const workers = new Set<Promise<void>>();
  const failures: unknown[] = [];

  async function work(): Promise<void> {
    for (let job = await take(); job !== null; job = await take()) {
      startWorker(); // there may be a job for another one
      done[await queue.do(job) ? "sent" : "failed"]++;
    }
  }
  function take(): Promise<Job | null> {
    return ending?.aborted ? Promise.resolve(null) : queue.take();
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
