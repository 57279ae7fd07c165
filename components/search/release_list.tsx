import type { QuarterCount } from "../../lib/roadmap/item.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { addQuarters, placeOfQuarter, quarterOf } from "../../lib/text/dates.ts";
import { ReleaseRow } from "./release_row.tsx";
import type { SearchAnswer } from "./search_answer.ts";
import { isSoonestFirst, type SearchQuery } from "./search_query.ts";
import { searchLink } from "./search_link.ts";

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
  const { quarter, shipped, planned } = of;
  const isOver = placeOfQuarter(quarter) < placeOfQuarter(now);
  return (
    <span class="quiet">
      {countOf(shipped + planned, "release")}
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
