import { JobFailures } from "../../work/failure_log.ts";

/** What workers do. */
export interface Work<Job> {
  /** For the log: `Sending emails`. */
  readonly name: string;
  /** So many work at once, at most. */
  readonly atOnce: number;
  /** The next job, which is then ours alone; null where there is none. */
  take(): Promise<Job | null>;
  /** False: it failed, and is tried again some other time. */
  do(job: Job): Promise<boolean>;
}

/** The jobs that were done, by how they ended. */
export interface JobsDone {
  sent: number;
  failed: number;
}

/** Runs jobs concurrently: each worker runs one after another, so a slow job delays no other. */
export class Workers<Job> {
  readonly #running = new Set<Promise<void>>();
  #isStopping = false;
  /** Once aborted, no more jobs are taken until it is replaced. */
  #ending: AbortSignal | undefined;
  readonly #done: JobsDone = { sent: 0, failed: 0 };

  readonly #failures: JobFailures;

  constructor(private readonly work: Work<Job>) {
    this.#failures = new JobFailures(work.name);
  }

  /**
   * Starts workers for due jobs, up to the limit; returns once the first job is taken.
   */
  async begin(): Promise<void> {
    if (this.#running.size >= this.work.atOnce) return;
    const looking = this.#lookForFirst().finally(() => this.#running.delete(looking));
    this.#running.add(looking);
    await looking;
  }

  /** Does everything that is due, until the signal, and counts what was done meanwhile. */
  async finish(ending?: AbortSignal): Promise<JobsDone> {
    const before = { ...this.#done };
    this.#ending = ending;
    try {
      await this.begin();
      while (this.#running.size > 0) await Promise.all(this.#running);
    } finally {
      this.#ending = undefined;
    }
    const { sent, failed } = this.#done;
    return { sent: sent - before.sent, failed: failed - before.failed };
  }

  /** Takes no more, and waits for what is being done. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async #lookForFirst(): Promise<void> {
    const first = await this.#take();
    if (first !== null) this.#startWorker(first);
  }

  #startWorker(first: Job | null): void {
    const worker = this.#workOn(first).finally(() => this.#running.delete(worker));
    this.#running.add(worker);
    worker.catch((error) => this.#failures.note(error));
  }

  /** A worker that finds a job starts another worker for the next one. */
  async #workOn(first: Job | null): Promise<void> {
    let job = first ?? await this.#take();
    while (job !== null) {
      if (this.#running.size < this.work.atOnce) this.#startWorker(null);
      this.#done[await this.work.do(job) ? "sent" : "failed"]++;
      job = await this.#take();
    }
  }

  #take(): Promise<Job | null> {
    return this.#isStopping || this.#ending?.aborted ? Promise.resolve(null) : this.work.take();
  }
}
