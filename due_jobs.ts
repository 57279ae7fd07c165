import type { Config } from "./lib/config.ts";
import type { Database } from "./lib/database/database.ts";
import { doWhenDue } from "./lib/database/do_when_due.ts";
import { queueDueDigests } from "./lib/delivery/digest_schedule.ts";
import type { Outbox } from "./lib/delivery/outbox.ts";
import { pruneSubscriptions } from "./lib/delivery/prune_subscriptions.ts";
import { tellAtOnce } from "./lib/delivery/tell_at_once.ts";
import type { WebhookSender } from "./lib/delivery/webhooks/webhook_sender.ts";
import type { DueJob } from "./lib/due_work.ts";
import { pruneRequestCounts } from "./lib/http/request_counts_sql.ts";
import type { SharedFreshness } from "./lib/http/shared_freshness.ts";
import type { ConfiguredSources } from "./lib/import/configured_sources.ts";
import { importDueSources } from "./lib/import/import_due_sources.ts";
import { variantsOf } from "./lib/roadmap/sites.ts";
import { embedDueItems } from "./lib/search/embed_due_items.ts";
import type { SemanticSearch } from "./lib/search/semantic_search.ts";

const PRUNE_SECONDS = 3_600;

/** What the jobs work with. */
interface JobParts {
  readonly config: Config;
  readonly database: Database;
  readonly clock: () => Date;
  readonly sources: ConfiguredSources;
  readonly outbox: Outbox;
  readonly webhooks: WebhookSender;
  /** Null: no embedding service is configured. */
  readonly semantic: SemanticSearch | null;
  readonly cachedResponses: SharedFreshness;
}

/**
 * Everything that comes due by itself, for schedulers: what an import brings is queued before it is
 * sent. Each job sees to it that it is done once over all processes.
 */
export function listDueJobs(
  { config, database, clock, sources, outbox, webhooks, semantic, cachedResponses }: JobParts,
): DueJob[] {
  const { digestTimes: times } = config;
  const imports = { ...config, database, clock, onChange: tellAtOnce(config, clock) };
  return [
    {
      name: "imports",
      run: (signals) => importDueSources({ ...imports, sources: sources.current }, signals),
    },
    ...times
      ? [{
        name: "digests",
        run: async ({ ending: signal }: { ending: AbortSignal }) => ({
          queued: await queueDueDigests({
            database,
            times,
            variantFor: variantsOf(config),
            signal,
          }),
        }),
      }]
      : [],
    { name: "mails", run: async ({ ending }) => ({ ...await outbox.sendDue(ending) }) },
    { name: "webhooks", run: async ({ ending }) => ({ ...await webhooks.sendDue(ending) }) },
    ...semantic
      ? [{
        name: "embeddings",
        run: async ({ ending }: { ending: AbortSignal }) => ({
          ...await embedDueItems(database, semantic, ending),
        }),
      }]
      : [],
    {
      name: "pruning",
      run: async () => ({
        done: Number(
          await doWhenDue(database, { name: "pruning", everySeconds: PRUNE_SECONDS }, async () => {
            await cachedResponses.prune();
            await pruneRequestCounts(database, clock());
            await pruneSubscriptions(database, clock());
          }),
        ),
      }),
    },
  ];
}
