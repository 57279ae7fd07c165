import { type Config, MB } from "../config/config.ts";
import { DataCache, DataVersion } from "../database/data_version.ts";
import { OneState } from "../database/one_state.ts";
import { type Database, forRequests } from "../database/database.ts";
import { Monitor } from "../database/monitor.ts";
import type { MailLogo } from "../delivery/mail/mail_content.ts";
import { LOGO_HEIGHT } from "../delivery/mail/mail_frame.ts";
import { openMailer } from "../delivery/mail/mailer.ts";
import { tryNow } from "../delivery/outbox/mail_state_sql.ts";
import { Outbox } from "../delivery/outbox/outbox.ts";
import { readTokenSecret } from "../delivery/token_secret_sql.ts";
import { WebhookSender } from "../delivery/webhooks/webhook_sender.ts";
import { Checkup } from "../doctor/checkup.ts";
import { Assets } from "../http/assets/assets.ts";
import { Gate } from "../http/clients/gate.ts";
import { Limits } from "../http/clients/limits.ts";
import { resolveByMachine } from "../http/outgoing/checked_addresses.ts";
import { UntilDataChanges } from "../http/responses/cache_rule.ts";
import { ResponseCache } from "../http/responses/response_cache.ts";
import { SharedResponses } from "../http/responses/shared_responses_sql.ts";
import { Metrics } from "../http/server/metrics.ts";
import { LongPolls } from "../http/streams/long_polls.ts";
import { OpenStreams } from "../http/streams/open_streams.ts";
import { ConfiguredSources } from "../import/sources/configured_sources.ts";
import { inspectLastRuns, inspectReadiness } from "../import/sources/inspect_imports.ts";
import { readFirstDay } from "../roadmap/as_of/as_of_sql.ts";
import { readSourceReadings } from "../import/source_readings_sql.ts";
import { ProductPromises } from "../insights/read_insights.ts";
import { Pictures } from "../pictures/pictures.ts";
import { countFacets, readListedOptions } from "../roadmap/filter/filter_options_sql.ts";
import { ItemCache, Selections } from "../roadmap/releases.ts";
import { holdsSample } from "../import/apply_sql.ts";
import { readItems } from "../roadmap/items_sql.ts";
import { readVocabulary } from "../roadmap/words/vocabulary_sql.ts";
import { siteFor } from "../roadmap/sites.ts";
import { QuestionLimits } from "../search/question_limits.ts";
import { QuestionVectors } from "../search/question_vectors_sql.ts";
import { RelatedWords } from "../search/related_words.ts";
import { SemanticSearch } from "../search/semantic_search.ts";
import { readLanguage, speak } from "../text/messages.ts";
import { VERSION } from "../version.ts";
import { isoDate } from "../text/dates.ts";
import { systemClock } from "../work/async.ts";
import { JobRunner } from "./job_runner.ts";
import { listJobs } from "./jobs.ts";
import type { Services } from "./services.ts";

/** How long what is on its way to webhooks gets when the process is to stop. */
const WEBHOOKS_STOP_MS = 4_000;

/** Builds the services of a process; `stop` ends the jobs, which may take some seconds. */
export async function startService(
  databaseForJobs: Database,
  config: Config,
  clock: () => Date = systemClock,
  sources?: ConfiguredSources,
): Promise<
  Services & { readonly outbox: Outbox; stop(): Promise<void> }
