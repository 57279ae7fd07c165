import { type Context as HonoContext, Hono } from "hono";
import type { Config } from "../lib/config/config.ts";
import {
  clientAddress,
  networkOf,
  ProxyCheck,
  siteNetworkOf,
} from "../lib/http/clients/client_address.ts";
import { Problem } from "../lib/http/responses/problem.ts";
import {
  answerWithoutCache,
  cacheTagOf,
  CORS_HEADERS,
  languageOf,
  NO_SNIFFING,
} from "../lib/http/responses/representation.ts";
import type { Recipe } from "../lib/http/responses/response_cache.ts";
import { answerCaller } from "../lib/http/clients/request_caller.ts";
import { RequestLog, type RunningRequest } from "../lib/http/server/request_log.ts";
import { readTarget, refuseManyParameters, routingPath } from "../lib/http/requests/target.ts";
import { answerError, answerProblem } from "./_error.tsx";
import { ROUTES } from "./table.ts";
import type { Client, Context, ReadRoute, Route } from "./route.ts";
import type { Services } from "../lib/service/services.ts";
import { type Site, sitesOf } from "../lib/roadmap/sites.ts";
import { untilAborted } from "../lib/work/async.ts";
import { said } from "../lib/text/said.ts";

/** Responses that depend on the data are revalidated each time, mostly with 304; assets never. */
const DATA_CACHE_CONTROL = "public, no-cache";
const ASSET_CACHE_CONTROL = "public, max-age=31536000, immutable";
/** How long the page of an error waits for what its bar names. */
const PLACES_MS = 500;

/** Makes the service: a function from request to response, over the given database. */
export function createApp(
  services: Services,
): (request: Request, info?: ConnectionInfo) => Response | Promise<Response> {
  const { config } = services;
  const requests = new RequestLog(services.metrics);
  const proxyCheck = new ProxyCheck(config);
  const contexts = sitesOf(config).map((site) => contextOf(site, services));
  const app = new Hono<Env>({ getPath: (_, options) => routingPath(options!.env!.target.path) });
  for (const context of contexts) {
    const siteApp = createSite(context);
    for (const path of pathsOf(context.site, config)) app.route(path, siteApp);
  }
  const answer = async (
    error: Error,
    { req: { method, path, raw: { signal, url } }, get }: HonoContext<Env>,
  ) => {
    const form = get("route")?.errors ?? errorsAt(path);
    const { searchParams: query } = new URL(url);
    const asked = { method, path, query, form, signal };
    // As the others do, the page of an error names the places that there are, if that is known soon.
    if (form === "page" && error instanceof Problem) {
      const soon = AbortSignal.timeout(PLACES_MS);
      await untilAborted(services.firstDay.read(), soon).catch(() => null);
    }
    return answerError(error, asked, contextAt(path, contexts));
  };
  app.onError(answer);
  app.notFound((hono) => answer(nothingAt(hono.req.path), hono));
  return (request, info) => {
    const target = readTarget(request);
    const finish = (response: Response) => withoutLength(request, forbidSniffing(response));
    if (!target) return finish(requests.note(request, refuseHost(request)));
    const { TRUSTED_PROXIES: trustedProxies } = config;
    const cached = services.responseCache.answerKnown(request, target);
    if (cached) return requests.noteCached(request, cached);
    const peer = peerOf(info);
    proxyCheck.note(request.headers, peer);
    const address = clientAddress(request.headers, { peer, trustedProxies });
    const running = { address, peer, target };
    return answerCaller(
      request,
      siteNetworkOf(address) ?? networkOf(address),
      () => requests.time(request, running, () => app.fetch(request, running)),
    ).then(finish);
  };
}

