import { Name, strong } from "../../components/name.tsx";
import { Status, StatusBadge } from "../../components/status.tsx";
import type { PromiseCounts } from "../insights/insights.ts";
import { PICTURE_SIZE } from "../pictures/draw_picture.ts";
import { drawRelease } from "../pictures/release_picture.ts";
import { categoriesOf, listTagGroups, NO_FILTER } from "../roadmap/filter/filter_values.ts";
import type { DateChanges, History } from "../roadmap/changes/history_sql.ts";
import type { Item, ListedItem } from "../roadmap/item.ts";
import type { Site } from "../roadmap/sites.ts";
import { isStated, statedOf } from "../roadmap/stated.ts";
import { blogAddress } from "../roadmap/variant.ts";
import type { NamedItem } from "../search/related_sql.ts";
import { foreign } from "../text/foreign.ts";
import { cleanName, excerptOf } from "../text/plain_text.ts";
import { showPlanned } from "../text/dates.ts";
import { formatDescription } from "../text/description.ts";
import { joinParts, toLine } from "../text/phrases.ts";
import type { LinkPicture, PageContext } from "./brand.tsx";
import { Day } from "./dates.tsx";
import { Layout } from "./layout.tsx";
import { DateCard } from "./date_card.tsx";
import { HistorySection, ReleaseLink, WatchCard } from "./release_parts.tsx";
import { DataBlock } from "./render_page.tsx";
import { rich, say } from "../text/messages.ts";

/** What the page of a release shows. */
interface ReleasePageProps {
  item: Item;
  history: History;
  dates: DateChanges;
  related: ListedItem[];
  /** Of a removed release: others that may have taken its place. */
  successors: NamedItem[];
  /** What became of the promises of its product; null: it has too many releases to say so. */
  promises: PromiseCounts | null;
  /** Null: there is none. */
  source: string | null;
  /** `YYYY-MM-DD` */
  today: string;
  context: PageContext;
}

/** The page of a release. */
export function ReleasePage(props: ReleasePageProps) {
  const { item, history, related, promises, context } = props;
  const { site } = context;
  const name = cleanName(item.feature_name);
  const path = `/release/${item.release_item_id}`;
  const url = site.url + path;
  const description = excerptOf(item.feature_description ?? "", { length: 200 }) ||
    say("list.titled", {
      title: name,
      text: joinParts(statedOf(item.release_status, item.product_name).map(toLine)),
    });
  const followed = { ...NO_FILTER, product_name: [item.product_name] };
  return (
    <Layout
      title={name}
      context={context}
      path={path}
      description={description}
      followed={followed}
      picture={pictureOf(props, url)}
      head={
        <>
          <link rel="alternate" type="text/markdown" href={`${site.path}${path}.md`} />
          <meta property="og:type" content="article" />
          <meta property="article:modified_time" content={item.last_modified} />
          <DataBlock
            type="application/ld+json"
            value={linkedData(item, history, { url, description })}
          />
        </>
      }
    >
      <article class="release">
        <ReleaseHead {...props} />
        <aside class="release-aside">
          <WatchCard item={item} followed={followed} context={context} />
          {promises && (
            <ReliabilityCard product={item.product_name} promises={promises} path={site.path} />
          )}
        </aside>
        <div class="release-main">
          <Tags item={item} site={site} />
          <Description item={item} site={site} />
          <BlogLink item={item} site={site} />
          <HistorySection item={item} history={history} site={site} />
          <Related items={related} site={site} />
        </div>
      </article>
    </Layout>
  );
}

/** Its moves; undefined where they cannot be drawn. */
function pictureOf(
  { item, history, dates, context }: ReleasePageProps,
  url: string,
): LinkPicture | undefined {
  const picture = drawRelease(
    { item, dates: dates.release, firstSeen: history.first_seen },
    context,
  );
  if (!picture) return undefined;
  const { alt, version } = picture;
  return { url: `${url}/picture.png?v=${version}`, alt, ...PICTURE_SIZE };
}

function ReleaseHead(
  { item, history, dates, successors, source, today, context: { site } }: ReleasePageProps,
) {
  return (
    <div class="release-head">
      <nav class="crumbs" aria-label={say("release.breadcrumb")}>
        <a href={`${site.path}/`}>{say("layout.roadmap")}</a>{" "}
        <FilterLink parameter="product_name" value={item.product_name} site={site} />
      </nav>
      <h1>
        <Name text={cleanName(item.feature_name)} {...foreign(item.language)} />
      </h1>
      <div class="facts">
        <Status item={item} />{" "}
        {isStated(item.release_type) && <span>{toLine(item.release_type)}</span>}{" "}
        <Products item={item} site={site} /> {source !== null && (
          <span class="quiet">
            {rich("release.from", {
              source: <FilterLink parameter="source" value={source} site={site} />,
            })}
          </span>
        )}{" "}
        <span class="quiet">
          {rich("list.modified", { day: Day({ day: item.last_modified }) })}
        </span>
      </div>
      {!item.active && <RemovedNotice item={item} successors={successors} path={site.path} />}
      <DateCard
        item={item}
        history={history}
        dates={dates}
        today={today}
        variant={site.variant}
      />
    </div>
  );
}

