import { Name } from "../../../islands/name.tsx";
import type { ChangelogEntry, Introduction } from "../../roadmap/changes/changelog_entries_sql.ts";
import { type Story, storyInWords } from "../../roadmap/changes/stories.ts";
import { cleanName } from "../../text/clean_name.ts";
import { countOf } from "../../text/count_of.ts";
import { toLine } from "../../text/to_line.ts";
import { KindBadge } from "./entry_line.tsx";

/** Releases to which the same happened: a sentence, and the releases inside. */
export function StoryBlock(
  { story, path }: { story: Story<{ entry: ChangelogEntry }>; path: string },
) {
  const product_name = toLine(story.product_name);
  return (
    <li class={`entry story story-${story.kind}`}>
      <KindBadge kind={story.kind} />
      <details open={story.entries.length <= SHOWN_AT_ONCE}>
        <summary dir="auto">{storyInWords({ ...story, product_name })}</summary>
        <ReleaseNames items={story.entries.map(({ entry }) => entry.item)} path={path} />
      </details>
    </li>
  );
}

/** So many names are shown without a click. */
const SHOWN_AT_ONCE = 8;

/** A source that is followed from this day on, with the releases that it brought. */
export function IntroductionBlock(
  { introduction: { source, count, items }, path }: { introduction: Introduction; path: string },
) {
  const more = count - items.length;
  return (
    <li class="entry story">
      <span class="badge">New source</span>
      <details>
        <summary dir="auto">
          {source === "default"
            ? `${countOf(count, "release")} came with the first import`
            : `${countOf(count, "release")} of the new source ${source}`}
        </summary>
        <ReleaseNames items={items} path={path} />
        {more > 0 && (
          <p>
            <a href={`${path}/?source=${encodeURIComponent(source)}`}>
              and {more.toLocaleString("en")} more
            </a>
          </p>
        )}
      </details>
    </li>
  );
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
