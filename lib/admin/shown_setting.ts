import type { GivenSetting } from "../config/config.ts";
import { describeSettings } from "../config/settings.ts";
import { showLocation } from "../import/reading/location.ts";

/** A setting as its page shows it. */
export interface ShownSetting {
  readonly name: string;
  /** Without secrets; null: it is not set. */
  readonly value: string | null;
  readonly from: GivenSetting["from"] | "default";
  /** What holds where it is not set. */
  readonly unset: string;
  readonly meaning: string;
}

/** The groups of settings, each with how the names of its settings begin. */
const GROUPS: readonly [title: string, names: RegExp][] = [
  ["Server", /^(PORT|HOST|BASE_URL|TRUSTED_PROXIES|LOG_REQUESTS|MCP|BACKGROUND_JOBS|READY_)/],
  ["Database and caches", /^(DATABASE_|DATA_DIR|CACHE_)/],
  ["Sources", /^(ROADMAP_|SOURCE_|GITHUB_|GITLAB_|JIRA_)/],
  ["Name and look", /^SITE_/],
  ["Email and webhooks", /^(SMTP_|MAIL_|DIGEST|LINK_|SUBSCRI|VERIFICATION_|WEBHOOK_|BOUNCE_)/],
  ["Operators and secrets", /^(ADMIN_|TOKEN_)/],
  ["Search by meaning", /^(OPENAI_|EMBEDDING_|SEMANTIC_|QUESTION_)/],
];

/** All settings, by group. */
export function listSettings(
  given: Readonly<Record<string, GivenSetting>>,
): { title: string; settings: ShownSetting[] }[] {
  const all = describeSettings().map(({ name, meaning, unset }): ShownSetting => {
    const { text, from } = given[name] ?? {};
    const value = text === undefined ? null : showSetting(name, text);
    return { name, meaning, unset, value, from: from ?? "default" };
  });
  const groupOf = (name: string) => GROUPS.find(([, names]) => names.test(name))?.[0] ?? "Other";
  const groups = Map.groupBy(all, ({ name }) => groupOf(name));
  return [...GROUPS.map(([title]) => title), "Other"].flatMap((title) => {
    const settings = groups.get(title);
    return settings ? [{ title, settings }] : [];
  });
}

/**
 * The value of a setting without secrets.
 *
 * ```ts
 * const shown = showSetting("DATABASE_URL", "postgres://me:secret@db.example:5432/roadmap?x=1");
 * if (shown !== "postgres://db.example:5432/roadmap") throw new Error(shown);
 * if (showSetting("WEBSUB_HUB", "https://me:word@hub.example/") !== "https://hub.example/") throw new Error();
 * if (showSetting("ADMIN_TOKEN", "secret") !== "set, not shown") throw new Error();
 * ```
 */
export function showSetting(name: string, text: string): string {
  if (/(?:KEY|SECRET|TOKEN)$|^TOKEN_/.test(name)) return "set, not shown";
  if (name === "ROADMAP_SOURCE") return showLocation(text);
  if (!/_(?:URL|MAILBOX|HUB)$/.test(name)) return text.replace(/(?<=:\/\/)[^\s/?#@]*@/g, "");
  const url = URL.parse(text);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : "set, not shown";
}
