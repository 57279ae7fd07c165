import { type ItemWithChanges, readLastRewrites } from "../../lib/roadmap/changes/changes_sql.ts";
import type { FilterOptions } from "../../lib/roadmap/filter/filter_options.ts";
import { describeChanges } from "../../lib/roadmap/changes/change_in_words.ts";
import type { Pagination } from "../../lib/roadmap/collection.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { formatPlanned } from "../../lib/text/dates.ts";
import type { Connection } from "../../lib/database/database.ts";
import type { Change } from "../../lib/roadmap/item.ts";
import type { ListedValues } from "../../lib/roadmap/filter/listed_values.ts";
import type { Filter } from "../../lib/roadmap/filter/filter.ts";
import { toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { linkBeside } from "../../lib/roadmap/page_links.ts";
import { cleanName } from "../../lib/text/clean_name.ts";
import { parseParameters } from "../../lib/http/parameters.ts";
import { ChangesInWords } from "../../lib/ui/change_list.tsx";
import { AnchorLink } from "../../lib/ui/anchor_link.tsx";
import { Day } from "../../lib/ui/day.tsx";
import { FilterBar } from "../../lib/ui/filter_bar.tsx";
import { FollowMenu } from "../../islands/follow_menu.tsx";
import { Name } from "../../islands/name.tsx";
import { SelectField } from "../../islands/select_field.tsx";
import { Island } from "../../lib/ui/island.tsx";
import { LastVisit } from "../../lib/ui/last_visit.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import {
  CHANGELOG_QUERY,
  type ChangelogQuery,
  changelogQuery,
  readChangelog,
} from "../../lib/roadmap/changes/read_changelog.ts";
import type { Context, ReadHandler } from "../route.ts";

/** A page with more releases would be slow to read and to load. */
const PAGE_SIZE = 200;

const WINDOWS = [7, 14, 30, 60, 90];

/** What changed, day by day. */
export const changelogPage: ReadHandler = {
  isIn: (variant) => variant.hasChangelog,
  read({ query }, context) {
    const parsed = parseParameters(CHANGELOG_QUERY, query);
    return { normalised: parsed, build: () => build(parsed, context) };
  },
};

async function build(query: ChangelogQuery, context: Context) {
  const { services } = context;
  const [{ items, pagination }, options] = await Promise.all([
    readChangelog(query, PAGE_SIZE, services),
    services.listedOptions.read(),
  ]);
  const rewritten = await withRewrites(items, services.database);
  const followed = toFilterValues(withoutWindow(query));
  return pageContent(
    <Layout
      title="Changelog"
      frame={context}
      followed={followed}
      path="/changelog"
      description={`What changed on the roadmap of ${services.config.siteName}, by day.`}
    >
      <div class="intro">
        <h1>Changelog</h1>
        <p>What was added, moved, shipped or removed, day by day.</p>
        <LastVisit frame={context} />
      </div>
      <Filters query={query} options={options} context={context} />
      <div class="results-head">
        <p class="count" role="status">{countInWords(pagination, query.days)}</p>
        <Island
          name="follow"
          component={FollowMenu}
          props={{
            label: "Follow",
            url: context.site.url,
            path: context.site.path,
            filter: followed,
            page: `/changelog${changelogQuery({ ...query, page: 1 })}`,
          }}
          frame={context}
        />
      </div>
      <Days items={rewritten} pagination={pagination} context={context} />
      <Pages query={query} pagination={pagination} context={context} />
    </Layout>,
  );
}

