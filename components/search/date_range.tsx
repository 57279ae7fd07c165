import { describeDates } from "../../lib/roadmap/filter/filter_in_words.ts";
import { formatDay, isCalendarDate, placeOfQuarter } from "../../lib/text/dates.ts";
import { QuarterChart } from "../quarters/quarter_chart.tsx";
import type { SearchAnswer } from "./search_answer.ts";
import type { SearchQuery } from "./search_query.ts";
import { FacetMenu } from "./facet_menu.tsx";
import { SelectField } from "../select_field.tsx";

interface DateRangeProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  on: { change(part: Partial<SearchQuery>): void };
}

/** The quarters of the release date: a chart to choose one from, and the first and the last. */
export function DateRange({ path, quarter, query, answer: { quarters }, on }: DateRangeProps) {
  const { release_date_from: from, release_date_to: to } = query;
  const names = quarters.map(({ quarter }) => quarter);
  return (
    <FacetMenu label="Date" chosen={describeDates(query)}>
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
