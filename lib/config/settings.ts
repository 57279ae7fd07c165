import { isIP } from "node:net";
import { z } from "zod";
import { WEEKDAYS } from "../text/cadence.ts";
import type { SETTING_NAMES } from "./setting_names.ts";
import { parseLinks } from "./links.ts";
import { parseNetworks } from "./networks.ts";
import { parseOrigins } from "./origins.ts";

type Setting = (typeof SETTING_NAMES)[number];

/** What a setting takes (the end of the message about a wrong value), its meaning, and default. */
const NOTES = z.registry<{ takes: string; meaning: string; unset: string | undefined }>();

function note<Schema extends z.ZodType>(
  schema: Schema,
  takes: string,
  meaning: string,
  unset?: string,
): Schema {
  NOTES.add(schema, { takes, meaning, unset });
  return schema;
}

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

/** A time zone as IANA spells it; null: there is none of this name. */
function findZone(name: string): string | null {
  try {
    // An offset, such as +02:00, is no zone: it has no summer time.
    return /^[a-z]/i.test(name)
      ? new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone
      : null;
  } catch {
    return null;
  }
}

/** Secrets leave this machine encrypted only. */
function isEncrypted({ protocol, hostname }: URL): boolean {
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return protocol === "https:" || protocol === "imaps:" || isLocal;
}

/** A mailbox with its user. */
function isMailbox(address: URL): boolean {
  const { hostname, username, search, hash } = address;
  return hostname !== "" && username !== "" && search === "" && hash === "" &&
    isEncrypted(address);
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
  "xlsx",
  "fabric",
  "m365",
  "azure",
  "github",
  "feed",
  "gitlab",
  "jira",
] as const;

export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The kind of a source by its name; `interface` was the name of `roadcast` in version 0.1.0. */
export function findSourceKind(name: string): SourceKind | undefined {
  const current = name === "interface" ? "roadcast" : name;
  return SOURCE_KINDS.find((kind) => kind === current);
}

