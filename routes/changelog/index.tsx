import { strong } from "../../components/name.tsx";
import { byDate } from "../../lib/service/services.ts";
import { ShareMenu } from "../../components/share_menu.tsx";
import { Choices, Menu, Switch, type SwitchChoice, SwitchMenu } from "../../components/switch.tsx";
import { describeLists } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { parseParameters } from "../../lib/http/requests/parameters.ts";
import { judgeReadings } from "../../lib/import/source_readings_sql.ts";
import { formatCursor } from "../../lib/roadmap/changes/change_cursor.ts";
import {
  CHANGELOG_PAGE_QUERY,
  type ChangelogPage,
  type ChangelogPageQuery,
  changelogPageQuery,
  readChangelogPage,
} from "../../lib/roadmap/changes/page_changelog.ts";
import { CHANGE_KINDS, type ChangeKind, nameKind } from "../../lib/roadmap/changes/kinds.ts";
import { type FilterValues, toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import type { Filter } from "../../lib/roadmap/filter/filter.ts";
import { Spellings } from "../../lib/roadmap/filter/filter_options.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import { formatLongMonth } from "../../lib/text/dates.ts";
import type { PageContext } from "../../lib/ui/brand.tsx";
import { EntryDays } from "../../lib/ui/changelog_entries.tsx";
import { Day, Freshness, LastVisit } from "../../lib/ui/dates.tsx";
import { FilterBar } from "../../lib/ui/filter_bar.tsx";
import { EmailForm } from "../../lib/ui/email_form.tsx";
import { followQuery, Layout, skipToResults } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.tsx";
import { readPreferred } from "../(_components)/preferred_lists.ts";
import { type Context, type ReadConfig, type ReadHandlers, today } from "../route.ts";
import { rich, say } from "../../lib/text/messages.ts";

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
  const { config } = services;
  const spellings = new Spellings(await services.listedOptions.read());
  const searched = spellings.widen(query);
  const [page, readings] = await Promise.all([
    readChangelogPage(searched, {
      ...byDate(services, query.date_name),
      variant: site.variant,
      today: today(services),
    }),
    services.sourceReadings.read(),
  ]);
  const judged = judgeReadings(readings, services.sources.current, services.clock());
  const followed = toFilterValues(withoutPlace(searched));
  const addressOf = (change: Partial<ChangelogPageQuery>) =>
    `${site.path}/changelog${changelogPageQuery({ ...query, before: undefined, ...change })}`;
  const content = pageContent(
    <Layout
      title={say("layout.changelog")}
      context={context}
      followed={followed}
      kinds={query.kind}
      path="/changelog"
      description={say("changelog.description", { site: config.SITE_NAME })}
      skip={skipToResults()}
    >
      <div class="changelog-page">
        <div class="page-head">
          <h1>{say("layout.changelog")}</h1>
          <p class="count" role="status">{countInWords(query, page)}</p>
          <Freshness judged={judged} today={today(services)} />
          <LastVisit context={context} />
          <div class="page-actions">
            <MailMenu followed={followed} kinds={query.kind ?? []} context={context} />
            <ShareMenu
              copy={page.counts.total > 0 ? copyAddress(query, site) : undefined}
              path={site.path}
              links={LINKS}
              query={followQuery(followed, query.kind)}
            />
          </div>
        </div>
        <div class="changelog-head">
          <div class="kinds" data-morph="content">
            {page.counts.total > 0 && (
              <KindSwitch
                counts={page.counts}
                chosen={query.kind ?? []}
                hrefOf={(kind) => addressOf({ kind: kind && [kind] })}
              />
            )}
          </div>
          <FilterBar
            action={`${site.path}/changelog`}
            filter={query}
            options={spellings.shown}
            showsRemoved
            hidden={hiddenFields(query)}
            context={context}
          />
          <div class="months" data-morph="content">
            <MonthMenu
              months={page.months}
              chosen={query.month}
              hrefOf={(month) => addressOf({ month })}
            />
          </div>
        </div>
        <div class="changelog" id="results" tabIndex={-1}>
          <Entries page={page} query={query} context={context} addressOf={addressOf} />
        </div>
      </div>
    </Layout>,
  );
  return { ...content, validUntil: judged.until };
}

/** The same changes elsewhere. */
const LINKS = [["/rss.xml", "layout.rss_feed"], ["/changes.csv", "share.csv"]] as const;

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
    return <p class="notice">{say("changelog.nothing")}</p>;
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
        <nav class="pages" aria-label={say("changelog.pages_of_the_changelog")}>
          {query.before === undefined
            ? <span />
            : <a href={addressOf({})}>{say("changelog.newest")}</a>}
          {older === null
            ? <span />
            : <a rel="next" href={addressOf({ before: older })}>{say("changelog.older")}</a>}
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
      {rich(
        ofAll ? "changelog.silence" : "changelog.silence_of_some",
        { b: strong, day: Day({ day: since }), days },
      )}
    </p>
  );
}

