import type { ActionHandler, ActionRoute, ReadHandler, ReadRoute, Route } from "./route.ts";
import { changelog } from "./api/changelog.ts";
import { changedReleases } from "./api/changed_releases.ts";
import { changes } from "./api/changes.ts";
import { digestPage } from "./links/digest_page.tsx";
import { filterOptions } from "./api/filter_options.ts";
import { history } from "./api/history.ts";
import { postedImport } from "./api/import.ts";
import { apiPage } from "./pages/api_page.tsx";
import { releases } from "./api/releases.ts";
import { subscribe } from "./api/subscribe.ts";
import { apiVerifyEmail } from "./api/verify_email.ts";
import { postedWork } from "./operations/work.ts";
import { asset, favicon } from "./pages/assets.ts";
import { calendar } from "./feeds/calendar.ts";
import { changelogPage } from "./pages/changelog_page.tsx";
import { atom, jsonFeed, rss, rssXml } from "./feeds/feeds.ts";
import { health } from "./operations/health.ts";
import { insights } from "./api/insights.ts";
import { insightsPage } from "./pages/insights_page.tsx";
import { mcp } from "./api/mcp.ts";
import { metrics } from "./operations/metrics.ts";
import { newLinkPage } from "./links/new_link_page.tsx";
import { openapi } from "./api/openapi.ts";
import { postedSubscribePage } from "./pages/posted_subscribe_page.tsx";
import { postedPreferencesPage } from "./links/posted_preferences_page.tsx";
import { preferencesPage } from "./links/preferences_page.tsx";
import { ready } from "./operations/ready.ts";
import { releasePage } from "./pages/release_page.tsx";
import { robots, sitemap } from "./pages/robots.ts";
import { searchAnswer } from "./pages/search_answer.ts";
import { searchPage } from "./pages/search_page.tsx";
import { subscribePage } from "./pages/subscribe_page.tsx";
import { postedUnsubscribePage, unsubscribePage } from "./links/unsubscribe_page.tsx";
import { postedVerifyEmailPage, verifyEmailPage } from "./links/verify_email_page.tsx";

/**
 * Reads: the path, the caching (`variant`: as the variant says; `data`: until the data changes;
 * `asset`: for ever), the form of errors, and a summary.
 */
// deno-fmt-ignore
const READ: readonly [
  path: string, cache: ReadRoute["cache"], errors: Route["errors"], handler: ReadHandler, summary: string,
][] = [
  ["/",                                        "data",    "page", searchPage,     "The roadmap, searched, filtered and sorted, as a list, a board or a timeline"],
  ["/search.json",                             "data",    "json", searchAnswer,   "What that page shows for a search, for its script"],
  ["/release/:release_item_id",                "data",    "page", releasePage,    "One release: what it is, what it went through, and what is like it"],
  ["/changelog",                               "data",    "page", changelogPage,  "What changed on the roadmap, by day"],
  ["/insights",                                "data",    "page", insightsPage,   "How reliable the dates are: what was delivered when it was first promised"],
  ["/subscribe",                               "data",    "page", subscribePage,  "The form to subscribe by e-mail"],
  ["/api",                                     "data",    "page", apiPage,        "The API, with examples that run"],
  ["/openapi.json",                            "data",    "json", openapi,        "The description of the API as OpenAPI 3.1"],
  ["/assets/:name",                            "asset",   "json", asset,          "A file that pages load"],
  ["/favicon.ico",                             "data",    "json", favicon,        "The sign of the site"],
  ["/sitemap.xml",                             "data",    "json", sitemap,        "The addresses of all pages, for search engines"],
  ["/robots.txt",                              "data",    "json", robots,         "What crawlers may read, and where the sitemap is"],
  ["/api/releases",                            "variant", "json", releases,       "Releases, filtered, searched, sorted and paged, or one of them"],
  ["/api/releases/history/:release_item_id",   "variant", "json", history,        "The changes of one release, newest first"],
  ["/api/changelog",                           "variant", "json", changelog,      "Releases by the day of their last change, with what changed"],
  ["/api/changes",                             "variant", "json", changes,        "Every change ever stored, oldest first, for copies that follow"],
  ["/api/changes/releases",                    "data",    "json", changedReleases, "Which releases changed after a cursor, for whoever was here before"],
  ["/api/filter-options",                      "variant", "json", filterOptions,  "The products, types and statuses that releases have"],
  ["/api/insights",                            "variant", "json", insights,       "How reliable the dates are, in figures, by quarter and by product"],
  ["/rss",                                     "variant", "json", rss,            "An RSS 2.0 feed of the releases that were modified last"],
  ["/rss.xml",                                 "variant", "json", rssXml,         "An RSS 2.0 feed of the releases that were modified last"],
  ["/atom.xml",                                "variant", "json", atom,           "An Atom feed of the releases that were modified last"],
  ["/feed.json",                               "variant", "json", jsonFeed,       "A JSON Feed of the releases that were modified last"],
  ["/calendar.ics",                            "variant", "json", calendar,       "The releases that have a date, as a calendar"],
];

