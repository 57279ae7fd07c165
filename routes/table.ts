// Written by `deno task generate` from the files of this folder.
// deno-fmt-ignore-file
import { type Route, routesAt } from "./route.ts";
import * as index from "./index.tsx";
import * as admin_index from "./admin/index.tsx";
import * as admin_announcements from "./admin/announcements.tsx";
import * as admin_audit from "./admin/audit.tsx";
import * as admin_email from "./admin/email.tsx";
import * as admin_email_body from "./admin/email/body.ts";
import * as admin_emails from "./admin/emails.tsx";
import * as admin_settings from "./admin/settings.tsx";
import * as admin_sign_in from "./admin/sign-in.tsx";
import * as admin_sign_out from "./admin/sign-out.ts";
import * as admin_source from "./admin/source.tsx";
import * as admin_source_add from "./admin/source/add.tsx";
import * as admin_source_fields from "./admin/source/fields.ts";
import * as admin_sources from "./admin/sources.tsx";
import * as admin_sources_file from "./admin/sources/file.ts";
import * as admin_subscriber from "./admin/subscriber.tsx";
import * as admin_subscribers from "./admin/subscribers.tsx";
import * as admin_subscribers_import from "./admin/subscribers/import.tsx";
import * as admin_tokens from "./admin/tokens.tsx";
import * as admin_upload_index from "./admin/upload/index.tsx";
import * as admin_upload_fields from "./admin/upload/fields.ts";
import * as admin_uploads from "./admin/uploads.tsx";
import * as admin_webhook from "./admin/webhook.tsx";
import * as admin_webhooks from "./admin/webhooks.tsx";
import * as api_index from "./api/index.tsx";
import * as api_bounces_azure from "./api/bounces/azure.ts";
import * as api_bounces_mailgun from "./api/bounces/mailgun.ts";
import * as api_bounces_postmark from "./api/bounces/postmark.ts";
import * as api_bounces_ses from "./api/bounces/ses.ts";
import * as api_changelog from "./api/changelog.ts";
import * as api_changes_index from "./api/changes/index.ts";
import * as api_changes_releases from "./api/changes/releases.ts";
import * as api_filter_options from "./api/filter-options.ts";
import * as api_import from "./api/import.ts";
import * as api_insights from "./api/insights.ts";
import * as api_releases_index from "./api/releases/index.ts";
import * as api_releases_history_release_item_id from "./api/releases/history/[release_item_id].ts";
import * as api_send_preferences_link from "./api/send-preferences-link.ts";
import * as api_subscribe from "./api/subscribe.ts";
import * as api_verify_email from "./api/verify-email.ts";
import * as api_work from "./api/work.ts";
import * as assets_name from "./assets/[name].ts";
import * as atom_xml from "./atom.xml.ts";
import * as badge_svg from "./badge.svg.ts";
import * as calendar_ics from "./calendar.ics.ts";
import * as changelog_index from "./changelog/index.tsx";
import * as changelog_day from "./changelog/[day].tsx";
import * as changes_csv from "./changes.csv.ts";
import * as compare from "./compare.tsx";
import * as copy from "./copy.tsx";
import * as digest from "./digest.tsx";
import * as embed from "./embed.tsx";
import * as favicon_ico from "./favicon.ico.ts";
import * as feed_json from "./feed.json.ts";
import * as feeds_opml from "./feeds.opml.ts";
import * as health from "./health.ts";
import * as insights from "./insights.tsx";
import * as llms_txt from "./llms.txt.ts";
import * as mcp from "./mcp.ts";
import * as metrics from "./metrics.ts";
import * as new_link from "./new-link.tsx";
import * as openapi_json from "./openapi.json.ts";
import * as preferences from "./preferences.tsx";
import * as ready from "./ready.ts";
import * as release_markdown_file from "./release/[markdown_file].ts";
import * as release_release_item_id_index from "./release/[release_item_id]/index.tsx";
import * as release_release_item_id_picture_png from "./release/[release_item_id]/picture.png.ts";
import * as releases_csv from "./releases.csv.ts";
import * as robots_txt from "./robots.txt.ts";
import * as rss from "./rss.ts";
import * as rss_xml from "./rss.xml.ts";
import * as search_json from "./search.json.ts";
import * as send_preferences_link from "./send-preferences-link.tsx";
import * as sitemap_xml from "./sitemap.xml.ts";
import * as subscribe_index from "./subscribe/index.tsx";
import * as subscribe_preview from "./subscribe/preview.tsx";
import * as unread_js from "./unread.js.ts";
import * as unsubscribe from "./unsubscribe.tsx";
import * as verify_email from "./verify-email.tsx";
import * as visit_json from "./visit.json.ts";
import * as key_file from "./[key_file].ts";

