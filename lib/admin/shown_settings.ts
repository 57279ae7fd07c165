import type { GivenSetting } from "../config/config.ts";
import { GROUPS, type SettingName, SETTINGS } from "../config/settings.ts";
import { showLocation } from "../import/fetching/location.ts";

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

/** All settings, by group. */
export function listSettings(
  given: Readonly<Record<string, GivenSetting>>,
): { title: string; settings: ShownSetting[] }[] {
  return Object.entries(GROUPS).map(([title, group]) => ({
    title,
    settings: (Object.keys(group) as SettingName[]).map((name) => {
      const { meaning, unset } = SETTINGS[name];
      const { text, from } = given[name] ?? {};
      const value = text === undefined ? null : showSetting(name, text);
      return { name, meaning, unset, value, from: from ?? "default" };
    }),
  }));
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
  if (/(?:KEY|SECRET|TOKEN|PURGE_HEADER)$|^TOKEN_/.test(name)) return "set, not shown";
  if (name === "ROADMAP_SOURCE") return showLocation(text);
  if (!/_(?:URL|MAILBOX|HUB)$/.test(name)) return text.replace(/(?<=:\/\/)[^\s/?#@]{0,500}@/g, "");
  const url = URL.parse(text);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : "set, not shown";
}
