import { getLogger } from "@logtape/logtape";
import type { Config } from "../lib/config.ts";
import type { Database } from "../lib/database/database.ts";
import { PgvectorMissing } from "../lib/search/embedding_sets_sql.ts";
import type { DigestTimes } from "../lib/text/cadence.ts";
import { startDigests } from "../lib/delivery/digest_schedule.ts";
import { tellAtOnce } from "../lib/delivery/tell_at_once.ts";
import { siteFor } from "../lib/roadmap/sites.ts";
import { isDatabaseEmpty } from "../lib/roadmap/items_sql.ts";
import { isoDate } from "../lib/text/dates.ts";
import { pruneSubscriptions } from "../lib/delivery/prune_subscriptions.ts";
import { embedItems } from "../lib/search/embed_items.ts";
import { repeat, type RepeatedJob } from "../lib/repeat.ts";
import { EMPTY_ROADMAP_HINT } from "../lib/import/inspect_imports.ts";
import { loadSample } from "../lib/import/sample.ts";
import { ConfiguredSources } from "../lib/import/configured_sources.ts";
import { Schedules } from "../lib/import/schedules.ts";
import { startLog } from "../lib/log.ts";
import { EmbeddingError } from "../lib/search/embedding_error.ts";
import type { SemanticSearch } from "../lib/search/semantic_search.ts";
import { Hangup } from "./hangup.ts";
import { createApp } from "../routes/app.ts";
import type { Services } from "../routes/route.ts";
import { listen } from "./listen.ts";
import { startService } from "../composition_root.ts";
import { systemClock } from "../lib/system_clock.ts";
import { type Command, parseWords, withDatabase } from "./command.ts";
import type { Help } from "../lib/help.ts";

const PRUNE_MS = 3_600_000;
/** The server waits at most this long for the first import before it listens. */
const FIRST_IMPORT_MS = 20_000;
/** From the signal to the end of the process; running requests get the first part of it. */
const STOP_MS = 9_500;
const REQUESTS_MS = 6_000;
const EMBED_MS = 60_000;

const log = getLogger(["roadcast"]);

const USAGE = "deno task start [--sample]";

/** The text of `--help`. */
export const help: Help = {
  summary: "Builds what must be built, brings the database up to date, and serves the roadmap",
  usage: USAGE,
  words: {
    "--sample":
      "loads the sample roadmap into a PostgreSQL that is empty, as into a new embedded database",
  },
};

/** `deno task start`: serves the roadmap until the process is told to stop. */
export const run: Command = async (args, config) => {
  const { values } = parseWords(args, { sample: { type: "boolean" } }, {
    usage: USAGE,
    words: [0, 0],
  });
  const sources = await ConfiguredSources.read(config);
  await startLog();
  const hangup = new Hangup();
  const stopped = Promise.race([stopSignal(), hangup.terminalClosed]);
  const haveAllEnded = await withDatabase(config, async (database) => {
    await using begun = new AsyncDisposableStack(); // also if the start fails
    // Before the first import, which may keep the database busy for longer than we wait.
    const service = await startService(database, config, systemClock, sources);
    begun.defer(() => service.stop());
    await bringSample(database, config, values.sample ?? database.kind === "embedded");
    const schedules = new Schedules(database, sources, {
      ...config,
      clock: systemClock,
      onChange: tellAtOnce(config, systemClock),
    });
    begun.defer(() => schedules.stop());
    hangup.onReload(() => schedules.reload());
    await Promise.race([schedules.firstTries(), stopped, patience(FIRST_IMPORT_MS)]);
    const server = startServer(createApp(service), config);
    const jobs = [
      repeat("Pruning cached responses", PRUNE_MS, () => service.freshness.shared.prune()),
      repeat(
        "Removing stale subscriptions",
        PRUNE_MS,
        () => pruneSubscriptions(database, systemClock()),
      ),
    ];
    const embedding = new AbortController();
    if (config.digestTimes) jobs.push(startDigestSchedule(database, config, config.digestTimes));
    if (service.semantic) jobs.push(startEmbedding(service, service.semantic, embedding.signal));
    service.outbox.start();
    service.webhooks.start();
    service.dataVersion.onChange(() => service.webhooks.trigger());
    await stopped;
    endAtTheLatest();
    service.longPolls.stop();
    embedding.abort();
    const stopping = [
      schedules.stop(),
      service.outbox.stop(),
      service.webhooks.stop(),
      ...jobs.map((job) => job.stop()),
    ];
    const haveAllEnded = await server.stop();
    await Promise.all(stopping);
    return haveAllEnded;
  }, { migrates: "all", shares: true });
  log.info("Stopped");
  // Clients that read slowly, or never finish their request, would keep the process running.
  if (!haveAllEnded) Deno.exit(0);
};

/** Loads the sample if it is wanted and no source is configured. */
async function bringSample(
  database: Database,
  { source, sourcesFile }: Config,
  wantsSample: boolean,
): Promise<void> {
  if (source !== null || sourcesFile !== null) return;
  if (wantsSample) {
    const count = await loadSample(database, isoDate(systemClock()));
    if (count > 0) {
      log.info(
        "Loaded the sample roadmap ({count} items): import your own with `deno task import FILE-OR-URL`",
        { count },
      );
    }
  } else if (await isDatabaseEmpty(database)) log.warn(EMPTY_ROADMAP_HINT);
}

/** Listens; `stop` lets running requests finish, and says whether all of them did in time. */
function startServer(app: ReturnType<typeof createApp>, config: Config) {
  const server = listen(config, {
    onListen: () =>
      log.info("Serving {site} at {url}", { site: config.siteName, url: config.baseUrl }),
    handler: app,
  });
  return {
    stop: () =>
      Promise.race([
        server.stop().then(() => true),
        patience(REQUESTS_MS).then(() => false),
      ]),
  };
}

function startDigestSchedule(
  database: Database,
  config: Config,
  times: DigestTimes,
): RepeatedJob {
  return startDigests({ database, times, variantFor: (name) => siteFor(name, config).variant });
}

/** A delay that does not keep the process running. */
function patience(milliseconds: number): Promise<void> {
  return new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, milliseconds)));
}

/** Ends the process in time even if something hangs. */
function endAtTheLatest(): void {
  Deno.unrefTimer(setTimeout(() => {
    log.error("Not everything ended within {seconds} s", { seconds: STOP_MS / 1000 });
    Deno.exit(1);
  }, STOP_MS));
}

/** Embeds new and changed texts after every import, and retries after a failure. */
function startEmbedding(
  { database, dataVersion }: Services,
  semantic: SemanticSearch,
  signal: AbortSignal,
): RepeatedJob {
  const job = repeat("Embedding", EMBED_MS, async () => {
    try {
      const counts = await embedItems(database, semantic.service, { signal });
      if (counts?.embedded) log.info("Embedded items: {counts}", { counts });
    } catch (error) {
      if (!(error instanceof EmbeddingError || error instanceof PgvectorMissing)) throw error;
      semantic.warn(error.message);
    }
  });
  dataVersion.onChange(job.trigger);
  return job;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      Deno.addSignalListener(signal, () => resolve());
    }
  });
}
