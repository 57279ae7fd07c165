import { CadenceField } from "../../islands/subscribe/preference_fields.tsx";
import { listCadences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { FollowMenu } from "../../islands/follow_menu.tsx";
import { Name } from "../../islands/name.tsx";
import { Facts } from "../../islands/search/release_card.tsx";
import {
  type History,
  readDateChanges,
  readHistory,
} from "../../lib/roadmap/changes/changes_sql.ts";
import { findOfSameProduct } from "../../lib/search/related_sql.ts";
import { formatDescription } from "../../lib/text/description.ts";
import { toFoundItem } from "../../lib/roadmap/found_item.ts";
import { NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import { type DateChange, followDates, tellSlip } from "../../lib/roadmap/changes/promise.ts";
import type { Item, ListedItem } from "../../lib/roadmap/item.ts";
import { cleanName } from "../../lib/text/clean_name.ts";
import { excerptOf } from "../../lib/text/plain_text.ts";
import { toLine } from "../../lib/text/to_line.ts";
import { Problem } from "../../lib/http/problem.ts";
import { statusTone } from "../../lib/roadmap/status_tone.ts";
import { CopyLink } from "../../lib/ui/copy_link.tsx";
import { ChangeList } from "../../lib/ui/change_list.tsx";
import { Day } from "../../lib/ui/day.tsx";
import { DataBlock, Island } from "../../lib/ui/island.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { PromiseLine } from "../../lib/ui/promise_line.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import { readSourceAmongSeveral } from "../../lib/roadmap/filter/source_names_sql.ts";
import { RELEASE_PATH } from "../../lib/roadmap/release_path.ts";
import { findRelease } from "../../lib/roadmap/find_release.ts";
import { type Context, type ReadHandler, today } from "../route.ts";

const RELATED = 6;
/** The largest size of a page. */
const BYTES = 1024 * 1024;
/** The most history on a page, in imports that changed something. */
const HISTORY_LENGTH = 100;
/** The most imports whose rewritten description is told word by word, the newest ones. */
const MOST_DIFFS = 20;
/** The longest description on a page, in characters. */
const DESCRIPTION_LENGTH = 20_000;

/** Everything about one release. */
export const releasePage: ReadHandler = {
  read({ path }, context) {
    const id = readId(path);
    return {
      normalised: id,
      bytes: () => Promise.resolve(BYTES),
      async build() {
        const { services: { database }, site: { variant } } = context;
        const item = await findRelease(id, context);
        const [history, dates, related, source] = await Promise.all([
          readHistory(database, id, { variant, per: "modification", end: HISTORY_LENGTH }),
          readDateChanges(database, id),
          findRelated(item, context),
          readSourceAmongSeveral(database, id),
        ]);
        return pageContent(<ReleasePage {...{ item, history, dates, related, source, context }} />);
      },
    };
  },
};

/** The id in the address; a mistake in it is told in words for a person. */
function readId(path: Readonly<Record<string, string>>): string {
  const { success, data } = RELEASE_PATH.safeParse(path);
  if (success) return data.release_item_id;
  throw new Problem(
    400,
    `There is no release at /release/${path.release_item_id}. The address of a release ends with ` +
      "its id: 32 letters and digits in five groups. Part of the link may be missing.",
  );
}

/** By meaning if possible, otherwise of the same product. */
async function findRelated(
  item: Item,
  { services: { database, semantic }, site: { variant } }: Context,
): Promise<ListedItem[]> {
  const alike = variant.searchesByMeaning ? await semantic?.findSimilar(item, RELATED) ?? [] : [];
  return alike.length > 0 ? alike : await findOfSameProduct(database, item, RELATED);
}

interface ReleasePageProps {
  item: Item;
  history: History;
  /** The changes of its date, oldest first. */
  dates: DateChange[];
  related: ListedItem[];
  /** Null: there is none. */
  source: string | null;
  context: Context;
}

function ReleasePage({ item, history, dates, related, source, context }: ReleasePageProps) {
  const { site } = context;
  const name = cleanName(item.feature_name);
  const path = `/release/${item.release_item_id}`;
  const product = toLine(item.product_name);
  const description = excerptOf(item.feature_description ?? "", { length: 200 }) ||
    `${name}: ${toLine(item.release_status)}, ${product}`;
  const productQuery = `?product_name=${encodeURIComponent(item.product_name)}`;
  const followed = { ...NO_FILTER, product_name: [item.product_name] };
  return (
    <Layout
      title={name}
      frame={context}
      path={path}
      description={description}
      followed={followed}
      head={
        <>
          <meta property="og:type" content="article" />
          <meta property="article:modified_time" content={item.last_modified} />
          <DataBlock
            type="application/ld+json"
            value={linkedData(item, history, { url: site.url + path, description })}
          />
        </>
      }
    >
      <article class="release">
        <nav class="crumbs" aria-label="Breadcrumb">
          <a href={`${site.path}/`}>Roadmap</a>{" "}
          <a href={`${site.path}/${productQuery}`}>
            <Name text={product} />
          </a>
        </nav>
        <h1>
          <Name text={name} />
        </h1>
        <Facts item={toFoundItem(site.variant, item)} />
        <p class="release-link">
          <CopyLink address={site.url + path} />
        </p>
        {source !== null && (
          <p class="quiet">
            Source: <a href={`${site.path}/?source=${encodeURIComponent(source)}`}>{source}</a>
          </p>
        )}
        {!item.active && (
          <p class="notice removed-notice">
            <strong>This release was removed from the roadmap</strong> on{" "}
            <Day day={item.last_modified} />. {explainRemoval(item)}
          </p>
        )}
        <div class="release-columns">
          <div class="release-main">
            <Description item={item} context={context} />
            <BlogLink item={item} context={context} />
          </div>
          <aside class="release-aside">
            <Timeline item={item} history={history} dates={dates} context={context} />
            <WatchForm item={item} context={context} />
            <div class="follow">
              <a class="button" href={`${site.path}/subscribe${productQuery}`}>
                Subscribe to <Name text={product} />
              </a>
              <Island
                name="follow"
                component={FollowMenu}
                props={{
                  label: `Follow ${product}`,
                  url: site.url,
                  path: site.path,
                  filter: followed,
                  page: path,
                }}
                frame={context}
              />
            </div>
          </aside>
        </div>
        <Related items={related} context={context} />
      </article>
    </Layout>
  );
}

/** What the removal of a release means, as far as its last status tells. */
function explainRemoval({ release_status }: Item): string {
  const status = toLine(release_status);
  switch (statusTone(status)) {
    case "shipped":
      return `Its last status was ${status}, so it was most likely removed because it shipped.`;
    case "stopped":
      return `Its last status was ${status}.`;
    default:
      return "It may have been cancelled or merged into another release.";
  }
}

/** Asks to be told of this release; a plain form, which needs no script. */
function WatchForm({ item, context: { services: { config }, site } }: {
  item: Item;
  context: Context;
}) {
  return (
    <details class="watch">
      <summary>Watch this release</summary>
      <form class="subscribe-form" method="post" action={`${site.path}/subscribe`}>
        <input type="hidden" name="releases" value={item.release_item_id} />
        <div class="field">
          <label for="watch-email">Email address</label>
          <input
            id="watch-email"
            name="email"
            type="email"
            required
            maxLength={254}
            autocomplete="email"
          />
          <p class="hint">We'll send you a link to confirm.</p>
        </div>
        <CadenceField cadences={listCadences(config.digestTimes)} cadence="immediate" />
        <button type="submit">Watch</button>
      </form>
    </details>
  );
}

function Description({ item, context: { site } }: { item: Item; context: Context }) {
  const { feature_description: text, release_item_id: id } = item;
  if (text === null) return <p class="quiet">No description yet.</p>;
  const __html = formatDescription(text);
  return (
    <>
      <div class="description prose" dir="auto" dangerouslySetInnerHTML={{ __html }} />
      {text.length > DESCRIPTION_LENGTH && (
        <p class="notice">
          Only the beginning of this long description is shown.{" "}
          <a href={`${site.path}/api/releases?release_item_id=${id}`}>Full description (JSON)</a>
        </p>
      )}
    </>
  );
}

/** Only http(s) URLs become links, since the source is not trusted. */
function BlogLink({ item, context }: { item: Item; context: Context }) {
  const { blog_url, blog_title } = item;
  if (context.site.variant.hiddenFields.includes("blog_url")) return null;
  if (!blog_url || !/^https?:\/\//i.test(blog_url)) return null;
  return (
    <p class="blog-link">
      <span class="quiet">Blog post</span>{" "}
      <a href={blog_url} rel="noopener noreferrer">
        <Name text={blog_title ? cleanName(blog_title) : blog_url} />
      </a>
    </p>
  );
}

function Timeline({ item, history, dates, context }: {
  item: Item;
  history: History;
  dates: readonly DateChange[];
  context: Context;
}) {
  const { changes, total, first_day } = history;
  const { variant, path } = context.site;
  const runs = [...Map.groupBy(changes, ({ run_id }) => run_id).values()];
  const ids = nameByDay(runs.map(([change]) => change!.day));
  const slip = tellSlip(dates, variant);
  return (
    <section aria-labelledby="history-heading">
      <h2 id="history-heading">History</h2>
      {slip !== null && (
        <div class="promise">
          <p>{slip}</p>
          <PromiseLine
            said={followDates(dates, first_day ?? item.last_modified)}
            today={today(context.services)}
            variant={variant}
          />
        </div>
      )}
      <ol class="timeline">
        {runs.map((changes, place) => (
          <ChangeList
            key={changes[0]!.run_id}
            variant={variant}
            changes={changes}
            day={changes[0]!.day}
            id={ids[place]!}
            showsDiff={place < MOST_DIFFS}
          />
        ))}
      </ol>
      {total > HISTORY_LENGTH && (
        <p class="notice">
          Showing the last {HISTORY_LENGTH} of {total} changes.{" "}
          <a href={`${path}/api/releases/history/${item.release_item_id}`}>Full history (JSON)</a>
        </p>
      )}
    </section>
  );
}

/** A name for each entry, the newest first: its day, and a number from the second of a day on. */
function nameByDay(days: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return days.toReversed().map((day) => {
    const count = (counts.get(day) ?? 0) + 1;
    counts.set(day, count);
    return count === 1 ? day : `${day}-${count}`;
  }).toReversed();
}

function Related({ items, context: { site } }: { items: ListedItem[]; context: Context }) {
  if (items.length === 0) return null;
  return (
    <section class="related" aria-labelledby="related-heading">
      <h2 id="related-heading">Related releases</h2>
      <ul class="tiles">
        {items.map((item) => (
          <li key={item.release_item_id} class="card">
            <h3>
              <a href={`${site.path}/release/${item.release_item_id}`}>
                <Name text={cleanName(item.feature_name)} />
              </a>
            </h3>
            <Facts item={toFoundItem(site.variant, item)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** schema.org data for search engines. */
function linkedData(
  item: Item,
  { first_day }: History,
  { url, description }: { url: string; description: string },
) {
  return {
    "@context": "https://schema.org",
    "@type": "TechArticle",
    headline: cleanName(item.feature_name),
    description,
    url,
    datePublished: first_day ?? item.last_modified,
    dateModified: item.last_modified,
    about: { "@type": "Thing", name: toLine(item.product_name) },
    keywords: [item.product_name, item.release_type, item.release_status].map(toLine),
  };
}
