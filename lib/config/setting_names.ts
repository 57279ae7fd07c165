/**
 * The names of all settings, which `tools/roadcast.ts` has to know: no package runs there, so this
 * module imports none.
 */
export const SETTING_NAMES = [
  "PORT",
  "HOST",
  "PROXY_STRIPS_PATH",
  "BASE_URL",
  "DATABASE_URL",
  "DATA_DIR",
  "ROADMAP_VARIANT",
  "ROADMAP_SOURCE",
  "ROADMAP_SOURCE_KIND",
  "ROADMAP_CONFIG",
  "ROADMAP_MAX_MB",
  "ROADMAP_SYNC_MINUTES",
  "SOURCE_USER_AGENT",
  "READY_MAX_AGE_MINUTES",
  "GITHUB_TOKEN",
  "GITHUB_API_URL",
  "GITLAB_TOKEN",
  "GITLAB_URL",
  "JIRA_EMAIL",
  "JIRA_TOKEN",
  "LOG_REQUESTS",
  "SITE_NAME",
  "SITE_LOGO",
  "SITE_PREVIEW",
  "SITE_ACCENT",
  "SITE_ACCENT_DARK",
  "SITE_LINKS",
  "SITE_FOOTER_LINKS",
  "SITE_IMPRINT",
  "EMBED_ORIGINS",
  "SMTP_URL",
  "MAIL_FROM",
  "MAIL_OAUTH_TOKEN_URL",
  "MAIL_OAUTH_CLIENT_ID",
  "MAIL_OAUTH_CLIENT_SECRET",
  "MAIL_OAUTH_SCOPE",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "EMBEDDING_MODEL",
  "EMBEDDING_DIMENSIONS",
  "SEMANTIC_MIN_SIMILARITY",
  "QUESTION_LIMIT",
  "QUESTION_BUDGET",
  "TRUSTED_PROXIES",
  "MCP",
  "LINK_ACTION",
  "SUBSCRIBE_LIMIT",
  "VERIFICATION_LIMIT",
  "DIGESTS",
  "BACKGROUND_JOBS",
  "DIGEST_TIME",
  "DIGEST_WEEKDAY",
  "DIGEST_ZONE",
  "WEBHOOK_ALLOW_PRIVATE",
  "WEBSUB_HUB",
  "INDEXNOW_KEY",
  "INDEXNOW_URL",
  "BOUNCE_SECRET",
  "BOUNCE_MAILBOX",
  "TOKEN_SECRET",
  "ADMIN_TOKEN",
  "ADMIN_USER_HEADER",
  "ADMIN_PROXY",
  "CACHE_FRESH_SECONDS",
  "CACHE_STALE_SECONDS",
  "CACHE_DATABASE_MB",
  "CACHE_MEMORY_MB",
] as const;

/** Former names of settings, which still work. */
export const FORMER_NAMES: Readonly<Partial<Record<(typeof SETTING_NAMES)[number], string>>> = {
  CACHE_DATABASE_MB: "CACHE_COPIES_MB",
};

/** Set by Deno Deploy, where a process is stopped while no request comes, and its disk with it. */
export const HOST_VARIABLE = "DENO_DEPLOY";

/** Set by `deno task`: the names of the variables that the file `.env` has set. */
export const ENV_FILE_VARIABLE = "ROADCAST_ENV_FILE";

/** All variables that `readConfig` reads. */
export const VARIABLE_NAMES: readonly string[] = [
  ...SETTING_NAMES,
  ...Object.values(FORMER_NAMES),
  HOST_VARIABLE,
  ENV_FILE_VARIABLE,
];
