import { useRef } from "preact/hooks";
import {
  describeDateRange,
  describeDue,
  LIST_NAMES,
  listChosen,
} from "../../lib/roadmap/filter/filter_values.ts";
import {
  type FilterOptions,
  type ListedValues,
  listFields,
} from "../../lib/roadmap/filter/filter_options.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { formatDay, isCalendarDate, placeOfQuarter } from "../../lib/text/dates.ts";
import { KeptFilters } from "../kept_filters.tsx";
import { Name } from "../name.tsx";
import { QuarterChart } from "../quarters/quarter_chart.tsx";
import { CheckList, FacetMenu } from "../check_list.tsx";
import { type SearchAnswer, searchLink, type SearchQuery, withoutFilter } from "./search_query.ts";

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

/** How results are shown, which the form keeps. */
const SHOWN = ["sort", "order", "view", "from", "group", "as_of"] as const;
/** The filters that have fields, beside the field of the words; the form keeps all others. */
const FIELDS = [
  ...LIST_NAMES,
  "modified_within_days",
  "release_date_from",
  "release_date_to",
  "q",
  "include_inactive",
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
      {SHOWN.filter((name) => query[name]).map((name) => (
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
        <KeptFilters filter={query} shown={FIELDS} onDrop={(name) => onChange({ [name]: "" })} />
      </fieldset>
    </FacetMenu>
  );
}

function withPeriod(current: string): readonly (readonly [string, string])[] {
  const isKnown = current === "" || PERIODS.some(([days]) => days === current);
  return isKnown ? PERIODS : [[current, `${current} days`], ...PERIODS];
}

interface DateRangeProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  on: { change(part: Partial<SearchQuery>): void };
}

/** The quarters of the release date: a chart to choose one from, and the first and the last. */
function DateRange({ path, quarter, query, answer: { quarters }, on }: DateRangeProps) {
  const { release_date_from: from, release_date_to: to } = query;
  const names = quarters.map(({ quarter }) => quarter);
  return (
    <FacetMenu label="Date" chosen={describeDateRange(query)}>
      <fieldset>
        <legend class="visually-hidden">Release date</legend>
        <QuarterChart
          path={path}
          quarters={quarters}
          current={quarter}
          query={query}
          onPick={on.change}
        />
        <div class="date-range">
          <SelectField
            name="release_date_from"
            label="From"
            value={from}
            options={[["", "Any"], ...withBound(names, from)]}
            onPick={(release_date_from) => on.change({ release_date_from })}
          />
          <SelectField
            name="release_date_to"
            label="To"
            value={to}
            options={[["", "Any"], ...withBound(names, to)]}
            onPick={(release_date_to) => on.change({ release_date_to })}
          />
        </div>
      </fieldset>
    </FacetMenu>
  );
}

/** The quarters, and a bound that an address names. */
function withBound(quarters: readonly string[], bound: string): [value: string, words: string][] {
  const names = quarters.includes(bound) || bound === "" ? quarters : [...quarters, bound];
  return [...names].sort((a, b) => placeOf(a) - placeOf(b))
    .map((name) => [name, isCalendarDate(name) ? formatDay(name) : name]);
}

/** A day stands before the quarters. */
function placeOf(bound: string): number {
  return bound.startsWith("Q") ? placeOfQuarter(bound) : 0;
}

interface SelectFieldProps {
  name: string;
  label: string;
  value: string;
  /** Value and words; an empty value is the default. */
  options: readonly (readonly [value: string, words: string])[];
  /** Absent: a plain form with a submit button. */
  onPick?(value: string): void;
}

/** One choice of a form, with its label. */
function SelectField({ name, label, value, options, onPick }: SelectFieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select
        id={name}
        name={name}
        value={value}
        onChange={({ currentTarget }) => onPick?.(currentTarget.value)}
      >
        {options.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </select>
    </div>
  );
}

interface Chip {
  words: string;
  /** The search without it. */
  without: Partial<SearchQuery>;
}

interface ChipsProps {
  path: string;
  query: SearchQuery;
  answer: Pick<SearchAnswer, "dates">;
  onTake(without: Partial<SearchQuery>): void;
  /** The last one was taken off. */
  onNone(): void;
}

/** What is chosen, each with a link that takes it off. */
export function Chips({ path, query, answer: { dates }, onTake, onNone }: ChipsProps) {
  const list = useRef<HTMLUListElement>(null);
  const inWords = dates
    ? [...describeDateRange(dates), ...describeDue(dates.due)]
      .map((words) => ({ words, without: { q: dates.rest } }))
    : [];
  const chips = [...listChosen(query), ...inWords];
  if (chips.length === 0) return null;
  const all = withoutFilter(query);

  /** The focus goes to the next one, or to the one before. */
  function take({ without }: Chip, place: number): void {
    onTake(without);
    if (chips.length === 1) return onNone();
    const links = list.current?.querySelectorAll("a");
    links?.[place === chips.length - 1 ? place - 1 : place + 1]?.focus();
  }

  return (
    <ul class="chips" aria-label="Active filters" ref={list}>
      {chips.map((chip, place) => (
        <li key={chip.words}>
          <a
            {...searchLink(path, { ...query, ...chip.without, page: 1 }, () => take(chip, place))}
          >
            <span class="visually-hidden">Remove filter:</span> <Name text={chip.words} />
          </a>
        </li>
      ))}
      {chips.length > 1 && (
        <li key="">
          <a
            class="clear"
            {...searchLink(path, all, () => {
              onTake(all);
              onNone();
            })}
          >
            Clear all
          </a>
        </li>
      )}
    </ul>
  );
}

/** How many filters are chosen, the words aside. */
function countChips(query: SearchQuery): number {
  return listChosen(query).length;
}
