import { type Cadence, CADENCES, describeCadence, type DigestTimes } from "../../text/cadence.ts";
import { countOf } from "../../text/count_of.ts";
import { toLine } from "../../text/to_line.ts";

/**
 * What comes, and when, for a sentence.
 *
 * ```ts
 * const all = { products: [], types: [], statuses: [], releases: [], cadence: "weekly" } as const;
 * const words = describePreferences({ ...all, products: ["Maps", "Mail"] }, { minute: 420, weekday: 1 });
 * if (words !== "releases of Maps or Mail, every Monday at 07:00 UTC") throw new Error(words);
 * if (describePreferences(all, null) !== "all releases, in the weekly mail") throw new Error();
 * ```
 */
export function describePreferences(
  { products, types, statuses, releases, cadence }: {
    readonly products: readonly string[];
    readonly types: readonly string[];
    readonly statuses: readonly string[];
    readonly releases: readonly string[];
    readonly cadence: Cadence;
  },
  times: DigestTimes | null,
): string {
  const lists = [
    products.length > 0 && `of ${joinWords(products)}`,
    types.length > 0 && `of type ${joinWords(types)}`,
    statuses.length > 0 && `with status ${joinWords(statuses)}`,
  ].filter(Boolean);
  const watched = releases.length > 0 ? countOf(releases.length, "watched release") : null;
  const what = lists.length > 0
    ? [`releases ${lists.join(", ")}`, watched].filter(Boolean).join(", and ")
    : watched ?? "all releases";
  return `${what}, ${describeTimes(cadence, times)}`;
}

/** When a cadence brings mail; without times the operator decides. */
export function describeTimes(cadence: Cadence, times: DigestTimes | null): string {
  if (times !== null) return describeCadence(cadence, times);
  return cadence === "immediate" ? "with the next mail" : `in the ${cadence} mail`;
}

function joinWords(values: readonly string[]): string {
  const words = values.map(toLine);
  return words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Each cadence with when it brings mail, for a form. */
export function listCadences(times: DigestTimes | null): [cadence: Cadence, when: string][] {
  return CADENCES.map((cadence) => {
    const when = describeTimes(cadence, times);
    return [cadence, when[0]!.toUpperCase() + when.slice(1)];
  });
}
