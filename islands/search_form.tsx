import type { ListedValues } from "../lib/roadmap/listed_values.ts";
import { FilterList } from "./filter_list.tsx";
import { SelectField } from "./select_field.tsx";
import type { SearchQuery } from "./search_query.ts";

/** The filter values of this site. */
export interface Choices {
  product_names: ListedValues;
  release_types: ListedValues;
  release_statuses: ListedValues;
  /** Empty if all releases come from one source. */
  sources: ListedValues;
  /** Removed releases can be shown as well. */
  showsInactive: boolean;
}

interface SearchFormProps {
  path: string;
  choices: Choices;
  query: SearchQuery;
  on: {
    change(part: Partial<SearchQuery>): void;
    type(q: string): void;
    again(): void;
  };
}

/** Parameters of the address that have no field in the form. */
const HIDDEN_FIELDS = [
  "modified_since",
  "release_date_from",
  "release_date_to",
  "order",
  "view",
] as const;

const PERIODS: readonly (readonly [string, string])[] = [
  ["1", "Since yesterday"],
  ["7", "7 days"],
  ["14", "14 days"],
  ["30", "30 days"],
];

/** The form: words, filters and order. Without a script it is a plain GET. */
export function SearchForm({ path, choices, query, on }: SearchFormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    on.again();
  };
  const lists = [
    { name: "product_name", label: "Product", many: "products", listed: choices.product_names },
    { name: "release_type", label: "Type", many: "types", listed: choices.release_types },
    { name: "release_status", label: "Status", many: "statuses", listed: choices.release_statuses },
    { name: "source", label: "Source", many: "sources", listed: choices.sources },
  ] as const;
  const offered = lists.filter(({ name, listed }) =>
    name !== "source" || listed.total > 0 || query.source.length > 0
  );
  return (
    <form class="search-form" role="search" action={`${path}/`} method="get" onSubmit={submit}>
      <div class="field search-box">
        <label for="q">Search the roadmap</label>
        <div class="with-button">
          <input
            id="q"
            name="q"
            type="search"
            maxLength={1000}
            autocomplete="off"
            spellcheck={false}
            value={query.q}
            onInput={({ currentTarget }) => on.type(currentTarget.value)}
          />
          <button type="submit">Search</button>
        </div>
      </div>
      <fieldset class="filters">
        <legend>Filters</legend>
        {offered.map((list) => (
          <FilterList
            key={list.name}
            {...list}
            chosen={query[list.name]}
            onChange={(chosen) => on.change({ [list.name]: chosen })}
          />
        ))}
        <SelectField
          name="modified_within_days"
          label="Modified within"
          value={query.modified_within_days}
          options={[["", "Any time"], ...withPeriod(query.modified_within_days)]}
          onPick={(modified_within_days) => on.change({ modified_within_days })}
        />
        <SelectField
          name="sort"
          label="Sort by"
          value={query.sort}
          options={sortOptions(query)}
          onPick={(sort) => on.change({ sort })}
        />
        {choices.showsInactive && (
          <label class="check">
            <input
              type="checkbox"
              name="include_inactive"
              value="true"
              checked={query.include_inactive === "true"}
              onChange={({ currentTarget }) =>
                on.change({ include_inactive: currentTarget.checked ? "true" : "" })}
            />
            Show removed releases
          </label>
        )}
      </fieldset>
      {HIDDEN_FIELDS.filter((name) => query[name]).map((name) => (
        <input key={name} type="hidden" name={name} value={query[name]} />
      ))}
    </form>
  );
}

function withPeriod(current: string): readonly (readonly [string, string])[] {
  const isKnown = current === "" || PERIODS.some(([days]) => days === current);
  return isKnown ? PERIODS : [[current, `${current} days`], ...PERIODS];
}

/** With search words the default order is the best match first. */
function sortOptions({ q }: SearchQuery): readonly (readonly [string, string])[] {
  return q.trim()
    ? [["", "Best match"], ["last_modified", "Last modified"], ["release_date", "Release date"]]
    : [["", "Last modified"], ["release_date", "Release date"]];
}
