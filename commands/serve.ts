import { getLogger } from "@logtape/logtape";
import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { ExpectedError } from "../lib/expected_error.ts";
import { holdsSample } from "../lib/import/apply_sql.ts";
import { loadSample } from "../lib/import/sample/sample.ts";
import { ConfiguredSources } from "../lib/import/sources/configured_sources.ts";
import { EMPTY_ROADMAP_HINT } from "../lib/import/sources/inspect_imports.ts";
import { startLog } from "../lib/log.ts";
import { countFiltered, isDatabaseEmpty } from "../lib/roadmap/items_sql.ts";
import type { JobRunner } from "../lib/service/job_runner.ts";
import { startService } from "../lib/service/start_service.ts";
import { isoDate } from "../lib/text/dates.ts";
import { countOf } from "../lib/text/phrases.ts";
import { VERSION } from "../lib/version.ts";
import { systemClock } from "../lib/work/async.ts";
import { createApp } from "../routes/app.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseGiven } from "./given.ts";
import { formatAddress, listen } from "./listen.ts";
import { noteSettings } from "./server_settings.ts";

/** The server waits at most this long for the first import before it listens. */
const FIRST_IMPORT_MS = 20_000;
/** From the signal to the end of the process; running requests get the first part of it. */
const STOP_MS = 9_500;
const REQUESTS_MS = 6_000;
/** Such delays do not keep the process running. */
const UNREFERENCED = { ref: false };

const log = getLogger(["roadcast"]);

const started = Promise.withResolvers<JobRunner>();

/** Whether this process has begun to listen. */
let isServing = false;

/** `deno task start`: serves the roadmap until the process gets a signal to stop. */
export const run: Command = async (args, config) => {
  const { values } = parseGiven("serve", args);
  const sources = await ConfiguredSources.read(config);
  await startLog();
  tellTerminal("Preparing the database …");
  const hangup = new Hangup();
  const stopped = Promise.race([stopSignal(), hangup.terminalClosed]);
  void stopped.then(stopAtTheLatest);
  await withDatabase(config, async (database) => {
    await using begun = new AsyncDisposableStack(); // also if the start fails
    await noteSettings(config).catch(() => {}); // commands then have nothing to compare
    // Before the first import, which may keep the database busy for longer than we wait.
    const service = await startService(database, config, systemClock, sources);
    begun.defer(() => service.stop());
    if (!service.assets.hasScripts) {
      log.warn("The scripts of the pages are not built, so pages have none: run `deno task build`");
    }
    const hasSources = service.sources.listed.length > 0;
    if (!hasSources) {
      await bringSample(database, values.sample ?? database.kind === "embedded");
    }
    const { jobs } = service;
    hangup.onReload(() => sources.reload());
    if (config.BACKGROUND_JOBS) {
      await Promise.race([
        jobs.start("imports"),
        stopped,
        delay(FIRST_IMPORT_MS, undefined, UNREFERENCED),
      ]);
    }
    const roadmap = await describeRoadmap(database);
    isServing = true;
    const server = startServer(createApp(service), config, roadmap);
    if (config.BACKGROUND_JOBS) void jobs.start();
    started.resolve(jobs);
    await stopped;
    await Promise.all([
      service.stop(),
      Promise.race([server.stop(), delay(REQUESTS_MS, undefined, UNREFERENCED)]),
    ]);
  }, { migrates: "all", shares: true });
  log.info("Stopped");
  // Clients that never finish their request, or a database that is away, would keep it running.
  Deno.exit(0);
};

/**
 * Does what is due, in the server of this process, as soon as that serves.
 *
 * @throws {ExpectedError} that names the jobs that failed
 */
export async function runDueWork(): Promise<void> {
  const jobs = await started.promise;
  const done = await jobs.runDue();
  if (done === null) return;
  log.debug("Ran due work: {counts}", { counts: done.counts });
  if (done.failed.length > 0) throw new ExpectedError(`${done.failed.join(", ")} failed`);
}

/** Loads the sample into an empty database if it is wanted. */
async function bringSample(database: Database, wantsSample: boolean): Promise<void> {
  if (wantsSample) {
    if (await isDatabaseEmpty(database)) tellTerminal("Loading the sample roadmap …");
    const count = await loadSample(database, isoDate(systemClock()));
    if (count > 0) {
      log.info(
        "Loaded the sample roadmap ({count} items): import your own with `deno task import FILE-OR-URL`",
        { count },
      );
    }
  } else if (await isDatabaseEmpty(database)) log.warn(EMPTY_ROADMAP_HINT);
}

/** Says something to a person who waits; a log needs none of it. */
function tellTerminal(line: string): void {
  if (Deno.stdout.isTerminal()) console.log(line);
}

/** What a person at the terminal has to know of what is served. */
async function describeRoadmap(database: Database): Promise<string> {
  const count = await countFiltered(database, {});
  if (count === 0) return "no releases yet";
  return `${await holdsSample(database) ? "sample roadmap, " : ""}${countOf(count, "release")}`;
}

function startServer(app: ReturnType<typeof createApp>, config: Config, roadmap: string) {
  return listen(config, {
    onListen: (address) => {
      log.info("Serving {site} at {url}, listening on {address}", {
        site: config.SITE_NAME,
        url: config.BASE_URL,
        address: formatAddress({ HOST: address.hostname, PORT: address.port }),
      });
      tellTerminal(`\nRoadcast ${VERSION} is running at ${config.BASE_URL} (${roadmap})\n`);
    },
    handler: app,
  });
}

/**
 * Ends the process in time even if something hangs. Before it serves there is nothing to finish: what
 * a migration or an import has begun is rolled back, as if the process were killed.
 */
function stopAtTheLatest(): void {
  if (!isServing) {
    log.info("Stopped before it served");
    Deno.exit(0);
  }
  Deno.unrefTimer(setTimeout(() => {
    log.error("Not everything stopped within {seconds} s", { seconds: STOP_MS / 1000 });
    Deno.exit(1);
  }, STOP_MS));
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      Deno.addSignalListener(signal, () => resolve());
    }
  });
}

/**
 * SIGHUP has two meanings: a supervisor sends it to reload the settings, and the system when the
 * terminal of the process is closed.
 */
class Hangup {
  /** Resolved when the terminal of the process is closed. */
  readonly terminalClosed: Promise<void>;
  #reload: () => unknown = () => {};

  constructor() {
    const hadTerminal = Deno.stdin.isTerminal();
    this.terminalClosed = new Promise((resolve) => {
      Deno.addSignalListener("SIGHUP", () => {
        if (hadTerminal && !Deno.stdin.isTerminal()) resolve();
        else this.#reload();
      });
    });
  }

  onReload(reload: () => unknown): void {
    this.#reload = reload;
  }
}
