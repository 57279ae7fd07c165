import { CopyForEmail } from "../../components/copy_buttons.tsx";
import { parseParameters } from "../../lib/http/requests/parameters.ts";
import {
  CHANGELOG_PAGE_QUERY,
  type ChangelogPage,
  type ChangelogPageQuery,
  changelogPageQuery,
  readChangelogPage,
} from "../../lib/roadmap/changes/changelog_page.ts";
import { formatCursor } from "../../lib/roadmap/changes/change_cursor.ts";
import type { Filter } from "../../lib/roadmap/filter/filter.ts";
import type { FilterOptions } from "../../lib/roadmap/filter/filter_options.ts";
import { toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import { Spellings } from "../../lib/roadmap/filter/spellings.ts";
import { EntryDays } from "../../lib/ui/changelog/entry_days.tsx";
import { KindTabs } from "../../lib/ui/changelog/kind_tabs.tsx";
import type { ListedValues } from "../../lib/roadmap/filter/listed_values.ts";
import { MailCard } from "../../lib/ui/changelog/mail_card.tsx";
import { MonthList } from "../../lib/ui/changelog/month_list.tsx";
import { Day } from "../../lib/ui/day.tsx";
import { FilterBar } from "../../lib/ui/filter_bar.tsx";
import { judgeReadings } from "../../lib/import/source_readings_sql.ts";
import { Freshness } from "../../lib/ui/freshness.tsx";
import { LastVisit } from "../../lib/ui/last_visit.tsx";
import { Layout, SKIP_TO_RESULTS } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import { type Context, type ReadConfig, type ReadHandlers, today } from "../route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: "Changes to the roadmap, by day",
};

/** Every change on the day on which it was made, the newest first. */
export const handler: ReadHandlers = {
  GET: {
    isIn: (variant) => variant.hasChangelog,
    read({ query }, context) {
      const parsed = parseParameters(CHANGELOG_PAGE_QUERY, query);
      return { normalised: parsed, build: () => build(parsed, context) };
    },
  },
};

async function build(query: ChangelogPageQuery, context: Context) {
  const { services, site } = context;
  const { database, config } = services;
  const spellings = new Spellings(await services.listedOptions.read());
  const searched = spellings.widen(query);
  const [page, readings] = await Promise.all([
    readChangelogPage(searched, { database, variant: site.variant, today: today(services) }),
    services.sourceReadings.read(),
  ]);
  const judged = judgeReadings(readings, services.sources.current, services.clock());
  const followed = toFilterValues(withoutPlace(searched));
  const addressOf = (change: Partial<ChangelogPageQuery>) =>
    `${site.path}/changelog${changelogPageQuery({ ...query, before: undefined, ...change })}`;
  const content = pageContent(
    <Layout
      title="Changelog"
      frame={context}
      followed={followed}
      kinds={query.kind}
      path="/changelog"
      description={`What changed on the roadmap of ${config.SITE_NAME}, by day.`}
      skip={SKIP_TO_RESULTS}
    >
      <ChangelogHead
        query={query}
        counts={page.counts}
        options={spellings.shown}
        context={context}
        addressOf={addressOf}
      />
      <div class="page-head">
        <p class="count" role="status">{countInWords(query, page)}</p>
        <Freshness judged={judged} today={today(services)} />
        <div data-filtered>
          <CopyForEmail address={copyAddress(query, site)} />
        </div>
        <LastVisit frame={context} />
      </div>
      <div class="changelog" data-filtered>
        <MonthList
          months={page.months}
          chosen={query.month}
          hrefOf={(month) => addressOf({ month })}
        />
        <div id="results" tabIndex={-1}>
          <Entries page={page} query={query} context={context} addressOf={addressOf} />
        </div>
        <MailCard followed={followed} kinds={query.kind ?? []} frame={context} />
      </div>
    </Layout>,
  );
  return { ...content, validUntil: judged.until };
}

/** The same changes, to paste into an email. */
function copyAddress(query: ChangelogPageQuery, { path }: Site): string {
  return `${path}/copy?of=changelog${changelogPageQuery(query).replace("?", "&")}`;
}

function ChangelogHead({ query, counts, options, context, addressOf }: {
  query: ChangelogPageQuery;
  counts: ChangelogPage["counts"];
  options: FilterOptions<ListedValues>;
  context: Context;
  addressOf: (change: Partial<ChangelogPageQuery>) => string;
}) {
  return (
    <div class="changelog-head">
      <h1>Changelog</h1>
      <KindTabs
        counts={counts}
        chosen={query.kind ?? []}
        hrefOf={(kind) => addressOf({ kind: kind && [kind] })}
      />
      <FilterBar
        action={`${context.site.path}/changelog`}
        filter={query}
        options={options}
        showsRemoved
        hidden={hiddenFields(query)}
        frame={context}
      />
    </div>
  );
}

function Entries({ page, query, context: { site, services }, addressOf }: {
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
      {isNewest(query) && (
        <Silence
          since={entries[0]?.day}
          today={today(services)}
          ofAll={changelogPageQuery({ ...query, days: undefined }) === ""}
        />
      )}
      <EntryDays
        entries={entries}
        introductions={introductions}
        filter={toFilterValues({
          ...withoutPlace(query),
          match: query.q && "words",
          modified_since: undefined,
          modified_within_days: undefined,
        })}
        site={site}
      />
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

/** After this many days without a change the page says so. */
const SILENT_DAYS = 7;

/** Says that nothing has changed for some time, so that old news is not taken for new. */
function Silence(
  { since, today, ofAll }: {
    since: string | undefined;
    today: string;
    /** Not only of some kinds, or of what passes a filter. */
    ofAll: boolean;
  },
) {
  if (since === undefined) return null;
  const days = (Date.parse(today) - Date.parse(since)) / 86_400_000;
  if (days < SILENT_DAYS) return null;
  return (
    <p class="notice">
      {ofAll ? "No changes" : "No such changes"} since{" "}
      <strong>
        <Day day={since} />
      </strong>{" "}
      ({days} days).
    </p>
  );
}

function isNewest({ before, month, after }: ChangelogPageQuery): boolean {
  return before === undefined && month === undefined && after === undefined;
}

/** What a form with the filter keeps of the address. */
function hiddenFields({ kind = [], month, days, after }: ChangelogPageQuery) {
  return [
    ...kind.map((value) => ["kind", value] as const),
    ...month === undefined ? [] : [["month", month] as const],
    ...days === undefined ? [] : [["days", String(days)] as const],
    ...after === undefined ? [] : [["after", formatCursor(after)] as const],
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