/** Every setting. After a change: `deno run -RW tools/settings_table.ts`. */
export const SETTINGS = z.object(
  {
    PORT: note(
      wholeNumber(0, 65_535).default(8000),
      "a port number from 0 to 65535",
      "port to listen on",
    ),
    HOST: note(
      z.string().refine(isHost).default("0.0.0.0"),
      "an address or host name of this machine, without a port, such as 127.0.0.1 or ::",
      "address to listen on",
    ),
    PROXY_STRIPS_PATH: note(
      z.enum(["true", "false"]).default("false").transform((value) => value === "true"),
      "true or false",
      "`true`: the proxy removes the path of `BASE_URL` from requests; decides at which address `/admin` and `/metrics` are answered",
    ),
    BASE_URL: note(
      url("http: https:").refine((base) => !base.search && !base.hash).optional(),
      "an http or https address without query and fragment, such as https://example.com/roadmap",
      "public address, used in emails, feeds and absolute links; may carry a path",
      "http://localhost:PORT",
    ),
    DATABASE_URL: note(
      url("postgres: postgresql:").optional(),
      "the address of a PostgreSQL, such as postgres://user:password@host:5432/name, with /, ? and # in the password written as %2F, %3F and %23",
      "PostgreSQL (17 is tested) with `pg_trgm`; unset: the embedded database",
    ),
    DATA_DIR: note(
      z.string().refine(hasNoComma).default("./data"),
      "a folder without a comma in its path (Deno's permissions cannot name one)",
      "folder of the embedded database, without a comma in its path",
    ),
    ROADMAP_VARIANT: note(
      z.string().toLowerCase().pipe(z.enum(["a", "b", "both"])).default("a"),
      "a, b or both",
      "`a`, `b`, or `both`: variant A at `BASE_URL` and variant B at `BASE_URL/b`",
    ),
    ROADMAP_SOURCE: note(
      z.string().refine((source) => /^https?:/i.test(source) || hasNoComma(source)).optional(),
      "an address, or a file without a comma in its path (Deno's permissions cannot name one)",
      "file or URL to import at start and then on a schedule",
    ),
    ROADMAP_SOURCE_KIND: note(
      z.string().transform(findSourceKind).refine((kind) => kind !== undefined).optional(),
      `one of ${SOURCE_KINDS.join(", ")}`,
      `kind of the source (${SOURCE_KINDS.join(", ")}); unset: detected`,
    ),
    ROADMAP_CONFIG: note(
      z.string().refine(hasNoComma).optional(),
      "a file without a comma in its path (Deno's permissions cannot name one)",
      "JSON file that names several sources (docs/sources.md); in place of `ROADMAP_SOURCE`",
    ),
    ROADMAP_MAX_MB: note(
      wholeNumber(1, 65_536).default(256),
      "megabytes, from 1 to 65536",
      "largest size of a source, in megabytes",
    ),
    ROADMAP_SYNC_MINUTES: note(
      wholeNumber(1, 44_640).default(60),
      "minutes, from 1 to 44640",
      "minutes between imports of a source",
    ),
    SOURCE_USER_AGENT: note(
      z.string().trim().regex(/^[\x20-\x7e]{1,400}$/).optional(),
      "a text of 1 to 400 printable ASCII characters",
      "User-Agent of the requests to sources",
      "`Roadcast/VERSION (+BASE_URL)`",
    ),
    READY_MAX_AGE_MINUTES: note(
      wholeNumber(1, 525_600).optional(),
      "minutes, from 1 to 525600",
      "`/ready` responds 503 if the last successful import of a source is older",
      "a day, or three times `ROADMAP_SYNC_MINUTES` if that is longer",
    ),
    GITHUB_TOKEN: note(
      z.string().regex(/^[\x21-\x7e]+$/).optional(),
      "a token of GitHub without blanks, such as github_pat_…",
      "token for sources of kind github: more requests an hour, and private repositories",
    ),
    GITHUB_API_URL: note(
      url("http: https:").refine((base) => !base.search && !base.hash)
        .default(new URL("https://api.github.com")),
      "an http or https address without query and fragment, such as https://github.example.com/api/v3",
      "address of GitHub's REST API",
      "https://api.github.com",
    ),
    GITLAB_TOKEN: note(
      z.string().regex(/^[\x21-\x7e]+$/).optional(),
      "a token of GitLab without blanks, such as glpat-…",
      "token for sources of kind gitlab, for private projects and for epics",
    ),
    GITLAB_URL: note(
      url("http: https:").refine((base) =>
        !base.search && !base.hash && !/\/api\b/.test(base.pathname)
      )
        .default(new URL("https://gitlab.com")),
      "an http or https address without /api/v4, such as https://gitlab.example.com",
      "address of GitLab",
      "https://gitlab.com",
    ),
    JIRA_EMAIL: note(
      z.string().regex(/^[^\s:]+@[^\s:]+$/).optional(),
      "the email address of an account, such as me@example.com",
      "account of `JIRA_TOKEN` at Jira Cloud; unset for Jira Data Center",
    ),
    JIRA_TOKEN: note(
      z.string().regex(/^[\x21-\x7e]+$/).optional(),
      "a token of Jira without blanks",
      "token for sources of kind jira",
    ),
    LOG_REQUESTS: note(
      // `walked` was the name of `misses` in version 0.1.0.
      z.enum(["off", "misses", "all", "walked"]).default("misses")
        .transform((value) => value === "walked" ? "misses" : value),
      "off, misses or all",
      "which requests are logged: `off`, `misses` (not answered by the response cache) or `all`",
    ),
    SITE_NAME: note(
      z.string().trim().min(1).max(100).default("Roadcast"),
      "a name of 1 to 100 characters",
      "title of pages, feeds and emails",
    ),
    SITE_LOGO: note(
      z.string().regex(/\.(svg|png)$/i).refine(hasNoComma).optional(),
      "an SVG or PNG file (.svg, .png) without a comma in its path",
      "SVG or PNG file in place of the logo ([pages.md](pages.md#name-and-look))",
    ),
    SITE_PREVIEW: note(
      z.string().regex(/\.png$/i).refine(hasNoComma).optional(),
      "a PNG file (.png) without a comma in its path",
      "PNG file that chats and social networks show with a link, best 1200 × 630 pixels",
      "a drawing, or `SITE_LOGO` if it is a PNG",
    ),
    SITE_ACCENT: note(
      colour(),
      "a colour such as #0f5c5c or 0f5c5c",
      "colour of links and buttons, `0f5c5c`; its contrast is checked",
      "0f5c5c",
    ),
    SITE_ACCENT_DARK: note(
      colour(),
      "a colour such as #7fcfc6 or 7fcfc6",
      "same for the dark theme",
      "`SITE_ACCENT`, lightened",
    ),
    SITE_LINKS: note(
      links(),
      TAKES_LINKS,
      "links in the header: `Docs https://example.com/docs; Support /support`",
    ),
    SITE_FOOTER_LINKS: note(
      links(),
      TAKES_LINKS,
      "links in the footer, in the same format",
    ),
    SITE_IMPRINT: note(
      z.string().trim().max(500).optional(),
      "a text of at most 500 characters",
      "sentence in the footer: who publishes the site",
    ),
    EMBED_ORIGINS: note(
      z.string().transform(parseOrigins).refine((origins) => origins !== null).optional(),
      "at most 20 origins without a path or a wildcard, divided by blanks, such as https://example.com http://localhost:3000",
      "sites that may show the roadmap in an iframe, divided by blanks ([pages.md](pages.md#embed)); unset: `/embed` is disabled",
    ),
    SMTP_URL: note(
      url("smtp: smtps:").optional(),
      "smtp://user:password@host:port, or smtps:// for TLS from the start",
      "mail server, `smtp[s]://user:password@host:port`; unset: emails are written to the log",
    ),
    MAIL_FROM: note(
      z.string().regex(/^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$/).optional(),
      'an address such as roadmap@example.com or "Roadmap <roadmap@example.com>"',
      "sender of the emails; required with `SMTP_URL`",
    ),
    MAIL_OAUTH_TOKEN_URL: note(
      url("https: http:").refine(isEncrypted).optional(),
      "an https address, or an http one of this machine",
      "token server for `SMTP_URL` and `BOUNCE_MAILBOX`: where such an address has a user and no password, Roadcast signs in with an access token ([subscriptions.md](subscriptions.md#oauth2))",
    ),
    MAIL_OAUTH_CLIENT_ID: note(
      z.string().optional(),
      "the id of a client",
      "client that asks `MAIL_OAUTH_TOKEN_URL` for tokens",
    ),
    MAIL_OAUTH_CLIENT_SECRET: note(
      z.string().optional(),
      "the secret of a client",
      "secret of `MAIL_OAUTH_CLIENT_ID`",
    ),
    MAIL_OAUTH_SCOPE: note(
      z.string().optional(),
      "scopes, separated by spaces",
      "scope of the tokens, such as `https://outlook.office365.com/.default`",
    ),
    OPENAI_API_KEY: note(
      z.string().optional(),
      "a key",
      "key of an OpenAI-compatible embedding service; enables search by meaning",
    ),
    OPENAI_BASE_URL: note(
      url("http: https:").optional(),
      "an http or https address",
      "address of such a service; enables search by meaning even without a key",
      "unset: that of OpenAI",
    ),
    EMBEDDING_MODEL: note(
      z.string().default("text-embedding-3-small"),
      "the name of a model",
      "embedding model",
    ),
    EMBEDDING_DIMENSIONS: note(
      wholeNumber(1, 4_000).default(1536),
      "a number from 1 to 4000",
      "dimensions of its vectors",
    ),
    SEMANTIC_MIN_SIMILARITY: note(
      z.string().regex(/^-?\d*\.?\d+$/).transform(Number).pipe(z.number().min(-1).max(1))
        .optional(),
      "a number from -1 to 1",
      "cosine similarity below which an item does not match",
      "unset: measured for the model",
    ),
    QUESTION_LIMIT: note(
      wholeNumber(0, 1_000_000).default(60),
      "a number from 0 to 1000000",
      "new queries of one client to the embedding service per hour; 0: none",
    ),
    QUESTION_BUDGET: note(
      wholeNumber(0, 1_000_000_000).default(1_000),
      "a number from 0 to 1000000000",
      "new queries of all clients together per hour; 0: none",
    ),
    TRUSTED_PROXIES: note(
      wholeNumber(0, 32).default(0),
      "a number of proxies from 0 to 32",
      "number of trusted proxies that add to X-Forwarded-For",
    ),
    MCP: note(
      z.enum(["on", "off"]).default("on"),
      "on or off",
      "`on`: assistants can query the roadmap at `/mcp`; `off`: disabled",
    ),
    LINK_ACTION: note(
      z.enum(["get", "confirm"]).default("get"),
      "get or confirm",
      "`get`: verify and unsubscribe links act when opened; `confirm`: they ask first",
    ),
    SUBSCRIBE_LIMIT: note(
      wholeNumber(1, 1_000_000).default(10),
      "a number from 1 to 1000000",
      "accepted subscribe requests per client and hour",
    ),
    VERIFICATION_LIMIT: note(
      wholeNumber(1, 1_000_000).default(1000),
      "a number from 1 to 1000000",
      "verification emails per hour, to all addresses together",
    ),
    DIGESTS: note(
      z.enum(["on", "off"]).default("on"),
      "on or off",
      "`on`: the server sends digests and reminders by itself; `off`: only `deno task digest` does",
    ),
    BACKGROUND_JOBS: note(
      z.enum(["on", "off"]).optional(),
      "on or off",
      "`on`: the server imports, sends and tidies up by itself; `off`: only `Deno.cron` and `POST /api/work` do",
      "on; off on Deno Deploy",
    ),
    DIGEST_TIME: note(
      z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/).default("07:00"),
      "a time of the day from 00:00 to 23:59, such as 07:00",
      "when daily and weekly digests and reminders go out, `HH:MM` in `DIGEST_ZONE`",
    ),
    DIGEST_WEEKDAY: note(
      z.string().toLowerCase().pipe(z.enum(WEEKDAYS)).default("monday"),
      "a day of the week, such as monday",
      "day of the weekly digests",
    ),
    DIGEST_ZONE: note(
      z.string().default("UTC").transform(findZone).refine((zone) => zone !== null),
      "an IANA time zone, such as Europe/Berlin",
      "time zone of `DIGEST_TIME` and `DIGEST_WEEKDAY`, through its changes of the clock, such as `Europe/Berlin`",
    ),
    WEBHOOK_ALLOW_PRIVATE: note(
      z.enum(["true", "false"]).default("false").transform((value) => value === "true"),
      "true or false",
      "`true`: webhooks may go to private, loopback and link-local addresses",
    ),
    WEBSUB_HUB: note(
      url("http: https:").optional(),
      "an http or https address",
      "WebSub hub that feeds name and that is notified when they change ([feeds.md](feeds.md#hubs))",
      "none",
    ),
    INDEXNOW_KEY: note(
      z.string().regex(/^[a-zA-Z0-9-]{8,128}$/).optional(),
      "8 to 128 letters, digits and hyphens",
      "key for `INDEXNOW_URL`, served at `/<key>.txt`; 8 to 128 letters, digits and hyphens",
    ),
    INDEXNOW_URL: note(
      url("http: https:").optional(),
      "an http or https address",
      "search engine that is notified of changed pages, by IndexNow ([feeds.md](feeds.md#search-engines))",
      "none",
    ),
    BOUNCE_SECRET: note(
      z.string().regex(/^\S{16,}$/).optional(),
      "a secret of at least 16 characters without blanks",
      "secret with which a mail service reports bounces at `/api/bounces/…` ([subscriptions.md](subscriptions.md#bounces)), at least 16 characters; unset: these addresses are disabled",
    ),
    BOUNCE_MAILBOX: note(
      url("imaps: imap:").refine(isMailbox).optional(),
      "imaps://user:password@host/folder, with /, ?, # and @ in the password written as %2F, %3F, %23 and %40; imap:// only for this machine",
      "mailbox to which bounces are returned, `imaps://user:password@host[:port]/folder` ([subscriptions.md](subscriptions.md#bounces)); unset: bounces are not read",
    ),
    TOKEN_SECRET: note(
      z.string().min(32).optional(),
      "a secret of at least 32 characters",
      "secret that signs links and encrypts webhooks, at least 32 characters; unset: one stored in the database",
    ),
    ADMIN_TOKEN: note(
      z.string().regex(/^\S{16,}$/).optional(),
      "a secret of at least 16 characters without blanks",
      "secret that `/admin`, `POST /api/import` and `POST /api/work` require, at least 16 characters; unset: these addresses are disabled",
    ),
    ADMIN_USER_HEADER: note(
      z.string().regex(/^(?!(?:authorization|cookie|host|origin|x-forwarded-for)$)[\w-]{1,100}$/i)
        .optional(),
      "the name of a header that holds no secret, such as X-Forwarded-User",
      "header in which a trusted proxy names the user that it signed in to `/admin` ([admin.md](admin.md#behind-a-proxy-that-signs-in))",
    ),
    ADMIN_PROXY: note(
      z.string().transform(parseNetworks).refine((networks) => networks !== null).optional(),
      "addresses or networks separated by spaces, such as 10.0.0.5 172.16.0.0/12",
      "addresses or networks of the proxies whose `ADMIN_USER_HEADER` is believed, separated by spaces; those of this machine always are",
    ),
    CACHE_FRESH_SECONDS: note(
      wholeNumber(0, 31_536_000).default(86_400),
      "seconds, up to 31536000",
      "variant B: how long a cached response is fresh",
    ),
    CACHE_STALE_SECONDS: note(
      wholeNumber(0, 31_536_000).default(86_400),
      "seconds, up to 31536000",
      "variant B: how long it may be served stale, while it is revalidated",
    ),
    CACHE_DATABASE_MB: note(
      wholeNumber(1, 65_536).default(256),
      "megabytes, from 1 to 65536",
      "variant B: size of the response cache in the database, in megabytes; the oldest are dropped first",
    ),
    CACHE_MEMORY_MB: note(
      wholeNumber(1, 65_536).default(64),
      "megabytes, from 1 to 65536",
      "size of the caches of a process, in megabytes: half for responses, the rest for what they are built from",
    ),
  } satisfies Record<Setting, z.ZodType>,
);

/** The values of all settings. */
export type Values = z.output<typeof SETTINGS>;

/** Every setting with its meaning and default, for the documentation. */
export function describeSettings(): { name: string; meaning: string; unset: string }[] {
  return Object.entries(SETTINGS.shape).map(([name, schema]) => {
    const { meaning, unset } = NOTES.get(schema)!;
    return { name, meaning, unset: unset ?? String(schema.safeParse(undefined).data ?? "unset") };
  });
}

/** What a setting takes, as the end of a message. */
export function describeTaken(name: Setting): string {
  return NOTES.get(SETTINGS.shape[name])!.takes;
}
