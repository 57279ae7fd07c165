import { workDetached } from "./cancellation.ts";
import { JobFailures } from "./failure_log.ts";

/** After this time jobs begin nothing more, so that a scheduler's request gets its answer. */
const LONGEST_MS = 50_000;

/** What a job did, as numbers by name. */
export type JobCounts = Readonly<Record<string, number>>;

/** When a job ends early; the next run takes up what it left. */
export interface JobSignals {
  /** The process stops: what can be rolled back is. */
  readonly stopping: AbortSignal;
  /** The time is up, or the process stops: nothing more is begun. */
  readonly ending: AbortSignal;
}

/** A job that does what is due of its kind, once over all processes on a database. */
export interface DueJob {
  /** As answers and the log name it. */
  readonly name: string;
  run(signals: JobSignals): Promise<JobCounts>;
}

/** What the jobs did. */
export interface WorkDone {
  /** By the name of the job, in their order. */
  counts: Record<string, JobCounts>;
  /** The names of the jobs that failed; the log says why. */
  failed: string[];
}

/** All jobs of a process, run one after the other whenever a scheduler asks for it. */
export class DueWork {
  readonly #stopping = new AbortController();
  #running: Promise<WorkDone> | null = null;

  constructor(
    private readonly jobs: readonly DueJob[],
    private readonly longestMs = LONGEST_MS,
  ) {}

  /** Does what is due now; null if this process is at it already, or stops. */
  run(): Promise<WorkDone> | null {
    if (this.#running !== null || this.#stopping.signal.aborted) return null;
    this.#running = workDetached(() => this.#runJobs()).finally(() => this.#running = null);
    return this.#running;
  }

  /** Ends what runs early, and waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the process is stopping"));
    await this.#running;
  }

  async #runJobs(): Promise<WorkDone> {
    const { signal: stopping } = this.#stopping;
    const time = new AbortController();
    const timer = setTimeout(() => time.abort(), this.longestMs);
    const signals = { stopping, ending: AbortSignal.any([stopping, time.signal]) };
    const done: WorkDone = { counts: {}, failed: [] };
    for (const { name, run } of this.jobs) {
      try {
        done.counts[name] = await run(signals);
      } catch (error) {
        done.failed.push(name);
        new JobFailures(name).note(error);
      }
    }
    clearTimeout(timer);
    return done;
  }
}
