import { getLogger } from "@logtape/logtape";
import { DatabaseAway, noteOutage } from "../database/database.ts";
import { LastFailure } from "../work/last_failure.ts";

const log = getLogger(["roadcast", "jobs"]);

/** After this time jobs begin nothing more, so that a scheduler's request gets its answer. */
const MAX_MS = 50_000;

/** What a job did, as numbers by name. */
type JobCounts = Readonly<Record<string, number>>;

/** When a job ends early; the next run takes up what it left. */
export interface JobSignals {
  /** The process stops: what can be rolled back is. */
  readonly stopping: AbortSignal;
  /** The time is up, or the process stops: nothing more is begun. */
  readonly ending: AbortSignal;
}

/** A job that does what is due of its kind, once over all processes on a database. */
export interface Job {
  /** As answers and the log name it; the imports of all sources share one. */
  readonly name: string;
  /** The pause between two runs of its timer, which may be drawn anew each time. */
  readonly everySeconds: number | (() => number);
  /** Its timer also runs it as soon as there is new data. */
  readonly onNewData?: boolean;
  /** Done before the first run of its timer. */
  prepare?(): Promise<void>;
  run(signals: JobSignals): Promise<JobCounts>;
}

interface WorkDone {
  /** By the name of the job, in their order. */
  counts: Record<string, JobCounts>;
  /** The names of the jobs that failed; the log says why. */
  failed: string[];
}

interface Timer extends RepeatedJob {
  /** Resolved when the job was tried once. */
  readonly firstTry: Promise<void>;
}

/** The jobs of a process: each on a timer, or all one after the other whenever a scheduler asks. */
export class JobRunner {
  readonly #stopping = new AbortController();
  readonly #timers = new Map<Job, Timer>();
  /** Of the runs that a scheduler asks for. */
  readonly #failures = new WeakMap<Job, JobFailures>();
  #running: Promise<WorkDone> | null = null;

  /** The list may change: `restart` then starts and ends timers. */
  constructor(private readonly list: () => readonly Job[], private readonly maxMs = MAX_MS) {}

  /** Does what is due now; null if this process is at it already, or stops. */
  runDue(): Promise<WorkDone> | null {
    if (this.#running !== null || this.#stopping.signal.aborted) return null;
    this.#running = this.#runAll().finally(() => this.#running = null);
    return this.#running;
  }

  /**
   * Starts the timers of the jobs, or of those with this name, that have none; none waits for
   * another. Resolved when each of them was tried once.
   */
  async start(name?: string): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const started = this.list().filter((job) =>
      !this.#timers.has(job) && (name === undefined || job.name === name)
    );
    for (const job of started) this.#timers.set(job, startTimer(job));
    await Promise.all(started.map((job) => this.#timers.get(job)!.firstTry));
  }

  /** Ends the timers of jobs that have left the list, and starts those of new ones. */
  async restart(): Promise<void> {
    if (this.#timers.size === 0) return;
    const listed = this.list();
    const ended = [...this.#timers].filter(([job]) => !listed.includes(job));
    await Promise.all(ended.map(([, timer]) => timer.stop()));
    // Until then, who asks for the same waits for it, too.
    for (const [job, timer] of ended) {
      if (this.#timers.get(job) === timer) this.#timers.delete(job);
    }
    void this.start();
  }

  /** Runs the jobs that new data concerns. */
  noteNewData(): void {
    for (const [job, timer] of this.#timers) if (job.onNewData) timer.trigger();
  }

  /** Has the timers of jobs with this name run now; a job sees itself whether it is due. */
  trigger(name: string): void {
    for (const [job, timer] of this.#timers) if (job.name === name) timer.trigger();
  }

  /** Ends what runs early, and waits for it. */
  async stop(): Promise<void> {
    this.#stopping.abort(stopReason());
    await Promise.all([this.#running, ...[...this.#timers.values()].map((timer) => timer.stop())]);
  }

  async #runAll(): Promise<WorkDone> {
    const { signal: stopping } = this.#stopping;
    const time = new AbortController();
    const timer = setTimeout(() => time.abort(), this.maxMs);
    const signals = { stopping, ending: AbortSignal.any([stopping, time.signal]) };
    const done: WorkDone = { counts: {}, failed: [] };
    const tried = new Set<Job>();
    // A job may change the list, such as by what other processes have stored.
    for (let job; (job = this.list().find((listed) => !tried.has(listed)));) {
      tried.add(job);
      const failures = this.#failures.get(job) ?? new JobFailures(job.name);
      this.#failures.set(job, failures);
      try {
        done.counts[job.name] = add(done.counts[job.name], await job.run(signals));
        failures.noteSuccess();
      } catch (error) {
        if (!done.failed.includes(job.name)) done.failed.push(job.name);
        failures.note(error);
      }
    }
    clearTimeout(timer);
    return done;
  }
}

function startTimer(job: Job): Timer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const firstTry = Promise.withResolvers<void>();
  const { everySeconds: every } = job;
  let isPrepared = false;

  async function run(): Promise<void> {
    try {
      if (!isPrepared) await job.prepare?.();
      isPrepared = true;
      await job.run({ stopping: signal, ending: signal });
    } finally {
      firstTry.resolve();
    }
  }
  const timer = repeat(job.name, () => (typeof every === "number" ? every : every()) * 1000, run);
  return {
    firstTry: firstTry.promise,
    trigger: timer.trigger,
    stop() {
      stopping.abort(stopReason());
      return timer.stop();
    },
  };
}

function stopReason(): Error {
  return new Error("the process is stopping");
}

function add(counts: JobCounts = {}, more: JobCounts): JobCounts {
  const sums = Object.entries(more).map(([name, count]) => [name, (counts[name] ?? 0) + count]);
  return Object.fromEntries(sums);
}

/** Periodic background work that never runs twice at once. */
interface RepeatedJob {
  /** Runs the work as soon as possible, again if it is already running. */
  trigger(): void;
  /** Ends the repetition and waits for the work that is running. */
  stop(): Promise<void>;
}

/**
 * Does the work at once and again after each pause, which begins when the work has ended and may
 * differ each time; a failure is logged, not thrown, and the same one in a row once an hour.
 */
export function repeat(
  name: string,
  pauseMs: number | (() => number),
  work: () => Promise<unknown>,
): RepeatedJob {
  const failures = new JobFailures(name);
  let isStopped = false;
  let isWantedAgain = false;
  let running: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function runUntilDone(): Promise<void> {
    clearTimeout(timer);
    do {
      isWantedAgain = false;
      try {
        await work();
        failures.noteSuccess();
      } catch (error) {
        failures.note(error);
      }
    } while (isWantedAgain && !isStopped);
    running = null;
    if (!isStopped) timer = setTimeout(trigger, typeof pauseMs === "number" ? pauseMs : pauseMs());
  }

  function trigger(): void {
    if (isStopped) return;
    isWantedAgain = true;
    running ??= runUntilDone();
  }

  trigger();
  return {
    trigger,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Logs the failures of one job: the same one in a row once an hour, an outage by `noteOutage`. */
class JobFailures {
  readonly #last = new LastFailure();

  constructor(private readonly name: string) {}

  note(error: unknown): void {
    if (error instanceof DatabaseAway) return noteOutage(error);
    const reason = String(error);
    if (!this.#last.isNews(reason)) return;
    log.error("{name} failed: {error}", { name: this.name, error: reason });
  }

  noteSuccess(): void {
    this.#last.end();
  }
}
