import type { ActionHandler, ActionRoute, ReadHandler, ReadRoute, Route } from "./route.ts";
import { ADMIN_ROUTES } from "./admin/table.ts";
import { mailgunBounces, postmarkBounces, sesBounces } from "./api/bounces.ts";
import { changelog } from "./api/changelog.ts";
import { changedReleases } from "./api/changed_releases.ts";
import { changes } from "./api/changes.ts";
import { comparePage } from "./pages/compare_page.tsx";
import { digestPage } from "./links/digest_page.tsx";
import { embedPage } from "./pages/embed_page.tsx";
import { filterOptions } from "./api/filter_options.ts";
import { history } from "./api/history.ts";
import { postedImport } from "./api/import.ts";
import { apiPage } from "./pages/api_page.tsx";
import { releases } from "./api/releases.ts";
import { sendPreferencesLink } from "./api/send_preferences_link.ts";
import { subscribe } from "./api/subscribe.ts";
import { apiVerifyEmail } from "./api/verify_email.ts";
import { postedWork } from "./operations/work.ts";
import { asset, favicon } from "./pages/assets.ts";
import { badge } from "./pages/badge.ts";
import { calendar } from "./feeds/calendar.ts";
import { changelogDayPage } from "./pages/changelog_day_page.tsx";
import { changelogPage } from "./pages/changelog_page.tsx";
import { indexNowKey } from "./feeds/index_now_key.ts";
import { opml } from "./feeds/opml.ts";
import { atom, jsonFeed, rss, rssXml } from "./feeds/feeds.ts";
import { changesTable, releasesTable } from "./feeds/tables.ts";
import { health } from "./operations/health.ts";
import { insights } from "./api/insights.ts";
import { insightsPage } from "./pages/insights_page.tsx";
import { llmsText } from "./pages/llms_text.ts";
import { mcp } from "./api/mcp.ts";
import { metrics } from "./operations/metrics.ts";
import { newLinkPage } from "./links/new_link_page.tsx";
import { openapi } from "./api/openapi.ts";
import { postedSubscribePage } from "./pages/posted_subscribe_page.tsx";
import { postedPreferencesPage } from "./links/posted_preferences_page.tsx";
import { preferencesPage } from "./links/preferences_page.tsx";
import { ready } from "./operations/ready.ts";
import { releaseMarkdown } from "./pages/release_markdown.ts";
import { releasePicture } from "./pages/release_picture.ts";
import { releasePage } from "./pages/release_page.tsx";
import { robots, sitemap } from "./pages/robots.ts";
import { searchAnswer } from "./pages/search_answer.ts";
import { searchPage } from "./pages/search_page.tsx";
import { postedPreview, subscribePreview } from "./pages/subscribe_preview.tsx";
import { unreadScript } from "./pages/unread_script.ts";
import { subscribePage } from "./pages/subscribe_page.tsx";
import { sendPreferencesLinkPage } from "./links/send_preferences_link_page.tsx";
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
  ["/",                                        "data",    "page", searchPage,     "The roadmap as a list, board or timeline"],
  ["/embed",                                   "data",    "page", embedPage,      "The list of releases for an iframe on another site"],
  ["/unread.js",                               "data",    "json", unreadScript,   "A bell for pages of other sites, with the number of changed releases"],
  ["/search.json",                             "data",    "json", searchAnswer,   "Search results for the script of that page"],
  // Before the page, whose pattern fits it too.
  ["/release/:markdown_file{[^/]+\\.md}",       "data",    "json", releaseMarkdown, "One release as Markdown"],
  ["/release/:release_item_id",                "data",    "page", releasePage,    "One release, with its history and related releases"],
  ["/release/:release_item_id/picture.png",    "data",    "json", releasePicture, "The moves of a release as a picture for previews of links"],
  ["/changelog",                               "data",    "page", changelogPage,  "Changes to the roadmap, by day"],
  ["/changelog/:day",                          "data",    "page", changelogDayPage, "The changes of one day"],
  ["/insights",                                "data",    "page", insightsPage,   "How reliable the dates are"],
  ["/compare",                                 "data",    "page", comparePage,    "What became of the releases planned on a day"],
  ["/subscribe",                               "data",    "page", subscribePage,  "The form to subscribe by email"],
  ["/subscribe/preview",                       "data",    "page", subscribePreview, "The email that a subscription with these preferences would get"],
  ["/api",                                     "data",    "page", apiPage,        "The API, with examples that run"],
  ["/openapi.json",                            "data",    "json", openapi,        "The description of the API as OpenAPI 3.1"],
  ["/assets/:name",                            "asset",   "json", asset,          "A file that pages load"],
  ["/favicon.ico",                             "data",    "json", favicon,        "The icon of the site"],
  ["/sitemap.xml",                             "data",    "json", sitemap,        "The addresses of all pages, for search engines"],
  ["/robots.txt",                              "data",    "json", robots,         "What crawlers may read, and where the sitemap is"],
  ["/llms.txt",                                "data",    "json", llmsText,       "What the site is and where its data is, for language models"],
  ["/:key_file{[a-zA-Z0-9-]{8,128}\\.txt}",     "data",    "json", indexNowKey,    "The key of the site for search engines, where INDEXNOW_KEY is set"],
  ["/api/releases",                            "variant", "json", releases,       "Releases, with filters, search, sorting and pages; or a single one"],
  ["/api/releases/history/:release_item_id",   "variant", "json", history,        "The changes of one release, newest first"],
  ["/api/changelog",                           "variant", "json", changelog,      "Releases by the day of their last change, with what changed"],
  ["/api/changes",                             "variant", "json", changes,        "Every stored change, oldest first, to keep a copy in sync"],
  ["/api/changes/releases",                    "data",    "json", changedReleases, "The releases that changed after a cursor"],
  ["/api/filter-options",                      "variant", "json", filterOptions,  "The products, types and statuses in use"],
  ["/api/insights",                            "variant", "json", insights,       "How reliable the dates are, in figures, by quarter and by product"],
  ["/badge.svg",                               "variant", "json", badge,          "How many promises were kept, as a badge for a README"],
  ["/rss",                                     "variant", "json", rss,            "RSS 2.0 feed of recently modified releases"],
  ["/rss.xml",                                 "variant", "json", rssXml,         "RSS 2.0 feed of recently modified releases"],
  ["/atom.xml",                                "variant", "json", atom,           "Atom feed of recently modified releases"],
  ["/feed.json",                               "variant", "json", jsonFeed,       "JSON Feed of recently modified releases"],
  ["/feeds.opml",                              "variant", "json", opml,           "A feed for each product, as a list for feed readers"],
  ["/calendar.ics",                            "variant", "json", calendar,       "Calendar of the releases with a date"],
];

