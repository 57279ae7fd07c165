import { Name } from "../../../components/name.tsx";
import type { PromiseCounts } from "../../insights/insights_row.ts";
import type { History } from "../../roadmap/changes/changes_sql.ts";
import { PICTURE_SIZE } from "../../pictures/draw_picture.ts";
import { drawRelease } from "../../pictures/release_picture.ts";
import type { DateChange } from "../../roadmap/changes/promise.ts";
import { NO_FILTER } from "../../roadmap/filter/filter_values.ts";
import type { Item, ListedItem } from "../../roadmap/item.ts";
import type { NamedItem } from "../../search/related_sql.ts";
import { cleanName } from "../../text/clean_name.ts";
import { excerptOf } from "../../text/plain_text.ts";
import { toLine } from "../../text/to_line.ts";
import type { LinkPicture } from "../brand.tsx";
import { Day } from "../day.tsx";
import { DataBlock } from "../island.tsx";
import { Layout } from "../layout.tsx";
import type { SiteFrame } from "../site_frame.ts";
import { DateCard } from "./date_card.tsx";
import { BlogLink, Description } from "./description.tsx";
import { HistorySection } from "./history.tsx";
import { linkedData } from "./linked_data.ts";
import { Products, Tags } from "./products_and_tags.tsx";
import { Related } from "./related.tsx";
import { ReliabilityCard } from "./reliability_card.tsx";
import { WatchCard } from "./watch_card.tsx";

/** What the page of a release shows. */
export interface ReleasePageProps {
  item: Item;
  history: History;
  /** The changes of its date, oldest first. */
  dates: DateChange[];
  related: ListedItem[];
  /** Of a removed release: others that may have taken its place. */
  successors: NamedItem[];
  /** What became of the promises of its product; null: it has too many releases to say so. */
  promises: PromiseCounts | null;
  /** Null: there is none. */
  source: string | null;
  /** `YYYY-MM-DD` */
  today: string;
  frame: SiteFrame;
}

/** The page of a release. */
export function ReleasePage(props: ReleasePageProps) {
  const { item, history, related, promises, frame } = props;
  const { site } = frame;
  const name = cleanName(item.feature_name);
  const path = `/release/${item.release_item_id}`;
  const url = site.url + path;
  const description = excerptOf(item.feature_description ?? "", { length: 200 }) ||
    `${name}: ${toLine(item.release_status)}, ${toLine(item.product_name)}`;
  const followed = { ...NO_FILTER, product_name: [item.product_name] };
  return (
    <Layout
      title={name}
      frame={frame}
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
          <WatchCard item={item} followed={followed} frame={frame} />
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
  { item, history, dates, frame }: ReleasePageProps,
  url: string,
): LinkPicture | undefined {
  const picture = drawRelease({ item, dates, firstDay: history.first_day }, frame);
  if (!picture) return undefined;
  const { alt, version } = picture;
  return { url: `${url}/picture.png?v=${version}`, alt, ...PICTURE_SIZE };
}

function ReleaseHead(
  { item, history, dates, successors, source, today, frame: { site } }: ReleasePageProps,
) {
  return (
    <div class="release-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={`${site.path}/`}>Roadmap</a>{" "}
        <a
          rel="nofollow"
          href={`${site.path}/?product_name=${encodeURIComponent(item.product_name)}`}
        >
          <Name text={toLine(item.product_name)} />
        </a>
      </nav>
      <h1>
        <Name text={cleanName(item.feature_name)} />
      </h1>
      <div class="facts">
        {!item.active && <span class="badge tone-removed">Removed</span>}{" "}
        <span class={`badge tone-${item.tone}`}>{toLine(item.release_status)}</span>{" "}
        <span>{toLine(item.release_type)}</span> <Products item={item} site={site} />{" "}
        {source !== null && (
          <span class="quiet">
            from{" "}
            <a rel="nofollow" href={`${site.path}/?source=${encodeURIComponent(source)}`}>
              <Name text={source} />
            </a>
          </span>
        )}{" "}
        <span class="quiet">
          Modified <Day day={item.last_modified} />
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
        <strong>This release was removed from the roadmap</strong> on{" "}
        <Day day={item.last_modified} />. {explainRemoval(item)}
      </p>
      {successors.length > 0 && (
        <p>
          Planned under a similar name:{" "}
          {successors.map(({ release_item_id: id, feature_name }, place) => (
            <>
              {place > 0 && ", "}
              <a href={`${path}/release/${id}`}>
                <Name text={cleanName(feature_name)} />
              </a>
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
      return `Its last status was ${status}, so it was most likely removed because it shipped.`;
    case "stopped":
      return `Its last status was ${status}.`;
    default:
      return "It may have been cancelled or merged into another release.";
  }
}
