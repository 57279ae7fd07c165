import {
  formatDay,
  formatMonth,
  isCalendarDate,
  lastDayOfMonth,
  quarterBoundedBy,
  quarterDays,
  showQuarter,
} from "../../text/dates.ts";
import {
  capitalise,
  joinParts,
  listInWords,
  shorten,
  toLine,
  withinSentence,
} from "../../text/phrases.ts";
import {
  FILTER_NAMES,
  type FilterName,
  type FilterValues,
  groupTags,
  isList,
  NO_FILTER,
} from "./filter_values.ts";
import { language, say } from "../../text/messages.ts";

/** A filter as an address holds it: texts, and lists of them. */
type Given = Readonly<Record<string, string | readonly string[]>>;

/** What a parameter is about; in this order a title names what is chosen. */
const ABOUT = ["question", "subject", "state", "plan", "change", "scope"] as const;

/** How a parameter of the filter is said and taken off. */
interface FilterWords {
  readonly about: (typeof ABOUT)[number];
  /** What it demands, as words within a sentence; a list names its values. */
  readonly words?: (value: string, filter: Given) => string[];
  /** The parameter that it is said and taken off with. */
  readonly with?: string;
}

/** What is said of each parameter of the filter. */
const FILTER_WORDS = {
  product_name: { about: "subject" },
  release_type: { about: "state" },
  release_status: { about: "state" },
  tag: { about: "subject" },
  source: { about: "subject" },
  modified_within_days: {
    about: "change",
    words: (days) =>
      days === "" ? [] : [
        say("filter.modified_within", { days: Number(days) }),
      ],
  },
  modified_since: {
    about: "change",
    words: (day) => day === "" ? [] : [say("filter.modified_since", { day: showDay(day) })],
  },
  date_name: {
    about: "plan",
    words: describeDateName,
  },
  release_date_from: {
    about: "plan",
    words: (release_date_from, { release_date_to }) =>
      describeDateRange({ release_date_from, release_date_to: release_date_to as string }),
  },
  release_date_to: { about: "plan", with: "release_date_from" },
  due: { about: "plan", words: describeDue },
  q: {
    about: "question",
    words: (q) =>
      q.trim() === ""
        ? []
        : [say("filter.words", { words: shorten(toLine(q.trim()), MAX_VALUE_LENGTH) })],
  },
  match: { about: "question", with: "q" },
  include_inactive: {
    about: "scope",
    words: (flag) => flag === "" ? [] : [say("filter.including_removed")],
  },
} as const satisfies Readonly<Record<FilterName, FilterWords>>;

/** How a parameter is described. */
export function filterWords(name: FilterName): FilterWords {
  return FILTER_WORDS[name];
}

/** By which date a filter asks, as words within a sentence; empty: by the release date. */
export function describeDateName(name: string): string[] {
  return name === ""
    ? []
    : [say("filter.by_date", { name: shorten(toLine(name), MAX_VALUE_LENGTH) })];
}

/** What a filter demands of the planned day, as words within a sentence; empty: nothing. */
export function describeDue(due: string): string[] {
  if (due === "") return [];
  return [
    due === "overdue"
      ? say("filter.overdue")
      : say("filter.due", { days: Number(due.replace(/\D/g, "")) }),
  ];
}

/** The most values of a list to name, and characters of each. */
const MAX_NAMED = 3;
const MAX_VALUE_LENGTH = 60;

/**
 * What a filter lets through, as the title of a feed; empty: everything.
 *
 * ```ts
 * import "../../text/messages.ts";
 * import { NO_FILTER } from "./filter_values.ts";
 * const quarter = { release_date_from: "2026-07-01", release_date_to: "2026-09-30" };
 * const filter = { ...NO_FILTER, product_name: ["Power BI"], release_status: ["Shipped"], ...quarter };
 * const words = describeFilter(filter);
 * if (words !== "Power BI, shipped, planned for Q3 2026") throw new Error(words);
 * ```
 */
export function describeFilter(filter: FilterValues): string {
  const parts = SAID.flatMap((name) => partsOf(name, filter));
  return joinParts(parts.map(({ first, later }, place) => place === 0 ? first : later));
}

/** What is said of a filter, by the parameters that say it, in the order of a title. */
const SAID = ABOUT.flatMap((about) =>
  FILTER_NAMES.filter((name) =>
    filterWords(name).about === about && filterWords(name).with === undefined
  )
);

function partsOf(name: FilterName, filter: FilterValues): Part[] {
  const { about, words } = filterWords(name);
  if (!isList(name)) return (words?.(filter[name], filter) ?? []).map(phrase);
  const groups = name === "tag" ? [...groupTags(filter.tag).values()] : [filter[name]];
  return groups.flatMap((values) => nameValues(values, about === "state" ? value : proper));
}

/** A choice of a filter that can be taken off on its own. */
interface ChosenPart {
  /** The parameters that hold it; only one value of a list. */
  names: readonly FilterName[];
  words: string;
  /** What a filter has instead when it is taken off. */
  without: Partial<FilterValues>;
}