function isNewest({ before, month, after }: ChangelogPageQuery): boolean {
  return before === undefined && month === undefined && after === undefined;
}

/** What a form with the filter keeps of the address. */
function hiddenFields({ kind = [], days, month, after }: ChangelogPageQuery) {
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

function countInWords(
  { kind, after, days }: ChangelogPageQuery,
  { counts, introductions }: ChangelogPage,
) {
  // On the first day there is nothing to count.
  if (counts.total === 0 && introductions.length > 0) return "";
  const total = kind?.length === 1 ? counts.kinds[kind[0]!] ?? 0 : counts.total;
  if (after) return say("changelog.since_visit", { count: total });
  return days === undefined
    ? say("count.changes", { count: total })
    : say("changelog.in_days", { count: total, days });
}

/** What most people look for; the other kinds are in a menu. */
const FIRST: readonly ChangeKind[] = ["shipped", "slipped", "added"];

/** Links to the changes of one kind, each with its number. */
function KindSwitch({ counts, chosen, hrefOf }: {
  counts: { total: number; kinds: Partial<Record<ChangeKind, number>> };
  chosen: readonly ChangeKind[];
  /** Absent: changes of all kinds. */
  hrefOf: (kind?: ChangeKind) => string;
}) {
  const shown = [...FIRST, ...CHANGE_KINDS.filter((kind) => !FIRST.includes(kind))]
    .filter((kind) => counts.kinds[kind] || chosen.includes(kind));
  const later = shown.filter((kind) => !FIRST.includes(kind) && !chosen.includes(kind));
  // A menu with one link in it saves nothing.
  const others = later.length > 1 ? later : [];
  const choiceOf = (kind?: ChangeKind): SwitchChoice => ({
    words: kind ? nameKind(kind) : say("changelog.all"),
    count: kind ? counts.kinds[kind] ?? 0 : counts.total,
    isCurrent: kind ? chosen.includes(kind) : chosen.length === 0,
    link: { href: hrefOf(kind), rel: "nofollow" },
  });
  return (
    <Switch
      label={say("changelog.kinds_of_change")}
      choices={[undefined, ...shown.filter((kind) => !others.includes(kind))].map(choiceOf)}
    >
      {others.length > 0 && (
        <Menu name="choice" button={say("filter.more")}>
          <Choices choices={others.map(choiceOf)} />
        </Menu>
      )}
    </Switch>
  );
}

/** The choice of a month that has changes; the newest are shown without one. */
function MonthMenu({ months, chosen, hrefOf }: {
  months: readonly { month: string; count: number }[];
  chosen?: string;
  hrefOf: (month?: string) => string;
}) {
  if (months.length < 2 && chosen === undefined) return null;
  const isListed = months.some(({ month }) => month === chosen);
  const listed = [
    ...months,
    ...chosen === undefined || isListed ? [] : [{ month: chosen, count: 0 }],
  ];
  const all = {
    words: say("changelog.all_months"),
    isCurrent: chosen === undefined,
    link: { href: hrefOf(), rel: "nofollow" },
  };
  return (
    <SwitchMenu
      label={say("changelog.month")}
      choices={[
        all,
        ...listed.map(({ month, count }) => ({
          words: formatLongMonth(`${month}-01`),
          count,
          isCurrent: month === chosen,
          link: { href: hrefOf(month), rel: "nofollow" },
        })),
      ]}
    />
  );
}

/** Asks, below its button, to be emailed of such changes every week; beside it other ways to get them. */
function MailMenu({ followed, kinds, context }: {
  followed: FilterValues;
  kinds: readonly ChangeKind[];
  context: PageContext;
}) {
  const { services: { config }, site } = context;
  const query = followQuery(followed, kinds);
  const lists = readPreferred(new URLSearchParams(query));
  return (
    <details class="menu choice mail-menu" name="facet" tabIndex={-1}>
      <summary>{say("changelog.get_this_by_email")}</summary>
      <div class="panel">
        <EmailForm
          lists={lists}
          cadence="weekly"
          button={say("subscribe.subscribe")}
          hint={describeLists(lists, "weekly", config.digestTimes)}
          context={context}
        />
        <p class="hint">
          <a href={`${site.path}/subscribe${query}`}>
            {say("changelog.more_ways")}
          </a>
        </p>
      </div>
    </details>
  );
}
