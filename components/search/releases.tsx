import type { QuarterCount } from "../../lib/roadmap/item.ts";
import { countOf } from "../../lib/text/phrases.ts";
import {
  addQuarters,
  formatDay,
  formatPlanned,
  placeOfQuarter,
  quarterOf,
} from "../../lib/text/dates.ts";
import { type Marks, markWords } from "../../lib/text/match_words.ts";
import {
  type FoundItem,
  isSoonestFirst,
  searchAddress,
  type SearchAnswer,
  searchLink,
  type SearchQuery,
} from "./search_query.ts";

interface ReleaseListProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** A page of releases; those that come soonest stand below their quarters. */
export function ReleaseList(props: ReleaseListProps) {
  const { path, query, answer: { items, quarters, marks } } = props;
  const rows = (found: SearchAnswer["items"]) => (
    <ul class="rows">
      {found.map((item) => (
        <ReleaseRow
          key={item.release_item_id}
          path={path}
          item={item}
          query={query}
          marks={marks}
        />
      ))}
    </ul>
  );
  if (!isSoonestFirst(query)) return <div class="release-list">{rows(items)}</div>;
  const groups = Map.groupBy(items, ({ release_date }) => release_date && quarterOf(release_date));
  return (
    <div class="release-list">
      <Overdue {...props} />
      {[...groups].map(([name, found]) => (
        <section key={name}>
          <h2>
            {name ?? "No date"} {name === props.quarter && <span class="badge tone-now">now</span>}
            {" "}
            <Numbers of={quarters.find(({ quarter }) => quarter === name)} now={props.quarter} />
          </h2>
          {rows(found)}
        </section>
      ))}
    </div>
  );
}

function Numbers({ of, now }: { of: QuarterCount | undefined; now: string }) {
  if (!of) return null;
  const { quarter, shipped, planned, unknown = 0 } = of;
  const isOver = placeOfQuarter(quarter) < placeOfQuarter(now);
  return (
    <span class="quiet">
      {countOf(shipped + planned + unknown, "release")}
      {shipped > 0 && ` · ${shipped} shipped`}
      {isOver && planned > 0 && ` · ${planned} overdue`}
    </span>
  );
}

/** How many releases were planned for a quarter that is over, with a link to them. */
function Overdue({ path, quarter, query, answer: { quarters }, onPick }: ReleaseListProps) {
  const count = quarters.filter((one) => placeOfQuarter(one.quarter) < placeOfQuarter(quarter))
    .reduce((sum, { planned }) => sum + planned, 0);
  const { due, release_date_from, release_date_to, page } = query;
  if (count === 0 || page > 1 || due + release_date_from + release_date_to !== "") return null;
  const wanted = { ...query, due: "overdue", release_date_to: addQuarters(quarter, -1) };
  return (
    <p class="overdue">
      <strong>Overdue</strong> <span class="badge tone-stopped">{count}</span>{" "}
      <span class="quiet">planned for a quarter that is over</span>{" "}
      <a {...searchLink(path, wanted, () => onPick(wanted))}>
        Show <span class="visually-hidden">overdue releases</span>
      </a>
    </p>
  );
}

/** One release in a list. */
function ReleaseRow(
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
