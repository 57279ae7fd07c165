import { type Context as HonoContext, Hono } from "hono";
import type { Config } from "../lib/config.ts";
import { clientAddress, networkOf } from "../lib/http/client_address.ts";
import { Problem } from "../lib/http/problem.ts";
import { CORS_HEADERS } from "../lib/http/representation.ts";
import type { Recipe } from "../lib/http/response_cache.ts";
import { RequestLog, type Walk } from "../lib/http/request_log.ts";
import { readTarget, routingPath } from "../lib/http/target.ts";
import { answerError, answerProblem } from "./_error.tsx";
import { changelog } from "./api_changelog.ts";
import { filterOptions } from "./api_filter_options.ts";
import { history } from "./api_history.ts";
import { releases } from "./api_releases.ts";
import { apiPageOf } from "./api_page.tsx";
import { subscribe } from "./api_subscribe.ts";
import { apiVerifyEmail } from "./api_verify_email.ts";
import { asset, favicon } from "./assets.ts";
import { changelogPage } from "./changelog_page.tsx";
import { newLinkPage } from "./new_link_page.tsx";
import { openapiOf } from "./openapi.ts";
import { postedSubscribePage } from "./posted_subscribe_page.tsx";
import { releasePage } from "./release_page.tsx";
import { robots, sitemap } from "./robots.ts";
import { searchPage } from "./search_page.tsx";
import { subscribePage } from "./subscribe_page.tsx";
import { health } from "./health.ts";
import { metrics } from "./metrics.ts";
import { ready } from "./ready.ts";
import type { Client, ReadRoute, Route, Services } from "./route.ts";
import { rss, rssXml } from "./rss.ts";
import { type Site, sitesOf } from "../lib/roadmap/sites.ts";
import { postedUnsubscribePage, unsubscribePage } from "./unsubscribe_page.tsx";
import { postedVerifyEmailPage, verifyEmailPage } from "./verify_email_page.tsx";

/** Every address that is served, below each site. */
export const ROUTES: readonly Route[] = [
  searchPage,
  releasePage,
  changelogPage,
  subscribePage,
  postedSubscribePage,
  apiPageOf(() => ROUTES),
  openapiOf(() => ROUTES),
  asset,
  favicon,
  sitemap,
  robots,
  releases,
  history,
  changelog,
  filterOptions,
  subscribe,
  apiVerifyEmail,
  verifyEmailPage,
  postedVerifyEmailPage,
  unsubscribePage,
  postedUnsubscribePage,
  newLinkPage,
  rss,
  rssXml,
  health,
  ready,
  metrics,
];

/** Pages are asked for again each time, and mostly answered with 304; assets never again. */
const PAGE_CACHE_CONTROL = "public, no-cache";
const ASSET_CACHE_CONTROL = "public, max-age=31536000, immutable";

/** Makes the service: a function from request to response, over the given database. */
export function createApp(
  services: Services,
): (request: Request, info?: ConnectionInfo) => Response | Promise<Response> {
  const { config } = services;
  const sites = sitesOf(config);
  const requests = new RequestLog(services.metrics, config.logRequests);
  const app = new Hono<Env>({ getPath: (_, options) => routingPath(options!.env!.target.path) });
  for (const site of sites) {
    const siteApp = createSite(site, services);
    for (const path of pathsOf(site, config)) app.route(path, siteApp);
  }
  app.notFound((context) => {
    throw nothingAt(context.req.path);
  });
  app.onError((error, { req: { method, path } }) =>
    answerError(error, { method, path }, { services, site: siteAt(path, sites) })
  );
  return (request, info) => {
    const target = readTarget(request);
    if (!target) return requests.walk(request, { target }, () => refuseHost(request));
    const kept = services.responder.answerKnown(request, target);
    if (kept) return requests.noteFromMemory(request, kept, target);
    const env: Env["Bindings"] = { peer: peerOf(info), target };
    return requests.walk(request, env, () => app.fetch(request, env));
  };
}