/** Lists tell the start of a long text; a description that was rewritten is compared further. */
async function withRewrites(
  items: readonly ItemWithChanges[],
  database: Connection,
): Promise<ItemWithChanges[]> {
  const isRewrite = (change: Change) =>
    change.kind === "changed" && change.field === "feature_description";
  const ids = items.filter(({ changes }) => changes.some(isRewrite))
    .map(({ release_item_id }) => release_item_id);
  const rewrites = ids.length > 0 ? await readLastRewrites(database, ids) : [];
  const byId = new Map(rewrites.map(({ release_item_id, ...values }) => [release_item_id, values]));
  return items.map((item) => {
    const values = byId.get(item.release_item_id);
    const last = item.changes.findLast(isRewrite);
    if (!values || !last) return item;
    const changes = item.changes.map((change) =>
      change === last ? { ...change, ...values } : change
    );
    return { ...item, changes };
  });
}

/** A feed lists the latest changes, however long ago. */
function withoutWindow({ days: _, page: __, ...filter }: ChangelogQuery): Filter {
  return filter;
}

function countInWords({ total_items, page, total_pages }: Pagination, days: number): string {
  const place = total_pages > 1 ? `, page ${page} of ${total_pages}` : "";
  return `${countOf(total_items, "release")} changed within ${countOf(days, "day")}${place}`;
}

/** Links to earlier and later changes. */
function Pages({ query, pagination, context: { site } }: {
  query: ChangelogQuery;
  pagination: Pagination;
  context: Context;
}) {
  const { page, total_pages } = pagination;
  if (total_pages === 1 && page === 1) return null;
  const { next, prev } = linkBeside(
    pagination,
    (page) => `${site.path}/changelog${changelogQuery({ ...query, page })}`,
  );
  return (
    <nav class="pages" aria-label="Pages of the changelog">
      {prev ? <a rel="prev" href={prev}>← Newer</a> : <span />}
      <span>Page {page} of {total_pages}</span>
      {next ? <a rel="next" href={next}>Older →</a> : <span />}
    </nav>
  );
}

function Filters(
  { query, options, context: { site } }: {
    query: ChangelogQuery;
    options: FilterOptions<ListedValues>;
    context: Context;
  },
) {
  const windows = [...new Set([...WINDOWS, query.days])].sort((a, b) => a - b);
  return (
    <FilterBar
      action={`${site.path}/changelog`}
      filter={query}
      options={options}
      showsRemoved
    >
      <SelectField
        name="days"
        label="Days"
        value={String(query.days)}
        options={windows.map((days) => [String(days), `Last ${days}`] as const)}
      />
    </FilterBar>
  );
}

function Days({ items, pagination, context }: {
  items: readonly ItemWithChanges[];
  pagination: Pagination;
  context: Context;
}) {
  if (pagination.total_items > 0 && items.length === 0) {
    return <p class="notice">No releases on this page.</p>;
  }
  if (items.length === 0) {
    return (
      <p class="notice">No changes in this period. Choose a longer period or fewer filters.</p>
    );
  }
  return (
    <>
      {[...Map.groupBy(items, ({ last_modified }) => last_modified)].map(([day, items]) => (
        <section key={day} class="day" aria-labelledby={day}>
          <h2 id={day}>
            <Day day={day} /> <span class="quiet">{items.length}</span>{" "}
            <AnchorLink id={day} day={day} />
          </h2>
          <ul class="cards">
            {items.map((item) => (
              <Entry
                key={item.release_item_id}
                item={item}
                context={context}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Entry({ item, context: { site } }: { item: ItemWithChanges; context: Context }) {
  const { release_date, release_status } = item;
  return (
    <li class={item.active ? "card" : "card removed"}>
      <h3>
        <a href={`${site.path}/release/${item.release_item_id}`}>
          <Name text={cleanName(item.feature_name)} />
        </a>
      </h3>
      <ChangesInWords changes={describeChanges(site.variant, item.changes)} diffs="short" />
      <p class="facts">
        <span class={`badge tone-${item.tone}`}>
          <Name text={release_status} />
        </span>{" "}
        <span>
          {release_date ? formatPlanned(site.variant.formatDate(release_date)) : "No date"}
        </span>{" "}
        <Name text={item.release_type} /> <Name text={item.product_name} />
      </p>
    </li>
  );
}
