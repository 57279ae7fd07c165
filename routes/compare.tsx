import {
  type ComparisonQuery,
  defaultFrom,
  describeOutcomes,
  parseComparison,
} from "../lib/roadmap/as_of/comparison.ts";
import { readComparison } from "../lib/roadmap/as_of/comparison_sql.ts";
import { connectAsOf, readFirstDay } from "../lib/roadmap/as_of/items_as_of_sql.ts";
import { toFilterValues } from "../lib/roadmap/filter/filter_values.ts";
import { Spellings } from "../lib/roadmap/filter/spellings.ts";
import { searchWords } from "../lib/roadmap/words/search_words.ts";
import { countOf } from "../lib/text/count_of.ts";
import { formatDay } from "../lib/text/dates.ts";
import { FilterBar } from "../lib/ui/filter_bar.tsx";
import { Layout, SKIP_TO_RESULTS } from "../lib/ui/layout.tsx";
import { OutcomeLists } from "../lib/ui/outcome_lists.tsx";
import { pageContent } from "../lib/ui/render_page.ts";
import { resolveFilter } from "../lib/roadmap/filter/filter.ts";
import { type Context, type ReadConfig, type ReadHandlers, today } from "./route.ts";

/** The most releases of one list. */
const MAX_LISTED = 200;

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "What became of the releases planned on a day",
};

/** What became of the releases that were planned on a day. */
export const handler: ReadHandlers = {
  GET: {
    read({ query }, context) {
      const parsed = parseComparison(query, today(context.services));
      return { normalised: parsed, build: () => build(parsed, context) };
    },
  },
};

async function build(query: ComparisonQuery, context: Context) {
  const { services, site } = context;
  const { database, config } = services;
  const firstDay = await readFirstDay(database);
  const { to, from = defaultFrom(to, firstDay) } = query;
  const filter = { ...query, include_inactive: false };
  const spellings = new Spellings(await services.listedOptions.read());
  const widened = spellings.widen(filter);
  const { filter: searched } = await searchWords(
    { ...resolveFilter(widened, from), match: "words" },
    connectAsOf(database, from),
  );
  const comparison = await readComparison(database, {
    from,
    to: to < today(services) ? to : null,
    filter: searched,
    precision: site.variant.datePrecision,
    limit: MAX_LISTED,
  });
  return pageContent(
    <Layout
      title={`Roadmap of ${formatDay(from)} compared with ${formatDay(to)}`}
      frame={context}
      followed={toFilterValues(widened)}
      path="/compare"
      description={`What became of the releases planned on the roadmap of ${config.SITE_NAME}.`}
      skip={SKIP_TO_RESULTS}
    >
      <div class="intro" data-filtered>
        <h1>Then and now</h1>
        <p>
          What became of the releases planned on {formatDay(from)}, as of {formatDay(to)}.
        </p>
        {firstDay !== null && from < firstDay && (
          <p class="notice" role="note">
            The first import is as of {formatDay(firstDay)}: nothing is known of the roadmap before.
          </p>
        )}
      </div>
      <FilterBar
        action={`${site.path}/compare`}
        filter={filter}
        options={spellings.shown}
        showsRemoved={false}
        frame={context}
      >
        <DayField name="from" label="From" value={from} max={today(services)} />
        <DayField name="to" label="To" value={to} max={today(services)} />
      </FilterBar>
      <p class="count" role="status">
        {describeOutcomes(comparison.counts, from)}
        {describeAdded(comparison.added)}
      </p>
      <div id="results" tabIndex={-1} data-filtered>
        <OutcomeLists comparison={comparison} site={site} />
      </div>
    </Layout>,
  );
}

function DayField({ name, label, value, max }: {
  name: string;
  label: string;
  value: string;
  max: string;
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type="date" value={value} max={max} />
    </div>
  );
}

function describeAdded(count: number): string {
  if (count === 0) return "";
  return ` ${countOf(count, "release")} ${count === 1 ? "was" : "were"} added since.`;
}
