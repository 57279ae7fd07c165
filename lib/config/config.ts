import { isIP } from "node:net";
import { z } from "zod";
import { type DigestTimes, WEEKDAYS } from "../text/cadence.ts";
import { type Accent, deriveDarkAccent, findLowContrast, OWN_ACCENT } from "./accent.ts";
import { ExpectedError } from "../expected_error.ts";
import { FORMER_NAMES, HOST_VARIABLE, SETTING_NAMES } from "./setting_names.ts";
import { parseLinks, type SiteLink } from "./links.ts";

/** Settings are invalid; the message has one line per mistake. */
export class ConfigError extends ExpectedError {}

const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
const url = (protocols: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol))
    .refine(isDecodable)
    .transform((text) => new URL(text));

/** Libraries decode the parts of a URL, and some throw at a "%" that is not an escape. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An IPv6 address may be in brackets; the port is a separate setting. */
function isHost(text: string): boolean {
  return isIP(text.replace(/^\[(.*)\]$/, "$1")) !== 0 || /^[\w.-]+$/.test(text);
}

/** Deno splits lists of permissions at every comma; see tools/allow.ts. */
function hasNoComma(path: string): boolean {
  return !path.includes(",");
}

/** A colour; `.env` files take a "#" for the start of a comment, so it may be left out. */
function colour() {
  return z.string().regex(/^#?[\da-f]{6}$/i)
    .transform((text) => `#${text.replace("#", "").toLowerCase()}`).optional();
}

/** At most eight links, each a label and an address. */
function links() {
  return z.string().transform(parseLinks)
    .refine((links) => links !== null && links.length <= 8).optional();
}

const TAKES_LINKS =
  "at most 8 links, each a label of up to 40 characters and an address, such as Docs https://example.com/docs; Support /support";

/** The kinds of sources that a roadmap can be read from; lib/import/sources has a file for each. */
export const SOURCE_KINDS = [
  "roadcast",
  "json",
  "ndjson",
  "csv",
  "fabric",
  "m365",
  "github",
] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The kind of a source by its name; `interface` was the name of `roadcast` in version 0.1.0. */
export function findSourceKind(name: string): SourceKind | undefined {
  const current = name === "interface" ? "roadcast" : name;
  return SOURCE_KINDS.find((kind) => kind === current);
}

type Setting = (typeof SETTING_NAMES)[number];

/** A setting: what it takes (the end of the message about a wrong value), meaning, and default. */
type Entry = readonly [schema: z.ZodType, takes: string, meaning: string, unset?: string];

/** Every setting. After a change: `deno run -RW tools/settings_table.ts` for the README. */
const SETTINGS = {
  PORT: [
    wholeNumber(0, 65_535).default(8000),
    "a port number from 0 to 65535",
    "port to listen on",
  ],
  HOST: [
    z.string().refine(isHost).default("0.0.0.0"),
    "an address or host name of this machine, without a port, such as 127.0.0.1 or ::",
    "address to listen on",
  ],
  BASE_URL: [
    url("http: https:").refine((base) => !base.search && !base.hash).optional(),
    "an http or https address without query and fragment, such as https://example.com/roadmap",
    "public address, used in emails, feeds and absolute links; may carry a path",
    "http://localhost:PORT",
  ],
  DATABASE_URL: [
    url("postgres: postgresql:").optional(),
    "the address of a PostgreSQL, such as postgres://user:password@host:5432/name, with /, ? and # in the password written as %2F, %3F and %23",
    "PostgreSQL (17 is tested) with `pg_trgm`; unset: the embedded database",
  ],
  DATA_DIR: [
    z.string().refine(hasNoComma).default("./data"),
    "a folder without a comma in its path (Deno's permissions cannot name one)",
    "folder of the embedded database, without a comma in its path",
  ],
  ROADMAP_VARIANT: [
    z.string().toLowerCase().pipe(z.enum(["a", "b", "both"])).default("a"),
    "a, b or both",
    "`a`, `b`, or `both`: variant A at `BASE_URL` and variant B at `BASE_URL/b`",
  ],
  ROADMAP_SOURCE: [
    z.string().refine((source) => /^https?:/i.test(source) || hasNoComma(source)).optional(),
    "an address, or a file without a comma in its path (Deno's permissions cannot name one)",
    "file or URL to import at start and then on a schedule",
  ],
  ROADMAP_SOURCE_KIND: [
    z.string().transform(findSourceKind).refine((kind) => kind !== undefined).optional(),
    `one of ${SOURCE_KINDS.join(", ")}`,
    `kind of the source (${SOURCE_KINDS.join(", ")}); unset: detected`,
  ],
  ROADMAP_CONFIG: [
    z.string().refine(hasNoComma).optional(),
    "a file without a comma in its path (Deno's permissions cannot name one)",
    "JSON file that names several sources (docs/sources.md); in place of `ROADMAP_SOURCE`",
  ],
  ROADMAP_MAX_MB: [
    wholeNumber(1, 65_536).default(256),
    "megabytes, from 1 to 65536",
    "largest size of a source, in megabytes",
  ],
  ROADMAP_SYNC_MINUTES: [
    wholeNumber(1, 44_640).default(60),
    "minutes, from 1 to 44640",
    "minutes between imports of a source",
  ],
  READY_MAX_AGE_MINUTES: [
    wholeNumber(1, 525_600).optional(),
    "minutes, from 1 to 525600",
    "`/ready` responds 503 if the last successful import of a source is older",
    "a day, or three times `ROADMAP_SYNC_MINUTES` if that is longer",
  ],
  GITHUB_TOKEN: [
    z.string().regex(/^[\x21-\x7e]+$/).optional(),
    "a token of GitHub without blanks, such as github_pat_…",
    "token for sources of kind github: more requests an hour, and private repositories",
  ],
  GITHUB_API_URL: [
    url("http: https:").refine((base) => !base.search && !base.hash)
      .default(new URL("https://api.github.com")),
    "an http or https address without query and fragment, such as https://github.example.com/api/v3",
    "address of GitHub's REST API",
    "https://api.github.com",
  ],
  LOG_REQUESTS: [
    // `walked` was the name of `misses` in version 0.1.0.
    z.enum(["off", "misses", "all", "walked"]).default("misses")
      .transform((value) => value === "walked" ? "misses" : value),
    "off, misses or all",
    "which requests are logged: `off`, `misses` (not answered by the response cache) or `all`",
  ],
  SITE_NAME: [
    z.string().trim().min(1).max(100).default("Roadcast"),
    "a name of 1 to 100 characters",
    "title of pages, feeds and emails",
  ],
  SITE_LOGO: [
    z.string().regex(/\.(svg|png)$/i).refine(hasNoComma).optional(),
    "an SVG or PNG file (.svg, .png) without a comma in its path",
    "SVG or PNG file in place of the logo ([docs/pages.md](docs/pages.md#name-and-look))",
  ],
  SITE_PREVIEW: [
    z.string().regex(/\.png$/i).refine(hasNoComma).optional(),
    "a PNG file (.png) without a comma in its path",
    "PNG file that chats and social networks show with a link, best 1200 × 630 pixels",
    "a drawing, or `SITE_LOGO` if it is a PNG",
  ],
  SITE_ACCENT: [
    colour(),
    "a colour such as #0f5c5c or 0f5c5c",
    "colour of links and buttons, `0f5c5c`; its contrast is checked",
    "0f5c5c",
  ],
  SITE_ACCENT_DARK: [
    colour(),
    "a colour such as #7fcfc6 or 7fcfc6",
    "same for the dark theme",
    "`SITE_ACCENT`, lightened",
  ],
  SITE_LINKS: [
    links(),
    TAKES_LINKS,
    "links in the header: `Docs https://example.com/docs; Support /support`",
  ],
  SITE_FOOTER_LINKS: [
    links(),
    TAKES_LINKS,
    "links in the footer, in the same format",
  ],
  SITE_IMPRINT: [
    z.string().trim().max(500).optional(),
    "a text of at most 500 characters",
    "sentence in the footer: who publishes the site",
  ],
  SMTP_URL: [
    url("smtp: smtps:").optional(),
    "smtp://user:password@host:port, or smtps:// for TLS from the start",
    "mail server, `smtp[s]://user:password@host:port`; unset: emails are written to the log",
  ],
  MAIL_FROM: [
    z.string().regex(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/).optional(),
    'an address such as roadmap@example.com or "Roadmap <roadmap@example.com>"',
    "sender of the emails; required with `SMTP_URL`",
  ],
  OPENAI_API_KEY: [
    z.string().optional(),
    "a key",
    "key of an OpenAI-compatible embedding service; enables search by meaning",
  ],
  OPENAI_BASE_URL: [
    url("http: https:").optional(),
    "an http or https address",
    "address of such a service; enables search by meaning even without a key",
    "unset: that of OpenAI",
  ],
  EMBEDDING_MODEL: [
    z.string().default("text-embedding-3-small"),
    "the name of a model",
    "embedding model",
  ],
  EMBEDDING_DIMENSIONS: [
    wholeNumber(1, 4_000).default(1536),
    "a number from 1 to 4000",
    "dimensions of its vectors",
  ],
  SEMANTIC_MIN_SIMILARITY: [
    z.string().regex(/^-?\d*\.?\d+$/).transform(Number).pipe(z.number().min(-1).max(1))
      .default(0.2),
    "a number from -1 to 1",
    "cosine similarity below which an item does not match",
  ],
  QUESTION_LIMIT: [
    wholeNumber(0, 1_000_000).default(60),
    "a number from 0 to 1000000",
    "new queries of one client to the embedding service per hour; 0: none",
  ],
  QUESTION_BUDGET: [
    wholeNumber(0, 1_000_000_000).default(1_000),
    "a number from 0 to 1000000000",
    "new queries of all clients together per hour; 0: none",
  ],
  TRUSTED_PROXIES: [
    wholeNumber(0, 32).default(0),
    "a number of proxies from 0 to 32",
    "number of trusted proxies that add to X-Forwarded-For",
  ],
  MCP: [
    z.enum(["on", "off"]).default("on"),
    "on or off",
    "`on`: assistants can query the roadmap at `/mcp`; `off`: disabled",
  ],
  LINK_ACTION: [
    z.enum(["get", "confirm"]).default("get"),
    "get or confirm",
    "`get`: verify and unsubscribe links act when opened; `confirm`: they ask first",
  ],
  SUBSCRIBE_LIMIT: [
    wholeNumber(1, 1_000_000).default(10),
    "a number from 1 to 1000000",
    "accepted subscribe requests per client and hour",
  ],
  VERIFICATION_LIMIT: [
    wholeNumber(1, 1_000_000).default(1000),
    "a number from 1 to 1000000",
    "verification emails per hour, to all addresses together",
  ],
  DIGESTS: [
    z.enum(["on", "off"]).default("on"),
    "on or off",
    "`on`: the server sends digests by itself; `off`: only `deno task digest` does",
  ],
  BACKGROUND_JOBS: [
    z.enum(["on", "off"]).optional(),
    "on or off",
    "`on`: the server imports, sends and tidies up by itself; `off`: only `Deno.cron` and `POST /api/work` do",
    "on; off on Deno Deploy",
  ],
  DIGEST_TIME: [
    z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/).default("07:00"),
    "a time of the day in UTC from 00:00 to 23:59, such as 07:00",
    "when daily and weekly digests go out, `HH:MM` in UTC",
  ],
  DIGEST_WEEKDAY: [
    z.string().toLowerCase().pipe(z.enum(WEEKDAYS)).default("monday"),
    "a day of the week, such as monday",
    "day of the weekly digests",
  ],
  WEBHOOK_ALLOW_PRIVATE: [
    z.enum(["true", "false"]).default("false").transform((value) => value === "true"),
    "true or false",
    "`true`: webhooks may go to private, loopback and link-local addresses",
  ],
  TOKEN_SECRET: [
    z.string().min(32).optional(),
    "a secret of at least 32 characters",
    "secret that signs links and encrypts webhooks, at least 32 characters; unset: one stored in the database",
  ],
  ADMIN_TOKEN: [
    z.string().regex(/^\S{16,}$/).optional(),
    "a secret of at least 16 characters without blanks",
    "secret that `POST /api/import` and `POST /api/work` require, at least 16 characters; unset: these addresses are disabled",
  ],
  CACHE_FRESH_SECONDS: [
    wholeNumber(0, 31_536_000).default(86_400),
    "seconds, up to 31536000",
    "variant B: how long a cached response is fresh",
  ],
  CACHE_STALE_SECONDS: [
    wholeNumber(0, 31_536_000).default(86_400),
    "seconds, up to 31536000",
    "variant B: how long it may be served stale, while it is revalidated",
  ],
  CACHE_DATABASE_MB: [
    wholeNumber(1, 65_536).default(256),
    "megabytes, from 1 to 65536",
    "variant B: size of the response cache in the database, in megabytes; the oldest are dropped first",
  ],
  CACHE_MEMORY_MB: [
    wholeNumber(1, 65_536).default(64),
    "megabytes, from 1 to 65536",
    "size of the response cache in memory, per process, in megabytes",
  ],
} as const satisfies Record<Setting, Entry>;

