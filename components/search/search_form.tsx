import { useRef } from "preact/hooks";
import type { FilterOptions } from "../../lib/roadmap/filter/filter_options.ts";
import { listFields } from "../../lib/roadmap/filter/list_fields.ts";
import type { ListedValues } from "../../lib/roadmap/filter/listed_values.ts";
import { FacetMenu } from "./facet_menu.tsx";
import { countOf } from "../../lib/text/count_of.ts";
import { countChips } from "./chips.tsx";
import { DateRange } from "./date_range.tsx";
import { CheckList } from "./check_list.tsx";
import type { SearchAnswer } from "./search_answer.ts";
import type { SearchQuery } from "./search_query.ts";
import { SelectField } from "../select_field.tsx";

/** The filter values of this site. */
export interface Choices extends FilterOptions<ListedValues> {
  /** Removed releases can be shown as well. */
  showsInactive: boolean;
}

interface SearchFormProps {
  path: string;
  choices: Choices;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  on: {
    change(part: Partial<SearchQuery>): void;
    again(): void;
    /** Leads to the results. */
    show(): void;
  };
}

/** Parameters of the address that have no field in the form. */
const HIDDEN_FIELDS = [
  "sort",
  "order",
  "view",
  "from",
  "group",
  "as_of",
  "modified_since",
  "due",
] as const;

const PERIODS: readonly (readonly [string, string])[] = [
  ["1", "Since yesterday"],
  ["7", "7 days"],
  ["14", "14 days"],
  ["30", "30 days"],
];

/**
 * The form: words, and filters that are folded on a small screen. Without a script it is a plain
 * GET.
 */
export function SearchForm({ path, choices, quarter, query, answer, on }: SearchFormProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  const chosen = countChips(query);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (event.submitter?.className !== "apply") return on.again();
    if (fold.current) fold.current.open = false;
    on.show();
  }

  return (
    <form
      id="search-form"
      class="search-form"
      role="search"
      action={`${path}/`}
      // A browser that goes back would tick what the address before did not have.
      autocomplete="off"
      onSubmit={submit}
    >
      <details class="fold" ref={fold}>
        <summary>{chosen > 0 ? `Filters (${chosen})` : "Filters"}</summary>
        <div class="filters">
          {listFields(choices)
            .filter(({ name, listed }) => listed.total > 0 || query[name].length > 0)
            .map((list) => (
              <CheckList
                key={list.label}
                {...list}
                countFor={(value) => countOfValue(answer.counts[list.name], value)}
                chosen={query[list.name]}
                onChange={(chosen) => on.change({ [list.name]: chosen })}
              />
            ))}
          <DateRange path={path} quarter={quarter} query={query} answer={answer} on={on} />
          <MoreFilters query={query} showsInactive={choices.showsInactive} onChange={on.change} />
          <button type="submit" class="apply">Show {countOf(answer.total, "release")}</button>
        </div>
      </details>
      {HIDDEN_FIELDS.filter((name) => query[name]).map((name) => (
        <input key={name} type="hidden" name={name} value={query[name]} />
      ))}
    </form>
  );
}

/** The address may name any value, such as `constructor`. */
function countOfValue(counts: Readonly<Record<string, number>>, value: string): number {
  return Object.hasOwn(counts, value) ? counts[value]! : 0;
}

/** What few filter by. */
function MoreFilters({ query, showsInactive, onChange }: {
  query: SearchQuery;
  showsInactive: boolean;
  onChange(part: Partial<SearchQuery>): void;
}) {
  return (
    <FacetMenu label="More" chosen={[]}>
      <fieldset>
        <legend class="visually-hidden">More filters</legend>
        <SelectField
          name="modified_within_days"
          label="Modified within"
          value={query.modified_within_days}
          options={[["", "Any time"], ...withPeriod(query.modified_within_days)]}
          onPick={(modified_within_days) => onChange({ modified_within_days })}
        />
        {showsInactive && (
          <label class="check">
            <input
              type="checkbox"
              name="include_inactive"
              value="true"
              checked={query.include_inactive === "true"}
              onChange={({ currentTarget }) =>
                onChange({ include_inactive: currentTarget.checked ? "true" : "" })}
            />
            Show removed releases
          </label>
        )}
      </fieldset>
    </FacetMenu>
  );
}

function withPeriod(current: string): readonly (readonly [string, string])[] {
  const isKnown = current === "" || PERIODS.some(([days]) => days === current);
  return isKnown ? PERIODS : [[current, `${current} days`], ...PERIODS];
}
