import { Name } from "../../../islands/name.tsx";
import { Facts } from "../../../islands/search/release_row.tsx";
import type { History } from "../../roadmap/changes/changes_sql.ts";
import type { DateChange } from "../../roadmap/changes/promise.ts";
import { NO_FILTER } from "../../roadmap/filter/filter_values.ts";
import { toFoundItem } from "../../roadmap/found_item.ts";
import type { Item, ListedItem } from "../../roadmap/item.ts";
import { cleanName } from "../../text/clean_name.ts";
import { excerptOf } from "../../text/plain_text.ts";
import { toLine } from "../../text/to_line.ts";
import { CopyLink } from "../copy_link.tsx";
import { Day } from "../day.tsx";
import { DataBlock } from "../island.tsx";
import { Layout } from "../layout.tsx";
import type { SiteFrame } from "../site_frame.ts";
import { BlogLink, Description } from "./description.tsx";
import { HistorySection } from "./history.tsx";
import { linkedData } from "./linked_data.ts";
import { ProductsAndTags } from "./products_and_tags.tsx";
import { Related } from "./related.tsx";
import { WatchForm } from "./watch_form.tsx";

/** What the page of a release shows. */
export interface ReleasePageProps {
  item: Item;
  history: History;
  /** The changes of its date, oldest first. */
  dates: DateChange[];
  related: ListedItem[];
  /** Null: there is none. */
  source: string | null;
  /** `YYYY-MM-DD` */
  today: string;
  frame: SiteFrame;
}

/** The page of a release. */
export function ReleasePage(
  { item, history, dates, related, source, today, frame }: ReleasePageProps,
) {
  const { site } = frame;
  const name = cleanName(item.feature_name);
  const path = `/release/${item.release_item_id}`;
  const url = site.url + path;
  const product = toLine(item.product_name);
  const description = excerptOf(item.feature_description ?? "", { length: 200 }) ||
    `${name}: ${toLine(item.release_status)}, ${product}`;
  return (
    <Layout
      title={name}
      frame={frame}
      path={path}
      description={description}
      followed={filterByProduct(item)}
      head={
        <>
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
        <ReleaseHead item={item} source={source} frame={frame} />
        <div class="release-columns">
          <div class="release-main">
            <Description item={item} site={site} />
            <BlogLink item={item} site={site} />
          </div>
          <aside class="release-aside">
            <HistorySection item={item} history={history} dates={dates} today={today} site={site} />
            <WatchForm item={item} frame={frame} />
            <FollowProduct item={item} frame={frame} />
          </aside>
        </div>
        <Related items={related} site={site} />
      </article>
    </Layout>
  );
}

function ReleaseHead(
  { item, source, frame: { site } }: Pick<ReleasePageProps, "item" | "source" | "frame">,
) {
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={`${site.path}/`}>Roadmap</a>{" "}
        <a href={`${site.path}/${productQuery(item)}`}>
          <Name text={toLine(item.product_name)} />
        </a>
      </nav>
      <h1>
        <Name text={cleanName(item.feature_name)} />
      </h1>
      <Facts item={toFoundItem(site.variant, item)} />
      <ProductsAndTags item={item} site={site} />
      <p class="release-link">
        <CopyLink address={`${site.url}/release/${item.release_item_id}`} />
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
    </>
  );
}

function FollowProduct({ item, frame }: Pick<ReleasePageProps, "item" | "frame">) {
  const { site } = frame;
  const product = toLine(item.product_name);
  return (
    <div class="follow">
      <a class="button" href={`${site.path}/subscribe${productQuery(item)}`}>
        Subscribe to <Name text={product} />
      </a>
    </div>
  );
}

function filterByProduct({ product_name }: Item) {
  return { ...NO_FILTER, product_name: [product_name] };
}

function productQuery({ product_name }: Item): string {
  return `?product_name=${encodeURIComponent(product_name)}`;
}

/** What the removal of a release means, as far as its last status tells. */
function explainRemoval({ release_status, tone }: Item): string {
  const status = toLine(release_status);
  switch (tone) {
    case "shipped":
      return `Its last status was ${status}, so it was most likely removed because it shipped.`;
    case "stopped":
      return `Its last status was ${status}.`;
    default:
      return "It may have been cancelled or merged into another release.";
  }
}
