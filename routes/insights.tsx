import { strong } from "../components/name.tsx";
import type { Insights } from "../lib/insights/insights.ts";
import { INSIGHTS_QUERY, type InsightsQuery, readInsights } from "../lib/insights/read_insights.ts";
import { parseFilter } from "../lib/roadmap/filter/filter.ts";
import { filterPairs, toFilterValues } from "../lib/roadmap/filter/filter_values.ts";
import { Spellings } from "../lib/roadmap/filter/filter_options.ts";
import { formatPairs } from "../lib/roadmap/collection.ts";
import { formatShortDay, quarterDays } from "../lib/text/dates.ts";
import { delayInWords, shareInWords } from "../lib/ui/figures_in_words.ts";
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
  ShippedSection,
  WatchedSources,
  whyNothing,
} from "../lib/ui/insights.tsx";
import { type Context, type ReadConfig, type ReadHandlers, today } from "./route.ts";
import { rich, say } from "../lib/text/messages.ts";
import { joinParts } from "../lib/text/phrases.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "How reliable the dates are",
};

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
  const { config } = services;
  const spellings = new Spellings(await services.listedOptions.read());
  const searched = spellings.widen(query);
  const [insights, readings] = await Promise.all([
    readInsights({ ...searched, match: "words" }, {
      ...services,
      variant: site.variant,
      today: today(services),
    }),
    services.sourceReadings.read(),
  ]);
  const judged = judgeReadings(readings, services.sources.current, services.clock());
  const { include_inactive: _, ...filter } = searched;
  const pairs = filterPairs(filter);
  // The page searches words, and the API counts removed releases unless it is told not to.
  const ofFigures = [
    ...filterPairs({ ...filter, match: filter.q && "words" }),
    ...query.include_inactive || !site.variant.showsInactive
      ? []
      : [["include_inactive", "false"] as const],
  ];
  const content = pageContent(
    <Layout
      title={say("layout.insights")}
      context={context}
      followed={toFilterValues(filter)}
      path="/insights"
      description={say("insights.description", { site: config.SITE_NAME })}
    >
      <div class="page-head">
        <h1>{say("insights.can_you_rely_on")}</h1>
        <Freshness judged={judged} today={today(services)} />
      </div>
      <div class="intro">
        <p class="lead">{describePromises(insights) ?? whyNothing(insights)}</p>
        <WatchedSources insights={insights} />
      </div>
      <FilterBar
        action={`${site.path}/insights`}
        filter={query}
        options={spellings.shown}
        showsRemoved={site.variant.showsInactive}
        context={context}
      />
      <div id="results">
        <Summary insights={insights} />
        <PromisesSection insights={insights} />
        {insights.watched.some(({ from }) => from < insights.as_of) && (
          <p class="notice then-and-now">
            {rich("insights.then_and_now", { b: strong })}{" "}
            <a href={`${site.path}/compare${formatPairs(pairs)}`}>
              {say("insights.compare")}
            </a>{" "}
            <a href={`${site.path}/api/insights${formatPairs(ofFigures)}`}>
              {say("insights.json")}
            </a>
          </p>
        )}
        <MovedSection moved={insights.moved} site={site} />
        <ShippedSection shipped={insights.shipped} site={site} />
        <PreviewSection preview={insights.preview} />
      </div>
    </Layout>,
  );
  return { ...content, validUntil: judged.until };
}

/** With fewer promises that can be judged, a share says more than is known. */
const FEWEST_PROMISES = 5;

/** The figures that say most, where there are any. */
function Summary({ insights: { promises, shipped, preview } }: { insights: Insights }) {
  const { due, in_time, share_in_time, median_slip_quarters: slip } = promises;
  if (due < FEWEST_PROMISES) return null;
  const since = formatShortDay(quarterDays(shipped.quarter)!.first);
  const figures = [
    {
      value: shareInWords(share_in_time),
      text: say("insights.share_on_time"),
      of: say("insights.of", { kept: in_time, due }),
    },
    ...slip === null ? [] : [{ value: delayInWords(slip), text: say("promised.delay"), of: "" }],
    ...shipped.total > 0
      ? [{
        value: String(shipped.total),
        text: say("insights.shipped_since", { day: since }),
        of: "",
      }]
      : [],
    ...shipped.planned > 0
      ? [{ value: String(shipped.planned), text: say("insights.planned_this_quarter"), of: "" }]
      : [],
    ...preview.median_days === null ? [] : [{
      value: say("count.days", { count: preview.median_days }),
      text: say("insights.typical_preview"),
      of: "",
    }],
  ];
  return (
    <dl class="summary">
      {figures.map(({ value, text, of }) => (
        <div key={text}>
          <dt>
            {joinParts(of ? [text, of] : [text])}
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
