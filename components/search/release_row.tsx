import { formatDay, formatPlanned, placeOfQuarter } from "../../lib/text/dates.ts";
import { type Marks, markWords } from "../../lib/text/mark_words.ts";
import type { FoundItem } from "./search_answer.ts";
import { searchAddress, type SearchQuery } from "./search_query.ts";

/** One release in a list. */
export function ReleaseRow(
  { path, item, query, marks }: {
    path: string;
    item: FoundItem;
    query: SearchQuery;
    marks: Marks | undefined;
  },
) {
  return (
    <li class={item.active === false ? "release-row removed" : "release-row"}>
      <div class="row-text">
        <h3>
          <a href={`${path}/release/${item.release_item_id}`}>
            <Marked text={item.feature_name} marks={marks} />
          </a>
        </h3>
        {item.excerpt && (
          <p class="excerpt">
            <Marked text={item.excerpt} marks={marks} />
          </p>
        )}
      </div>
      <Status item={item} />
      <p class="row-product">
        {item.product_names.map((name, place) => (
          <>
            {place > 0 && ", "}
            <a
              rel="nofollow"
              href={searchAddress(path, { ...query, product_name: [name], page: 1 })}
            >
              <Marked text={name} marks={marks} />
            </a>
          </>
        ))} <span class="quiet">{item.release_type}</span>
      </p>
      <p class="row-date">
        <PlannedDate item={item} />
      </p>
      <p class="row-modified quiet">
        <span class="visually-hidden">Modified</span>{" "}
        <time dateTime={item.last_modified}>{formatDay(item.last_modified)}</time>
      </p>
    </li>
  );
}

/** Status, type, date and product of a release, in one line. */
export function Facts({ item }: { item: FoundItem }) {
  return (
    <div class="facts">
      <Status item={item} /> <PlannedDate item={item} /> <span>{item.release_type}</span>{" "}
      <Marked text={item.product_names.join(", ")} />{" "}
      <span class="quiet">
        Modified <time dateTime={item.last_modified}>{formatDay(item.last_modified)}</time>
      </span>
    </div>
  );
}

function Status({ item: { active, tone, release_status } }: { item: FoundItem }) {
  return (
    <p class="row-status">
      {active === false && <span class="badge tone-removed">Removed</span>}{" "}
      <span class={`badge tone-${tone}`}>{release_status}</span>
    </p>
  );
}

/** When a release is planned, behind the date from which it last moved. */
function PlannedDate({ item: { release_date, moved_from } }: { item: FoundItem }) {
  const planned = release_date === null ? "No date" : formatPlanned(release_date);
  if (moved_from === undefined) return <span>{planned}</span>;
  return (
    <span>
      <del>
        <span class="visually-hidden">moved from</span> {formatPlanned(moved_from)}
      </del>{" "}
      <ins class={isEarlier(release_date, moved_from) ? "earlier" : undefined}>{planned}</ins>
    </span>
  );
}

function isEarlier(date: string | null, before: string): boolean {
  if (date === null) return false;
  return date.startsWith("Q") ? placeOfQuarter(date) < placeOfQuarter(before) : date < before;
}

/** A text with the search words highlighted, in its own direction. */
export function Marked({ text, marks }: { text: string; marks?: Marks }) {
  const pieces = markWords(text, marks);
  return (
    <bdi>{pieces.map(({ text, hit }, place) => hit ? <mark key={place}>{text}</mark> : text)}</bdi>
  );
}
