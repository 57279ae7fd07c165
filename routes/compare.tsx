import { Name } from "../components/name.tsx";
import {
  type ComparisonQuery,
  defaultFrom,
  describeOutcomes,
  OUTCOMES,
  parseComparison,
} from "../lib/roadmap/as_of/comparison.ts";
import {
  type ComparedRelease,
  type Comparison,
  connectAsOf,
  readComparison,
} from "../lib/roadmap/as_of/as_of_sql.ts";
import { shownValues } from "../lib/roadmap/changes/change_in_words.ts";
import { titleKind } from "../lib/roadmap/changes/kinds.ts";
import { resolveFilter } from "../lib/roadmap/filter/filter.ts";
import { toFilterValues } from "../lib/roadmap/filter/filter_values.ts";
import { Spellings } from "../lib/roadmap/filter/filter_options.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import { searchWords } from "../lib/roadmap/words/search_words.ts";
import { StatusBadge } from "../components/status.tsx";
import { foreign } from "../lib/text/foreign.ts";
import { toLine } from "../lib/text/phrases.ts";
import { cleanName } from "../lib/text/plain_text.ts";
import { formatDay, formatPlanned } from "../lib/text/dates.ts";
import { ReleaseLink } from "../lib/ui/release_parts.tsx";
import { MovedDate } from "../lib/ui/changelog_entries.tsx";
import { FilterBar } from "../lib/ui/filter_bar.tsx";
import { Layout, skipToResults } from "../lib/ui/layout.tsx";
import { pageContent } from "../lib/ui/render_page.tsx";
import { type Context, type ReadConfig, type ReadHandlers, today } from "./route.ts";
import { say } from "../lib/text/messages.ts";

/** The most releases of one list. */
const MAX_LISTED = 200;

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "What happened to the releases planned on a day",
};

export const handler: ReadHandlers = {
  GET: {
    read({ query }, context) {
      const parsed = parseComparison(query, today(context.services));
      const plan = { normalised: parsed, build: () => build(parsed, context) };
      if (!parsed.isReversed) return plan;
      return { ...plan, live: async () => ({ ...await plan.build(), status: 400 }) };
    },
  },
};

async function build(query: ComparisonQuery, context: Context) {
  const { services, site } = context;
  const { database, config } = services;
  const firstDay = await services.firstDay.read();
  const { to, from = defaultFrom(to, firstDay) } = query;
  const filter = { ...query, include_inactive: false };
  const spellings = new Spellings(await services.listedOptions.read());
  const widened = spellings.widen(filter);
  const { filter: searched } = await searchWords(
    { ...resolveFilter(widened, from), match: "words" },
    { ...services, database: connectAsOf(database, from) },
  );
  const comparison = query.isReversed ? null : await readComparison(database, {
    from,
    to: to < today(services) ? to : null,
    filter: searched,
    precision: site.variant.datePrecision,
    limit: MAX_LISTED,
    dateName: filter.date_name,
  });
  return pageContent(
    <Layout
      title={say("compare.title", { from: formatDay(from), to: formatDay(to) })}
      context={context}
      followed={toFilterValues(widened)}
      path="/compare"
      description={say("compare.description", { site: config.SITE_NAME })}
      skip={skipToResults()}
    >
      <div class="intro">
        <h1>{say("compare.then_and_now")}</h1>
        {comparison && (
          <p>
            {say("compare.intro", { from: formatDay(from), to: formatDay(to) })}
          </p>
        )}
        {firstDay !== null && from < firstDay && (
          <p class="notice" role="note">
            {say("compare.first_import", { day: formatDay(firstDay) })}
          </p>
        )}
      </div>
      <FilterBar
        action={`${site.path}/compare`}
        filter={filter}
        options={spellings.shown}
        showsRemoved={false}
        kept={[["from", from], ["to", to]]}
        context={context}
      >
        <DayField name="from" label={say("filter.from")} value={from} max={today(services)} />
        <DayField name="to" label={say("filter.to")} value={to} max={today(services)} />
      </FilterBar>
      <p class="count" role="status">
        {comparison && describeOutcomes(comparison.counts, from)}
        {comparison && comparison.added > 0 && say("compare.added", { count: comparison.added })}
      </p>
      <div id="results" tabIndex={-1}>
        {comparison
          ? <OutcomeLists comparison={comparison} by={filter.date_name} site={site} />
          : <p class="notice problem" role="alert">{say("compare.choose_a_from_date")}</p>}
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

/** What became of planned releases: a list for each outcome, what matters most first. */
function OutcomeLists({ comparison: { counts, releases }, by, site }: {
  comparison: Comparison;
  by: string | undefined;
  site: Site;
}) {
  const listed = Map.groupBy(releases, ({ outcome }) => outcome);
  return (
    <>
      {OUTCOMES.filter((outcome) => listed.has(outcome)).map((outcome) => {
        const shown = listed.get(outcome)!;
        const total = counts[outcome]!;
        return (
          <section key={outcome} class="day" aria-labelledby={outcome}>
            <h2 id={outcome}>
              {outcome === "unchanged" ? say("compare.unchanged") : titleKind(outcome, total)}{" "}
              <span class="quiet">· {say("count.releases", { count: total })}</span>
            </h2>
            <ul class="entries">
              {shown.map((release) => (
                <ReleaseLine key={release.release_item_id} release={release} by={by} site={site} />
              ))}
            </ul>
            {total > shown.length && (
              <p class="quiet">{say("list.and_more", { count: total - shown.length })}</p>
            )}
          </section>
        );
      })}
    </>
  );
}

function ReleaseLine(
  { release, by, site: { path, variant } }: {
    release: ComparedRelease;
    /** The named date that is compared, in any case; absent: the release date. */
    by: string | undefined;
    site: Site;
  },
) {
  const show = (date: string | null) => date && formatPlanned(variant.formatDate(date));
  const from = show(release.date_before);
  const to = show(release.date_after);
  const named = shownValues(variant, {
    kind: "changed",
    field: "dates",
    old_value: release.named_before,
    new_value: release.named_after,
  }).filter((date) => date.old !== date.new && date.name!.toLowerCase() !== by?.toLowerCase());
  return (
    <li class="entry">
      <StatusBadge item={release} />
      <div>
        {release.active || variant.showsInactive
          ? <ReleaseLink release={release} path={path} />
          : <Name text={cleanName(release.feature_name)} {...foreign(release.language)} />}{" "}
        <span class="quiet">
          <Name text={release.product_name} />
        </span>
        {named.length > 0 && (
          <div class="facts quiet">
            {named.map((date) => (
              <span key={date.name}>
                <Name text={toLine(date.name!)} />{" "}
                <MovedDate
                  from={date.old && formatPlanned(date.old)}
                  to={date.new && formatPlanned(date.new)}
                />
              </span>
            ))}
          </div>
        )}
      </div>
      <p class="entry-date">{from === to ? to : <MovedDate from={from} to={to} />}</p>
    </li>
  );
}
