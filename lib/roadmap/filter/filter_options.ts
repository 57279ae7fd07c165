import type { Filter } from "./filter.ts";
import type { ListName } from "./filter_values.ts";
import { say } from "../../text/say.ts";

/** What the filters of a collection can be set to: the distinct values of the active items. */
export interface FilterOptions<List = string[]> {
  product_names: List;
  release_types: List;
  release_statuses: List;
  /** By their groups; empty where there are none. */
  tags: Record<string, List>;
  /** The names of the sources; empty where all items come from one. */
  sources: List;
  /** The names of dates, sorted by code point, and how many releases have each. */
  date_names: readonly { name: string; count: number }[];
}

/** The names of the sources that are a choice: none where there is only one. */
export function namesOfSeveral(names: readonly string[]): string[] {
  return names.length > 1 ? [...names].sort() : [];
}

/** The values of a filter that a form lists. */
export interface ListedValues {
  /** Those that most releases have, sorted. */
  values: readonly string[];
  /** How many there are, those that are not listed included. */
  total: number;
}

/** The tags of all groups as one list: `Platform:Web`. */
export function listTags(groups: Readonly<Record<string, ListedValues>>): ListedValues {
  const lists = Object.entries(groups);
  return {
    values: lists.flatMap(([group, { values }]) => values.map((value) => `${group}:${value}`)),
    total: lists.reduce((sum, [, { total }]) => sum + total, 0),
  };
}

/** The values of each list of the filter, by its parameter. */
export function valuesByList(
  { product_names, release_types, release_statuses, tags, sources }: FilterOptions<ListedValues>,
): Record<ListName, readonly string[]> {
  return {
    product_name: product_names.values,
    release_type: release_types.values,
    release_status: release_statuses.values,
    tag: listTags(tags).values,
    source: sources.values,
  };
}

/** What the values of a list are, as messages choose it. */
export type NamedList = "product" | "type" | "status" | "tag" | "source";

/** A note that a list is incomplete; null if it is complete. */
export function describeUnlisted({ values, total }: ListedValues, list: NamedList): string | null {
  return total > values.length ? say("list.unlisted", { shown: values.length, total, list }) : null;
}

/**
 * The values that a form lists, those first that are chosen and not listed: a link may name a value
 * that no release has (any more).
 */
export function withChosen(values: readonly string[], chosen: readonly string[]): string[] {
  return [...new Set([...chosen.filter((value) => !values.includes(value)), ...values])];
}

/** The options with a list for each group of the chosen tags: a link may name one that is gone. */
export function withTagGroups(
  options: FilterOptions<ListedValues>,
  chosen: readonly string[] = [],
): FilterOptions<ListedValues> {
  const groups = Object.keys(options.tags);
  const gone = chosen.filter((tag) => !groups.some((group) => tag.startsWith(`${group}:`)))
    .map((tag) => [tag.split(":", 1)[0]!, { values: [], total: 0 }] as const);
  return { ...options, tags: { ...options.tags, ...Object.fromEntries(gone) } };
}

/** A field of a form: a list of the filter, or the tags of a group. */
export interface ListField {
  name: ListName;
  label: string;
  list: NamedList;
  listed: ListedValues;
  /** What each value begins with and is not shown. */
  prefix?: string;
}

/** The fields of a form for the lists of the filter, in their order. */
export function listFields(options: FilterOptions<ListedValues>): ListField[] {
  return [
    {
      name: "product_name",
      label: say("field.product_name"),
      list: "product",
      listed: options.product_names,
    },
    { name: "release_type", label: say("list.type"), list: "type", listed: options.release_types },
    {
      name: "release_status",
      label: say("field.release_status"),
      list: "status",
      listed: options.release_statuses,
    },
    ...Object.entries(options.tags).map(([label, { values, total }]): ListField => {
      const prefix = `${label}:`;
      const listed = { values: values.map((value) => prefix + value), total };
      return { name: "tag", label, list: "tag", listed, prefix };
    }),
    { name: "source", label: say("list.source"), list: "source", listed: options.sources },
  ];
}

/** The lists whose values sources may spell in different cases, as parameters and as options. */
const LISTS = [
  ["product_name", "product_names"],
  ["release_type", "release_types"],
  ["release_status", "release_statuses"],
] as const;

type SpeltList = (typeof LISTS)[number][0];
type Options = FilterOptions<ListedValues>;
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Joins values that differ in case only: a form shows the first spelling, which stands for all. */
export class Spellings {
  readonly #spelt: ReadonlyMap<SpeltList, ReadonlyMap<string, readonly string[]>>;

  constructor(private readonly options: Options) {
    this.#spelt = new Map(
      LISTS.map(([name, list]) => [name, Map.groupBy(options[list].values, toKey)]),
    );
  }

  /** The options with one spelling of each value. */
  get shown(): Options {
    const lists = LISTS.map(([name, list]) => {
      const { values, total } = this.options[list];
      const shown = values.filter((value) => this.#firstOf(name, value) === value);
      return [list, { values: shown, total: total - values.length + shown.length }];
    });
    return { ...this.options, ...Object.fromEntries(lists) };
  }

  /** The lists of a filter that have more spellings than it names, with all of them. */
  allOf(filter: Filter): Partial<Record<SpeltList, string[]>> {
    return Object.fromEntries(LISTS.flatMap(([name]) => {
      const chosen = filter[name] ?? [];
      const all = chosen.flatMap((value) => [value, ...this.#spellingsOf(name, value)]);
      const different = [...new Set(all)].sort();
      return different.length > chosen.length ? [[name, different]] : [];
    }));
  }

  /** A filter that finds every spelling of what it names. */
  widen<Given extends Filter>(filter: Given): Given {
    return { ...filter, ...this.allOf(filter) };
  }

  /** Counts of each spelling, added up below the one that is shown. */
  sum<Given extends Counts>(counts: Given): Given {
    const summed = LISTS.map(([name]) => {
      const added: Record<string, number> = {};
      for (const [value, count] of Object.entries(counts[name] ?? {})) {
        const shown = this.#firstOf(name, value);
        added[shown] = (added[shown] ?? 0) + count;
      }
      return [name, added];
    });
    return { ...counts, ...Object.fromEntries(summed) };
  }

  #firstOf(name: SpeltList, value: string): string {
    return this.#spellingsOf(name, value)[0] ?? value;
  }

  #spellingsOf(name: SpeltList, value: string): readonly string[] {
    return this.#spelt.get(name)!.get(toKey(value)) ?? [];
  }
}

function toKey(value: string): string {
  return value.toLowerCase();
}
