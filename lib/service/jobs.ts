import { AccessTokens } from "../http/outgoing/access_tokens.ts";
import { pruneAuditLog } from "../admin/admin_sql.ts";
import { pruneUploads } from "../admin/uploads/uploads.ts";
import { doWhenDue } from "../database/leases.ts";
import { readBouncesIfDue } from "../delivery/bounces/bounce_mailbox.ts";
import { pauseBeforeSlot, queueDueDigests } from "../delivery/digests/digest_schedule.ts";
import type { Outbox } from "../delivery/outbox/outbox.ts";
import { drawPause } from "../delivery/outbox/drain_queue.ts";
import { pruneSubscriptions } from "../delivery/subscriptions/subscribers_sql.ts";
import { notifyWebhooks, queueDueWebhooks } from "../delivery/webhooks/queue_webhooks.ts";
import type { WebhookSender } from "../delivery/webhooks/webhook_sender.ts";
import { notifiedServices, notifyService } from "../feeds/hubs/notify_services.ts";
import type { SharedResponses } from "../http/responses/shared_responses_sql.ts";
import { pruneRequestCounts } from "../http/clients/request_counts_sql.ts";
import { FollowedAnnouncements } from "../import/announcements/follow_announcements.ts";
import type { ConfiguredSource } from "../import/sources/configured_source.ts";
import { mayBePrivate } from "../import/sources/configured_sources.ts";
import { ScheduledImport } from "../import/sources/scheduled_import.ts";
import { sitesOf } from "../roadmap/sites.ts";
import { embedDueItems } from "../search/embed_items.ts";
import type { Job } from "./job_runner.ts";
import type { Services } from "./services.ts";

const PRUNE_SECONDS = 3_600;

type JobParts = Pick<Services, "config" | "database" | "clock" | "sources" | "semantic"> & {
  readonly outbox: Outbox;
  readonly webhooks: WebhookSender;
  readonly cachedResponses: SharedResponses;
};

/**
 * Lists everything that a server does by itself, for its timers and for schedulers: what an import
 * brings is queued before it is sent. Each job sees to it that it is done once over all processes.
 * The list follows the configured sources; a job stays the same as long as its source does.
 */
export function listJobs(parts: JobParts): () => Job[] {
  const bySource = new WeakMap<ConfiguredSource, Job[]>();
  const followed = followStoredSources(parts);
  const others = [
    ...listDigests(parts),
    ...listSending(parts),
    ...listBounces(parts),
    ...listHubs(parts),
    ...listUpkeep(parts),
  ];
  return () => {
    const { current } = parts.sources;
    for (const source of current) {
      if (!bySource.has(source)) bySource.set(source, listOfSource(source, parts));
    }
    return [
      followed,
      ...current.length > 0 ? current.flatMap((source) => bySource.get(source)!) : [NO_IMPORT],
      ...others,
    ];
  };
}

const NOTHING_IMPORTED = { imported: 0, failed: 0 };

/** Where there is no source, schedulers learn that nothing was imported. */
const NO_IMPORT: Job = {
  name: "imports",
  everySeconds: PRUNE_SECONDS,
  run: () => Promise.resolve(NOTHING_IMPORTED),
};

/** Each process follows what operators add, wherever they do. */
function followStoredSources({ sources, database }: JobParts): Job {
  return {
    name: "imports",
    everySeconds: 60,
    onNewData: true,
    async run() {
      await sources.readStored(database);
      return NOTHING_IMPORTED;
    },
  };
}

function listOfSource(source: ConfiguredSource, parts: JobParts): Job[] {
  const { announcements } = source;
  return [
    importOnSchedule(source, parts),
    ...announcements ? [followAnnouncements({ ...source, announcements }, parts)] : [],
  ];
}

function followAnnouncements(
  source: ConfiguredSource & { announcements: string },
  { config, database }: JobParts,
): Job {
  const followed = new FollowedAnnouncements(database, source, {
    userAgent: config.SOURCE_USER_AGENT,
    allowsPrivate: mayBePrivate(source, config),
  });
  return {
    name: "announcements",
    everySeconds: 60,
    onNewData: true,
    run: async ({ ending }) => ({ changed: Number(await followed.followIfDue(ending)) }),
  };
}

