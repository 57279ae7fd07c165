import { z } from "zod";
import { LANGUAGES } from "../text/languages.ts";
import { WEEKDAYS } from "../text/cadence.ts";
import {
  address,
  base,
  calledAddress,
  choice,
  colour,
  flag,
  host,
  language,
  links,
  mailbox,
  networks,
  number,
  openAddress,
  optionalChoice,
  orElse,
  origins,
  orNull,
  secret,
  setting,
  text,
  tokenServer,
  zone,
} from "./setting.ts";
import { SOURCE_KINDS } from "./source_kinds.ts";

const SECRET = "a secret of at least 16 characters without spaces";
const TOKEN = /^[\x21-\x7e]+$/;

/** Every setting, as the documents and /admin group them. After a change: `deno task generate`. */
export const GROUPS = {
  "Server": {
    PORT: setting(number(8000, 0, 65_535, "a port number"), "port to listen on"),
    HOST: setting(host, "address to listen on"),
    BASE_URL: setting(
      base(
        "an http or https address without query and fragment, such as https://example.com/roadmap",
      ),
      "public address, used in emails, feeds and absolute links; may have a path",
      "http://localhost:PORT",
    ),
    TRUSTED_PROXIES: setting(
      number(0, 0, 32, "a number of proxies"),
      "number of trusted proxies that add to X-Forwarded-For",
    ),
    PROXY_STRIPS_PATH: setting(
      flag(false, "true", "false"),
      "`true`: the proxy removes the path of `BASE_URL` from requests; decides at which address `/admin` is answered",
    ),
    ROADMAP_VARIANT: setting(
      choice("a", ["a", "b", "both"]),
      "`a`, `b`, or `both`: variant A at `BASE_URL` and variant B at `BASE_URL/b`",
    ),
    MCP: setting(
      flag(true, "on", "off"),
      "`on`: assistants can query the roadmap at `/mcp`; `off`: disabled",
      "on",
    ),
    BACKGROUND_JOBS: setting(
      flag(null, "on", "off"),
      "`on`: the server imports, sends and tidies up by itself; `off`: only `Deno.cron` and `POST /api/work` do",
      "on; off on Deno Deploy",
    ),
  },
  "Database and caches": {
    DATABASE_URL: secret(
      address(
        "postgres: postgresql:",
        "the address of a PostgreSQL, such as postgres://user:password@host:5432/name, with /, ?, #, @ and % in the password written as %2F, %3F, %23, %40 and %25",
      ),
      "PostgreSQL (17 is tested) with `pg_trgm`; unset: the embedded database",
    ),
    DATA_DIR: setting(orElse("./data", "a folder"), "folder of the embedded database"),
    CACHE_MEMORY_MB: setting(
      number(64, 1, 65_536, "megabytes"),
      "size of the caches of a process, in megabytes: half for responses, half for what they are built from",
    ),
    CACHE_FRESH_SECONDS: setting(
      number(86_400, 0, 31_536_000, "seconds"),
      "variant B: how long a cached response is fresh",
    ),
    CACHE_STALE_SECONDS: setting(
      number(86_400, 0, 31_536_000, "seconds"),
      "variant B: how long it may be served stale, while it is revalidated",
    ),
  },
  "Sources": {
    ROADMAP_SOURCE: secret(
      text("an address or a file"),
      "file or URL to import at start and then on a schedule",
    ),
    ROADMAP_SOURCE_KIND: setting(
      optionalChoice(SOURCE_KINDS),
      `kind of the source (${SOURCE_KINDS.join(", ")}); unset: detected`,
    ),
    ROADMAP_CONFIG: setting(
      text("a file"),
      "JSON file that lists several sources ([sources.md](sources.md)), instead of `ROADMAP_SOURCE`",
    ),
    ROADMAP_SYNC_MINUTES: setting(
      number(60, 1, 44_640, "minutes"),
      "minutes between imports of a source",
    ),
    ROADMAP_MAX_MB: setting(
      number(256, 1, 65_536, "megabytes"),
      "largest size of a source, in megabytes",
    ),
    SOURCE_USER_AGENT: setting(
      text("a text of 1 to 400 printable ASCII characters", /^[\x20-\x7e]{1,400}$/),
      "User-Agent of the requests to sources",
      "`Roadcast/VERSION (+BASE_URL)`",
    ),
    SOURCE_ALLOW_PRIVATE: setting(
      flag(false, "true", "false"),
      "`true`: sources that are added at `/admin/sources` may have private, loopback and link-local addresses ([admin.md](admin.md#sources-by-their-address))",
    ),
    GITHUB_TOKEN: secret(
      text("a token of GitHub without spaces, such as github_pat_…", TOKEN),
      "token for sources of kind github, for more requests an hour and private repositories",
    ),
    GITHUB_API_URL: setting(
      base(
        "an http or https address without query and fragment, such as https://github.example.com/api/v3",
      ),
      "address of GitHub's REST API",
      "https://api.github.com",
    ),
    GITLAB_TOKEN: secret(
      text("a token of GitLab without spaces, such as glpat-…", TOKEN),
      "token for sources of kind gitlab, for private projects and epics",
    ),
    GITLAB_URL: setting(
      base(
        "an http or https address without /api/v4, such as https://gitlab.example.com",
        /\/api\b/,
      ),
      "address of GitLab",
      "https://gitlab.com",
    ),
    JIRA_URL: setting(
      base("an http or https address, such as https://acme.atlassian.net"),
      "address of the Jira that `JIRA_TOKEN` is for, and the only one to get it",
    ),
    JIRA_EMAIL: setting(
      text("the email address of an account, such as me@example.com", /^[^\s:]+@[^\s:]+$/),
      "account of `JIRA_TOKEN` at Jira Cloud; unset for Jira Data Center",
    ),
    JIRA_TOKEN: secret(
      text("a token of Jira without spaces", TOKEN),
      "token for sources of kind jira at `JIRA_URL`",
    ),
  },
  "Name and look": {
    SITE_NAME: setting(
      orElse("Roadcast", "a name of 1 to 100 characters", z.string().min(1).max(100)),
      "title of pages, feeds and emails",
    ),
    LANGUAGE: setting(
      language,
      "language of pages, emails, chats and feeds ([languages.md](languages.md)): `" +
        LANGUAGES.join("`, `") + "`",
    ),
    SITE_LOGO: setting(
      text("an SVG or PNG file (.svg, .png)", /\.(svg|png)$/i),
      "SVG or PNG file to show as the logo ([pages.md](pages.md#name-and-look))",
    ),
    SITE_PREVIEW: setting(
      text("a PNG file (.png)", /\.png$/i),
      "PNG file that chats and social networks show with a link, best 1200 × 630 pixels",
      "a drawing, or `SITE_LOGO` if it is a PNG",
    ),
    SITE_ACCENT: setting(
      colour("0f5c5c"),
      "colour of links and buttons, as six hexadecimal digits; its contrast is checked",
      "0f5c5c",
    ),
    SITE_LINKS: setting(
      links,
      "links in the header: `Docs https://example.com/docs; Support /support`",
      "unset",
    ),
    SITE_FOOTER_LINKS: setting(links, "links in the footer, in the same format", "unset"),
    SITE_IMPRINT: setting(
      text("a text of at most 500 characters", /^.{1,500}$/s),
      "sentence in the footer that says who publishes the site",
    ),
    EMBED_ORIGINS: setting(
      origins,
      "sites that may show the roadmap in an iframe, separated by spaces ([pages.md](pages.md#embed)); unset: `/embed` is disabled",
      "unset",
    ),
  },
  "Emails and subscriptions": {
    SMTP_URL: secret(
      address("smtp: smtps:", "smtp://user:password@host:port, or smtps:// for TLS from the start"),
      "mail server, `smtp[s]://user:password@host:port`; unset: emails are written to the log",
    ),
    MAIL_FROM: setting(
      text(
        'an address such as roadmap@example.com or "Roadmap <roadmap@example.com>"',
        /^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/,
      ),
      "sender of the emails; required with `SMTP_URL`",
    ),
    MAIL_RATE: setting(
      number(0, 0, 100_000),
      "most emails a minute, of all processes together; 0: no limit. Microsoft 365 allows 30",
    ),
    MAIL_CONNECTIONS: setting(
      number(5, 1, 100),
      "most connections of a process to the mail server; with `MAIL_RATE` one for each email a second, and three at least",
    ),
    MAIL_OAUTH_TOKEN_URL: setting(
      tokenServer,
      "token server for `SMTP_URL` and `BOUNCE_MAILBOX`: if such an address has a user and no password, Roadcast signs in with an access token ([subscriptions.md](subscriptions.md#oauth2))",
    ),
    MAIL_OAUTH_CLIENT_ID: setting(
      text("the id of a client"),
      "client that asks `MAIL_OAUTH_TOKEN_URL` for tokens",
    ),
    MAIL_OAUTH_CLIENT_SECRET: secret(
      text("the secret of a client"),
      "secret of `MAIL_OAUTH_CLIENT_ID`",
    ),
    MAIL_OAUTH_SCOPE: setting(
      text("scopes, separated by spaces"),
      "scope of the tokens, such as `https://outlook.office365.com/.default`",
    ),
    DIGESTS: setting(
      flag(true, "on", "off"),
      "`on`: the server sends digests and reminders by itself; `off`: only `deno task digest` does",
      "on",
    ),
    DIGEST_TIME: setting(
      orElse(
        "07:00",
        "a time of the day from 00:00 to 23:59, such as 07:00",
        z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      ),
      "time at which reminders, and daily and weekly digests and webhooks, are sent, `HH:MM` in `DIGEST_ZONE`",
    ),
    DIGEST_WEEKDAY: setting(
      choice("monday", WEEKDAYS, "a day of the week, such as monday"),
      "day of the weekly digests and webhooks",
    ),
    DIGEST_ZONE: setting(
      zone,
      "time zone of `DIGEST_TIME` and `DIGEST_WEEKDAY`, with its daylight saving time, such as `Europe/Berlin`",
      "UTC",
    ),
    LINK_ACTION: setting(
      choice("get", ["get", "confirm"]),
      "`get`: verify and unsubscribe links act when opened; `confirm`: they ask first",
    ),
    SUBSCRIBE_LIMIT: setting(
      number(10, 1, 1_000_000),
      "accepted subscribe requests per client and hour",
    ),
    VERIFICATION_LIMIT: setting(
      number(1000, 1, 1_000_000),
      "verification emails per hour, to all addresses together",
    ),
    BOUNCE_MAILBOX: secret(
      mailbox,
      "mailbox to which bounces are returned, `imaps://user:password@host[:port]/folder` ([subscriptions.md](subscriptions.md#bounces)); unset: bounces are not read",
    ),
    BOUNCE_SECRET: secret(
      text(SECRET, /^\S{16,}$/),
      "secret for mail services that report bounces at `/api/bounces/…` ([subscriptions.md](subscriptions.md#bounces)), at least 16 characters; unset: these addresses are disabled",
    ),
  },
  "Webhooks and notifications": {
    WEBHOOK_ALLOW_PRIVATE: setting(
      flag(false, "true", "false"),
      "`true`: webhooks may go to private, loopback and link-local addresses",
    ),
    WEBSUB_HUB: setting(
      openAddress,
      "WebSub hub that feeds name, notified when they change ([feeds.md](feeds.md#hubs))",
      "none",
    ),
    INDEXNOW_URL: setting(
      openAddress,
      "search engine to notify of changed pages with IndexNow ([feeds.md](feeds.md#search-engines))",
      "none",
    ),
    INDEXNOW_KEY: setting(
      text("8 to 128 letters, digits and hyphens", /^[a-zA-Z0-9-]{8,128}$/),
      "key for `INDEXNOW_URL`, served at `/<key>.txt`; 8 to 128 letters, digits and hyphens",
    ),
    CDN_PURGE_URL: setting(
      calledAddress,
      "address at which a CDN purges by tag, asked after each import ([install.md](install.md#purge-a-cdn))",
      "none",
    ),
    CDN_PURGE_HEADER: setting(
      orNull(
        "a header with its value, such as Authorization: Bearer …",
        z.string().regex(/^[A-Za-z0-9-]+: *[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/),
      ),
      "secret header that `CDN_PURGE_URL` requires, such as `Fastly-Key: …`",
      "none",
    ),
  },
  "Operators and secrets": {
    ADMIN_TOKEN: secret(
      text(SECRET, /^\S{16,}$/),
      "secret that `/admin`, `POST /api/import` and `POST /api/work` require, at least 16 characters; unset: these addresses are disabled",
    ),
    ADMIN_USER_HEADER: setting(
      text(
        "the name of a header that holds no secret, such as X-Forwarded-User",
        /^(?!(?:authorization|cookie|host|origin|x-forwarded-for)$)[\w-]{1,100}$/i,
      ),
      "header in which a trusted proxy names the user that it signed in to `/admin` ([admin.md](admin.md#behind-a-proxy-that-signs-in))",
    ),
    ADMIN_PROXY: setting(
      networks,
      "addresses or networks of the proxies whose `ADMIN_USER_HEADER` is believed, separated by spaces; those of this machine always are",
      "unset",
    ),
    TOKEN_SECRET: secret(
      text("a secret of at least 32 characters", /^.{32,}$/s),
      "secret that signs links and encrypts webhooks, at least 32 characters; unset: one stored in the database",
    ),
  },
  "Search by meaning": {
    OPENAI_API_KEY: secret(
      text("a key"),
      "key of an OpenAI-compatible embedding service; enables search by meaning",
    ),
    OPENAI_BASE_URL: setting(
      address("http: https:"),
      "address of such a service; enables search by meaning even without a key",
      "unset: that of OpenAI",
    ),
    EMBEDDING_MODEL: setting(
      orElse("text-embedding-3-small", "the name of a model"),
      "embedding model",
    ),
    EMBEDDING_DIMENSIONS: setting(number(1536, 1, 4_000), "dimensions of its vectors"),
    SEMANTIC_MIN_SIMILARITY: setting(
      orNull(
        "a number from -1 to 1",
        z.string().regex(/^-?\d*\.?\d+$/).transform(Number).pipe(z.number().min(-1).max(1)),
      ),
      "cosine similarity below which an item does not match",
      "unset: measured for the model",
    ),
    QUESTION_LIMIT: setting(
      number(60, 0, 1_000_000),
      "new queries of one client to the embedding service per hour; 0: none",
    ),
    QUESTION_BUDGET: setting(
      number(1_000, 0, 1_000_000_000),
      "new queries of all clients together per hour; 0: none",
    ),
  },
} as const;

/** The settings by name. */
export const SETTINGS = {
  ...GROUPS["Server"],
  ...GROUPS["Database and caches"],
  ...GROUPS["Sources"],
  ...GROUPS["Name and look"],
  ...GROUPS["Emails and subscriptions"],
  ...GROUPS["Webhooks and notifications"],
  ...GROUPS["Operators and secrets"],
  ...GROUPS["Search by meaning"],
};

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The values of all settings; null where one is not set and has no default. */
export type Values = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]["schema"]> };
