import { Name } from "../../../components/name.tsx";
import type { ChangelogEntry, Introduction } from "../../roadmap/changes/changelog_entries_sql.ts";
import { type Story, storyInWords } from "../../roadmap/changes/stories.ts";
import { filterPairs, type FilterValues } from "../../roadmap/filter/filter_values.ts";
import { formatPairs } from "../../roadmap/page_links.ts";
import { cleanName } from "../../text/clean_name.ts";
import { countOf } from "../../text/count_of.ts";
import { toLine } from "../../text/to_line.ts";

/** Releases to which the same happened: a headline, and the releases below it. */
export function StoryBlock(
  { story, path }: { story: Story<{ entry: ChangelogEntry }>; path: string },
) {
  const product_name = toLine(story.product_name);
  const items = story.entries.map(({ entry }) => entry.item);
  const more = items.slice(SHOWN_AT_ONCE);
  return (
    <li class={`entry story kind-${story.kind}`}>
      <h3 dir="auto">{storyInWords({ ...story, product_name })}</h3>
      <ReleaseNames items={more.length > 1 ? items.slice(0, SHOWN_AT_ONCE) : items} path={path} />
      {more.length > 1 && (
        <details>
          <summary>{more.length} more</summary>
          <ReleaseNames items={more} path={path} />
        </details>
      )}
    </li>
  );
}

/** The most names that are shown without a click. */
const SHOWN_AT_ONCE = 7;

/** A source that is followed from this day on, with the releases that it brought. */
export function IntroductionBlock(
  { introduction: { source, day, count, items }, filter, path }: {
    introduction: Introduction;
    /** That of the page. */
    filter: FilterValues;
    path: string;
  },
) {
  const more = count - items.length;
  const whole = { ...filter, source: [source], include_inactive: "" };
  return (
    <li class="entry story kind-added">
      <h3 dir="auto">
        {introductionInWords({ source, count })}
      </h3>
      <details>
        <summary>Show</summary>
        <ReleaseNames items={items} path={path} />
        {more > 0 && (
          <p>
            <a
              rel="nofollow"
              href={`${path}/${formatPairs([...filterPairs(whole), ["as_of", day]])}`}
            >
              and {more.toLocaleString("en")} more
            </a>
          </p>
        )}
      </details>
    </li>
  );
}

/** How many releases the first import of a source brought, in words. */
export function introductionInWords({ source, count }: Pick<Introduction, "source" | "count">) {
  return source === "default"
    ? `${countOf(count, "release")} came with the first import`
    : `${countOf(count, "release")} of the new source ${source}`;
}

function ReleaseNames({ items, path }: {
  items: readonly { release_item_id: string; feature_name: string }[];
  path: string;
}) {
  return (
    <ul>
      {items.map(({ release_item_id, feature_name }) => (
        <li key={release_item_id}>
          <a href={`${path}/release/${release_item_id}`}>
            <Name text={cleanName(feature_name)} />
          </a>
        </li>
      ))}
    </ul>
  );
}
