import { deepStrictEqual as assertEquals, throws } from "node:assert/strict";
import { ConfigError, readConfig } from "../../lib/config/config.ts";
import { describeNearMisses } from "../../lib/config/environment.ts";
import { SETTING_NAMES } from "../../lib/config/settings.ts";
import { renewSettings, writeExample } from "../../tools/settings_table.ts";

/** What each setting does not take. */
const WRONG: Partial<Record<(typeof SETTING_NAMES)[number], string[]>> = {
  PORT: ["http", "-1", "65536", "80.5"],
  HOST: ["http://localhost", "127.0.0.1:80", "[::1]:80", "a b", "*"],
  BASE_URL: ["example.com", "ftp://example.com", "https://example.com/?a=b", "https://a/#b"],
  DATABASE_URL: ["mysql://localhost/x", "localhost:5432", "postgres://a:100%@localhost/x"],
  ROADMAP_VARIANT: ["c", "ab"],
  ROADMAP_SYNC_MINUTES: ["0", "hourly"],
  SITE_LOGO: ["logo.gif"],
  SITE_PREVIEW: ["preview.svg"],
  LANGUAGE: ["xx", "english", "de-AT"],
  SITE_ACCENT: ["teal", "#fff", "rgb(0,0,0)"],
  SITE_LINKS: ["https://example.com", "Docs", "Docs javascript:alert(1)", "Docs //evil.example"],
  SITE_FOOTER_LINKS: ["a /a; ".repeat(9), `${"a".repeat(41)} /a`, "Docs https://"],
  SITE_IMPRINT: ["a".repeat(501)],
  WEBSUB_HUB: ["https://me:word@hub.example/", "hub.example"],
  INDEXNOW_URL: ["https://me@search.example/"],
  EMBED_ORIGINS: [
    "*",
    "example.com",
    "'self'",
    "null",
    "https://*.example.com",
    "https://example.com/path",
    "https://example.com?a=b",
    "https://user@example.com",
    "https://example.com;script-src",
    "https://example.com, https://example.org",
    "http://[::1]:3000",
    "ftp://example.com",
    Array.from({ length: 21 }, (_, place) => `https://${place}.example`).join(" "),
  ],
  SMTP_URL: ["http://localhost", "mail.example.com"],
  MAIL_FROM: ["nobody", "a@b\r\nBcc: c@d"],
  OPENAI_BASE_URL: ["api.example.com"],
  EMBEDDING_DIMENSIONS: ["0", "many"],
  SEMANTIC_MIN_SIMILARITY: ["2", "close"],
  QUESTION_LIMIT: ["-1", "few", "1.5"],
  QUESTION_BUDGET: ["-1", "all"],
  TRUSTED_PROXIES: ["yes", "-1"],
  LINK_ACTION: ["post"],
  MAIL_RATE: ["-1", "30/min"],
  SUBSCRIBE_LIMIT: ["0", "none"],
  VERIFICATION_LIMIT: ["0", "none"],
  DIGESTS: ["yes", "weekly"],
  DIGEST_TIME: ["7:00", "24:00", "07:60", "7am"],
  DIGEST_WEEKDAY: ["mon", "1"],
  DIGEST_ZONE: ["Mars/Olympus", "+02:00", "CET/DST", "Europe/Berlin, UTC", "local"],
  WEBHOOK_ALLOW_PRIVATE: ["yes", "on"],
  ADMIN_TOKEN: ["short", "with a blank in it"],
  MAIL_OAUTH_TOKEN_URL: ["login.example.com", "http://login.example.com/token"],
  BOUNCE_MAILBOX: [
    "mail.example.com",
    "imap://user:password@mail.example.com/INBOX",
    "imaps://mail.example.com/INBOX",
    "imaps://user:password@mail.example.com/INBOX?tls=no",
    "imap://user:password@127.0.0.1.example.com/INBOX",
    "https://user:password@mail.example.com/INBOX",
  ],
  BOUNCE_SECRET: ["fifteen-letters", "with a blank in it"],
  ADMIN_USER_HEADER: ["X User", "Authorization", "cookie"],
  ADMIN_PROXY: ["proxy", "10.0.0.1,10.0.0.2", "10.1", "10.0.0.0/33", "10.0.0.1 x"],
  CACHE_FRESH_SECONDS: ["1h", "-1"],
  CACHE_STALE_SECONDS: ["1h", "-1"],
};

Deno.test("An invalid setting is reported with its valid values", () => {
  for (const [name, values] of Object.entries(WRONG)) {
    for (const value of values) {
      throws(() => readConfig({ [name]: value }), (error: ConfigError) => {
        assertEquals(error.name, "ConfigError");
        assertEquals([value, error.message.startsWith(`${name} takes `)], [value, true]);
        return true;
      });
    }
  }
});

