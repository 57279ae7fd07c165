import { FORMER_NAMES, SETTING_NAMES } from "../lib/config/setting_names.ts";

/** Names with these prefixes are meant for Roadcast, however unlike any setting. */
const OWN_PREFIX = /^ROADMAP_/;
/** How many letters may be wrong: short names resemble too many others. */
const MAX_TYPOS = { short: 1, long: 2 };
const LONG = 6;

/**
 * Names variables that look like a misspelt setting, and settings by a former name, one line each.
 *
 * ```ts
 * const [line] = describeNearMisses(["PATH", "PORT", "SMTP_URI"]);
 * if (line !== "SMTP_URI is not a setting of Roadcast; did you mean SMTP_URL?") throw new Error(line);
 * ```
 */
export function describeNearMisses(names: readonly string[]): string[] {
  const settings: readonly string[] = SETTING_NAMES;
  const renamed = new Map(Object.entries(FORMER_NAMES).map(([now, former]) => [former, now]));
  return names.filter((name) => !settings.includes(name)).sort().flatMap((name) => {
    const now = renamed.get(name);
    if (now) return [`${name} is now named ${now}; the old name still works`];
    const [nearest, distance] = findNearest(name.toUpperCase());
    const most = name.length < LONG ? MAX_TYPOS.short : MAX_TYPOS.long;
    if (distance > most && !OWN_PREFIX.test(name)) return [];
    return [`${name} is not a setting of Roadcast; did you mean ${nearest}?`];
  });
}

function findNearest(name: string): [setting: string, distance: number] {
  const measured = SETTING_NAMES.map((setting) =>
    [setting, countEdits(name, setting)] as [string, number]
  );
  return measured.reduce((nearest, other) => other[1] < nearest[1] ? other : nearest);
}

/** How many letters must be put in, left out or changed to make one word of the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 0; line < from.length; line++) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column++) {
      const changed = row[column]! + (from[line] === to[column] ? 0 : 1);
      next.push(Math.min(changed, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
