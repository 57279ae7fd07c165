import { type DigestTimes, WEEKDAYS } from "../text/cadence.ts";
import { type Accent, deriveDarkAccent, OWN_ACCENT } from "./accent.ts";
import { ExpectedError } from "../expected_error.ts";
import { ENV_FILE_VARIABLE, FORMER_NAMES, HOST_VARIABLE, SETTING_NAMES } from "./setting_names.ts";
import { basePathOf, findConflicts } from "./rules.ts";
import { VERSION } from "../version.ts";
import { describeTaken, SETTINGS, type Values } from "./settings.ts";

/** Settings are invalid; the message has one line per mistake. */
export class ConfigError extends ExpectedError {}

/** The validated settings of a process; `settings.ts` says what each one means. */
export type Config = Readonly<ReturnType<typeof toConfig>> & {
  /** By name: the settings that are set, as they were given, secrets included. */
  readonly given: Readonly<Record<string, GivenSetting>>;
};

/**
 * Reads the settings from environment variables; an empty one counts as unset.
 *
 * ```ts
 * const config = readConfig({ PORT: "9000", SITE_NAME: "" });
 * if (config.baseUrl !== "http://localhost:9000") throw new Error(config.baseUrl);
 * if (config.siteName !== "Roadcast") throw new Error(config.siteName);
 * ```
 *
 * @throws {ConfigError} that lists every wrong setting, else every conflict, one per line
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const texts = Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const former = environment[FORMER_NAMES[name] ?? ""]?.trim();
      return [name, environment[name]?.trim() || former || undefined];
    }),
  );
  const { data: values, error } = SETTINGS.safeParse(texts);
  if (error) {
    const wrong = SETTING_NAMES.filter((name) => error.issues.some(({ path }) => path[0] === name));
    throw new ConfigError(
      wrong.map((name) => `${name} takes ${describeTaken(name)}, not ${shown(name, texts[name])}`)
        .join("\n"),
    );
  }
  const isOnDeploy = Boolean(environment[HOST_VARIABLE]);
  const conflicts = [...findConflicts(values, isOnDeploy)];
  if (conflicts.length > 0) throw new ConfigError(conflicts.join("\n"));
  return Object.freeze({ ...toConfig(values, isOnDeploy), given: findGiven(texts, environment) });
}

/** A setting that is set. */
export interface GivenSetting {
  readonly text: string;
  readonly from: "environment" | ".env";
}

/** The settings that are set, each with where it comes from. */
function findGiven(
  texts: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, GivenSetting>> {
  const ofFile = (environment[ENV_FILE_VARIABLE] ?? "").split(",");
  const isOfFile = (name: string) => {
    const former = FORMER_NAMES[name as keyof typeof FORMER_NAMES];
    return ofFile.includes(name) || !environment[name] && former && ofFile.includes(former);
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, { text, from: isOfFile(name) ? ".env" : "environment" }]]
    ),
  );
}

/** Service addresses and keys may contain secrets, which no message may repeat. */
function shown(name: string, text: string | undefined): string {
  return /URL|KEY|SECRET|TOKEN|MAILBOX/.test(name) && name !== "BASE_URL"
    ? "the value given"
    : `"${text}"`;
}

function toConfig(values: Values, isOnDeploy: boolean) {
  const base = values.BASE_URL ?? new URL(`http://localhost:${values.PORT}`);
  const basePath = basePathOf(base);
  return {
    port: values.PORT,
    host: values.HOST,
    /** The public address, without a trailing slash. */
    baseUrl: base.origin + basePath,
    /** Empty, or with a leading and without a trailing slash. */
    basePath,
    databaseUrl: values.DATABASE_URL?.href ?? null,
    dataDir: values.DATA_DIR,
    variant: values.ROADMAP_VARIANT,
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
    sourceMaxBytes: values.ROADMAP_MAX_MB * 1024 * 1024,
    /** The user agent of requests to sources. */
    sourceUserAgent: values.SOURCE_USER_AGENT ?? `Roadcast/${VERSION} (+${base.origin}${basePath})`,
    syncMinutes: values.ROADMAP_SYNC_MINUTES,
    /** Null: a day, or three intervals of the source if that is longer. */
    maxAgeMinutes: values.READY_MAX_AGE_MINUTES ?? null,
    logRequests: values.LOG_REQUESTS,
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
    /** Null: mails are written to the log. */
    smtp: values.SMTP_URL ? { url: values.SMTP_URL.href, from: values.MAIL_FROM! } : null,
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
    trustedProxies: values.TRUSTED_PROXIES,
    mcp: values.MCP === "on",
    linkAction: values.LINK_ACTION,
    subscribeLimit: values.SUBSCRIBE_LIMIT,
    verificationLimit: values.VERIFICATION_LIMIT,
    /** The server does what comes due by itself; otherwise only schedulers have it done. */
    backgroundJobs: values.BACKGROUND_JOBS ? values.BACKGROUND_JOBS === "on" : !isOnDeploy,
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
    /** Null: the secret that the database keeps. */
    tokenSecret: values.TOKEN_SECRET ?? null,
    /** Null: there is no /admin, and no import over HTTP. */
    adminToken: values.ADMIN_TOKEN ?? null,
    /** The header in which a trusted proxy names the operator; null: operators send the token. */
    adminUserHeader: values.ADMIN_USER_HEADER ?? null,
    cacheFreshSeconds: values.CACHE_FRESH_SECONDS,
    cacheStaleSeconds: values.CACHE_STALE_SECONDS,
    cacheCopiesBytes: values.CACHE_DATABASE_MB * 1024 * 1024,
    cacheMemoryBytes: values.CACHE_MEMORY_MB * 1024 * 1024,
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

function toDigestTimes({ DIGEST_TIME, DIGEST_WEEKDAY }: Values): DigestTimes {
  const [hours, minutes] = DIGEST_TIME.split(":").map(Number);
  return { minute: hours! * 60 + minutes!, weekday: WEEKDAYS.indexOf(DIGEST_WEEKDAY) };
}
