import { ExpectedError } from "../expected_error.ts";
import { type DigestTimes, WEEKDAYS } from "../text/cadence.ts";
import { VERSION } from "../version.ts";
import { deriveDarkAccent, findLowContrast } from "./accent.ts";
import { SETTING_NAMES, type SettingName, SETTINGS, type Values } from "./settings.ts";

/** Set by Deno Deploy, where a process is stopped while no request comes, and its disk with it. */
export const HOST_VARIABLE = "DENO_DEPLOY";

/** The bytes of a megabyte, in which settings count sizes. */
export const MB = 1024 * 1024;

/** Settings are invalid; the message has one line per mistake. */
export class ConfigError extends ExpectedError {
  /** EX_CONFIG of sysexits.h: a supervisor need not try again; deploy/roadcast.service names it. */
  override readonly exitCode = 78;
}

/** A setting that is set. */
export interface GivenSetting {
  readonly text: string;
  readonly from: "environment" | ".env";
}

/** The settings of a process by their names, with what follows from several of them. */
export type Config = Readonly<ReturnType<typeof complete>> & {
  /** By name: the settings that are set, as they were given, secrets included. */
  readonly given: Readonly<Record<string, GivenSetting>>;
};

/**
 * Reads the settings from environment variables, some of which a file `.env` has set; an empty one
 * counts as unset.
 *
 * ```ts
 * const config = readConfig({ PORT: "9000", SITE_NAME: "" });
 * if (config.BASE_URL !== "http://localhost:9000") throw new Error(config.BASE_URL);
 * if (config.SITE_NAME !== "Roadcast") throw new Error(config.SITE_NAME);
 * ```
 *
 * @throws {ConfigError} that lists every wrong setting, else every conflict, one per line
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  ofFile: readonly string[] = [],
): Config {
  const values: Record<string, unknown> = {};
  const given: Record<string, GivenSetting> = {};
  const wrong: string[] = [];
  for (const name of SETTING_NAMES) {
    const text = environment[name]?.trim() || undefined;
    const { data, error } = SETTINGS[name].schema.safeParse(text);
    if (error) wrong.push(`${name} takes ${SETTINGS[name].takes}, not ${shown(name, text!)}`);
    values[name] = data;
    if (text !== undefined) {
      given[name] = { text, from: ofFile.includes(name) ? ".env" : "environment" };
    }
  }
  if (wrong.length > 0) throw new ConfigError(wrong.join("\n"));
  const isOnDeploy = Boolean(environment[HOST_VARIABLE]);
  const conflicts = [...findConflicts(values as Values, isOnDeploy)];
  if (conflicts.length > 0) throw new ConfigError(conflicts.join("\n"));
  return Object.freeze({ ...complete(values as Values, isOnDeploy), given });
}

/** Service addresses and keys may contain secrets, which no message may repeat. */
function shown(name: string, text: string): string {
  return /URL|HUB|KEY|SECRET|TOKEN|MAILBOX|PURGE_HEADER/.test(name) && name !== "BASE_URL"
    ? "the value given"
    : `"${text}"`;
}

/** Adds what follows from several settings, or from where the process runs. */
function complete(values: Values, isOnDeploy: boolean) {
  const address = new URL(values.BASE_URL ?? `http://localhost:${values.PORT}`);
  const basePath = basePathOf(address);
  const BASE_URL = address.origin + basePath;
  return {
    ...values,
    /** Without a trailing slash. */
    BASE_URL,
    /** Empty, or with a leading and without a trailing slash. */
    basePath,
    SOURCE_USER_AGENT: values.SOURCE_USER_AGENT ?? `Roadcast/${VERSION} (+${BASE_URL})`,
    /** The server does what comes due by itself; otherwise only schedulers have it done. */
    BACKGROUND_JOBS: values.BACKGROUND_JOBS ?? !isOnDeploy,
    github: {
      apiUrl: values.GITHUB_API_URL ?? "https://api.github.com",
      token: values.GITHUB_TOKEN,
    },
    gitlab: { url: values.GITLAB_URL ?? "https://gitlab.com", token: values.GITLAB_TOKEN },
    jira: { url: values.JIRA_URL, email: values.JIRA_EMAIL, token: values.JIRA_TOKEN },
    /** Null: that of static/styles/tokens.css. */
    accent: values.SITE_ACCENT === null
      ? null
      : { light: values.SITE_ACCENT, dark: deriveDarkAccent(values.SITE_ACCENT) },
    /** Null: no embedding service, so search is by substring. */
    embedding: values.OPENAI_API_KEY ?? values.OPENAI_BASE_URL
      ? {
        apiKey: values.OPENAI_API_KEY,
        baseUrl: values.OPENAI_BASE_URL,
        model: values.EMBEDDING_MODEL,
        dimensions: values.EMBEDDING_DIMENSIONS,
        /** Null: the measured one of the model is used. */
        minSimilarity: values.SEMANTIC_MIN_SIMILARITY,
      }
      : null,
    /** Null: emails are written to the log. */
    smtp: values.SMTP_URL ? { url: values.SMTP_URL, from: values.MAIL_FROM! } : null,
    /** How to get access tokens for users without a password; null: not at all. */
    mailOauth: values.MAIL_OAUTH_TOKEN_URL
      ? {
        tokenUrl: values.MAIL_OAUTH_TOKEN_URL,
        clientId: values.MAIL_OAUTH_CLIENT_ID!,
        clientSecret: values.MAIL_OAUTH_CLIENT_SECRET!,
        scope: values.MAIL_OAUTH_SCOPE,
      }
      : null,
    /** When the server sends digests by itself; null: only the command sends. */
    digestTimes: values.DIGESTS ? digestTimesOf(values) : null,
    /** When webhooks with a daily or weekly cadence get what has changed. */
    webhookTimes: digestTimesOf(values),
    /** Null: no search engine is notified of changes. */
    indexNow: values.INDEXNOW_URL ? { url: values.INDEXNOW_URL, key: values.INDEXNOW_KEY! } : null,
  };
}

