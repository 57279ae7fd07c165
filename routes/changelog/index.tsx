import { CopyForEmail } from "../../components/copy_buttons.tsx";
import { describePreferences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { parseParameters } from "../../lib/http/requests/parameters.ts";
import { judgeReadings } from "../../lib/import/source_readings_sql.ts";
import { formatCursor } from "../../lib/roadmap/changes/change_cursor.ts";
import {
  CHANGELOG_PAGE_QUERY,
  type ChangelogPage,
  type ChangelogPageQuery,
  changelogPageQuery,
  readChangelogPage,
} from "../../lib/roadmap/changes/changelog_page.ts";
import { CHANGE_KINDS, type ChangeKind, KINDS_IN_WORDS } from "../../lib/roadmap/changes/kinds.ts";
import { CALENDAR_PATH, webcalAddress } from "../../lib/roadmap/feed_addresses.ts";
import {
  type FilterValues,
  isDuePeriod,
  toFilterValues,
} from "../../lib/roadmap/filter/filter_values.ts";
import type { Filter } from "../../lib/roadmap/filter/filter.ts";
import { Spellings } from "../../lib/roadmap/filter/filter_options.ts";
import { filterOf } from "../../lib/roadmap/filter/preference_lists.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import type { SiteFrame } from "../../lib/ui/brand.tsx";
import { EntryDays } from "../../lib/ui/changelog_entries.tsx";
import { Day, Freshness, LastVisit } from "../../lib/ui/dates.tsx";
import { FilterBar } from "../../lib/ui/filter_bar.tsx";
import { EmailForm } from "../../lib/ui/email_form.tsx";
import { followQuery, Layout, SKIP_TO_RESULTS } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.tsx";
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
      <div class="changelog-page">
        <div class="page-head">
          <h1>Changelog</h1>
          <p class="count" role="status">{countInWords(query, page)}</p>
          <Freshness judged={judged} today={today(services)} />
          <LastVisit frame={context} />
          <div class="page-actions" data-filtered>
            <MailMenu followed={followed} kinds={query.kind ?? []} frame={context} />
            {page.counts.total > 0 && <CopyForEmail address={copyAddress(query, site)} />}
          </div>
        </div>
        <div class="changelog-head">
          {page.counts.total > 0 && (
            <KindTabs
              counts={page.counts}
              chosen={query.kind ?? []}
              hrefOf={(kind) => addressOf({ kind: kind && [kind] })}
            />
          )}
          <FilterBar
            action={`${site.path}/changelog`}
            filter={query}
            options={spellings.shown}
            showsRemoved
            hidden={hiddenFields(query)}
            frame={context}
          >
            <MonthField months={page.months} chosen={query.month} />
          </FilterBar>
        </div>
        <div class="changelog" id="results" tabIndex={-1} data-filtered>
          <Entries page={page} query={query} context={context} addressOf={addressOf} />
        </div>
      </div>
    </Layout>,
  );
  return { ...content, validUntil: judged.until };
}

