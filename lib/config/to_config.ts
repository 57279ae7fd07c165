import { type DigestTimes, WEEKDAYS } from "../text/cadence.ts";
import { VERSION } from "../version.ts";
import { type Accent, deriveDarkAccent, OWN_ACCENT } from "./accent.ts";
import { basePathOf } from "./rules.ts";
import type { Values } from "./settings.ts";

const MB = 1024 * 1024;

/** The settings as the program uses them: with defaults that depend on others, in its own units. */
export function toConfig(values: Values, isOnDeploy: boolean) {
  return {
    ...toServerConfig(values, isOnDeploy),
    ...toSourceConfig(values),
    ...toSiteConfig(values),
    ...toSearchConfig(values),
    ...toDeliveryConfig(values),
    ...toCacheConfig(values),
  };
}

/** The public address, without a trailing slash. */
function toBaseUrl({ BASE_URL, PORT }: Values): string {
  const base = BASE_URL ?? new URL(`http://localhost:${PORT}`);
  return base.origin + basePathOf(base);
}

function toServerConfig(values: Values, isOnDeploy: boolean) {
  const baseUrl = toBaseUrl(values);
  return {
    port: values.PORT,
    host: values.HOST,
    /** The public address, without a trailing slash. */
    baseUrl,
    /** Empty, or with a leading and without a trailing slash. */
    basePath: basePathOf(new URL(baseUrl)),
    proxyStripsPath: values.PROXY_STRIPS_PATH,
    databaseUrl: values.DATABASE_URL?.href ?? null,
    dataDir: values.DATA_DIR,
    variant: values.ROADMAP_VARIANT,
    logRequests: values.LOG_REQUESTS,
    trustedProxies: values.TRUSTED_PROXIES,
    mcp: values.MCP === "on",
    /** The server does what comes due by itself; otherwise only schedulers have it done. */
    backgroundJobs: values.BACKGROUND_JOBS ? values.BACKGROUND_JOBS === "on" : !isOnDeploy,
    /** Null: the secret that the database keeps. */
    tokenSecret: values.TOKEN_SECRET ?? null,
    /** Null: there is no /admin, and no import over HTTP. */
    adminToken: values.ADMIN_TOKEN ?? null,
    /** The header in which a trusted proxy names the operator; null: operators send the token. */
    adminUserHeader: values.ADMIN_USER_HEADER ?? null,
    /** Besides this machine, the proxies that may set that header. */
    adminProxies: values.ADMIN_PROXY ?? [],
  };
}

function toSourceConfig(values: Values) {
  return {
    source: values.ROADMAP_SOURCE ?? null,
    /** The file that names several sources, in place of `source`. */
    sourcesFile: values.ROADMAP_CONFIG ?? null,
    github: {
      /** Without a trailing slash. */
      apiUrl: values.GITHUB_API_URL.href.replace(/\/+$/, ""),
      token: values.GITHUB_TOKEN ?? null,
    },
    gitlab: {
      /** Without a trailing slash. */
      url: values.GITLAB_URL.href.replace(/\/+$/, ""),
      token: values.GITLAB_TOKEN ?? null,
    },
    jira: { email: values.JIRA_EMAIL ?? null, token: values.JIRA_TOKEN ?? null },
    sourceKind: values.ROADMAP_SOURCE_KIND ?? null,
    sourceMaxBytes: values.ROADMAP_MAX_MB * MB,
    /** The user agent of requests to sources. */
    sourceUserAgent: values.SOURCE_USER_AGENT ?? `Roadcast/${VERSION} (+${toBaseUrl(values)})`,
    syncMinutes: values.ROADMAP_SYNC_MINUTES,
    /** Null: a day, or three intervals of the source if that is longer. */
    maxAgeMinutes: values.READY_MAX_AGE_MINUTES ?? null,
  };
}

function toSiteConfig(values: Values) {
  return {
    siteName: values.SITE_NAME,
    logoFile: values.SITE_LOGO ?? null,
    previewFile: values.SITE_PREVIEW ?? null,
    /** Null: that of static/style.css. */
    accent: toAccent(values),
    headerLinks: values.SITE_LINKS ?? [],
    footerLinks: values.SITE_FOOTER_LINKS ?? [],
    imprint: values.SITE_IMPRINT ?? null,
    /** The origins whose pages may frame /embed; none: there is no /embed. */
    embedOrigins: values.EMBED_ORIGINS ?? [],
  };
}

