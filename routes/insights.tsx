import type { Insights } from "../lib/insights/insights.ts";
import { INSIGHTS_QUERY, type InsightsQuery, readInsights } from "../lib/insights/read_insights.ts";
import { parseFilter } from "../lib/roadmap/filter/filter.ts";
import { filterPairs, toFilterValues } from "../lib/roadmap/filter/filter_values.ts";
import { Spellings } from "../lib/roadmap/filter/filter_options.ts";
import { formatPairs } from "../lib/roadmap/collection.ts";
import { countOf } from "../lib/text/phrases.ts";
import { FilterBar } from "../lib/ui/filter_bar.tsx";
import { judgeReadings } from "../lib/import/source_readings_sql.ts";
import { Freshness } from "../lib/ui/dates.tsx";
import { Layout } from "../lib/ui/layout.tsx";
import { pageContent } from "../lib/ui/render_page.tsx";
import {
  describePromises,
  MovedSection,
  PreviewSection,
  PromisesSection,
  shareInWords,
  ShippedSection,
  slipInWords,
  WatchedSources,
} from "../lib/ui/insights.tsx";
import { type Context, type ReadConfig, type ReadHandlers, today } from "./route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "How reliable the dates are",
};

/** How reliable the dates are, drawn and as tables. */
export const handler: ReadHandlers = {
  GET: {
    read({ query }, context) {
      const parsed = parseFilter(INSIGHTS_QUERY, query, context.site.variant);
      return { normalised: parsed, build: () => build(parsed, context) };
    },
  },
};

async function build(query: InsightsQuery, context: Context) {
  const { services, site } = context;
  const { database, config } = services;
  const spellings = new Spellings(await services.listedOptions.read());
  const searched = spellings.widen(query);
  const [insights, readings] = await Promise.all([
    readInsights({ ...searched, match: "words" }, {
      database,
      variant: site.variant,
      today: today(services),
    }),
    services.sourceReadings.read(),
  ]);
  const judged = judgeReadings(readings, services.sources.current, services.clock());
  const { include_inactive: _, ...filter } = searched;
  const pairs = filterPairs(filter);
  const content = pageContent(
    <Layout
      title="Insights"
      frame={context}
      followed={toFilterValues(filter)}
      path="/insights"
      description={`How reliable the dates on the roadmap of ${config.SITE_NAME} are, in figures.`}
    >
      <div class="intro">
        <h1>Can you rely on these dates?</h1>
        <div data-filtered>
          <p class="lead">
            {describePromises(insights) ?? "How reliable the dates are, by every change seen."}
          </p>
          <WatchedSources insights={insights} />
        </div>
        <Freshness judged={judged} today={today(services)} />
      </div>
      <FilterBar
        action={`${site.path}/insights`}
        filter={query}
        options={spellings.shown}
        showsRemoved={site.variant.showsInactive}
        frame={context}
      />
      <div data-filtered>
        <Summary insights={insights} />
        <PromisesSection insights={insights} />
        <p class="notice then-and-now">
          <strong>Then and now.</strong> What happened to the releases that were planned on a day?
          {" "}
          <a href={`${site.path}/compare${formatPairs(pairs)}`}>Open the comparison</a>{" "}
          <a href={`${site.path}/api/insights${formatPairs(pairs)}`}>JSON</a>
        </p>
        <MovedSection moved={insights.moved} site={site} />
        <ShippedSection shipped={insights.shipped} site={site} />
        <PreviewSection preview={insights.preview} />
      </div>
    </Layout>,
  );
  return { ...content, validUntil: judged.until };
}

/** The four figures that say most. */
function Summary({ insights: { promises, shipped, preview } }: { insights: Insights }) {
  const figures = [
    {
      text: "Promises kept on time",
      value: shareInWords(promises.share_in_time),
    },
    { text: "Median slip of a promise", value: slipInWords(promises.median_slip_quarters) },
    {
      text: `Shipped in ${shipped.quarter}; ${shipped.planned} still planned`,
      value: String(shipped.total),
    },
    {
      text: "Median time in preview",
      value: preview.median_days === null ? "–" : countOf(preview.median_days, "day"),
    },
  ];
  return (
    <dl class="summary">
      {figures.map(({ value, text }) => (
        <div key={text}>
          <dt>{text}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
