import type { Filter } from "./filter.ts";
import type { FilterOptions } from "./filter_options.ts";
import type { ListedValues } from "./listed_values.ts";

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
