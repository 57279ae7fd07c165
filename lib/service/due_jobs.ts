import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { doWhenDue } from "../database/leases/do_when_due.ts";
import { queueDueDigests } from "../delivery/digests/digest_schedule.ts";
import type { Outbox } from "../delivery/outbox/outbox.ts";
import { pruneSubscriptions } from "../delivery/subscriptions/prune_subscriptions.ts";
import { tellAtOnce } from "../delivery/tell_at_once.ts";
import type { WebhookSender } from "../delivery/webhooks/webhook_sender.ts";
import type { DueJob } from "../work/due_work.ts";
import { pruneRequestCounts } from "../http/request_counts_sql.ts";
import type { SharedFreshness } from "../http/cache/shared_freshness.ts";
import type { ConfiguredSources } from "../import/schedule/configured_sources.ts";
import { importDueSources } from "../import/schedule/import_due_sources.ts";
import { variantsOf } from "../roadmap/sites.ts";
import { embedDueItems } from "../search/embed_due_items.ts";
import type { SemanticSearch } from "../search/semantic_search.ts";

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