function importOnSchedule(
  source: ConfiguredSource,
  { config, database, clock }: JobParts,
): Job {
  const onChange = notifyWebhooks(config, clock);
  const scheduled = new ScheduledImport(database, source, { ...config, clock, onChange });
  let isScheduled = false; // then a source that was removed stays so
  return {
    name: "imports",
    everySeconds: 10,
    async prepare() {
      await scheduled.makeDue();
      isScheduled = true;
    },
    // An import that began is not cut short, unless the process stops.
    async run({ stopping, ending }) {
      if (ending.aborted) return NOTHING_IMPORTED;
      if (!isScheduled) await scheduled.add();
      const outcome = await scheduled.importIfDue(stopping);
      return outcome === null ? NOTHING_IMPORTED : { ...NOTHING_IMPORTED, [outcome]: 1 };
    },
  };
}

function listDigests({ config, database }: JobParts): Job[] {
  const { digestTimes: times } = config;
  if (times === null) return [];
  return [{
    name: "digests",
    everySeconds: () => pauseBeforeSlot(new Date(), times),
    onNewData: true,
    run: async () => ({ queued: await queueDueDigests({ database, times }) }),
  }];
}

function listSending({ config, database, clock, outbox, webhooks }: JobParts): Job[] {
  const site = sitesOf(config)[0]!;
  const { webhookTimes: times } = config;
  return [
    {
      name: "mails",
      // Random, and no request ends a pause: sending slows the requests beside it, and a client
      // that measured the one after its own would learn whether that had an email sent.
      everySeconds: () => drawPause(Math.random) / 1000,
      run: async ({ ending }) => ({ ...await outbox.sendDue(ending) }),
    },
    {
      name: "webhooks",
      everySeconds: () => pauseBeforeSlot(new Date(), times),
      run: async () => {
        await queueDueWebhooks(database, { site, times, now: clock() });
        return {};
      },
    },
    {
      name: "webhooks",
      everySeconds: 5,
      onNewData: true,
      run: async ({ ending }) => ({ ...await webhooks.sendDue(ending) }),
    },
  ];
}

function listBounces({ config, database, clock }: JobParts): Job[] {
  const { BOUNCE_MAILBOX, mailOauth } = config;
  if (BOUNCE_MAILBOX === null) return [];
  const settings = { ...BOUNCE_MAILBOX, tokens: mailOauth && new AccessTokens(mailOauth) };
  const failed = new Set<number>();
  return [{
    name: "bounces",
    everySeconds: 60,
    run: async ({ ending }) => ({
      ...await readBouncesIfDue({ database, settings, clock, failed }, ending),
    }),
  }];
}

function listHubs({ config, database }: JobParts): Job[] {
  return notifiedServices(config).map((service) => ({
    name: service.name,
    everySeconds: 15,
    onNewData: true,
    run: async ({ ending }) => ({
      notified: Number(await notifyService(database, service, ending)),
    }),
  }));
}

function listUpkeep({ database, clock, semantic, cachedResponses }: JobParts): Job[] {
  const pruning: Job = {
    name: "pruning",
    everySeconds: 60,
    async run() {
      const once = { name: "pruning", everySeconds: PRUNE_SECONDS };
      const isDone = await doWhenDue(database, once, async () => {
        await cachedResponses.prune();
        await pruneRequestCounts(database, clock());
        await pruneSubscriptions(database, clock());
        await pruneAuditLog(database, clock());
        await pruneUploads(database, clock());
      });
      return { done: Number(isDone) };
    },
  };
  if (semantic === null) return [pruning];
  return [{
    name: "embeddings",
    everySeconds: 60,
    onNewData: true,
    run: async ({ ending }) => ({ ...await embedDueItems(database, semantic, ending) }),
  }, pruning];
}