/** What is cached has these headers already. */
function forbidSniffing(response: Response): Response {
  const type = response.headers.get("content-type") ?? "";
  const headers = { ...languageOf(type, response.headers), ...NO_SNIFFING };
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/**
 * The length of a HEAD is that of the GET or not said (RFC 9110, section 8.6); the server would say 0
 * of an answer without a body, and says nothing of one that is a stream.
 */
function withoutLength({ method }: Request, response: Response): Response {
  const isSaid = response.headers.has("content-length") || [204, 304].includes(response.status);
  if (method !== "HEAD" || isSaid) return response;
  const nothing = new ReadableStream({ start: (controller) => controller.close() });
  return new Response(nothing, response);
}

function contextOf(site: Site, services: Services): Context {
  const routes = ROUTES.filter(({ isIn, isOn }) =>
    (!isIn || isIn(site.variant)) && (!isOn || isOn(services.config))
  );
  return { services, site, routes };
}

/** RFC 9112, section 3.2: the target is unknown, so this is neither a page nor the API. */
function refuseHost({ method }: Request): Response {
  const reason = "must be a host with or without a port, such as example.com or [::1]:8000";
  const problem = new Problem(400, `The Host ${reason}`, { errors: [{ name: "Host", reason }] });
  return answerProblem(problem, method);
}

function nothingAt(path: string): Problem {
  return new Problem(404, said("problem.no_page", { path }));
}

/** Where a site is mounted. A proxy may have stripped the path of the base URL already. */
function pathsOf({ path }: Site, { basePath }: Config): Set<string> {
  return new Set([path, path.slice(basePath.length)]);
}

/** @throws {Problem} 404 at the other of the paths where a site is mounted */
function refuseOtherAddress(path: string, route: Route, { site, services }: Context): void {
  const { basePath, PROXY_STRIPS_PATH: proxyStripsPath } = services.config;
  const full = site.path + route.path;
  const answered = proxyStripsPath ? full.slice(basePath.length) : full;
  if (path === answered) return;
  const reason = proxyStripsPath
    ? "PROXY_STRIPS_PATH is true"
    : "if a proxy removes the path of BASE_URL, set PROXY_STRIPS_PATH=true";
  throw new Problem(404, `There is no page at ${path}, it is at ${answered}: ${reason}`);
}

/** The site of a path: the one with the longest matching prefix. */
function contextAt(path: string, contexts: readonly Context[]): Context {
  return contexts.findLast(({ site }) => `${path}/`.startsWith(`${site.path}/`)) ?? contexts[0]!;
}

/** Without a route: problem details below /api/ and for what only another site has, else a page. */
function errorsAt(path: string): Route["errors"] {
  const isOfScript = ({ errors, path: known }: Route) => errors === "json" && path.endsWith(known);
  return path.includes("/api/") || ROUTES.some(isOfScript) ? "json" : "page";
}

/** What `Deno.serve` reports about a connection. */
interface ConnectionInfo {
  remoteAddr: Deno.Addr;
}

function peerOf(info: ConnectionInfo | undefined): string {
  return info && "hostname" in info.remoteAddr ? info.remoteAddr.hostname : "local";
}

interface Env {
  Bindings: Client & RunningRequest;
  Variables: { route?: Route };
}

function createSite(context: Context): Hono<Env> {
  const { site, services, routes } = context;
  const app = new Hono<Env>();
  for (const route of routes) {
    const [pathWithoutPattern] = route.path.split("{");
    const name = site.path.slice(services.config.basePath.length) + pathWithoutPattern;
    app.on(route.method, route.path, (hono) => {
      const { req, env } = hono;
      hono.set("route", route);
      env.routeName = name;
      refuseManyParameters(env.target);
      if (route.cache !== "never") return answerRead(hono, route, context);
      const { path } = env.target;
      if (route.isForOperators && path !== req.path) {
        const isWithSlash = route.method === "GET" && route.errors === "page" &&
          path === `${req.path}/`;
        if (!isWithSlash) throw nothingAt(path);
        refuseOtherAddress(req.path, route, context);
        return withoutSlash(req);
      }
      if (route.hasOneAddress) refuseOtherAddress(path, route, context);
      return route.answer(req.raw, env, context);
    });
  }
  for (const [path, routesAtPath] of Map.groupBy(routes, ({ path }) => path)) {
    const methods = routesAtPath.flatMap(({ method }) =>
      method === "GET" ? ["GET", "HEAD"] : method
    );
    const allow = [...methods, "OPTIONS"].join(", ");
    const isRead = routesAtPath.some(({ cache }) => cache !== "never");
    app.options(path, () => answerOptions(allow, { isRead }));
    app.all(path, ({ req, set }) => {
      set("route", routesAtPath[0]!);
      throw new Problem(405, said("problem.method", { method: req.method, allowed: allow }), {
        headers: { Allow: allow },
      });
    });
  }
  return app;
}

/** The pages of operators have one spelling, which people often end with a slash. */
function withoutSlash({ path, url }: { path: string; url: string }): Response {
  // Relative: a proxy may have removed the path of BASE_URL.
  const location = `../${path.split("/").at(-1)}${new URL(url).search}`;
  return new Response(null, {
    status: 308,
    headers: { "Location": location, "Cache-Control": "no-store" },
  });
}

async function answerRead(
  { req, env: { address, target } }: HonoContext<Env>,
  route: ReadRoute,
  context: Context,
): Promise<Response> {
  const { site, services } = context;
  const client = networkOf(address);
  const query = new URLSearchParams(target.query);
  const { normalised, build, live } = route.read(
    { query, path: req.param(), client },
    context,
  );
  if (live) return answerWithoutCache(await live(req.raw, siteNetworkOf(address) ?? client));
  return await services.responseCache.answer(req.raw, target, {
    key: `${site.variant.name} ${site.url} ${route.path} ${JSON.stringify(normalised)}`,
    async build() {
      // Its pages name the places that there are.
      if (route.errors === "page") await services.firstDay.read();
      return await build();
    },
    ...cachePolicyOf(route, context),
  });
}

function cachePolicyOf(
  { cache }: ReadRoute,
  { site: { variant }, services: { cacheRules, config } }: Context,
): Pick<Recipe, "rule" | "cacheControl" | "cacheTag"> {
  const cacheTag = cacheTagOf(config);
  switch (cache) {
    case "variant": {
      const { freshSeconds, staleSeconds } = variant;
      return {
        rule: cacheRules[variant.cacheRule],
        cacheTag,
        cacheControl: `public, max-age=${freshSeconds}, stale-while-revalidate=${staleSeconds}`,
      };
    }
    case "data":
      return { rule: cacheRules.dataVersion, cacheControl: DATA_CACHE_CONTROL, cacheTag };
    case "asset":
      return { rule: cacheRules.dataVersion, cacheControl: ASSET_CACHE_CONTROL };
  }
}

/**
 * The allowed methods and, by CORS (Fetch Standard, 3.2.2), that other origins may read. They may
 * not send requests that act, since they could not read the response.
 */
function answerOptions(allow: string, { isRead }: { isRead: boolean }): Response {
  const forOtherOrigins = {
    ...CORS_HEADERS,
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
  };
  const headers = { "Allow": allow, ...isRead && forOtherOrigins };
  return new Response(null, { status: 204, headers });
}
