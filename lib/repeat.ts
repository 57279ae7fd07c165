import { getLogger } from "@logtape/logtape";
import { workDetached } from "./cancellation.ts";

const log = getLogger(["roadcast", "jobs"]);

/** Periodic background work that never runs twice at once. */
export interface RepeatedJob {
  /** Runs the work as soon as possible, again if it is already running. */
  trigger(): void;
  /** Ends the repetition and waits for the work that is running. */
  stop(): Promise<void>;
}

/**
 * Does the work at once and then after every so many milliseconds, which may be drawn anew each
 * time; a failure is logged, not thrown.
 */
export function repeat(
  name: string,
  pauseMs: number | (() => number),
  work: () => Promise<unknown>,
): RepeatedJob {
  let isStopped = false;
  let isWantedAgain = false;
  let running: Promise<void> | null = null;

  async function runUntilDone(): Promise<void> {
    do {
      isWantedAgain = false;
      try {
        await work();
      } catch (error) {
        log.error("{name} failed: {error}", { name, error: String(error) });
      }
    } while (isWantedAgain && !isStopped);
  }

  function trigger(): void {
    if (isStopped) return;
    isWantedAgain = true;
    running ??= workDetached(runUntilDone).finally(() => running = null);
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