/** Routes that act, or concern one client only: never cached. */
// deno-fmt-ignore
const ACT: readonly [
  method: ActionRoute["method"], path: string, errors: Route["errors"], handler: ActionHandler, summary: string,
][] = [
  ["POST", "/subscribe",       "page", postedSubscribePage,    "Asks for a subscription, by a form; the result is a page"],
  ["POST", "/api/subscribe",   "json", subscribe,              "Asks for a subscription; a new or unverified address is sent a verification link"],
  ["POST", "/api/import",      "json", postedImport,           "Takes a snapshot of the roadmap: JSON, NDJSON or CSV, which may be packed with gzip"],
  ["POST", "/api/work",        "json", postedWork,             "Does what is due (imports, digests, mails, pruning), for a scheduler"],
  ["GET",  "/api/verify-email","json", apiVerifyEmail,         "Verifies an address by the token of its link; the result is JSON"],
  ["GET",  "/verify-email",    "page", verifyEmailPage,        "Verifies an address by the token of its link; the result is a page"],
  ["POST", "/verify-email",    "page", postedVerifyEmailPage,  "Verifies an address by the token in a form; the result is a page"],
  ["GET",  "/unsubscribe",     "page", unsubscribePage,        "Unsubscribes by the token of a link; the result is a page"],
  ["POST", "/unsubscribe",     "page", postedUnsubscribePage,  "Unsubscribes at once by a token (RFC 8058); the result is a page"],
  ["GET",  "/preferences",     "page", preferencesPage,        "The preferences of a subscription, by the token of a link in a mail"],
  ["POST", "/preferences",     "page", postedPreferencesPage,  "Saves preferences, or gives or deletes what is kept, by the token in a form; the result is a page or JSON"],
  ["GET",  "/digest",          "page", digestPage,             "A digest as a page, by the token of a link in its mails, for 30 days"],
  ["POST", "/new-link",        "page", newLinkPage,            "Asks for a new verification link, by a form with an address; the result is a page"],
  ["POST", "/mcp",             "json", mcp,                    "The tools for assistants (Model Context Protocol)"],
  ["GET",  "/health",          "json", health,                 "Whether this process lives, and how the last import ended"],
  ["GET",  "/ready",           "json", ready,                  "Whether this process should get requests: 200, or 503 with what is missing"],
  ["GET",  "/metrics",         "json", metrics,                "Counts for a Prometheus server"],
];

/** Every address that is served, below each site. */
export const ROUTES: readonly Route[] = [
  ...READ.map(([path, cache, errors, handler, summary]): ReadRoute => (
    { method: "GET", path, cache, errors, summary, ...handler }
  )),
  ...ACT.map(([method, path, errors, handler, summary]): ActionRoute => (
    { method, path, cache: "never", errors, summary, ...handler }
  )),
];
