import type { Config } from "../config/config.ts";
import { type CachedRead, DataCache, type DataVersion } from "../database/data_version.ts";
import type { Connection, Database } from "../database/database.ts";
import type { OneState } from "../database/one_state.ts";
import type { Monitor } from "../database/monitor.ts";
import type { Checkup } from "../doctor/checkup.ts";
import type { Assets } from "../http/assets/assets.ts";
import type { Gate } from "../http/clients/gate.ts";
import type { Limits } from "../http/clients/limits.ts";
import type { CacheRule } from "../http/responses/cache_rule.ts";
import type { ResponseCache } from "../http/responses/response_cache.ts";
import type { SharedResponses } from "../http/responses/shared_responses_sql.ts";
import type { Metrics } from "../http/server/metrics.ts";
import type { LongPolls } from "../http/streams/long_polls.ts";
import type { OpenStreams } from "../http/streams/open_streams.ts";
import type { ConfiguredSources } from "../import/sources/configured_sources.ts";
import type { SourceReading } from "../import/source_readings_sql.ts";
import type { ProductPromises } from "../insights/read_insights.ts";
import type { Pictures } from "../pictures/pictures.ts";
import { connectAsOf, connectByDate } from "../roadmap/as_of/as_of_sql.ts";
import {
  type Facets,
  type ListedOptions,
  readListedOptions,
} from "../roadmap/filter/filter_options_sql.ts";
import { ItemCache, Selections } from "../roadmap/releases.ts";
import { readItems } from "../roadmap/items_sql.ts";
import type { Vocabulary } from "../roadmap/words/vocabulary.ts";
import type { RelatedWords } from "../search/related_words.ts";
import type { SemanticSearch } from "../search/semantic_search.ts";
import type { JobRunner } from "./job_runner.ts";

/** The services of a process, made once at its start. */
export interface Services {
  readonly config: Config;
  /** For requests: it has their time limit, their queue, and is cancelled with them. */
  readonly database: Database;
  /** The same one for jobs, and for requests that do a job: it waits without a limit. */
  readonly databaseForJobs: Database;
  readonly dataVersion: DataVersion;
  /** For answers that take several statements and are not kept. */
  readonly oneState: OneState;
  /** For health checks and metrics. */
  readonly monitor: Monitor;
  /** The sources that are imported on a schedule. */
  readonly sources: ConfiguredSources;
  readonly selections: Selections;
  readonly items: ItemCache;
  readonly listedOptions: ListedOptions;
  /** The words that questions are read with. */
  readonly vocabulary: CachedRead<Vocabulary>;
  /** Whether there is nothing but the sample. */
  readonly isSample: CachedRead<boolean>;
  /** How many releases each product has. */
  readonly productCounts: CachedRead<Facets["counts"]["product_name"]>;
  /** When the sources were last read. */
  readonly sourceReadings: CachedRead<SourceReading[]>;
  /** The as-of day of the first import, `YYYY-MM-DD`; null: there was none. */
  readonly firstDay: CachedRead<string | null> & {
    /** As it was last read; undefined: not yet. */
    latest?: string | null;
  };
  readonly productPromises: ProductPromises;
  readonly assets: Assets;
  readonly pictures: Pictures;
  /** Null: no embedding service is configured. */
  readonly semantic: SemanticSearch | null;
  readonly related: RelatedWords | null;
  readonly responseCache: ResponseCache;
  readonly gate: Gate;
  readonly longPolls: LongPolls;
  readonly openStreams: OpenStreams;
  readonly cacheRules: { readonly dataVersion: CacheRule; readonly shared: SharedResponses };
  readonly limits: Limits;
  /** Imports, digests, mails and the like. */
  readonly jobs: JobRunner;
  /** What the doctor says, for the operator's pages. */
  readonly checkup: Checkup;
  /** Signs the unsubscribe links. */
  readonly tokenSecret: string;
  readonly metrics: Metrics;
  readonly clock: () => Date;
}

/** What the roadmap is read from: as it is today, or as it was known on a day. */
export interface RoadmapServices
  extends Pick<Services, "selections" | "items" | "listedOptions" | "vocabulary"> {
  readonly database: Connection;
  /** Null: words are searched as substrings. */
  readonly semantic: Services["semantic"];
  readonly related: Services["related"];
  /** The day from which look-backs are counted. */
  readonly clock: () => Date;
}

/** The same services, which read the roadmap by a named date; without a name, by the release date. */
export function byDate<Given extends RoadmapServices & Pick<Services, "dataVersion">>(
  services: Given,
  name: string | undefined,
): Omit<Given, keyof RoadmapServices> & RoadmapServices {
  return name === undefined ? services : { ...services, ...roadmapAsOf(services, undefined, name) };
}

/** They keep what one response needs, and go with it. */
const BYTES = 16 * 1024 * 1024;

/**
 * The roadmap as it was known at the end of a day `YYYY-MM-DD`, by a named date instead of the release
 * date; without both, as it is. Both are searched by words only: what is found by meaning is of
 * today's texts and release dates.
 */
export function roadmapAsOf(
  services: RoadmapServices & Pick<Services, "dataVersion">,
  day: string | undefined,
  dateName?: string,
): RoadmapServices {
  if (day === undefined && dateName === undefined) return services;
  const connect = (ids?: readonly string[]) =>
    connectByDate(day ? connectAsOf(services.database, day, ids) : services.database, dateName);
  const database = connect();
  const { dataVersion } = services;
  const dataCache = new DataCache(dataVersion);
  return {
    database,
    selections: new Selections(database, dataVersion, BYTES),
    items: new ItemCache(
      (ids) => readItems(connect(ids), ids, day, dateName),
      dataVersion,
      BYTES,
    ),
    listedOptions: dataCache.reader("listed options", () => readListedOptions(database)),
    // The words of all days: those of one that stand nowhere on that day find nothing.
    vocabulary: services.vocabulary,
    semantic: null,
    related: null,
    clock: day ? () => new Date(`${day}T00:00:00Z`) : services.clock,
  };
}
