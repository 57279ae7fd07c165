import { findLowContrast } from "./accent.ts";
import { describeTaken, type Values } from "./settings.ts";

/** What is wrong with settings that are right each by itself, one line each. */
export function* findConflicts(values: Values, isOnDeploy: boolean): Generator<string> {
  if (values.SMTP_URL && !values.MAIL_FROM) {
    yield `MAIL_FROM is required with SMTP_URL; it takes ${describeTaken("MAIL_FROM")}`;
  }
  const client = [
    "MAIL_OAUTH_TOKEN_URL",
    "MAIL_OAUTH_CLIENT_ID",
    "MAIL_OAUTH_CLIENT_SECRET",
  ] as const;
  const [given] = [...client, "MAIL_OAUTH_SCOPE" as const].filter((name) => values[name]);
  for (const name of client) {
    if (given && !values[name]) {
      yield `${name} is required with ${given}; it takes ${describeTaken(name)}`;
    }
  }
  if (values.BOUNCE_MAILBOX && !values.BOUNCE_MAILBOX.password && !given) {
    yield `BOUNCE_MAILBOX needs a password, or MAIL_OAUTH_TOKEN_URL; it takes ${
      describeTaken("BOUNCE_MAILBOX")
    }`;
  }
  if (values.JIRA_EMAIL && !values.JIRA_TOKEN) {
    yield `JIRA_TOKEN is required with JIRA_EMAIL; it takes ${describeTaken("JIRA_TOKEN")}`;
  }
  if (values.ADMIN_USER_HEADER && !values.ADMIN_TOKEN) {
    yield `ADMIN_TOKEN is required with ADMIN_USER_HEADER; it takes ${
      describeTaken("ADMIN_TOKEN")
    }`;
  }
  if (values.ADMIN_USER_HEADER && values.TRUSTED_PROXIES === 0) {
    yield "TRUSTED_PROXIES is required with ADMIN_USER_HEADER: it counts the proxies that set the header";
  }
  if (values.ADMIN_PROXY && !values.ADMIN_USER_HEADER) {
    yield `ADMIN_USER_HEADER is required with ADMIN_PROXY; it takes ${
      describeTaken("ADMIN_USER_HEADER")
    }`;
  }
  if (values.INDEXNOW_URL && !values.INDEXNOW_KEY) {
    yield `INDEXNOW_KEY is required with INDEXNOW_URL; it takes ${describeTaken("INDEXNOW_KEY")}`;
  }
  if (values.INDEXNOW_KEY && !values.INDEXNOW_URL) {
    yield `INDEXNOW_URL is required with INDEXNOW_KEY; it takes ${describeTaken("INDEXNOW_URL")}`;
  }
  if (values.ROADMAP_SOURCE && values.ROADMAP_CONFIG) {
    yield "Set ROADMAP_SOURCE or ROADMAP_CONFIG, not both: list every source in the file";
  }
  if (
    values.ROADMAP_VARIANT === "both" && values.BASE_URL && basePathOf(values.BASE_URL) === "/b"
  ) {
    // Behind a proxy that strips the path, /b is variant B, otherwise variant A.
    yield "BASE_URL cannot have the path /b with ROADMAP_VARIANT=both, which serves variant B at /b: set another path";
  }
  if (isOnDeploy && !values.DATABASE_URL) {
    yield "DATABASE_URL is required on Deno Deploy, where files do not persist: assign a PostgreSQL to the app";
  }
  const { SITE_ACCENT, SITE_ACCENT_DARK } = values;
  const inLight = SITE_ACCENT && findLowContrast(SITE_ACCENT, "light");
  if (inLight) yield `SITE_ACCENT: ${inLight}`;
  const inDark = SITE_ACCENT_DARK && findLowContrast(SITE_ACCENT_DARK, "dark");
  if (inDark) yield `SITE_ACCENT_DARK: ${inDark}`;
}

/** The path of an address, without a slash at its end. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, "");
}
