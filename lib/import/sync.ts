import { getLogger } from "@logtape/logtape";
import type { Config } from "../config.ts";
import type { Database } from "../database/database.ts";
import { pruneRuns } from "./import_runs_sql.ts";
import * as schedules from "../database/schedules_sql.ts";
import { isoDate } from "../text/dates.ts";
import { hasChanged } from "./apply_run.ts";
import { FailureLog } from "./failure_log.ts";
import type { ConfiguredSource } from "./configured_sources.ts";
import { DEFAULT_SOURCE, type ImportOptions } from "./import_options.ts";
import { importLocation } from "./import_snapshot.ts";
import { SourceBusy } from "./sources/fetch_address.ts";
import { scheduleOf } from "./schedule_name.ts";
import { repeat } from "../repeat.ts";
import { showLocation } from "./sources/location.ts";

const log = getLogger(["roadcast", "sync"]);

/** How often a process checks whether the source is due. */
const LOOK_MS = 10_000;
/** A process that does not renew its lease for this long has ended. */
const LEASE_SECONDS = 60;
/** The largest random addition to an interval, as a share of it. */
const MAX_JITTER = 0.1;
/** The first retry delay; each further one is twice as long, up to the usual interval. */
const FIRST_PAUSE_SECONDS = 30;
/** The longest delay that a source can ask for. */
const LONGEST_ASKED_SECONDS = 3_600;

/** The schedule by which a source is imported. */
export interface Sync {
  /** Resolved when this process has imported, failed, or found another one importing. */
  readonly firstTry: Promise<void>;
  /** Stops the schedule, and a running import, which is rolled back. */
  stop(): Promise<void>;
}

/** Imports a source at once and then on schedule, in one process at a time per database. */
export function startSync(
  database: Database,
  source: ConfiguredSource,
  config: Pick<Config, "sourceMaxBytes" | "github"> & {
    clock: () => Date;
    onChange?: ImportOptions["onChange"];
  },
): Sync {
  const location = showLocation(source.from);
  const shown = source.name === DEFAULT_SOURCE ? location : `${source.name} (${location})`;
  const name = scheduleOf(source.name);
  const interval = source.everyMinutes * 60;
  const holder = crypto.randomUUID();
  const claim = { holder, seconds: LEASE_SECONDS };
  const longestPause = Math.max(interval, LONGEST_ASKED_SECONDS) * (1 + MAX_JITTER);
  const stopping = new AbortController();
  const firstTry = Promise.withResolvers<void>();
  const failureLog = new FailureLog(shown);
  let isMadeDue = false;

  async function importIfDue(): Promise<void> {
    if (!isMadeDue) await makeDue();
    isMadeDue = true;
    const claimed = await schedules.claimWork(database, name, { ...claim, longestPause });
    if (!claimed) return;
    const { failures, wasLeft } = claimed;
    if (stopping.signal.aborted) {
      return schedules.releaseWork(database, name, { holder, seconds: 0, failures });
    }
    if (wasLeft) {
      log.warn("The import of {source} before never ended: its process was killed, or died of it", {
        source: shown,
      });
    }
    await schedules.postponeWork(database, name, { holder, seconds: pauseAfter(failures) });
    const lease = setInterval(
      () => void schedules.extendClaim(database, name, claim).catch(() => {}),
      LEASE_SECONDS * 1000 / 3,
    );
    try {
      const next = await importOnce(failures);
      await schedules.releaseWork(database, name, { holder, ...next });
    } finally {
      clearInterval(lease);
    }
    await pruneRuns(database);
  }

  async function makeDue(): Promise<void> {
    const { seconds, isTaken } = await schedules.makeDue(database, name);
    if (!isTaken) return;
    log.info("An import of {source} has not ended: it is tried again in {seconds} s, if need be", {
      source: shown,
      seconds: Math.ceil(seconds),
    });
  }

  /** Imports, and returns when and after how many failures the next import is due. */
  async function importOnce(failures: number): Promise<{ seconds: number; failures: number }> {
    const { signal } = stopping;
    try {
      const counts = await importLocation(database, source.from, {
        asOf: isoDate(config.clock()),
        sourceName: source.name,
        kind: source.kind,
        fields: source.fields,
        maxBytes: config.sourceMaxBytes,
        settings: config,
        onChange: config.onChange,
        signal,
      });
      failureLog.noteEnd(failures);
      if (hasChanged(counts)) log.info("Imported {source}: {counts}", { source: shown, counts });
      return { seconds: jitter(interval), failures: 0 };
    } catch (error) {
      if (signal.aborted) return { seconds: 0, failures };
      failureLog.note((error as Error).message);
      const pause = Math.max(pauseAfter(failures), askedSeconds(error));
      return { seconds: jitter(pause), failures: failures + 1 };
    }
  }

  function pauseAfter(failures: number): number {
    return Math.min(interval, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures, 20));
  }

  const job = repeat(
    "The import on schedule",
    LOOK_MS,
    () => importIfDue().finally(firstTry.resolve),
  );
  return {
    firstTry: firstTry.promise,
    async stop() {
      stopping.abort(new Error("the process is stopping"));
      await job.stop();
    },
  };
}

/** How long a source asks clients to wait. */
function askedSeconds(error: unknown): number {
  return error instanceof SourceBusy
    ? Math.min(error.retryAfterMs / 1000, LONGEST_ASKED_SECONDS)
    : 0;
}

/** Up to a tenth more, so many servers do not request a source at the same moment. */
function jitter(seconds: number): number {
  return seconds * (1 + Math.random() * MAX_JITTER);
}
