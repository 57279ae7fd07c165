import { parseParameters } from "../../lib/http/parameters.ts";
import {
  CHANGELOG_PAGE_QUERY,
  type ChangelogPage,
  type ChangelogPageQuery,
  changelogPageQuery,
  readChangelogPage,
} from "../../lib/roadmap/changes/changelog_page.ts";
import type { Filter } from "../../lib/roadmap/filter/filter.ts";
import { toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { EntryDays } from "../../lib/ui/changelog/entry_days.tsx";
import { KindTabs } from "../../lib/ui/changelog/kind_tabs.tsx";
import { MonthList } from "../../lib/ui/changelog/month_list.tsx";
import { FilterBar } from "../../lib/ui/filter_bar.tsx";
import { Freshness } from "../../lib/ui/freshness.tsx";
import { LastVisit } from "../../lib/ui/last_visit.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import { type Context, type ReadHandler, today } from "../route.ts";

/** Every change on the day on which it was made, the newest first. */
export const changelogPage: ReadHandler = {
  isIn: (variant) => variant.hasChangelog,
  read({ query }, context) {
    const parsed = parseParameters(CHANGELOG_PAGE_QUERY, query);
    return { normalised: parsed, build: () => build(parsed, context) };
  },
};

async function build(query: ChangelogPageQuery, context: Context) {
  const { services, site } = context;
  const { database, config } = services;
  const [page, options, readings] = await Promise.all([
    readChangelogPage(query, { database, variant: site.variant, today: today(services) }),
    services.listedOptions.read(),
    services.sourceReadings.read(),
  ]);
  const followed = toFilterValues(withoutPlace(query));
  const addressOf = (change: Partial<ChangelogPageQuery>) =>
    `${site.path}/changelog${changelogPageQuery({ ...query, before: undefined, ...change })}`;
  return pageContent(
    <Layout
      title="Changelog"
      frame={context}
      followed={followed}
      path="/changelog"
      description={`What changed on the roadmap of ${config.siteName}, by day.`}
    >
      <div class="intro">
        <h1>Changelog</h1>
        <p>What was added, moved, shipped or removed, day by day.</p>
        <Freshness readings={readings} sources={services.sources.current} today={today(services)} />
        <LastVisit frame={context} />
      </div>
      <KindTabs
        counts={page.counts}
        chosen={query.kind ?? []}
        hrefOf={(kind) => addressOf({ kind: kind && [kind] })}
      />
      <FilterBar
        action={`${site.path}/changelog`}
        filter={query}
        options={options}
        showsRemoved
        hidden={hiddenFields(query)}
      />
      <p class="count" role="status">{countInWords(query, page)}</p>
      <div class="changelog">
        <MonthList
          months={page.months}
          chosen={query.month}
          hrefOf={(month) => addressOf({ month })}
        />
        <div>
          <Entries page={page} query={query} context={context} addressOf={addressOf} />
        </div>
      </div>
    </Layout>,
  );
}

function Entries({ page, query, context: { site }, addressOf }: {
  page: ChangelogPage;
  query: ChangelogPageQuery;
  context: Context;
  addressOf: (change: Partial<ChangelogPageQuery>) => string;
}) {
  const { entries, introductions, older } = page;
  if (entries.length + introductions.length === 0) {
    return <p class="notice">No changes. Choose a longer period or fewer filters.</p>;
  }
  return (
    <>
      <EntryDays entries={entries} introductions={introductions} site={site} />
      {(older !== null || query.before !== undefined) && (
        <nav class="pages" aria-label="Pages of the changelog">
          {query.before === undefined ? <span /> : <a href={addressOf({})}>← Newest</a>}
          {older === null
            ? <span />
            : <a rel="next" href={addressOf({ before: older })}>Older →</a>}
        </nav>
      )}
    </>
  );
}

/** What a form with the filter keeps of the address. */
function hiddenFields({ kind = [], month, days }: ChangelogPageQuery) {
  return [
    ...kind.map((value) => ["kind", value] as const),
    ...month === undefined ? [] : [["month", month] as const],
    ...days === undefined ? [] : [["days", String(days)] as const],
  ];
}

/** Feeds list the latest changes, however long ago. */
function withoutPlace(
  { kind: _, days: __, month: ___, after: ____, before: _____, ...filter }: ChangelogPageQuery,
): Filter {
  return filter;
}

function countInWords({ kind, after, days }: ChangelogPageQuery, { counts }: ChangelogPage) {
  const total = kind?.length === 1 ? counts.kinds[kind[0]!] ?? 0 : counts.total;
  const changes = `${total.toLocaleString("en")} ${total === 1 ? "change" : "changes"}`;
  if (after) return `${changes} since your last visit`;
  return days === undefined ? changes : `${changes} in the last ${days} days`;
}