function toSearchConfig(values: Values) {
  return {
    /** Null: no embedding service, so search is by substring. */
    embedding: values.OPENAI_API_KEY || values.OPENAI_BASE_URL
      ? {
        apiKey: values.OPENAI_API_KEY ?? null,
        baseUrl: values.OPENAI_BASE_URL?.href ?? null,
        model: values.EMBEDDING_MODEL,
        dimensions: values.EMBEDDING_DIMENSIONS,
        /** Null: the measured one of the model is used. */
        minSimilarity: values.SEMANTIC_MIN_SIMILARITY ?? null,
      }
      : null,
    questionLimit: values.QUESTION_LIMIT,
    questionBudget: values.QUESTION_BUDGET,
  };
}

/** Emails, webhooks and notifications. */
function toDeliveryConfig(values: Values) {
  return {
    /** Null: mails are written to the log. */
    smtp: values.SMTP_URL ? { url: values.SMTP_URL.href, from: values.MAIL_FROM! } : null,
    /** How to get access tokens for users without a password; null: not at all. */
    mailOauth: values.MAIL_OAUTH_TOKEN_URL
      ? {
        tokenUrl: values.MAIL_OAUTH_TOKEN_URL.href,
        clientId: values.MAIL_OAUTH_CLIENT_ID!,
        clientSecret: values.MAIL_OAUTH_CLIENT_SECRET!,
        scope: values.MAIL_OAUTH_SCOPE ?? null,
      }
      : null,
    linkAction: values.LINK_ACTION,
    subscribeLimit: values.SUBSCRIBE_LIMIT,
    verificationLimit: values.VERIFICATION_LIMIT,
    /** When the server sends digests by itself; null: only the command sends. */
    digestTimes: values.DIGESTS === "on" ? toDigestTimes(values) : null,
    webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
    /** Null: no hub is notified of changes. */
    websubHub: values.WEBSUB_HUB?.href ?? null,
    /** Null: no search engine is notified of changes. */
    indexNow: values.INDEXNOW_URL
      ? { url: values.INDEXNOW_URL.href, key: values.INDEXNOW_KEY! }
      : null,
    /** Null: no mail service can report bounces. */
    bounceSecret: values.BOUNCE_SECRET ?? null,
    /** Null: no mailbox with bounces is read. */
    bounceMailbox: values.BOUNCE_MAILBOX ? toMailbox(values.BOUNCE_MAILBOX) : null,
  };
}

function toCacheConfig(values: Values) {
  return {
    cacheFreshSeconds: values.CACHE_FRESH_SECONDS,
    cacheStaleSeconds: values.CACHE_STALE_SECONDS,
    cacheCopiesBytes: values.CACHE_DATABASE_MB * MB,
    cacheMemoryBytes: values.CACHE_MEMORY_MB * MB,
  };
}

function toMailbox({ protocol, hostname, port, username, password, pathname }: URL) {
  const secure = protocol === "imaps:";
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (secure ? 993 : 143) : Number(port),
    secure,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    folder: decodeURIComponent(pathname.slice(1)) || "INBOX",
  };
}

function toAccent({ SITE_ACCENT, SITE_ACCENT_DARK }: Values): Accent | null {
  if (!SITE_ACCENT && !SITE_ACCENT_DARK) return null;
  return {
    light: SITE_ACCENT ?? OWN_ACCENT.light,
    dark: SITE_ACCENT_DARK ?? deriveDarkAccent(SITE_ACCENT!),
  };
}

function toDigestTimes({ DIGEST_TIME, DIGEST_WEEKDAY, DIGEST_ZONE }: Values): DigestTimes {
  const [hours, minutes] = DIGEST_TIME.split(":").map(Number);
  return {
    minute: hours! * 60 + minutes!,
    weekday: WEEKDAYS.indexOf(DIGEST_WEEKDAY),
    zone: DIGEST_ZONE!,
  };
}
