import type { Config } from "../config/config.ts";
import { startDigests } from "../delivery/digests/digest_schedule.ts";
import type { Outbox } from "../delivery/outbox/outbox.ts";
import type { WebhookSender } from "../delivery/webhooks/webhook_sender.ts";
import { pruneSubscriptions } from "../delivery/subscriptions/prune_subscriptions.ts";
import { pruneRequestCounts } from "../http/request_counts_sql.ts";
import { repeat, type RepeatedJob } from "../work/repeat.ts";
import { variantsOf } from "../roadmap/sites.ts";
import { embedDueItems } from "../search/embed_due_items.ts";
import type { SemanticSearch } from "../search/semantic_search.ts";
import { systemClock } from "../work/system_clock.ts";
import type { Services } from "./services.ts";

const PRUNE_MS = 3_600_000;
const EMBED_MS = 60_000;

/** What a server does by itself beside importing, each job as soon as there is work for it. */
export interface BackgroundJobs {
  /** Ends the jobs, which may take some seconds. */
  stop(): Promise<unknown>;
}

/**
 * Starts the jobs. Where none run, lib/service/due_jobs.ts has the same work done by schedulers: what is added
 * here belongs there too.
 */
export function startBackgroundJobs(
  service: Services & { readonly outbox: Outbox; readonly webhooks: WebhookSender },
  config: Config,
): BackgroundJobs {
  const { database, semantic, outbox, webhooks, freshness } = service;
  const embedding = new AbortController();
  const jobs = [
    repeat("Pruning cached responses", PRUNE_MS, () => freshness.shared.prune()),
    repeat(
      "Pruning request counts",
      PRUNE_MS,
      () => pruneRequestCounts(database, systemClock()),
    ),
    repeat(
      "Removing stale subscriptions",
      PRUNE_MS,
      () => pruneSubscriptions(database, systemClock()),
    ),
  ];
  const { digestTimes: times } = config;
  if (times) jobs.push(startDigests({ database, times, variantFor: variantsOf(config) }));
  if (semantic) jobs.push(startEmbedding(service, semantic, embedding.signal));
  outbox.start();
  webhooks.start();
  service.dataVersion.onChange(() => webhooks.trigger());
  return {
    stop() {
      embedding.abort();
      return Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

/** Embeds new and changed texts after every import, and retries after a failure. */
function startEmbedding(
  { database, dataVersion }: Services,
  semantic: SemanticSearch,
  signal: AbortSignal,
): RepeatedJob {
  const job = repeat("Embedding", EMBED_MS, () => embedDueItems(database, semantic, signal));
  dataVersion.onChange(job.trigger);
  return job;
}
