import { JobFailures } from "./failure_log.ts";

/** Periodic background work that never runs twice at once. */
export interface RepeatedJob {
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
