import { getLogger } from "@logtape/logtape";

const log = getLogger(["roadcast", "sync"]);

/** A failure that persists is logged again after this time. */
const REMIND_MS = 24 * 3_600_000;

/** Logs the failures of a source, the same one only once a day. */
export class FailureLog {
  #told: { reason: string; at: number } | null = null;

  constructor(private readonly source: string) {}

  /** Records a failure, at a time in milliseconds. */
  note(reason: string, now = performance.now()): void {
    if (this.#told?.reason === reason && now - this.#told.at < REMIND_MS) return;
    this.#told = { reason, at: now };
    log.error("Cannot import {source}, trying again with growing pauses: {error}", {
      source: this.source,
      error: reason,
    });
  }

  /** Records that the source can be read again, after this many failures. */
  noteEnd(failures: number): void {
    this.#told = null;
    if (failures === 0) return;
    log.info("{source} can be read again after {failures} failures", {
      source: this.source,
      failures,
    });
  }
}