Deno.test("Both variants cannot be served if each would be at /b", () => {
  for (const BASE_URL of ["https://example.com/b", "https://example.com/b/"]) {
    throws(() => readConfig({ BASE_URL, ROADMAP_VARIANT: "both" }), {
      message: /^BASE_URL cannot have the path \/b with ROADMAP_VARIANT=both/,
    });
    assertEquals(readConfig({ BASE_URL, ROADMAP_VARIANT: "b" }).basePath, "/b");
  }
  const { basePath } = readConfig({
    BASE_URL: "https://example.com/x/b",
    ROADMAP_VARIANT: "both",
  });
  assertEquals(basePath, "/x/b");
});

Deno.test("An empty setting counts as unset", () => {
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, ""]));
  assertEquals(readConfig(empty), readConfig({}));
  assertEquals(
    readConfig(Object.fromEntries(SETTING_NAMES.map((name) => [name, "  "]))),
    readConfig({}),
  );
});

Deno.test("The defaults are those that scripts rely on", () => {
  const config = readConfig({});
  const {
    PORT: port,
    HOST: host,
    BASE_URL: baseUrl,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    ROADMAP_VARIANT: variant,
    ROADMAP_SOURCE: source,
    ROADMAP_SYNC_MINUTES: syncMinutes,
  } = config;
  assertEquals(
    [port, host, baseUrl, databaseUrl, dataDir, variant, source, syncMinutes],
    [8000, "0.0.0.0", "http://localhost:8000", null, "./data", "a", null, 60],
  );
  const {
    SITE_NAME: siteName,
    smtp,
    embedding,
    TRUSTED_PROXIES: trustedProxies,
    LINK_ACTION: linkAction,
    SUBSCRIBE_LIMIT: subscribeLimit,
  } = config;
  assertEquals(
    [siteName, smtp, embedding, trustedProxies, linkAction, subscribeLimit],
    ["Roadcast", null, null, 0, "get", 10],
  );
  assertEquals([config.QUESTION_LIMIT, config.QUESTION_BUDGET], [60, 1_000]);
  assertEquals([config.CACHE_FRESH_SECONDS, config.CACHE_STALE_SECONDS], [86_400, 86_400]);
  assertEquals(readConfig({ OPENAI_API_KEY: "key" }).embedding, {
    apiKey: "key",
    baseUrl: null,
    model: "text-embedding-3-small",
    dimensions: 1536,
    minSimilarity: null,
  });
  assertEquals(readConfig({ PORT: "9000" }).BASE_URL, "http://localhost:9000");
});

Deno.test("docs/settings.md describes every setting as it is", async () => {
  const document = await Deno.readTextFile(new URL("../../docs/settings.md", import.meta.url));
  assertEquals(document, await renewSettings(), "Run `deno task generate`");
});

Deno.test(".env.example names every setting, with its default", async () => {
  const text = await Deno.readTextFile(new URL("../../.env.example", import.meta.url));
  assertEquals(text, writeExample(), "Run `deno task generate`");
  const example = Object.fromEntries(
    [...text.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );
  assertEquals(Object.keys(example).sort(), [...SETTING_NAMES].sort());
  const { given: _, ...config } = readConfig(example);
  assertEquals({ ...config, given: {} }, readConfig({}));
});

Deno.test("Names that look like a setting but are none are reported", () => {
  assertEquals(
    describeNearMisses([
      "CACHE_COPIES_MB",
      "SMPT_URL",
      "ROADMAP_FILE",
      "CACHE_HOME",
      "GITHUB_ACTIONS",
    ]),
    [
      "CACHE_COPIES_MB is not a setting of Roadcast; docs/settings.md lists all settings",
      "CACHE_HOME is not a setting of Roadcast; docs/settings.md lists all settings",
      "ROADMAP_FILE is not a setting of Roadcast; docs/settings.md lists all settings",
      "SMPT_URL is not a setting of Roadcast; did you mean SMTP_URL?",
    ],
  );
  assertEquals(
    describeNearMisses(["SMTP_URL_FILE", "LOG_REQUESTS", "RELATED_WORDS"]),
    ["LOG_REQUESTS", "RELATED_WORDS"].map((name) =>
      `${name} is no longer a setting of Roadcast: it has no effect`
    ),
  );
  assertEquals(
    describeNearMisses(["PATH", "HOME", "POSTGRES_PASSWORD", "DENO_DIR", "HOSTNAME"]),
    [],
  );
});