/**
 * Every address that is served, below each site: the method, the caching (`variant`: as the variant
 * says; `data`: until the data changes; `asset`: for ever; `never`), the form of errors, and what it
 * is for. Of paths that fit, the first counts.
 */
export const ROUTES: readonly Route[] = [
  routesAt("/",                                      index),                               // GET  data    page  The roadmap as a list or a board
  routesAt("/admin",                                 admin_index),                         // GET  never   page  For operators: what is wrong, and what happens next
                                                                                           // POST never   page  Runs the checks again
  routesAt("/admin/announcements",                   admin_announcements),                 // GET  never   page  For operators: which post announces which release
                                                                                           // POST never   page  Sets the post of a release for good, or rejects a post
  routesAt("/admin/audit",                           admin_audit),                         // GET  never   page  For operators: who did what
  routesAt("/admin/email",                           admin_email),                         // GET  never   page  For operators: an email as subscribers get it
                                                                                           // POST never   page  Sends that email as a test
  routesAt("/admin/email/body",                      admin_email_body),                    // GET  never   page  The HTML of that email, for a frame
  routesAt("/admin/emails",                          admin_emails),                        // GET  never   page  For operators: emails that wait or failed, and why
                                                                                           // POST never   page  Makes emails due that wait or failed
  routesAt("/admin/settings",                        admin_settings),                      // GET  never   page  For operators: the settings in effect
  routesAt("/admin/sign-in",                         admin_sign_in),                       // GET  never   page  For operators: the form to sign in
                                                                                           // POST never   page  Begins an operator's session
  routesAt("/admin/sign-out",                        admin_sign_out),                      // POST never   page  Ends an operator's session, or all of them
  routesAt("/admin/source",                          admin_source),                        // GET  never   page  For operators: one source with its imports
                                                                                           // POST never   page  Imports, changes, pauses, resumes or removes a source
  routesAt("/admin/source/add",                      admin_source_add),                    // GET  never   page  For operators: the form to add a source by its address
                                                                                           // POST never   page  Begins to add a source
  routesAt("/admin/source/fields",                   admin_source_fields),                 // GET  never   page  The mapping of a source, as JSON
  routesAt("/admin/sources",                         admin_sources),                       // GET  never   page  For operators: every source with its last and next import
  routesAt("/admin/sources/file",                    admin_sources_file),                  // GET  never   page  Every source as a file for ROADMAP_CONFIG, without secrets
  routesAt("/admin/subscriber",                      admin_subscriber),                    // GET  never   page  For operators: a subscriber with the history of the emails
                                                                                           // POST never   page  Downloads or deletes all data of a subscriber, ends or resumes the emails
  routesAt("/admin/subscribers",                     admin_subscribers),                   // GET  never   page  For operators: subscribers, found by their address
                                                                                           // POST never   page  All subscriptions as CSV
  routesAt("/admin/subscribers/import",              admin_subscribers_import),            // GET  never   page  For operators: the form to bring subscribers along
                                                                                           // POST never   page  Says who of a file of subscribers would get an email, and sends these
  routesAt("/admin/tokens",                          admin_tokens),                        // GET  never   page  For operators: tokens that may only import
                                                                                           // POST never   page  Adds a token and shows it, or removes one
  routesAt("/admin/upload",                          admin_upload_index),                  // GET  never   page  For operators: how a file is read, and what an import would do
                                                                                           // POST never   page  Changes how a file is read, imports it, adds its source, or deletes it
  routesAt("/admin/upload/fields",                   admin_upload_fields),                 // GET  never   page  The mapping of a file, as JSON
  routesAt("/admin/uploads",                         admin_uploads),                       // GET  never   page  For operators: the form to upload a file
                                                                                           // POST never   page  Stores a file for an hour
  routesAt("/admin/webhook",                         admin_webhook),                       // GET  never   page  For operators: one webhook with its deliveries
                                                                                           // POST never   page  Tests, changes, disables, enables or removes a webhook
  routesAt("/admin/webhooks",                        admin_webhooks),                      // GET  never   page  For operators: webhooks with their deliveries
                                                                                           // POST never   page  Adds a webhook, and shows its secret
  routesAt("/api",                                   api_index),                           // GET  data    page  The API, with examples that run
  routesAt("/api/bounces/azure",                     api_bounces_azure),                   // POST never   json  Receives bounces from Azure Communication Services
  routesAt("/api/bounces/mailgun",                   api_bounces_mailgun),                 // POST never   json  Receives bounces and complaints from Mailgun
  routesAt("/api/bounces/postmark",                  api_bounces_postmark),                // POST never   json  Receives bounces and complaints from Postmark
  routesAt("/api/bounces/ses",                       api_bounces_ses),                     // POST never   json  Receives bounces and complaints from Amazon SES
  routesAt("/api/changelog",                         api_changelog),                       // GET  variant json  Releases by the day of their last change, with what changed
  routesAt("/api/changes",                           api_changes_index),                   // GET  variant json  Every stored change, oldest first, to keep a copy in sync
  routesAt("/api/changes/releases",                  api_changes_releases),                // GET  data    json  The releases that changed after a cursor
  routesAt("/api/filter-options",                    api_filter_options),                  // GET  variant json  The products, types and statuses in use
  routesAt("/api/import",                            api_import),                          // POST never   json  Imports a snapshot of the roadmap: JSON, CSV, Excel, a calendar or a feed, optionally gzipped
  routesAt("/api/insights",                          api_insights),                        // GET  variant json  How reliable the dates are, in figures, by quarter and by product
  routesAt("/api/releases",                          api_releases_index),                  // GET  variant json  Releases, with filters, search, sorting and pages; or a single one
  routesAt("/api/releases/history/:release_item_id", api_releases_history_release_item_id), // GET  variant json  The changes of one release, newest first
  routesAt("/api/send-preferences-link",             api_send_preferences_link),           // POST never   json  Sends a subscribed address the link to its preferences
  routesAt("/api/subscribe",                         api_subscribe),                       // POST never   json  Requests a subscription; a new or unverified address gets a verification link
  routesAt("/api/verify-email",                      api_verify_email),                    // GET  never   json  Verifies an address by the token of its link; responds with JSON
  routesAt("/api/work",                              api_work),                            // POST never   json  Runs due work (imports, digests, emails, bounces, pruning), for a scheduler
  routesAt("/assets/:name",                          assets_name),                         // GET  asset   json  A file that pages load
  routesAt("/atom.xml",                              atom_xml),                            // GET  variant json  Atom feed of recently modified releases
  routesAt("/badge.svg",                             badge_svg),                           // GET  variant json  How many promises were kept, as a badge for a README
  routesAt("/calendar.ics",                          calendar_ics),                        // GET  variant json  Calendar of the releases with a date
  routesAt("/changelog",                             changelog_index),                     // GET  data    page  Changes to the roadmap, by day
  routesAt("/changelog/:day",                        changelog_day),                       // GET  data    page  The changes of one day
  routesAt("/changes.csv",                           changes_csv),                         // GET  never   json  The changes as a table for spreadsheets, oldest first
  routesAt("/compare",                               compare),                             // GET  data    page  What happened to the releases planned on a day
  routesAt("/copy",                                  copy),                                // GET  data    page  A page of the list, the changelog or one release, to paste into an email
  routesAt("/digest",                                digest),                              // GET  never   page  A digest as a page, by the token of the link in its emails, for 30 days
  routesAt("/embed",                                 embed),                               // GET  data    page  The list of releases for an iframe on another site
  routesAt("/favicon.ico",                           favicon_ico),                         // GET  data    json  The icon of the site
  routesAt("/feed.json",                             feed_json),                           // GET  variant json  JSON Feed of recently modified releases
  routesAt("/feeds.opml",                            feeds_opml),                          // GET  variant json  A feed for each product, as a list for feed readers
  routesAt("/health",                                health),                              // GET  never   json  Whether this process is alive, and the result of the last import
  routesAt("/insights",                              insights),                            // GET  data    page  How reliable the dates are
  routesAt("/llms.txt",                              llms_txt),                            // GET  data    json  What the site is and where its data is, for language models
  routesAt("/mcp",                                   mcp),                                 // POST never   json  The tools for assistants (Model Context Protocol)
  routesAt("/metrics",                               metrics),                             // GET  never   json  Metrics for Prometheus
  routesAt("/new-link",                              new_link),                            // POST never   page  Requests a new verification link from a form; responds with a page
  routesAt("/openapi.json",                          openapi_json),                        // GET  data    json  The description of the API as OpenAPI 3.1
  routesAt("/preferences",                           preferences),                         // GET  never   page  The preferences of a subscription, by the token of a link in an email
                                                                                           // POST never   page  Saves preferences, or exports or deletes all data, by the token in a form; responds with a page or JSON
  routesAt("/ready",                                 ready),                               // GET  never   json  Whether this process is ready for requests: 200, or 503 with the reasons
  routesAt(String.raw`/release/:markdown_file{[^/]+\.md}`, release_markdown_file),         // GET  data    json  One release as Markdown
  routesAt("/release/:release_item_id",              release_release_item_id_index),       // GET  data    page  One release, with its history and related releases
  routesAt("/release/:release_item_id/picture.png",  release_release_item_id_picture_png), // GET  data    json  The moves of a release as a picture for previews of links
  routesAt("/releases.csv",                          releases_csv),                        // GET  never   json  The releases as a table for spreadsheets
  routesAt("/robots.txt",                            robots_txt),                          // GET  data    json  What crawlers may read, and where the sitemap is
  routesAt("/rss",                                   rss),                                 // GET  variant json  RSS 2.0 feed of recently modified releases
  routesAt("/rss.xml",                               rss_xml),                             // GET  variant json  RSS 2.0 feed of recently modified releases
  routesAt("/search.json",                           search_json),                         // GET  data    json  Search results for the script of that page
  routesAt("/send-preferences-link",                 send_preferences_link),               // POST never   page  Sends a subscribed address the link to its preferences; responds with a page
  routesAt("/sitemap.xml",                           sitemap_xml),                         // GET  data    json  The addresses of all pages, for search engines
  routesAt("/subscribe",                             subscribe_index),                     // GET  data    page  The form to subscribe by email, and the ways to follow without one
                                                                                           // POST never   page  Requests a subscription from a form; responds with a page
  routesAt("/subscribe/preview",                     subscribe_preview),                   // GET  data    page  The email that a subscription with these preferences would get
                                                                                           // POST never   page  Redirects to the preview of the preferences in a form
  routesAt("/unread.js",                             unread_js),                           // GET  data    json  A bell for pages of other sites, with the number of changed releases
  routesAt("/unsubscribe",                           unsubscribe),                         // GET  never   page  Unsubscribes by the token of a link; responds with a page
                                                                                           // POST never   page  Unsubscribes immediately by a token (RFC 8058); responds with a page
  routesAt("/verify-email",                          verify_email),                        // GET  never   page  Verifies an address by the token of its link; responds with a page
                                                                                           // POST never   page  Verifies an address by the token in a form; responds with a page
  routesAt("/visit.json",                            visit_json),                          // GET  data    json  What changed since a visit, for the script of pages that says so
  routesAt(String.raw`/:key_file{[a-zA-Z0-9-]{8,128}\.txt}`, key_file),                    // GET  data    json  The key of the site for search engines, where INDEXNOW_KEY is set
].flat();
