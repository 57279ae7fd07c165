import { getLogger } from "@logtape/logtape";

const log = getLogger(["roadcast", "delivery"]);

/** What workers do. */
export interface Work<Job> {
  /** For the log: `Sending mails`. */
  readonly name: string;
  /** So many work at once, at most. */
  readonly atOnce: number;
  /** The next job, which is then ours alone; null where there is none. */
  take(): Promise<Job | null>;
  do(job: Job): Promise<void>;
}

/** Does jobs side by side: each worker one after another, so that a slow one keeps nobody else. */
export class Workers<Job> {
  readonly #running = new Set<Promise<void>>();
  #isStopping = false;

  constructor(private readonly work: Work<Job>) {}

  /** Has what is due done, as far as there is room for more; returns when the first job is taken. */
  async begin(): Promise<void> {
    if (this.#running.size >= this.work.atOnce) return;
    const looking = this.#lookForFirst().finally(() => this.#running.delete(looking));
    this.#running.add(looking);
    await looking;
  }

  /** Does everything that is due. */
  async finish(): Promise<void> {
    await this.begin();
    while (this.#running.size > 0) await Promise.all(this.#running);
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
    const { name } = this.work;
    const worker = this.#workOn(first).finally(() => this.#running.delete(worker));
    this.#running.add(worker);
    worker.catch((error) => log.error("{name} failed: {error}", { name, error: String(error) }));
  }

  /** Whoever finds a job looks whether there is one for somebody else. */
  async #workOn(first: Job | null): Promise<void> {
    let job = first ?? await this.#take();
    while (job !== null) {
      if (this.#running.size < this.work.atOnce) this.#startWorker(null);
      await this.work.do(job);
      job = await this.#take();
    }
  }

  #take(): Promise<Job | null> {
    return this.#isStopping ? Promise.resolve(null) : this.work.take();
  }
}
