import {
  type Cadence,
  CADENCES,
  describeCadence,
  type DigestTimes,
  nextSlot,
} from "../../text/cadence.ts";
import { DUE_PERIODS, groupTags } from "../../roadmap/filter/filter_values.ts";
import { describeDue } from "../../roadmap/filter/filter_words.ts";
import { choosesReleases, listsOf } from "../../roadmap/filter/preference_lists.ts";
import { CHANGE_KINDS, KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import { countOf, toLine } from "../../text/phrases.ts";
import { excerpt } from "../../text/plain_text.ts";
import { coversNothing, type Preferences } from "./subscriptions_sql.ts";

/** More values of one list are counted, not named. */
const MAX_NAMED = 5;
/** So much of a value is shown, in characters. */
const VALUE_LENGTH = 60;

/**
 * What comes, and when, as a sentence.
 *
 * ```ts
 * const none = { filter: {}, releases: [], cadence: "weekly" as const };
 * const times = { minute: 420, weekday: 1, zone: "UTC" };
 * const chosen = { ...none, scope: "chosen" as const, releases: ["1"] };
 * const filter = { product_name: ["Maps", "Mail"] };
 * const words = describePreferences({ ...chosen, filter }, times);
 * const comes = "changes to Maps and Mail releases, and to the release you watch.";
 * if (words !== `Every Monday at 07:00 UTC: ${comes}`) throw new Error(words);
 * const all = describePreferences({ ...none, scope: "all" }, null);
 * if (all !== "In the weekly email, if anything changed.") throw new Error(all);
 * ```
 */
export function describePreferences(
  preferences: Covered & Pick<Preferences, "cadence">,
  times: DigestTimes | null,
): string {
  if (coversNothing(preferences)) {
    return "You're not watching any releases, so we won't email you.";
  }
  const { cadence, scope, filter, releases } = preferences;
  const when = capitalise(describeTimes(cadence, times));
  const isAtOnce = cadence === "immediate";
  if (Object.keys(filter).length === 0 && scope !== "chosen") {
    const what = scope === "all" ? "anything" : watchedInWords(releases);
    const changes = scope === "all" || releases.length === 1 ? "changes" : "change";
    return `${when}, ${isAtOnce ? `when ${what} ${changes}` : `if ${what} changed`}.`;
  }
  return `${when}: ${describeScope(preferences)}.`;
}

/** What preferences say of releases and changes. */
type Covered = Omit<Preferences, "cadence" | "upcoming" | "reminders">;

/** The changes that a subscriber gets, for a sentence. */
export function describeScope(preferences: Covered): string {
  const { kinds: wanted } = listsOf(preferences.filter);
  const kinds = CHANGE_KINDS.filter((kind) => wanted.includes(kind))
    .map((kind) => KINDS_IN_WORDS[kind].name);
  const only = kinds.length > 0 ? ` (${joinWords(kinds, "and")} only)` : "";
  return `changes to ${describeReleases(preferences)}${only}`;
}

function describeReleases({ scope, filter, releases }: Covered): string {
  const watched = watchedInWords(releases);
  if (scope === "watched") return watched;
  if (scope === "all" || !choosesReleases(filter)) return "all releases";
  const { products, types, statuses, tags, sources, searches, due } = listsOf(filter);
  const periods = DUE_PERIODS.filter((period) => due.includes(period));
  const having = [
    ...statuses.length > 0 ? [`status ${joinWords(statuses, "or")}`] : [],
    ...[...groupTags(tags)].map(([group, values]) =>
      `${excerpt(toLine(group), { length: VALUE_LENGTH })} ${joinWords(values, "or")}`
    ),
  ];
  const found = [
    ...searches.length > 0 ? [`match ${joinWords(searches.map((q) => `“${q}”`), "or")}`] : [],
    ...due.length > 0 ? [`are ${joinWords(periods.flatMap(describeDue), "or")}`] : [],
  ];
  const chosen = [
    products.length > 0 ? `${joinWords(products, "and")} releases` : "releases",
    types.length > 0 && `of type ${joinWords(types, "or")}`,
    sources.length > 0 && `from ${joinWords(sources, "or")}`,
    found.length > 0 && `that ${found.join(" and ")}`,
    having.length > 0 && `with ${having.join(" and ")}`,
  ].filter(Boolean).join(" ");
  return `${chosen}${releases.length > 0 ? `, and to ${watched}` : ""}`;
}

function watchedInWords({ length }: readonly string[]): string {
  return length === 1 ? "the release you watch" : `the ${countOf(length, "release")} you watch`;
}

/** When a cadence brings mail; without times the operator decides. */
function describeTimes(cadence: Cadence, times: DigestTimes | null): string {
  if (times !== null) return describeCadence(cadence, times);
  return cadence === "immediate" ? "in the next email" : `in the ${cadence} email`;
}

function joinWords(values: readonly string[], last: "and" | "or"): string {
  const named = values.length > MAX_NAMED ? values.slice(0, MAX_NAMED - 1) : values;
  const words = named.map((value) => excerpt(toLine(value), { length: VALUE_LENGTH }));
  if (named.length < values.length) words.push(`${values.length - named.length} more`);
  return words.length === 1
    ? words[0]!
    : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

function capitalise(words: string): string {
  return words[0]!.toUpperCase() + words.slice(1);
}

/** Each cadence with when it brings mail, and the next time where it has times, for a form. */
export function listCadences(
  times: DigestTimes | null,
  now: Date,
): [cadence: Cadence, when: string, next: string | null][] {
  return CADENCES.map((cadence) => [
    cadence,
    capitalise(describeTimes(cadence, times)),
    times === null || cadence === "immediate" ? null : nextSlot(cadence, now, times).toISOString(),
  ]);
}
