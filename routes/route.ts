/**
 * What a file of this folder exports. The smallest read: its response is built once for all requests
 * that are equal when normalised, kept, and sent as long as its `cache` says.
 *
 * ```ts
 * const config: ReadConfig = { cache: "data", errors: "json", summary: "Greets by name" };
 * const handler: ReadHandlers = {
 *   GET: {
 *     read({ query }, { site }) {
 *       const name = query.get("name") ?? "you";
 *       return { normalised: name, build: () => Promise.resolve(json({ name, at: site.url })) };
 *     },
 *   },
 * };
 * ```
 *
 * The smallest action, which is never cached. What is thrown as a `Problem` becomes an answer in
 * `_error.tsx`.
 *
 * ```ts
 * import { Problem } from "../lib/http/responses/problem.ts";
 *
 * const config: ActionConfig = { errors: "json", summary: "Takes a name" };
 * const handler: ActionHandlers = {
 *   POST: {
 *     async answer(request) {
 *       const name = await request.text();
 *       if (name === "") throw new Problem(400, "The name is missing");
 *       return Response.json({ status: "accepted", name }, { status: 202 });
 *     },
 *   },
 * };
 * ```
 *
 * @module
 */
import type { Services } from "../lib/service/services.ts";
import type { Config } from "../lib/config/config.ts";
import { isoDate } from "../lib/text/dates.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import type { Variant } from "../lib/roadmap/variant.ts";
import type { ApiDescription } from "../lib/http/openapi.ts";
import type { Content } from "../lib/http/responses/representation.ts";
import type { Target } from "../lib/http/requests/target.ts";

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
export interface ClientContext extends Context {
  readonly client: string;
}

/** A response that may be built once and sent many times. */
export interface ReadPlan {
  /** The normalised request: requests that are equal here get the same response. */
  readonly normalised: unknown;
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
  /** It has one address only, below the full path of BASE_URL, so a rule for that one is enough. */
  readonly hasOneAddress?: boolean;
  /** What a form that is posted can do, by the values of its field `do`. */
  readonly actions?: readonly string[];
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

interface ActionRoute extends RouteEntry, ActionHandler {
  readonly method: "GET" | "POST";
  readonly cache: "never";
}

export type Route = ReadRoute | ActionRoute;

/** What a file says of its address beside what it does. */
interface RouteConfig extends Pick<RouteEntry, "errors"> {
  /** The path where its file cannot be named by it: a parameter with a pattern. */
  readonly pattern?: string;
  /** For people; by method where there are two. */
  readonly summary: string | Readonly<Record<"GET" | "POST", string>>;
}

/** The config of an address whose GET is a read. */
export interface ReadConfig extends RouteConfig, Pick<ReadRoute, "cache"> {}

/** The config of an address that acts, or answers for one client only. */
export type ActionConfig = RouteConfig;

/** What a file does at its address, by method. */
export interface ReadHandlers {
  readonly GET: ReadHandler;
  readonly POST?: ActionHandler;
}

/** What a file does at its address, by method. */
export interface ActionHandlers {
  readonly GET?: ActionHandler;
  readonly POST?: ActionHandler;
}

/** A file of routes/, which its name gives an address. */
export type RouteModule =
  | { readonly config: ReadConfig; readonly handler: ReadHandlers }
  | { readonly config: ActionConfig; readonly handler: ActionHandlers };

/** The routes of a file: one for each method. */
export function routesAt(path: string, module: RouteModule): Route[] {
  const { config: { errors, summary }, handler } = module;
  const summaryOf = (method: "GET" | "POST") =>
    typeof summary === "string" ? summary : summary[method];
  const entry = (method: "GET" | "POST") => ({ path, errors, summary: summaryOf(method) });
  const act = (method: "GET" | "POST", own: ActionHandler): ActionRoute => (
    { method, cache: "never", ...entry(method), ...own }
  );
  const get = "cache" in module.config
    ? { method: "GET", cache: module.config.cache, ...entry("GET"), ...handler.GET } as ReadRoute
    : handler.GET && act("GET", handler.GET as ActionHandler);
  return [...get ? [get] : [], ...handler.POST ? [act("POST", handler.POST)] : []];
}

/** Where a request comes from, as the listening socket knows it, and its target. */
export interface Client {
  /** The address of the connection: the client's, or that of the last proxy. */
  readonly peer: string;
  /** The client's address, taking trusted proxies into account. */
  readonly address: string;
  readonly target: Target;
}

/** The UTC day of the request. */
export function today({ clock }: Pick<Services, "clock">): string {
  return isoDate(clock());
}

/** A JSON response. */
export function json(value: unknown): Content {
  return { contentType: "application/json; charset=utf-8", body: JSON.stringify(value) };
}
