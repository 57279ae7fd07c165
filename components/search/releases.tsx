import type { QuarterCount } from "../../lib/roadmap/item.ts";
import { isStated } from "../../lib/roadmap/stated.ts";
import { addQuarters, formatDay, formatNarrow, placeOfQuarter } from "../../lib/text/dates.ts";
import { joinParts } from "../../lib/text/phrases.ts";
import { type Marks, markWords } from "../../lib/text/match_words.ts";
import { Changing } from "../changing.tsx";
import { hidden } from "../name.tsx";
import { Status } from "../status.tsx";
import {
  byQuarter,
  type FoundItem,
  isSoonestFirst,
  searchAddress,
  type SearchAnswer,
  searchLink,
  type SearchQuery,
} from "./search_query.ts";
import { isolate, rich, say } from "../../lib/text/say.ts";

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
  const { query, answer: { items } } = props;
  if (!isSoonestFirst(query)) {
    return (
      <div class="release-list">
        <Rows {...props} found={items} />
      </div>
    );
  }
  const isFolded = query.release_status.length === 0 && items.some(isOpen);
  return (
    <div class="release-list">
      <Overdue {...props} />
      {byQuarter(items).map(({ quarter, title, found }) => (
        <section key={quarter}>
          <QuarterHead name={quarter} title={title} {...props} />
          {isFolded ? <Folded {...props} found={found} /> : <Rows {...props} found={found} />}
        </section>
      ))}
    </div>
  );
}

function isOpen({ tone, active }: FoundItem): boolean {
  return active !== false && tone !== "shipped" && tone !== "stopped";
}

/** What is to come of a quarter, and below it one line for what is closed, which opens. */
function Folded({ found, ...props }: ReleaseListProps & { found: readonly FoundItem[] }) {
  const [open, closed] = [found.filter(isOpen), found.filter((item) => !isOpen(item))];
  const shipped =
    closed.filter(({ tone, active }) => tone === "shipped" && active !== false).length;
  const counts = [
    ...shipped > 0 ? [say("kind_count.shipped", { count: shipped })] : [],
    ...closed.length > shipped ? [say("list.stopped", { count: closed.length - shipped })] : [],
  ];
  return (
    <>
      {open.length > 0 && <Rows {...props} found={open} />}
      {closed.length > 0 && (
        <details class="closed">
          <summary>
            <strong>
              <Changing text={joinParts(counts)} />
            </strong>{" "}
            <span class="quiet">
              <Changing text={nameFirst(closed)} />
            </span>
          </summary>
          <Rows {...props} found={closed} />
        </details>
      )}
    </>
  );
}

const MAX_NAMED = 2;

function nameFirst(found: readonly FoundItem[]): string {
  const named = found.slice(0, MAX_NAMED).map(({ feature_name }) => isolate(feature_name));
  const more = found.length - named.length;
  return joinParts([...named, ...more > 0 ? [say("list.and_more", { count: more })] : []]);
}

function Rows({ path, query, answer: { marks }, found }: ReleaseListProps & {
  found: readonly FoundItem[];
}) {
  return (
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
}

function QuarterHead({ name, title, quarter, answer: { quarters } }: ReleaseListProps & {
  name: string | null;
  title: string;
}) {
  const counted = quarters.find((one) => one.quarter === name);
  return (
    <h2>
      <span>{title}</span>{" "}
      {name === quarter && <span class="badge tone-now">{say("list.now")}</span>}{" "}
      {counted && (
        <span class="quiet">
          <Changing text={describeQuarter(counted, quarter)} />
        </span>
      )}
    </h2>
  );
}

function describeQuarter(
  { quarter, shipped, planned, unknown = 0 }: QuarterCount,
  now: string,
): string {
  const isOver = placeOfQuarter(quarter) < placeOfQuarter(now);
  const open = isOver ? planned : planned + unknown;
  const late = isOver ? "list.overdue" : "list.to_come";
  return joinParts([
    ...open > 0 ? [say(late, { count: open })] : [],
    ...isOver && unknown > 0 ? [say("list.unknown", { count: unknown })] : [],
    ...shipped > 0 ? [say("kind_count.shipped", { count: shipped })] : [],
  ]);
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
      <strong>{say("list.overdue_title")}</strong>{" "}
      <span class="badge tone-stopped">
        <Changing text={count} />
      </span>{" "}
      <a {...searchLink(path, wanted, () => onPick(wanted))}>
        {rich("list.show_overdue", { hidden })}
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
            <Marked text={item.feature_name} marks={marks} lang={item.lang} />
          </a>
        </h3>
        {item.excerpt && (
          <p class="excerpt">
            <Marked text={item.excerpt} marks={marks} lang={item.lang} />
          </p>
        )}
      </div>
      <RowStatus item={item} />
      <p class="row-product">
        {item.product_names.filter(isStated).map((name, place) => (
          <span key={name}>
            {place > 0 && say("list.separator")}
            <a
              rel="nofollow"
              href={searchAddress(path, { ...query, product_name: [name], page: 1 })}
            >
              <Marked text={name} marks={marks} />
            </a>
          </span>
        ))}
      </p>
      <p class="row-date">
        <PlannedDate item={item} />
        {item.next_date && <span class="quiet">{item.next_date}</span>}
        {query.sort === "last_modified" && (
          <span class="quiet">
            {rich("list.changed", { day: Modified({ item }) })}
          </span>
        )}
      </p>
    </li>
  );
}

/** Status, type, date and product of a release, in one line. */
export function Facts({ item }: { item: FoundItem }) {
  return (
    <div class="facts">
      <RowStatus item={item} /> <PlannedDate item={item} />{" "}
      {isStated(item.release_type) && <span>{item.release_type}</span>}{" "}
      <Marked text={joinParts(item.product_names.filter(isStated))} />{" "}
      <span class="quiet">
        {rich("list.modified", { day: Modified({ item }) })}
      </span>
    </div>
  );
}

function Modified({ item: { last_modified: day } }: { item: FoundItem }) {
  return <time dateTime={day}>{formatDay(day)}</time>;
}

function RowStatus({ item }: { item: FoundItem }) {
  return (
    <p class="row-status">
      <Status item={item} />
    </p>
  );
}

/** When a release is planned, behind the date from which it last moved. */
function PlannedDate({ item: { release_date, moved_from } }: { item: FoundItem }) {
  const planned = release_date === null ? say("list.no_date") : formatNarrow(release_date);
  if (moved_from === undefined) return <span>{planned}</span>;
  return (
    <span>
      <del>
        {rich("list.moved_from", {
          hidden,
          // In a narrow window a quarter is without its year, as the new date stands beside it.
          date: formatNarrow(moved_from, (year) => <span class="year">{year}</span>),
        })}
      </del>{" "}
      <ins class={isEarlier(release_date, moved_from) ? "earlier" : undefined}>{planned}</ins>
    </span>
  );
}

function isEarlier(date: string | null, before: string): boolean {
  if (date === null) return false;
  return date.startsWith("Q") ? placeOfQuarter(date) < placeOfQuarter(before) : date < before;
}

/** A text with the search words highlighted, in its own direction; with other words it is another. */
export function Marked({ text, marks, lang }: { text: string; marks?: Marks; lang?: string }) {
  const pieces = markWords(text, marks);
  return (
    <bdi key={JSON.stringify(pieces)} lang={lang}>
      {pieces.map(({ text, hit }, place) => hit ? <mark key={place}>{text}</mark> : text)}
    </bdi>
  );
}
