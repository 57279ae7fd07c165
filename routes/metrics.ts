import { countMails, type ListedMail } from "../lib/delivery/listed_mails_sql.ts";
import { formatFamily } from "../lib/http/metrics.ts";
import { type ImportRun, readAgeOfData } from "../lib/import/import_runs_sql.ts";
import { inspectLastRuns, type LastRuns } from "../lib/import/inspect_imports.ts";
import type { SemanticSearch } from "../lib/search/semantic_search.ts";
import type { ActionHandler, Services } from "./route.ts";

const MAIL_STATES: readonly ListedMail["status"][] = [
  "waiting",
  "sent",
  "logged",
  "failed",
  "superseded",
];

/** What this process counts, in the Prometheus text format; figures of the database are everyone's. */
export const metrics: ActionHandler = {
  isForOperators: true,
  async answer(_request, _client, { services }) {
    const body = services.metrics.format() + formatProcess(services) +
      await formatDatabase(services);
    return new Response(body, {
      headers: {
        "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
        "Cache-Control": "no-store",
      },
    });
  },
};

function formatProcess({ responseCache, dataVersion, semantic }: Services): string {
  return gauge("roadcast_kept_answers", "Answers kept in memory.", responseCache.size.count) +
    gauge(
      "roadcast_kept_bytes",
      "What the answers kept in memory take.",
      responseCache.size.bytes,
    ) +
    gauge(
      "roadcast_data_version",
      "Raised by every import that changes something.",
      dataVersion.current,
    ) +
    gauge("roadcast_resident_bytes", "Memory of this process.", Deno.memoryUsage().rss) +
    (semantic ? formatQuestions(semantic.questionCounts) : "");
}

function formatQuestions(counts: SemanticSearch["questionCounts"]): string {
  return formatFamily(
    "roadcast_questions_total",
    "counter",
    "New questions: asked of the embedding service, or why not.",
    Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]),
  );
}

/** Where the database has no time, these are the figures that were read last. */
async function formatDatabase({ monitor, sources }: Services): Promise<string> {
  const [{ database, known: runs }, { known: counts }] = await Promise.all([
    inspectLastRuns(monitor, sources),
    monitor.inspect("counts", async (connection) => ({
      age: await readAgeOfData(connection),
      mails: await countMails(connection),
    })),
  ]);
  const state = gauge("roadcast_database_up", "1: it is there.", database === "away" ? 0 : 1) +
    gauge("roadcast_database_busy", "1: it did not answer in time.", database === "busy" ? 1 : 0);
  if (database === "away") return state;
  return state + formatLastImport(runs?.last ?? null) + (counts ? formatCounts(counts) : "") +
    (sources.current.length > 1 && runs ? formatSources(runs, sources.current) : "");
}

/** Of each source, where there is more than one. */
function formatSources(
  { bySource, ages }: LastRuns,
  sources: readonly { name: string }[],
): string {
  return formatFamily(
    "roadcast_source_last_import_failed",
    "gauge",
    "1: the last import of the source failed, or there was none.",
    sources.map(({ name: source }) => {
      const run = bySource.get(source);
      return [{ source }, run && run.error === null ? 0 : 1];
    }),
  ) + formatFamily(
    "roadcast_source_import_age_seconds",
    "gauge",
    "Since an import of the source ended well.",
    sources.filter(({ name }) => ages.has(name))
      .map(({ name: source }) => [{ source }, ages.get(source)!]),
  );
}

function formatLastImport(last: ImportRun | null): string {
  const outcomes = (["added", "changed", "removed", "restored", "unchanged"] as const)
    .map((outcome) => [{ outcome }, last?.[outcome] ?? 0] as const);
  return gauge("roadcast_imports", "Imports so far, the number of the last.", last?.run_id ?? 0) +
    gauge("roadcast_last_import_failed", "1: the last import failed.", last?.error ? 1 : 0) +
    formatFamily("roadcast_last_import_items", "gauge", "Items of the last import.", outcomes);
}

function formatCounts(
  { age, mails }: { age: number | null; mails: Awaited<ReturnType<typeof countMails>> },
): string {
  const byStatus = new Map(mails.map(({ status, count }) => [status, count]));
  return formatFamily(
    "roadcast_outbox_mails",
    "gauge",
    "Mails that are remembered, by state.",
    MAIL_STATES.map((status) => [{ status }, byStatus.get(status) ?? 0]),
  ) +
    (age === null ? "" : gauge("roadcast_import_age_seconds", "Since an import ended well.", age));
}

function gauge(name: string, help: string, value: number): string {
  return formatFamily(name, "gauge", help, [[{}, value]]);
}
