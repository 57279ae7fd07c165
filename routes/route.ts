import type { Config } from "../lib/config/config.ts";
import type { DueWork } from "../lib/work/due_work.ts";
import type { Database } from "../lib/database/database.ts";
import type { DataVersion } from "../lib/database/data_version.ts";
import type { ItemCache } from "../lib/roadmap/item_cache.ts";
import type { Monitor } from "../lib/database/monitor.ts";
import type { ListedOptions } from "../lib/roadmap/filter/listed_options.ts";
import type { PageSizes } from "../lib/roadmap/page_sizes.ts";
import type { Selections } from "../lib/roadmap/selections.ts";
import { isoDate } from "../lib/text/dates.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import type { Variant } from "../lib/roadmap/variant.ts";
import type { Assets } from "../lib/http/assets.ts";
import type { BuildLimit } from "../lib/http/build_limit.ts";
import type { ApiDescription } from "../lib/http/openapi.ts";
import type { Freshness } from "../lib/http/cache/freshness.ts";
import type { LongPolls } from "../lib/http/long_polls.ts";
import type { Metrics } from "../lib/http/metrics.ts";
import type { Responder } from "../lib/http/cache/responder.ts";
import type { ResponseCache } from "../lib/http/cache/response_cache.ts";
import type { SharedFreshness } from "../lib/http/cache/shared_freshness.ts";
import type { Limits } from "../lib/http/limits.ts";
import type { Content } from "../lib/http/cache/representation.ts";
import type { Target } from "../lib/http/target.ts";
import type { ConfiguredSources } from "../lib/import/schedule/configured_sources.ts";
import type { SemanticSearch } from "../lib/search/semantic_search.ts";

/** The services of a process, made once at its start. */
export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly dataVersion: DataVersion;
  /** For health checks and metrics. */
  readonly monitor: Monitor;
  /** The sources that are imported on a schedule. */
  readonly sources: ConfiguredSources;
  readonly selections: Selections;
  readonly items: ItemCache;
  readonly pageSizes: PageSizes;
  readonly listedOptions: ListedOptions;
  readonly assets: Assets;
  /** Null: no embedding service is configured. */
  readonly semantic: SemanticSearch | null;
  readonly responseCache: ResponseCache;
  readonly responder: Responder;
  readonly buildLimit: BuildLimit;
  readonly longPolls: LongPolls;
  readonly freshness: { readonly dataVersion: Freshness; readonly shared: SharedFreshness };
  readonly limits: Limits;
  /** What schedulers have done: imports, digests, mails and the like. */
  readonly dueWork: DueWork;
  /** Signs the unsubscribe links. */
  readonly tokenSecret: string;
  readonly metrics: Metrics;
  readonly clock: () => Date;
}

export interface Context {
  readonly services: Services;
  readonly site: Site;
  /** The routes of the site. */
  readonly routes: readonly Route[];
}

/** The input of a request: the parameters of the query and of the path. */
export interface RouteInput {
  readonly query: URLSearchParams;
  readonly path: Readonly<Record<string, string>>;
  /**
   * The client's address or network, for the limit on new queries to the embedding service. Nothing
   * else may depend on it, since responses are cached for everyone.
   */
  readonly client: string;
}

/** The context of a response that may need the embedding service. */
export interface AskingContext extends Context {
  readonly client: string;
}

/** A response that may be built once and sent many times. */
export interface ReadPlan {
  /** The normalised request: requests that are equal here get the same response. */
  readonly normalised: unknown;
  /** The largest size of the body; absent: that of any response. */
  readonly bytes?: () => Promise<number>;
  readonly build: () => Promise<Content>;
  /**
   * Present: the request wants what holds at this moment, and no cache may keep its answer. The
   * network is that of the client: an IPv4 address, or an IPv6 /48.
   */
  readonly live?: (request: Request, network: string) => Promise<Content>;
}

/** A read: the response is built from the data, cached, and sent conditionally. */
export interface ReadHandler {
  /** Absent: every variant has it. */
  readonly isIn?: (variant: Variant) => boolean;
  /** Absent: whatever the settings say. */
  readonly isOn?: (config: Config) => boolean;
  /** Absent: the route is not part of the API. */
  readonly describe?: (variant: Variant) => ApiDescription;
  /** Parses the request; throws a Problem of status 400 if it is wrong. */
  read(input: RouteInput, context: Context): ReadPlan;
}

/** Acts, or answers for one client only: never cached. */
export interface ActionHandler {
  readonly isIn?: (variant: Variant) => boolean;
  /** Absent: whatever the settings say. */
  readonly isOn?: (config: Config) => boolean;
  readonly describe?: (variant: Variant) => ApiDescription;
  /** Only its exact path matches, so a proxy that blocks this path blocks the route. */
  readonly isForOperators?: boolean;
  /** A HEAD also matches a GET route, and must not act. */
  answer(request: Request, client: Client, context: Context): Promise<Response>;
}

interface RouteEntry {
  readonly isOn?: (config: Config) => boolean;
  /** Below the site, with `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  /** The form of errors: a page, or problem details. */
  readonly errors: "page" | "json";
}

export interface ReadRoute extends RouteEntry, ReadHandler {
  readonly method: "GET";
  /** `variant`: as the variant says; `data`: until the data changes; `asset`: for ever. */
  readonly cache: "variant" | "data" | "asset";
}

export interface ActionRoute extends RouteEntry, ActionHandler {
  readonly method: "GET" | "POST";
  readonly cache: "never";
}

export type Route = ReadRoute | ActionRoute;

/** Where a request comes from, as the listening socket knows it, and its target. */
export interface Client {
  /** The client's address, taking trusted proxies into account. */
  readonly address: string;
  readonly target: Target;
}

/** The UTC day of the request. */
export function today({ clock }: Services): string {
  return isoDate(clock());
}

/** A JSON response. */
export function json(value: unknown): Content {
  return { contentType: "application/json; charset=utf-8", body: JSON.stringify(value) };
}