type Values = { readonly [Name in Setting]: z.output<(typeof SETTINGS)[Name][0]> };

/** Every setting with its meaning and default, for the README. */
export function describeSettings(): { name: string; meaning: string; unset: string }[] {
  return Object.entries<Entry>(SETTINGS).map(([name, [schema, , meaning, unset]]) => ({
    name,
    meaning,
    unset: unset ?? String(schema.safeParse(undefined).data ?? "unset"),
  }));
}

/** The validated settings of a process. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The public address, without a trailing slash. */
  readonly baseUrl: string;
  /** The path of the public address: empty, or with a leading and without a trailing slash. */
  readonly basePath: string;
  /** Null: the embedded database in `dataDir`. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly variant: "a" | "b" | "both";
  readonly source: string | null;
  /** The file that names several sources, in place of `source`. */
  readonly sourcesFile: string | null;
  /** How sources of kind `github` are read; the address has no trailing slash. */
  readonly github: { readonly apiUrl: string; readonly token: string | null };
  /** Null: the kind is recognised by the content. */
  readonly sourceKind: SourceKind | null;
  /** More than this is not read from a source. */
  readonly sourceMaxBytes: number;
  readonly syncMinutes: number;
  /**
   * A process is not ready when the last good import is older than this; null: a day, or three
   * intervals of the source if that is longer.
   */
  readonly maxAgeMinutes: number | null;
  /** `misses`: the requests that the response cache did not answer. */
  readonly logRequests: "off" | "misses" | "all";
  readonly siteName: string;
  /** Files in place of our own logo and preview. */
  readonly logoFile: string | null;
  readonly previewFile: string | null;
  /** Null: that of static/style.css. */
  readonly accent: Accent | null;
  readonly headerLinks: readonly SiteLink[];
  readonly footerLinks: readonly SiteLink[];
  readonly imprint: string | null;
  /** Null: mails are written to the log. */
  readonly smtp: { readonly url: string; readonly from: string } | null;
  /** Null: no embedding service, so search is by substring. */
  readonly embedding: {
    readonly apiKey: string | null;
    readonly baseUrl: string | null;
    readonly model: string;
    readonly dimensions: number;
    readonly minSimilarity: number;
  } | null;
  /** New queries to the embedding service per hour: of one client, and of all together. */
  readonly questionLimit: number;
  readonly questionBudget: number;
  readonly trustedProxies: number;
  /** Assistants can ask. */
  readonly mcp: boolean;
  readonly linkAction: "get" | "confirm";
  /** Requests to subscribe per client and hour. */
  readonly subscribeLimit: number;
  /** Verification mails per hour, to all addresses together. */
  readonly verificationLimit: number;
  /** The server does what comes due by itself; otherwise only schedulers have it done. */
  readonly backgroundJobs: boolean;
  /** When the server sends digests by itself; null: only the command sends. */
  readonly digestTimes: DigestTimes | null;
  /** Webhooks may go to addresses that are not public. */
  readonly webhookAllowPrivate: boolean;
  /** Null: the secret that the database keeps. */
  readonly tokenSecret: string | null;
  /** Null: nobody may import over HTTP. */
  readonly adminToken: string | null;
  readonly cacheFreshSeconds: number;
  readonly cacheStaleSeconds: number;
  readonly cacheCopiesBytes: number;
  readonly cacheMemoryBytes: number;
}

