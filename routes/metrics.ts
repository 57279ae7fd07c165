import { Counter, Gauge, Registry } from "prom-client";
import { countMails } from "../lib/delivery/outbox/outbox_sql.ts";
import { countWebhooks } from "../lib/delivery/webhooks/webhooks_sql.ts";
import { type ImportRun, readAgeOfData } from "../lib/import/import_runs_sql.ts";
import { inspectLastRuns, type LastRuns } from "../lib/import/sources/inspect_imports.ts";
import { VERSION } from "../lib/version.ts";
import type { ActionConfig, ActionHandlers } from "./route.ts";
import type { Services } from "../lib/service/services.ts";

/** What is finished grows with history, and is not counted here. */
const COUNTED = ["waiting", "failed"] as const;
const OUTCOMES = ["added", "changed", "removed", "restored", "unchanged"] as const;

export const config: ActionConfig = {
  errors: "json",
  summary: "Metrics for Prometheus",
};

/**
 * The metrics of this process, in the Prometheus text format; database figures cover all processes.
 */
export const handler: ActionHandlers = {
  GET: {
    isForOperators: true,
    async answer(_request, _client, { services }) {
      const figures = new Registry(); // of this moment
      addProcess(figures, services);
      await addDatabase(figures, services);
      const body = await Registry.merge([services.metrics.registry, figures]).metrics();
      return new Response(body, {
        headers: { "Content-Type": figures.contentType, "Cache-Control": "no-store" },
      });
    },
  },
};

function addProcess(figures: Registry, services: Services): void {
  const { responseCache: { size }, dataVersion, semantic } = services;
  addGauge(figures, "roadcast_build_info", "Version of Roadcast.", { version: { [VERSION]: 1 } });
  addGauge(
    figures,
    "process_start_time_seconds",
    "Start time of the process, in seconds since 1970.",
    Math.round(performance.timeOrigin / 1000),
  );
  addGauge(figures, "roadcast_cached_responses", "Responses in the memory cache.", size.count);
  addGauge(figures, "roadcast_cached_bytes", "Size of the memory cache.", size.bytes);
  addGauge(
    figures,
    "roadcast_data_version",
    "Version of the data; increases with every import that changes something.",
    dataVersion.version,
  );
  const { rss } = Deno.memoryUsage();
  addGauge(figures, "roadcast_resident_bytes", "Resident memory of this process.", rss);
  if (semantic === null) return;
  const questions = new Counter({
    name: "roadcast_questions_total",
    help: "New search queries, by whether the embedding service was called, or why not.",
    labelNames: ["outcome"],
    registers: [figures],
  });
  for (const [outcome, count] of Object.entries(semantic.questionCounts)) {
    questions.inc({ outcome }, count);
  }
}

/** If the database is busy, these are the last known figures. */
async function addDatabase(figures: Registry, { monitor, sources }: Services): Promise<void> {
  const [{ database, known: runs }, { known: counts }] = await Promise.all([
    inspectLastRuns(monitor, sources),
    monitor.inspect("counts", async (connection) => ({
      age: await readAgeOfData(connection),
      mails: await countMails(connection, "unsent"),
      webhooks: await countWebhooks(connection),
    })),
  ]);
  const isBusy = database === "busy";
  addGauge(
    figures,
    "roadcast_database_up",
    "1 if the database can be reached.",
    database === "away" ? 0 : 1,
  );
  addGauge(
    figures,
    "roadcast_database_busy",
    "1 if the database did not respond in time.",
    isBusy ? 1 : 0,
  );
  if (database === "away") return;
  addLastImport(figures, runs?.last ?? null);
  if (sources.current.length > 1 && runs) addSources(figures, runs, sources.current);
  if (!counts) return;
  const mails = new Map(counts.mails.map(({ status, count }) => [status, count]));
  addGauge(figures, "roadcast_outbox_mails", "Emails in the outbox, by status.", {
    status: Object.fromEntries(COUNTED.map((status) => [status, mails.get(status) ?? 0])),
  });
  const { enabled, disabled, deliveries } = counts.webhooks;
  addGauge(figures, "roadcast_webhooks", "Webhooks, by state.", {
    state: { enabled, disabled },
  });
  addGauge(figures, "roadcast_webhook_deliveries", "Webhook deliveries, by status.", {
    status: Object.fromEntries(COUNTED.map((status) => [status, deliveries[status] ?? 0])),
  });
  if (counts.age === null) return;
  addGauge(
    figures,
    "roadcast_import_age_seconds",
    "Seconds since the last successful import.",
    counts.age,
  );
}

/** For each source, if there are several. */
function addSources(
  figures: Registry,
  { bySource, ages }: LastRuns,
  sources: readonly { name: string }[],
): void {
  const failed = sources.map(({ name }) => [name, bySource.get(name)?.error === null ? 0 : 1]);
  addGauge(
    figures,
    "roadcast_source_last_import_failed",
    "1 if the last import of the source failed, or if there was none.",
    { source: Object.fromEntries(failed) },
  );
  addGauge(
    figures,
    "roadcast_source_import_age_seconds",
    "Seconds since the last successful import of the source.",
    { source: Object.fromEntries(ages) },
  );
}

function addLastImport(figures: Registry, last: ImportRun | null): void {
  const run = last?.run_id ?? 0;
  // Null for a failed import.
  const countOf = (name: (typeof OUTCOMES)[number]) => [name, last?.[name] ?? 0];
  addGauge(figures, "roadcast_imports", "Number of the last import.", run);
  addGauge(
    figures,
    "roadcast_last_import_failed",
    "1 if the last import failed.",
    last?.error ? 1 : 0,
  );
  addGauge(figures, "roadcast_last_import_items", "Items of the last import, by outcome.", {
    outcome: Object.fromEntries(OUTCOMES.map(countOf)),
  });
}

/** Adds one value, or one for each value of a label. */
function addGauge(
  figures: Registry,
  name: string,
  help: string,
  value: number | { readonly [label: string]: Readonly<Record<string, number>> },
): void {
  const labelled = typeof value === "number" ? {} : value;
  const gauge = new Gauge({ name, help, labelNames: Object.keys(labelled), registers: [figures] });
  if (typeof value === "number") gauge.set(value);
  for (const [label, values] of Object.entries(labelled)) {
    for (const [text, count] of Object.entries(values)) gauge.set({ [label]: text }, count);
  }
}