/** Routes that act, or concern one client only: never cached. */
// deno-fmt-ignore
const ACT: readonly [
  method: ActionRoute["method"], path: string, errors: Route["errors"], handler: ActionHandler, summary: string,
][] = [
  ["POST", "/subscribe",       "page", postedSubscribePage,    "Requests a subscription from a form; responds with a page"],
  ["POST", "/subscribe/preview", "page", postedPreview,        "Redirects to the preview of the preferences in a form"],
  ["POST", "/api/subscribe",   "json", subscribe,              "Requests a subscription; a new or unverified address gets a verification link"],
  ["POST", "/api/send-preferences-link", "json", sendPreferencesLink, "Sends a subscribed address the link to its preferences"],
  ["POST", "/api/bounces/ses", "json", sesBounces,             "Receives bounces and complaints from Amazon SES"],
  ["POST", "/api/bounces/postmark", "json", postmarkBounces,   "Receives bounces and complaints from Postmark"],
  ["POST", "/api/bounces/mailgun", "json", mailgunBounces,     "Receives bounces and complaints from Mailgun"],
  ["POST", "/api/import",      "json", postedImport,           "Imports a snapshot of the roadmap: JSON, NDJSON or CSV, optionally gzipped"],
  ["POST", "/api/work",        "json", postedWork,             "Runs due work (imports, digests, emails, bounces, pruning), for a scheduler"],
  ["GET",  "/releases.csv",    "json", releasesTable,          "The releases as a table for spreadsheets"],
  ["GET",  "/changes.csv",     "json", changesTable,           "The changes as a table for spreadsheets, oldest first"],
  ["GET",  "/api/verify-email","json", apiVerifyEmail,         "Verifies an address by the token of its link; responds with JSON"],
  ["GET",  "/verify-email",    "page", verifyEmailPage,        "Verifies an address by the token of its link; responds with a page"],
  ["POST", "/verify-email",    "page", postedVerifyEmailPage,  "Verifies an address by the token in a form; responds with a page"],
  ["GET",  "/unsubscribe",     "page", unsubscribePage,        "Unsubscribes by the token of a link; responds with a page"],
  ["POST", "/unsubscribe",     "page", postedUnsubscribePage,  "Unsubscribes immediately by a token (RFC 8058); responds with a page"],
  ["GET",  "/preferences",     "page", preferencesPage,        "The preferences of a subscription, by the token of a link in a mail"],
  ["POST", "/preferences",     "page", postedPreferencesPage,  "Saves preferences, or exports or deletes all data, by the token in a form; responds with a page or JSON"],
  ["GET",  "/digest",          "page", digestPage,             "A digest as a page, by the token of the link in its emails, for 30 days"],
  ["POST", "/new-link",        "page", newLinkPage,            "Requests a new verification link from a form; responds with a page"],
  ["POST", "/send-preferences-link", "page", sendPreferencesLinkPage, "Sends a subscribed address the link to its preferences; responds with a page"],
  ["POST", "/mcp",             "json", mcp,                    "The tools for assistants (Model Context Protocol)"],
  ["GET",  "/health",          "json", health,                 "Whether this process is alive, and the result of the last import"],
  ["GET",  "/ready",           "json", ready,                  "Whether this process is ready for requests: 200, or 503 with the reasons"],
  ["GET",  "/metrics",         "json", metrics,                "Metrics for Prometheus"],
];

/** Every address that is served, below each site. */
export const ROUTES: readonly Route[] = [
  ...READ.map(([path, cache, errors, handler, summary]): ReadRoute => (
    { method: "GET", path, cache, errors, summary, ...handler }
  )),
  ...ACT.map(([method, path, errors, handler, summary]): ActionRoute => (
    { method, path, cache: "never", errors, summary, ...handler }
  )),
  ...ADMIN_ROUTES,
];
