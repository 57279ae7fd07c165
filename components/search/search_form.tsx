import { type FilterName, LIST_NAMES, NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import type { ListField } from "../../lib/roadmap/filter/filter_options.ts";
import { formatPlanned, placeOfQuarter } from "../../lib/text/dates.ts";
import { FacetMenu } from "../check_list.tsx";
import { FilterForm, MoreMenu } from "../filter_form.tsx";
import { QuarterChart } from "../quarters/quarter_chart.tsx";
import { type SearchAnswer, searchLink, type SearchQuery, withoutFilter } from "./search_query.ts";
import { say } from "../../lib/text/say.ts";

/** The filter values of this site. */
export interface Choices {
  lists: readonly ListField[];
  /** Removed releases can be shown as well. */
  showsInactive: boolean;
  /** Within how many days a release can have changed. */
  periods: SelectFieldProps["options"];
  /** What the search can go by: the release date or a named one; absent: there are no others. */
  dates?: Pick<SelectFieldProps, "label" | "options">;
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
  "date_name",
  "release_date_from",
  "release_date_to",
  "q",
  "include_inactive",
] as const;

/**
 * The form: words, and filters that are folded on a small screen. Without a script it is a plain
 * GET.
 */
export function SearchForm({ path, choices, quarter, query, answer, on }: SearchFormProps) {
  /** The link that takes a part of the filter off. */
  const takeOff = (part: Partial<SearchQuery>) =>
    searchLink(path, { ...query, ...part, page: 1 }, () => on.change(part));
  const { date, more } = readMenus(query, answer);
  const count = date.chosen.length + more.chosen.length +
    LIST_NAMES.reduce((sum, name) => sum + query[name].length, 0);
  const filters = { path, quarter, query, answer, on };
  const lists = choices.lists.map((list) => ({
    ...list,
    countFor: (value: string) => countOfValue(answer.counts[list.name], value),
    chosen: query[list.name],
    takeOff: takeOff({
      [list.name]: query[list.name].filter((value) => !value.startsWith(list.prefix ?? "")),
    }),
    onChange: (chosen: string[]) => on.change({ [list.name]: chosen }),
  }));

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (event.submitter?.className !== "apply") return on.again();
    event.submitter!.closest("details")!.open = false;
    on.show();
  }

  return (
    <FilterForm
      form={{
        id: "search-form",
        class: "search-form",
        role: "search",
        action: `${path}/`,
        onSubmit: submit,
      }}
      count={count}
      lists={lists}
      apply={say("search.show", { count: answer.total })}
      hidden={SHOWN.map((name) => [name, query[name] ?? ""] as const).filter(([, value]) => value)}
    >
      <DateRange
        {...filters}
        {...choices}
        chosen={date.chosen}
        takeOff={takeOff(date.without)}
      />
      <MoreFilters
        {...filters}
        chosen={more.chosen}
        takeOff={takeOff(more.without)}
        {...choices}
      />
      {count > 0 && (
        <a
          class="clear"
          {...searchLink(path, withoutFilter(query), () => {
            on.change(withoutFilter(query));
            on.show();
          })}
        >
          {say("filter.clear")}
        </a>
      )}
    </FilterForm>
  );
}

/** The address may name any value, such as `constructor`. */
function countOfValue(counts: Readonly<Record<string, number>>, value: string): number {
  return Object.hasOwn(counts, value) ? counts[value]! : 0;
}

/** The filters of the menu "Date"; those without a menu of their own are in "More". */
const DATES: readonly FilterName[] = ["date_name", "release_date_from", "release_date_to", "due"];

/** What a menu without a list says, and the search without it. */
interface MenuState {
  chosen: string[];
  without: Partial<SearchQuery>;
}

/** What is chosen in the menus "Date", which has the dates among the words too, and "More". */
function readMenus(query: SearchQuery, { said, rest }: Pick<SearchAnswer, "said" | "rest">) {
  const stateOf = (isOwn: (name: FilterName) => boolean): MenuState => {
    const own = said.chosen.filter(({ names }) =>
      isOwn(names[0]!) && names.some((name) => query[name].length > 0)
    );
    return {
      chosen: own.map(({ words }) => words),
      without: Object.fromEntries(
        own.flatMap(({ names }) => names.map((name) => [name, NO_FILTER[name]])),
      ),
    };
  };
  const date = stateOf((name) => DATES.includes(name));
  if (rest !== undefined) {
    date.chosen.push(...said.dates);
    date.without = { ...date.without, q: rest };
  }
  return { date, more: stateOf((name) => !DATES.includes(name)) };
}

interface FilterProps extends Pick<SearchFormProps, "path" | "quarter" | "query" | "answer"> {
  chosen: readonly string[];
  takeOff: ReturnType<typeof searchLink>;
  on: { change(part: Partial<SearchQuery>): void };
}

/** What few filter by. */
function MoreFilters(
  { query, answer, showsInactive, periods, chosen, takeOff, on: { change: onChange } }:
    & FilterProps
    & Pick<Choices, "showsInactive" | "periods">,
) {
  return (
    <MoreMenu
      chosen={chosen}
      takeOff={takeOff}
      filter={query}
      shown={FIELDS}
      wordsOf={(name) => answer.said.kept[name] ?? ""}
      onDrop={(name) => onChange({ [name]: "" })}
    >
      <SelectField
        name="modified_within_days"
        label={say("filter.changed_within")}
        value={query.modified_within_days}
        options={periods}
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
          {say("filter.show_removed")}
        </label>
      )}
    </MoreMenu>
  );
}

/** By which date, and its quarters: a chart to choose one from, and the first and the last. */
function DateRange(
  { path, quarter, query, answer: { quarters }, dates, chosen, takeOff, on }:
    & FilterProps
    & Pick<Choices, "dates">,
) {
  const { release_date_from: from, release_date_to: to } = query;
  const names = quarters.map(({ quarter }) => quarter);
  return (
    <FacetMenu label={say("filter.date")} chosen={chosen} takeOff={takeOff}>
      <fieldset>
        <legend class="visually-hidden">{say("field.release_date")}</legend>
        {dates && (
          <SelectField
            {...dates}
            name="date_name"
            value={query.date_name}
            onPick={(date_name) => on.change({ date_name })}
          />
        )}
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
            label={say("filter.from")}
            value={from}
            options={withBound(names, from)}
            onPick={(release_date_from) => on.change({ release_date_from })}
          />
          <SelectField
            name="release_date_to"
            label={say("filter.to")}
            value={to}
            options={withBound(names, to)}
            onPick={(release_date_to) => on.change({ release_date_to })}
          />
        </div>
      </fieldset>
    </FacetMenu>
  );
}

/** Any, the quarters, and a bound that an address names. */
function withBound(quarters: readonly string[], bound: string): [value: string, words: string][] {
  return [...new Set(["", ...quarters, bound])].sort((a, b) => placeOf(a) - placeOf(b))
    .map((name) => [name, name ? formatPlanned(name) : say("filter.any")]);
}

/** A day stands before the quarters. */
function placeOf(bound: string): number {
  return bound[0] === "Q" ? placeOfQuarter(bound) : 0;
}

interface SelectFieldProps {
  name: string;
  label: string;
  value: string;
  /** Value and words; an empty value is the default. */
  options: readonly (readonly [value: string, words: string])[];
  onPick(value: string): void;
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
        onChange={({ currentTarget }) => onPick(currentTarget.value)}
      >
        {options.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
      </select>
    </div>
  );
}
