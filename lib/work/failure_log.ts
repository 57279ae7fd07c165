import { getLogger } from "@logtape/logtape";
import { ExpectedError } from "../expected_error.ts";

const HOUR_MS = 3_600_000;

const log = getLogger(["roadcast", "jobs"]);

/** What every job needs does not answer: that is logged once for the process, not by each job. */
export class Outage extends ExpectedError {}

/** The failure that was logged last, so that the same one is logged again only after a time. */
export class LastFailure {
  #logged: { reason: string; at: number } | null = null;

  constructor(private readonly remindMs = HOUR_MS) {}

  /** Whether a failure, at a time in milliseconds, is to be logged. */
  isNews(reason: string, now = Date.now()): boolean {
    const last = this.#logged;
    if (last?.reason === reason && now - last.at < this.remindMs) return false;
    this.#logged = { reason, at: now };
    return true;
  }

  /** Records a success; true if a failure was logged since the last one. */
  end(): boolean {
    const wasLogged = this.#logged !== null;
    this.#logged = null;
    return wasLogged;
  }
}

const lastOutage = new LastFailure();

/** Logs an outage when it begins, and once an hour until `noteOutageEnd`. */
export function noteOutage(outage: Outage, now?: number): void {
  // How it shows differs from one job to the next.
  if (lastOutage.isNews("away", now)) log.error("{error}", { error: outage.message });
}

/** Records that the database answers. */
export function noteOutageEnd(): void {
  if (lastOutage.end()) log.info("The database is back");
}

/** Logs the failures of one job: the same one in a row once an hour, an outage by `noteOutage`. */
export class JobFailures {
  readonly #last = new LastFailure();

  constructor(private readonly name: string) {}

  note(error: unknown): void {
    if (error instanceof Outage) return noteOutage(error);
    const reason = String(error);
    if (!this.#last.isNews(reason)) return;
    log.error("{name} failed: {error}", { name: this.name, error: reason });
  }

  noteSuccess(): void {
    this.#last.end();
  }
}