function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, "");
}

function digestTimesOf({ DIGEST_TIME, DIGEST_WEEKDAY, DIGEST_ZONE }: Values): DigestTimes {
  const [hours, minutes] = DIGEST_TIME.split(":").map(Number);
  return {
    minute: hours! * 60 + minutes!,
    weekday: WEEKDAYS.indexOf(DIGEST_WEEKDAY),
    zone: DIGEST_ZONE,
  };
}

/** Settings that need another one beside them. */
const NEEDS: readonly (readonly [SettingName, SettingName])[] = [
  ["SMTP_URL", "MAIL_FROM"],
  ["MAIL_OAUTH_SCOPE", "MAIL_OAUTH_TOKEN_URL"],
  ["MAIL_OAUTH_TOKEN_URL", "MAIL_OAUTH_CLIENT_ID"],
  ["MAIL_OAUTH_TOKEN_URL", "MAIL_OAUTH_CLIENT_SECRET"],
  ["MAIL_OAUTH_CLIENT_ID", "MAIL_OAUTH_TOKEN_URL"],
  ["MAIL_OAUTH_CLIENT_SECRET", "MAIL_OAUTH_TOKEN_URL"],
  ["JIRA_EMAIL", "JIRA_TOKEN"],
  ["JIRA_TOKEN", "JIRA_URL"],
  ["ADMIN_USER_HEADER", "ADMIN_TOKEN"],
  ["INDEXNOW_URL", "INDEXNOW_KEY"],
  ["INDEXNOW_KEY", "INDEXNOW_URL"],
  ["CDN_PURGE_HEADER", "CDN_PURGE_URL"],
];

/** What is wrong with settings that are right each by itself, one line each. */
function* findConflicts(values: Values, isOnDeploy: boolean): Generator<string> {
  for (const [name, needed] of NEEDS) {
    if (values[name] !== null && values[needed] === null) {
      yield `${needed} is required with ${name}; it takes ${SETTINGS[needed].takes}`;
    }
  }
  if (values.BOUNCE_MAILBOX?.password === "" && !values.MAIL_OAUTH_TOKEN_URL) {
    yield `BOUNCE_MAILBOX needs a password, or MAIL_OAUTH_TOKEN_URL; it takes ${SETTINGS.BOUNCE_MAILBOX.takes}`;
  }
  if (values.ADMIN_USER_HEADER && values.TRUSTED_PROXIES === 0) {
    yield "TRUSTED_PROXIES is required with ADMIN_USER_HEADER: it counts the proxies that set the header";
  }
  if (values.ROADMAP_SOURCE && values.ROADMAP_CONFIG) {
    yield "Set ROADMAP_SOURCE or ROADMAP_CONFIG, not both: list every source in the file";
  }
  if (values.ADMIN_PROXY.length > 0 && !values.ADMIN_USER_HEADER) {
    yield `ADMIN_USER_HEADER is required with ADMIN_PROXY; it takes ${SETTINGS.ADMIN_USER_HEADER.takes}`;
  }
  const { BASE_URL, ROADMAP_VARIANT } = values;
  if (ROADMAP_VARIANT === "both" && BASE_URL && basePathOf(new URL(BASE_URL)) === "/b") {
    // Behind a proxy that strips the path, /b is variant B, otherwise variant A.
    yield "BASE_URL cannot have the path /b with ROADMAP_VARIANT=both, which serves variant B at /b: set another path";
  }
  if (isOnDeploy && !values.DATABASE_URL) {
    yield "DATABASE_URL is required on Deno Deploy, where files do not persist: assign a PostgreSQL to the app";
  }
  const lowContrast = values.SITE_ACCENT && findLowContrast(values.SITE_ACCENT);
  if (lowContrast) yield `SITE_ACCENT: ${lowContrast}`;
}