/**
 * Reads the settings from environment variables; an empty one counts as unset.
 *
 * ```ts
 * const config = readConfig({ PORT: "9000", SITE_NAME: "" });
 * if (config.baseUrl !== "http://localhost:9000") throw new Error(config.baseUrl);
 * if (config.siteName !== "Roadcast") throw new Error(config.siteName);
 * ```
 *
 * @throws {ConfigError} that lists every mistake, one per line
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const mistakes: string[] = [];
  const values = Object.fromEntries(SETTING_NAMES.map((name) => {
    const [schema, takes] = SETTINGS[name];
    const former = FORMER_NAMES[name];
    const text = environment[name]?.trim() || (former && environment[former]?.trim()) || undefined;
    const { success, data } = schema.safeParse(text);
    if (!success) mistakes.push(`${name} takes ${takes}, not ${shown(name, text)}`);
    return [name, data];
  })) as unknown as Values;
  if (values.SMTP_URL && !values.MAIL_FROM && mistakes.length === 0) {
    mistakes.push(`MAIL_FROM is required with SMTP_URL; it takes ${SETTINGS.MAIL_FROM[1]}`);
  }
  if (values.ROADMAP_SOURCE && values.ROADMAP_CONFIG) {
    mistakes.push(
      "Set ROADMAP_SOURCE or ROADMAP_CONFIG, not both: list every source in the file",
    );
  }
  if (
    values.ROADMAP_VARIANT === "both" && values.BASE_URL && basePathOf(values.BASE_URL) === "/b"
  ) {
    // Behind a proxy that strips the path, /b is variant B, otherwise variant A.
    mistakes.push(
      "BASE_URL cannot have the path /b with ROADMAP_VARIANT=both, which serves variant B at /b: set another path",
    );
  }
  const isOnDeploy = Boolean(environment[HOST_VARIABLE]);
  if (isOnDeploy && !values.DATABASE_URL && mistakes.length === 0) {
    mistakes.push(
      "DATABASE_URL is required on Deno Deploy, where files do not persist: assign a PostgreSQL to the app",
    );
  }
  mistakes.push(...describeLowContrast(values));
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"));
  return Object.freeze(toConfig(values, isOnDeploy));
}

function* describeLowContrast({ SITE_ACCENT, SITE_ACCENT_DARK }: Values): Generator<string> {
  const inLight = SITE_ACCENT && findLowContrast(SITE_ACCENT, "light");
  if (inLight) yield `SITE_ACCENT: ${inLight}`;
  const inDark = SITE_ACCENT_DARK && findLowContrast(SITE_ACCENT_DARK, "dark");
  if (inDark) yield `SITE_ACCENT_DARK: ${inDark}`;
}

/** Service addresses and keys may contain secrets, which no message may repeat. */
function shown(name: Setting, text: string | undefined): string {
  return /URL|KEY|SECRET|TOKEN/.test(name) && name !== "BASE_URL" ? "the value given" : `"${text}"`;
}

