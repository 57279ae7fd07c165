import { getLogger } from "@logtape/logtape";
import { type Database, DatabaseAway, noteOutage } from "../../database/database.ts";
import { addSchedule, doIfDue, makeDue, postponeWork } from "../../database/leases.ts";
import { isoDate } from "../../text/dates.ts";
import { LastFailure } from "../../work/last_failure.ts";
import { hasChanged } from "../apply_plan.ts";
import { FetchError } from "../fetching/fetch_address.ts";
import { showLocation } from "../fetching/location.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "../import_options.ts";
import { pruneRuns } from "../import_runs_sql.ts";
import { importLocation } from "../import_snapshot.ts";
import { acceptRemovals, readAcceptedRemovals } from "../removals_sql.ts";
import { RefusedRemovals } from "../snapshot_error.ts";
import type { ConfiguredSource } from "./configured_source.ts";
import { importOptions, type ImportSettings } from "./configured_sources.ts";
import { scheduleOf } from "./source_states_sql.ts";

const log = getLogger(["roadcast", "sync"]);

/** The largest random addition to an interval, as a share of it. */
const MAX_JITTER = 0.1;
/** The first retry delay; each further one is twice as long, up to the usual interval. */
const FIRST_PAUSE_SECONDS = 30;
/** A failure that persists is logged again after this time. */
export const REMIND_MS = 24 * 3_600_000;
/** The longest delay that a source can ask for. */
const MAX_RETRY_AFTER_SECONDS = 3_600;

type ImportConfig = ImportSettings & { clock: () => Date; onChange?: ImportOptions["onChange"] };

/** The import of one source on its schedule, by one process at a time per database. */
export class ScheduledImport {
  readonly #shown: string;
  readonly #name: string;
  readonly #interval: number;
  readonly #lastFailure = new LastFailure(REMIND_MS);
  #lastNotes = "";

  constructor(
    private readonly database: Database,
    private readonly source: ConfiguredSource,
    private readonly config: ImportConfig,
  ) {
    const location = showLocation(source.from);
    this.#shown = source.name === DEFAULT_SOURCE ? location : `${source.name} (${location})`;
    this.#name = scheduleOf(source.name);
    this.#interval = source.everyMinutes * 60;
  }

  /** Has the source imported now, whatever its interval says, unless that is happening already. */
  async makeDue(): Promise<void> {
    const { seconds, isTaken } = await makeDue(this.database, this.#name);
    if (!isTaken) return;
    log.info("An import of {source} is still running: trying again in {seconds} s if needed", {
      source: this.#shown,
      seconds: Math.ceil(seconds),
    });
  }

  /** Schedules the source if it is new; then it is due. */
  async add(): Promise<void> {
    await addSchedule(this.database, this.#name);
  }

  /** Imports the source if it is due; null if it is not, or the process stops. */
  async importIfDue(stopping: AbortSignal): Promise<"imported" | "failed" | null> {
    const { database } = this;
    const name = this.#name;
    const maxPause = Math.max(this.#interval, MAX_RETRY_AFTER_SECONDS) * (1 + MAX_JITTER);
    const next = await doIfDue(database, { name, maxPause }, async (claimed) => {
      const { failures, wasLeft, holder, lost } = claimed;
      if (stopping.aborted) return { seconds: 0, failures };
      if (wasLeft) {
        const shown = { source: this.#shown };
        log.warn(
          "The previous import of {source} never finished: its process was killed or crashed",
          shown,
        );
      }
      await postponeWork(database, name, { holder, seconds: this.#pauseAfter(failures) });
      return await this.#import(failures, AbortSignal.any([stopping, lost]));
    });
    if (next === null || stopping.aborted) return null;
    await pruneRuns(database);
    return next.failures === 0 ? "imported" : "failed";
  }

  /** Imports under the claim, and returns when and after how many failures the next import is due. */
  async #import(
    failures: number,
    signal: AbortSignal,
  ): Promise<{ seconds: number; failures: number }> {
    const { database, source, config } = this;
    const acceptedRemovals = await readAcceptedRemovals(database, this.#name);
    try {
      const counts = await importLocation(database, source.from, {
        ...await importOptions(config, source),
        asOf: isoDate(config.clock()),
        onChange: config.onChange,
        acceptedRemovals,
        signal,
      });
      // What was accepted holds for one import only.
      if (acceptedRemovals !== undefined) await acceptRemovals(database, this.#name, null);
      this.#lastFailure.end();
      if (failures > 0) {
        log.info("{source} can be read again, after {failures} failures", {
          source: this.#shown,
          failures,
        });
      }
      if (hasChanged(counts)) {
        log.info("Imported {source}: {counts}", { source: this.#shown, counts });
      }
      this.#sayNotes(counts.notes);
      return { seconds: jitter(this.#interval), failures: 0 };
    } catch (error) {
      if (signal.aborted) return { seconds: 0, failures };
      if (error instanceof RefusedRemovals) await acceptRemovals(database, this.#name, null);
      this.#logFailure(error as Error);
      const pause = Math.max(this.#pauseAfter(failures), retryAfterSeconds(error));
      return { seconds: jitter(pause), failures: failures + 1 };
    }
  }

  /** Says what an import has to say, once until it says something else. */
  #sayNotes(notes: readonly string[] = []): void {
    const said = notes.join();
    if (said === this.#lastNotes) return;
    this.#lastNotes = said;
    for (const note of notes) log.warn("{source}: {note}", { source: this.#shown, note });
  }

  #logFailure(error: Error): void {
    if (error instanceof DatabaseAway) return noteOutage(error);
    if (!this.#lastFailure.isNews(error.message)) return;
    log.error("Cannot import {source}, retrying with growing delays: {error}", {
      source: this.#shown,
      error: error instanceof RefusedRemovals
        ? `${error.message}. The page of the source under /admin can accept it once`
        : error.message,
    });
  }

  #pauseAfter(failures: number): number {
    return Math.min(this.#interval, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures, 20));
  }
}

function retryAfterSeconds(error: unknown): number {
  return error instanceof FetchError
    ? Math.min(error.retryAfterMs / 1000, MAX_RETRY_AFTER_SECONDS)
    : 0;
}

/** Up to a tenth more, so that servers do not request a source at the same moment. */
function jitter(seconds: number): number {
  return seconds * (1 + Math.random() * MAX_JITTER);
}
