import { JobFailures } from "./failure_log.ts";

/** Periodic background work that never runs twice at once. */
export interface RepeatedJob {
  /** Runs the work as soon as possible, again if it is already running. */
  trigger(): void;
  /** Ends the repetition and waits for the work that is running. */
  stop(): Promise<void>;
}

/**
 * Does the work at once and then again after an interval, which may be drawn anew each
 * time; a failure is logged, not thrown, and the same one in a row once an hour.
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

  async function runUntilDone(): Promise<void> {
    do {
      isWantedAgain = false;
      try {
        await work();
        failures.noteSuccess();
      } catch (error) {
        failures.note(error);
      }
    } while (isWantedAgain && !isStopped);
  }

  function trigger(): void {
    if (isStopped) return;
    isWantedAgain = true;
    running ??= runUntilDone().finally(() => running = null);
  }

  let timer: ReturnType<typeof setTimeout>;
  function wait(): void {
    timer = setTimeout(() => {
      trigger();
      wait();
    }, typeof pauseMs === "number" ? pauseMs : pauseMs());
  }

  trigger();
  wait();
  return {
    trigger,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