function toConfig(values: Values, isOnDeploy: boolean): Config {
  const base = values.BASE_URL ?? new URL(`http://localhost:${values.PORT}`);
  const basePath = basePathOf(base);
  return {
    port: values.PORT,
    host: values.HOST,
    baseUrl: base.origin + basePath,
    basePath,
    databaseUrl: values.DATABASE_URL?.href ?? null,
    dataDir: values.DATA_DIR,
    variant: values.ROADMAP_VARIANT,
    source: values.ROADMAP_SOURCE ?? null,
    sourcesFile: values.ROADMAP_CONFIG ?? null,
    github: {
      apiUrl: values.GITHUB_API_URL.href.replace(/\/+$/, ""),
      token: values.GITHUB_TOKEN ?? null,
    },
    sourceKind: values.ROADMAP_SOURCE_KIND ?? null,
    sourceMaxBytes: values.ROADMAP_MAX_MB * 1024 * 1024,
    syncMinutes: values.ROADMAP_SYNC_MINUTES,
    maxAgeMinutes: values.READY_MAX_AGE_MINUTES ?? null,
    logRequests: values.LOG_REQUESTS,
    siteName: values.SITE_NAME,
    logoFile: values.SITE_LOGO ?? null,
    previewFile: values.SITE_PREVIEW ?? null,
    accent: toAccent(values),
    headerLinks: values.SITE_LINKS ?? [],
    footerLinks: values.SITE_FOOTER_LINKS ?? [],
    imprint: values.SITE_IMPRINT ?? null,
    smtp: values.SMTP_URL ? { url: values.SMTP_URL.href, from: values.MAIL_FROM! } : null,
    embedding: values.OPENAI_API_KEY || values.OPENAI_BASE_URL
      ? {
        apiKey: values.OPENAI_API_KEY ?? null,
        baseUrl: values.OPENAI_BASE_URL?.href ?? null,
        model: values.EMBEDDING_MODEL,
        dimensions: values.EMBEDDING_DIMENSIONS,
        minSimilarity: values.SEMANTIC_MIN_SIMILARITY,
      }
      : null,
    questionLimit: values.QUESTION_LIMIT,
    questionBudget: values.QUESTION_BUDGET,
    trustedProxies: values.TRUSTED_PROXIES,
    mcp: values.MCP === "on",
    linkAction: values.LINK_ACTION,
    subscribeLimit: values.SUBSCRIBE_LIMIT,
    verificationLimit: values.VERIFICATION_LIMIT,
    backgroundJobs: values.BACKGROUND_JOBS ? values.BACKGROUND_JOBS === "on" : !isOnDeploy,
    digestTimes: values.DIGESTS === "on" ? toDigestTimes(values) : null,
    webhookAllowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
    tokenSecret: values.TOKEN_SECRET ?? null,
    adminToken: values.ADMIN_TOKEN ?? null,
    cacheFreshSeconds: values.CACHE_FRESH_SECONDS,
    cacheStaleSeconds: values.CACHE_STALE_SECONDS,
    cacheCopiesBytes: values.CACHE_DATABASE_MB * 1024 * 1024,
    cacheMemoryBytes: values.CACHE_MEMORY_MB * 1024 * 1024,
  };
}

/** The path of an address, without a slash at its end. */
function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, "");
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