function RemovedNotice({ item, successors, path }: {
  item: Item;
  successors: readonly NamedItem[];
  path: string;
}) {
  return (
    <div class="notice removed-notice">
      <p>
        {rich("release.removed_on", { b: strong, day: Day({ day: item.last_modified }) })}{" "}
        {explainRemoval(item)}
      </p>
      {successors.length > 0 && (
        <p>
          {say("release.similar")} {successors.map((release, place) => (
            <>
              {place > 0 && say("list.separator")}
              <ReleaseLink release={release} path={path} />
            </>
          ))}
        </p>
      )}
    </div>
  );
}

/** What the removal of a release means, as far as its last status shows. */
function explainRemoval({ release_status, tone }: Item): string {
  const status = toLine(release_status);
  switch (tone) {
    case "shipped":
      return say("release.likely_shipped", { status });
    case "stopped":
      return say("release.last_status", { status });
    default:
      return say("release.maybe_merged");
  }
}

/** The products of a release. */
function Products({ item, site }: { item: Item; site: Site }) {
  return (
    <ul class="products" aria-label={say("preference.products")}>
      {item.product_names.map((name) => (
        <li key={name}>
          <FilterLink parameter="product_name" value={name} site={site} />
        </li>
      ))}
    </ul>
  );
}

/** The tags by their groups. */
function Tags({ item, site }: { item: Item; site: Site }) {
  const groups = listTagGroups(item.tags);
  if (groups.length === 0) return null;
  return (
    <dl class="tags">
      {groups.map(([group, values]) => (
        <div key={group}>
          <dt>
            <Name text={toLine(group)} />
          </dt>
          {values.map((value) => (
            <dd key={value}>
              <FilterLink parameter="tag" value={`${group}:${value}`} text={value} site={site} />
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

/** The name of a value, which leads to the releases that have it. */
function FilterLink({ parameter, value, text = value, site }: {
  parameter: string;
  value: string;
  text?: string;
  site: Site;
}) {
  return (
    <a rel="nofollow" href={`${site.path}/?${parameter}=${encodeURIComponent(value)}`}>
      <Name text={text} />
    </a>
  );
}

/** The longest description on a page, in characters. */
const DESCRIPTION_LENGTH = 20_000;

/** What a release is, as its source describes it. */
function Description({ item, site }: { item: Item; site: Site }) {
  const { feature_description: text, release_item_id: id } = item;
  if (text === null) return <p class="quiet">{say("release.no_description_yet")}</p>;
  const __html = formatDescription(text, blogAddress(item, site.variant));
  return (
    <>
      <div
        class="description prose"
        dir="auto"
        {...foreign(item.language)}
        dangerouslySetInnerHTML={{ __html }}
      />
      {text.length > DESCRIPTION_LENGTH && (
        <p class="notice">
          {say("release.beginning")}{" "}
          <a href={`${site.path}/api/releases?release_item_id=${id}`}>
            {say("release.full_description_json")}
          </a>
        </p>
      )}
    </>
  );
}

/** Where its announcement is. */
function BlogLink({ item, site }: { item: Item; site: Site }) {
  const address = blogAddress(item, site.variant);
  if (address === null) return null;
  const { blog_title } = item;
  return (
    <p class="blog-link">
      <span class="quiet">{say("release.announcement")}</span>{" "}
      <a href={address} rel="noopener noreferrer">
        <Name
          text={blog_title ? cleanName(blog_title) : address}
          {...blog_title ? foreign(item.language) : {}}
        />
      </a>{" "}
      <span class="quiet">{hostOf(address)}</span>
    </p>
  );
}

/** Empty where the address cannot be read. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "";
}

/** Releases that are like another one. */
function Related({ items, site: { path, variant } }: { items: ListedItem[]; site: Site }) {
  if (items.length === 0) return null;
  return (
    <section class="related" aria-labelledby="related-heading">
      <h2 id="related-heading">{say("release.related_releases")}</h2>
      <ul>
        {items.map((item) => (
          <li key={item.release_item_id}>
            <StatusBadge item={item} /> <ReleaseLink release={item} path={path} />{" "}
            <span class="quiet">
              {showPlanned(item.release_date && variant.formatDate(item.release_date))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** schema.org data for search engines. */
function linkedData(
  item: Item,
  { created }: History,
  { url, description }: { url: string; description: string },
) {
  return {
    "@context": "https://schema.org",
    "@type": "TechArticle",
    headline: cleanName(item.feature_name),
    description,
    url,
    ...created !== null && { datePublished: created },
    dateModified: item.last_modified,
    about: aboutOf(item),
    keywords: categoriesOf(item).map(toLine),
  };
}

/** Its products: one, or a list. */
function aboutOf({ product_names }: Item) {
  const things = product_names.map((name) => ({ "@type": "Thing", name: toLine(name) }));
  return things.length === 1 ? things[0] : things;
}

/** How many promises of a product were kept; nothing where it is too early to judge. */
function ReliabilityCard({ product, promises: { due, in_time }, path }: {
  product: string;
  promises: PromiseCounts;
  /** Of the site. */
  path: string;
}) {
  if (due === 0) return null;
  return (
    <section class="card reliability" aria-labelledby="reliability-heading">
      <h2 id="reliability-heading">{say("release.how_reliable_are_these")}</h2>
      <p>
        {rich("release.reliability", {
          kept: in_time,
          due,
          product: Name({ text: product }),
        })}{" "}
        <a rel="nofollow" href={`${path}/insights?product_name=${encodeURIComponent(product)}`}>
          {say("layout.insights")}
        </a>
      </p>
    </section>
  );
}