/** The same changes, to paste into an email. */
function copyAddress(query: ChangelogPageQuery, { path }: Site): string {
  return `${path}/copy?of=changelog${changelogPageQuery(query).replace("?", "&")}`;
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
      {ofAll ? "No changes" : "No matching changes"} since{" "}
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
function hiddenFields({ kind = [], days, after }: ChangelogPageQuery) {
  return [
    ...kind.map((value) => ["kind", value] as const),
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

function countInWords(
  { kind, after, days }: ChangelogPageQuery,
  { counts, introductions }: ChangelogPage,
) {
  // On the first day there is nothing to count.
  if (counts.total === 0 && introductions.length > 0) return "";
  const total = kind?.length === 1 ? counts.kinds[kind[0]!] ?? 0 : counts.total;
  const changes = `${total.toLocaleString("en")} ${total === 1 ? "change" : "changes"}`;
  if (after) return `${changes} since your last visit`;
  return days === undefined ? changes : `${changes} in the last ${days} days`;
}

/** What most people look for; the other kinds are in a menu. */
const FIRST: readonly ChangeKind[] = ["shipped", "slipped", "added"];

/** Links to the changes of one kind, each with its number. */
function KindTabs({ counts, chosen, hrefOf }: {
  counts: { total: number; kinds: Partial<Record<ChangeKind, number>> };
  chosen: readonly ChangeKind[];
  /** Absent: changes of all kinds. */
  hrefOf: (kind?: ChangeKind) => string;
}) {
  const shown = [...FIRST, ...CHANGE_KINDS.filter((kind) => !FIRST.includes(kind))]
    .filter((kind) => counts.kinds[kind] || chosen.includes(kind));
  const isFirst = (kind: ChangeKind) => FIRST.includes(kind) || chosen.includes(kind);
  const later = shown.filter((kind) => !isFirst(kind));
  // A menu with one link in it saves nothing.
  const others = later.length > 1 ? later : [];
  const link = (kind: ChangeKind) => (
    <Tab
      key={kind}
      name={KINDS_IN_WORDS[kind].name}
      count={counts.kinds[kind] ?? 0}
      isChosen={chosen.includes(kind)}
      href={hrefOf(kind)}
    />
  );
  return (
    <nav aria-label="Kinds of change" data-filtered>
      <ul class="kind-tabs">
        <Tab name="All" count={counts.total} isChosen={chosen.length === 0} href={hrefOf()} />
        {shown.filter((kind) => !others.includes(kind)).map(link)}
        {others.length > 0 && (
          <li>
            <details class="menu choice" tabIndex={-1}>
              <summary>More</summary>
              <ul>{others.map(link)}</ul>
            </details>
          </li>
        )}
      </ul>
    </nav>
  );
}

function Tab({ name, count, isChosen, href }: {
  name: string;
  count: number;
  isChosen: boolean;
  href: string;
}) {
  return (
    <li>
      <a href={href} rel="nofollow" aria-current={isChosen ? "true" : undefined}>
        {name} <span class="quiet">{count.toLocaleString("en")}</span>
      </a>
    </li>
  );
}

/** The choice of a month that has changes; the newest are shown without one. */
function MonthField({ months, chosen }: {
  months: readonly { month: string; count: number }[];
  chosen?: string;
}) {
  if (months.length < 2 && chosen === undefined) return null;
  return (
    <div class="field">
      <label class="visually-hidden" for="month">Month</label>
      <select id="month" name="month">
        <option value="" selected={chosen === undefined}>All months</option>
        {months.map(({ month, count }) => (
          <option key={month} value={month} selected={month === chosen}>
            {`${formatMonth(month)} (${count.toLocaleString("en")})`}
          </option>
        ))}
        {chosen !== undefined && months.every(({ month }) => month !== chosen) && (
          <option value={chosen} selected>{`${formatMonth(chosen)} (0)`}</option>
        )}
      </select>
    </div>
  );
}

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

function formatMonth(month: string): string {
  return MONTH.format(new Date(`${month}-01T00:00:00Z`));
}

/** Asks, below its button, to be emailed of such changes every week; beside it other ways to get them. */
function MailMenu({ followed, kinds, frame }: {
  followed: FilterValues;
  kinds: readonly ChangeKind[];
  frame: SiteFrame;
}) {
  const { services: { config }, site } = frame;
  const lists = {
    products: [...followed.product_name],
    types: [...followed.release_type],
    statuses: [...followed.release_status],
    tags: [...followed.tag],
    sources: [...followed.source],
    searches: followed.q.trim() === "" ? [] : [followed.q],
    due: isDuePeriod(followed.due) ? [followed.due] : [],
    kinds: [...kinds],
  };
  const filter = filterOf(lists);
  const preferences = {
    scope: Object.keys(filter).length > 0 ? "chosen" as const : "all" as const,
    filter,
    releases: [],
    cadence: "weekly" as const,
  };
  const withKinds = followQuery(followed, kinds);
  return (
    <details class="menu choice mail-menu" name="facet" tabIndex={-1}>
      <summary>Get this by email</summary>
      <div class="panel">
        <EmailForm
          lists={lists}
          cadence="weekly"
          button="Subscribe"
          hint={describePreferences(preferences, config.digestTimes)}
          frame={frame}
        />
        <p class="hint">
          <a href={`${site.path}/rss.xml${withKinds}`}>RSS</a> ·{" "}
          <a href={webcalAddress(site.url + CALENDAR_PATH + followQuery(followed))}>Calendar</a> ·
          {" "}
          <a href={`${site.path}/subscribe${withKinds}`}>Slack, Teams and more</a>
        </p>
      </div>
    </details>
  );
}