> {
  // What settings name comes first: nothing follows the database yet where it is wrong.
  sources ??= await ConfiguredSources.read(config);
  speak(readLanguage(config.LANGUAGE));
  const assets = await Assets.load(config);
  const requests = forRequests(databaseForJobs);
  const dataVersion = await DataVersion.follow(databaseForJobs, clock);
  const oneState = new OneState(requests, dataVersion);
  const { database } = oneState;
  await sources.readStored(databaseForJobs);
  const dataCache = new DataCache(dataVersion);
  const vocabulary = dataCache.reader("vocabulary", () => readVocabulary(database));
  const monitor = new Monitor(databaseForJobs);
  // What is read now can be reported while the database is busy.
  await Promise.all([inspectLastRuns(monitor, sources), inspectReadiness(monitor, sources)]);
  const tokenSecret = config.TOKEN_SECRET ?? await readTokenSecret(databaseForJobs);
  const memory = divideCacheMemory(config.CACHE_MEMORY_MB * MB);
  const selections = new Selections(database, dataVersion, memory.selections);
  const gate = new Gate();
  const metrics = new Metrics();
  const logo = findMailLogo(assets, config);
  const outbox = await openOutbox(databaseForJobs, config, { clock, tokenSecret, logo });
  const webhooks = new WebhookSender({
    database: databaseForJobs,
    clock,
    tokenSecret,
    siteName: config.SITE_NAME,
    siteFor: (name) => siteFor(name, config),
    allowsPrivate: config.WEBHOOK_ALLOW_PRIVATE,
    resolve: resolveByMachine,
  });
  const semantic = await makeSemanticSearch(config, { database, dataCache, selections, clock });
  const shared = new SharedResponses({ forRequests: requests, forJobs: databaseForJobs }, {
    freshMs: config.CACHE_FRESH_SECONDS * 1000,
    staleMs: config.CACHE_STALE_SECONDS * 1000,
    maxBytes: SHARED_BYTES,
    version: VERSION,
  }, clock);
  const longPolls = new LongPolls({ dataVersion, gate });
  const parts = { config, database: databaseForJobs, clock, sources, outbox, webhooks, semantic };
  const jobs = new JobRunner(listJobs({ ...parts, cachedResponses: shared }));
  sources.onChange(() => void jobs.restart());
  dataVersion.onChange(() => jobs.noteNewData());
  return {
    config,
    database,
    databaseForJobs,
    dataVersion,
    oneState,
    monitor,
    sources,
    metrics,
    clock,
    tokenSecret,
    limits: new Limits({ database: requests, clock }, config),
    outbox,
    jobs,
    checkup: new Checkup({ config, database: databaseForJobs, clock }),
    assets,
    pictures: new Pictures(),
    selections,
    items: new ItemCache((ids) => readItems(database, ids), dataVersion, memory.items),
    listedOptions: dataCache.reader("listed options", () => readListedOptions(database)),
    vocabulary,
    isSample: dataCache.reader("sample", () => holdsSample(database)),
    productCounts: dataCache.reader("product counts", async () => {
      const { counts } = await countFacets(database, {}, { today: isoDate(clock()) });
      return counts.product_name;
    }),
    // An import that changes nothing is a reading too, without another state of the data.
    sourceReadings: {
      read: () =>
        dataCache.get(
          `source readings ${Math.floor(clock().getTime() / 60_000)}`,
          () => readSourceReadings(database),
        ),
    },
    firstDay: {
      async read() {
        return this.latest = await dataCache.get("first day", () => readFirstDay(database));
      },
    },
    productPromises: new ProductPromises(database, dataCache),
    semantic,
    related: semantic === null ? new RelatedWords(database, vocabulary) : null,
    responseCache: new ResponseCache(memory, { clock, gate, metrics, dataVersion, oneState }),
    gate,
    longPolls,
    openStreams: new OpenStreams(),
    cacheRules: { dataVersion: new UntilDataChanges(dataVersion, clock), shared },
    async stop() {
      longPolls.stop();
      const timer = setTimeout(() => webhooks.abort(), WEBHOOKS_STOP_MS);
      await jobs.stop();
      clearTimeout(timer);
      outbox.close();
      dataVersion.stop();
    },
  };
}

/** The most bytes of variant B's responses in the database; the oldest are dropped first. */
const SHARED_BYTES = 256 * MB;

/**
 * The sender of the mails in the outbox; it sends nothing until it is started. The settings may be
 * others than those with which no mail left, so it tries at once.
 */
export async function openOutbox(
  database: Database,
  config: Config,
  { clock, tokenSecret, logo }: { clock: () => Date; tokenSecret: string; logo?: MailLogo },
): Promise<Outbox> {
  await tryNow(database, clock());
  return new Outbox({
    database,
    mailer: await openMailer(config),
    clock,
    tokenSecret,
    siteName: config.SITE_NAME,
    zone: config.DIGEST_ZONE,
    siteFor: (name) => siteFor(name, config),
    connections: config.MAIL_CONNECTIONS,
    rate: config.MAIL_RATE,
    ...logo && { logo },
  });
}

/** The logo of SITE_LOGO for mails, if it is a PNG: mail programs show no SVG. */
function findMailLogo(assets: Assets, { BASE_URL: baseUrl }: Config): MailLogo | undefined {
  const { logo } = assets;
  if (logo === null || !logo.name.endsWith(".png")) return undefined;
  const width = Math.max(1, Math.round(LOGO_HEIGHT * logo.width / logo.height));
  return { url: `${baseUrl}/assets/${assets.nameOf(logo.name)}`, width };
}

async function makeSemanticSearch(
  config: Config,
  parts: Pick<Services, "database" | "selections" | "clock"> & { dataCache: DataCache },
): Promise<SemanticSearch | null> {
  if (config.embedding === null) return null;
  // Its client library takes 20 MB.
  const { EmbeddingService } = await import("../search/embedding_service.ts");
  const service = new EmbeddingService(config.embedding);
  const limits = new QuestionLimits(parts, config);
  const vectors = new QuestionVectors(parts.database, service, limits);
  const { minSimilarity } = config.embedding;
  return new SemanticSearch({ ...parts, service, vectors, minSimilarity });
}

/** How the memory for caches is divided, in eighths. */
const SHARES = { responses: 4, selections: 1, items: 2, addresses: 1 } as const;

/** The most bytes that each cache of a process may take. */
type CacheMemory = Readonly<Record<keyof typeof SHARES, number>>;

/** Divides the memory for caches (`CACHE_MEMORY_MB`) over them. */
export function divideCacheMemory(bytes: number): CacheMemory {
  return Object.fromEntries(
    Object.entries(SHARES).map(([cache, share]) => [cache, Math.floor(bytes * share / 8)]),
  ) as CacheMemory;
}