/** RFC 9112, section 3.2: what it asks for cannot be told, so that it is neither a page nor the API. */
function refuseHost({ method }: Request): Response {
  const reason = "must be a host with or without a port, such as example.com or [::1]:8000";
  const problem = new Problem(400, `The Host ${reason}`, { errors: [{ name: "Host", reason }] });
  return answerProblem(problem, method);
}

function nothingAt(path: string): Problem {
  return new Problem(404, `There is nothing at ${path}`);
}

/** Where a site is mounted. A proxy may have taken the path of the base address away already. */
function pathsOf({ path }: Site, { basePath }: Config): Set<string> {
  return new Set([path, path.slice(basePath.length)]);
}

/** The site below which a path lies: the one whose own path is the longest. */
function siteAt(path: string, sites: readonly Site[]): Site {
  return sites.findLast((site) => `${path}/`.startsWith(`${site.path}/`)) ?? sites[0]!;
}

/** What `Deno.serve` tells of a connection. */
interface ConnectionInfo {
  remoteAddr: Deno.Addr;
}

function peerOf(info: ConnectionInfo | undefined): string {
  return info && "hostname" in info.remoteAddr ? info.remoteAddr.hostname : "local";
}

type Env = { Bindings: Client & Walk };

function createSite(site: Site, services: Services): Hono<Env> {
  const app = new Hono<Env>();
  const routes = ROUTES.filter(({ isIn }) => !isIn || isIn(site.variant));
  for (const route of routes) {
    app.on(
      route.method,
      route.path,
      (context) => {
        const { req, env } = context;
        env.route = site.path.slice(services.config.basePath.length) + route.path;
        if (route.cache !== "never") {
          return readAnswer(context, route, { site, services });
        }
        const { path } = env.target;
        if (route.isForOperators && path !== req.path) throw nothingAt(path);
        return route.answer(req.raw, env, { site, services });
      },
    );
  }
  for (const [path, routesAtPath] of Map.groupBy(routes, ({ path }) => path)) {
    const methods = routesAtPath.flatMap(({ method }) =>
      method === "GET" ? ["GET", "HEAD"] : method
    );
    const allow = [...methods, "OPTIONS"].join(", ");
    const isRead = routesAtPath.some(({ cache }) => cache !== "never");
    app.options(path, () => answerOptions(allow, { isRead }));
    app.all(path, ({ req }) => {
      throw new Problem(405, `${req.method} is not possible here, only ${allow}`, {
        headers: { Allow: allow },
      });
    });
  }
  return app;
}

function readAnswer(
  { req, env: { peer, target } }: HonoContext<Env>,
  route: ReadRoute,
  { site, services }: { site: Site; services: Services },
): Promise<Response> {
  const { trustedProxies } = services.config;
  const client = networkOf(clientAddress(req.raw.headers, { peer, trustedProxies }));
  const asked = { query: new URLSearchParams(target.query), path: req.param(), client };
  const { normalised, build } = route.read(asked, { services, site });
  return services.responder.answer(req.raw, target, {
    key: `${site.variant.name} ${site.url} ${route.path} ${JSON.stringify(normalised)}`,
    client,
    build,
    ...cachePolicyOf(route, { site, services }),
  });
}

function cachePolicyOf(
  { cache }: ReadRoute,
  { site: { variant }, services: { freshness } }: { site: Site; services: Services },
): Pick<Recipe, "freshness" | "cacheControl"> {
  switch (cache) {
    case "variant": {
      const { freshSeconds, staleSeconds } = variant;
      return {
        freshness: freshness[variant.freshness],
        cacheControl: `public, max-age=${freshSeconds}, stale-while-revalidate=${staleSeconds}`,
      };
    }
    case "page":
      return { freshness: freshness.dataVersion, cacheControl: PAGE_CACHE_CONTROL };
    case "asset":
      return { freshness: freshness.dataVersion, cacheControl: ASSET_CACHE_CONTROL };
  }
}

/**
 * What an address takes; and, in the terms of the Fetch Standard, 3.2.2, that pages of other origins
 * may read it. What acts they may not even ask for: they could not read the answer.
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