/**
 * What a filter demands beside its question, piece by piece.
 *
 * ```ts
 * import "../../text/messages.ts";
 * import { NO_FILTER } from "./filter_values.ts";
 * const filter = { ...NO_FILTER, product_name: ["Mail", "Maps"], release_date_to: "Q3 2026" };
 * const words = listChosen(filter).map(({ words }) => words).join("; ");
 * if (words !== "Mail; Maps; planned until Q3 2026") throw new Error(words);
 * if (listChosen(filter)[0]!.without.product_name!.join() !== "Maps") throw new Error();
 * ```
 */
export function listChosen(filter: FilterValues): ChosenPart[] {
  return SAID.filter((name) => name !== "q").flatMap((name): ChosenPart[] => {
    if (isList(name)) {
      return filter[name].map((value) => ({
        names: [name],
        words: value,
        without: { [name]: filter[name].filter((one) => one !== value) },
      }));
    }
    const names = FILTER_NAMES.filter((one) => one === name || filterWords(one).with === name);
    const without = Object.fromEntries(names.map((one) => [one, NO_FILTER[one]]));
    return (filterWords(name).words?.(filter[name], filter) ?? [])
      .map((words) => ({ names, words, without }));
  });
}

/** One parameter of a filter in words; empty: it is said with another one. */
export function describeOne(name: FilterName, value: string): string {
  return describeFilter({ ...NO_FILTER, [name]: isList(name) ? [value] : value });
}

/**
 * The filters that a search is tried without where it finds nothing: each list, what is asked of the
 * planned date, of the last change, and what else may leave all out.
 */
export const FILTER_GROUPS: readonly (readonly FilterName[])[] = [
  ...Map.groupBy(
    FILTER_NAMES.filter((name) => !["question", "scope"].includes(filterWords(name).about)),
    (name) => isList(name) ? name : filterWords(name).about,
  ).values(),
];

/** A part of a title, in its form at the start and in its form after another part. */
interface Part {
  first: string;
  later: string;
}

function proper(text: string): Part {
  return { first: text, later: text };
}

function value(text: string): Part {
  return { first: text, later: language().tag === "en" ? withinSentence(text) : text };
}

function phrase(text: string): Part {
  return { first: capitalise(text), later: text };
}

/** The values of a list, as one part. */
function nameValues(values: readonly string[], toPart: (text: string) => Part): Part[] {
  if (values.length === 0) return [];
  const named = values.length > MAX_NAMED ? values.slice(0, MAX_NAMED - 1) : values;
  const left = values.length - named.length;
  const [start, ...others] = named.map((text) => toPart(shorten(toLine(text), MAX_VALUE_LENGTH)));
  const rest = [
    ...others.map(({ later }) => later),
    ...left > 0 ? [say("list.more", { count: left })] : [],
  ];
  const either = (first: string) => listInWords([first, ...rest], "disjunction");
  return [{ first: either(start!.first), later: either(start!.later) }];
}

/** What a filter demands of the release date or a named one, as words within a sentence; empty: nothing. */
export function describeDateRange(
  { release_date_from: from, release_date_to: to, date_name }:
    & Pick<FilterValues, "release_date_from" | "release_date_to">
    & Partial<Pick<FilterValues, "date_name">>,
): string[] {
  if (!from && !to) return [];
  const [first, last] = showRange(from, to);
  const kind = date_name ? "named" : "planned";
  const name = shorten(toLine(date_name ?? ""), MAX_VALUE_LENGTH);
  if (!from) return [say(`filter.${kind}_until`, { name, date: last })];
  if (!to) return [say(`filter.${kind}_from`, { name, date: first })];
  return [
    first === last
      ? say(`filter.${kind}_for`, { name, date: first })
      : say(`filter.${kind}_between`, { name, from: first, to: last }),
  ];
}

/** Quarters where both ends are ends of quarters, else a month or days. */
function showRange(from: string, to: string): [first: string, last: string] {
  const quarters = [toQuarter(from, "first"), toQuarter(to, "last")] as const;
  if (quarters[0] !== null && quarters[1] !== null) {
    return quarters.map((quarter) => showQuarter(quarter!)) as [string, string];
  }
  const [first, last] = [quarterDays(from)?.first ?? from, quarterDays(to)?.last ?? to];
  const month = monthOf(first, last);
  return month ? [month, month] : [showDay(first), showDay(last)];
}

/** A bound as a quarter; empty where there is none, null where it is a day inside of one. */
function toQuarter(bound: string, end: "first" | "last"): string | null {
  return bound === "" || quarterDays(bound) ? bound : quarterBoundedBy(bound, end);
}

/** The month that two days are the first and the last of, such as `Oct 2026`. */
function monthOf(first: string, last: string): string | null {
  if (!isCalendarDate(first) || !first.endsWith("-01")) return null;
  const [year, month] = first.split("-").map(Number);
  return last === lastDayOfMonth(year!, month!) ? formatMonth(first) : null;
}

/** An address may hold anything, until the server has read it. */
function showDay(day: string): string {
  return isCalendarDate(day) ? formatDay(day) : day;
}
