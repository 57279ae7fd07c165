import {
  type Cadence,
  CADENCES,
  describeCadence,
  type DigestTimes,
  nextSlot,
} from "../../text/cadence.ts";
import { DUE_PERIODS, groupTags } from "../../roadmap/filter/filter_values.ts";
import { describeDateName, describeDue } from "../../roadmap/filter/filter_words.ts";
import {
  choosesReleases,
  filterOf,
  listsOf,
  type PreferenceLists,
} from "../../roadmap/filter/preference_lists.ts";
import { CHANGE_KINDS, nameKind } from "../../roadmap/changes/kinds.ts";
import { capitalise, joinParts, listInWords, toLine } from "../../text/phrases.ts";
import { excerpt } from "../../text/plain_text.ts";
import { coversNothing, type Preferences } from "./subscriptions_sql.ts";
import { say } from "../../text/messages.ts";

/** More values of one list are counted, not named. */
const MAX_NAMED = 5;
/** So much of a value is shown, in characters. */
const VALUE_LENGTH = 60;

/** What a form to subscribe asks for, as a sentence. */
export function describeLists(
  lists: PreferenceLists,
  cadence: Cadence,
  times: DigestTimes | null,
): string {
  const filter = filterOf(lists);
  const scope = Object.keys(filter).length > 0 ? "chosen" : "all";
  return describePreferences({ scope, filter, releases: [], cadence }, times);
}

/** What comes, and when, as a sentence. */
export function describePreferences(
  preferences: Covered & Pick<Preferences, "cadence">,
  times: DigestTimes | null,
): string {
  if (coversNothing(preferences)) {
    return say("covers.nothing");
  }
  const { cadence, scope, filter, releases } = preferences;
  const when = capitalise(describeTimes(cadence, times));
  if (Object.keys(filter).length === 0 && scope !== "chosen") {
    // None stands for all releases.
    const watched = scope === "all" ? 0 : releases.length;
    return cadence === "immediate"
      ? say("covers.when", { when, watched })
      : say("covers.if", { when, watched });
  }
  return say("covers.scope", { when, scope: describeScope(preferences) });
}

/** What preferences say of releases and changes. */
type Covered = Omit<Preferences, "cadence" | "upcoming" | "reminders">;

/** The changes that a subscriber gets, for a sentence. */
export function describeScope(preferences: Covered): string {
  const { kinds: wanted, date_name } = listsOf(preferences.filter);
  const kinds = CHANGE_KINDS.filter((kind) => wanted.includes(kind))
    .map(nameKind);
  const dates = date_name.flatMap((name) => describeDateName(name));
  const words = joinParts([describeReleases(preferences), ...dates]);
  return kinds.length > 0
    ? say("covers.only", { changes: words, kinds: joinWords(kinds, "conjunction") })
    : words;
}

function describeReleases({ scope, filter, releases }: Covered): string {
  const watched = releases.length;
  if (scope === "watched") {
    return say("covers.watched", { watched });
  }
  if (scope === "all" || !choosesReleases(filter)) return say("covers.all");
  const { products, types, statuses, tags, sources, searches, due } = listsOf(filter);
  const periods = DUE_PERIODS.filter((period) => due.includes(period));
  const having = [
    ...statuses.length > 0 ? [say("covers.status", { values: anyOf(statuses) })] : [],
    ...[...groupTags(tags)].map(([group, values]) =>
      say("covers.tag", {
        group: excerpt(toLine(group), { length: VALUE_LENGTH }),
        values: anyOf(values),
      })
    ),
  ];
  const found = [
    ...searches.length > 0
      ? [
        say("covers.match", {
          words: anyOf(searches.map((words) => say("filter.words", { words }))),
        }),
      ]
      : [],
    ...due.length > 0 ? [say("covers.due", { periods: anyOf(periods.flatMap(describeDue)) })] : [],
  ];
  const conditions = [
    ...types.length > 0 ? [say("covers.type", { values: anyOf(types) })] : [],
    ...sources.length > 0 ? [say("covers.source", { values: anyOf(sources) })] : [],
    ...found.length > 0 ? [say("covers.that", { conditions: listInWords(found) })] : [],
    ...having.length > 0 ? [say("covers.with", { conditions: listInWords(having) })] : [],
  ];
  const chosen = [
    products.length > 0
      ? say("covers.products", { products: joinWords(products, "conjunction") })
      : say("covers.releases"),
    ...conditions,
  ].join(say("covers.space"));
  return watched === 0 ? chosen : say("covers.and_watched", { chosen, watched });
}

/** When a cadence brings mail; without times the operator decides. */
function describeTimes(cadence: Cadence, times: DigestTimes | null): string {
  if (times !== null) return describeCadence(cadence, times);
  return say("cadence.email", { cadence });
}

function anyOf(values: readonly string[]): string {
  return joinWords(values, "disjunction");
}

function joinWords(values: readonly string[], type: "conjunction" | "disjunction"): string {
  const named = values.length > MAX_NAMED ? values.slice(0, MAX_NAMED - 1) : values;
  const words = named.map((value) => excerpt(toLine(value), { length: VALUE_LENGTH }));
  if (named.length < values.length) {
    words.push(say("list.more", { count: values.length - named.length }));
  }
  return listInWords(words, type);
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
