import { editDistance } from "../text/match_words.ts";
import { SETTING_NAMES } from "./settings.ts";

/** Names that begin so are meant for Roadcast, however unlike any setting. */
const OWN_PREFIX = /^(?:ROADMAP|CACHE|SITE|DIGEST|EMBED|SEMANTIC|QUESTION|VERIFICATION|SUBSCRIBE)_/;
/** How many letters may be wrong: short names resemble too many others. */
const MAX_TYPOS = { short: 1, long: 2 };
const LONG = 6;

/**
 * Names variables that look like a setting but are none, one line each.
 *
 * ```ts
 * const [line] = describeNearMisses(["PATH", "PORT", "SMTP_URI"]);
 * if (line !== "SMTP_URI is not a setting of Roadcast; did you mean SMTP_URL?") throw new Error(line);
 * ```
 */
export function describeNearMisses(names: readonly string[]): string[] {
  const settings: readonly string[] = SETTING_NAMES;
  return names.filter((name) => !settings.includes(name)).sort().flatMap((name) => {
    const distances = SETTING_NAMES.map((setting) => editDistance(name.toUpperCase(), setting));
    const distance = Math.min(...distances);
    const most = name.length < LONG ? MAX_TYPOS.short : MAX_TYPOS.long;
    if (distance > most && !OWN_PREFIX.test(name)) return [];
    const hint = distance > most
      ? "docs/settings.md lists all settings"
      : `did you mean ${SETTING_NAMES[distances.indexOf(distance)]}?`;
    return [`${name} is not a setting of Roadcast; ${hint}`];
  });
}
