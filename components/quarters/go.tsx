import type { ComponentChildren } from "preact";
import type { CellSearch, Outside } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { countOf } from "../../lib/text/count_of.ts";
import type { SearchQuery } from "../search/search_query.ts";
import { searchLink } from "../search/search_link.ts";
import type { QuarterViewProps } from "./quarter_view.ts";

/** A link to another part of the search. */
export function Go({ path, query, onPick, to, current, children }: QuarterViewProps & {
  to: Partial<SearchQuery> | CellSearch;
  current?: boolean;
  children: ComponentChildren;
}) {
  const wanted = { ...query, page: 1, ...to } as SearchQuery;
  return (
    <a
      class="show-all"
      {...searchLink(path, wanted, () => onPick(wanted))}
      aria-current={current ? "true" : undefined}
    >
      {children}
      {" "}
    </a>
  );
}

type OutsideProps = QuarterViewProps & { outside: Outside };

/** Slides the window a quarter back. */
export function Earlier({ outside: { earlier }, ...props }: OutsideProps) {
  return earlier
    ? (
      <Go {...props} to={{ from: earlier.first }}>
        ‹ Earlier: {countOf(earlier.total, "release")}
      </Go>
    )
    : null;
}

/** Slides the window a quarter on. */
export function Later({ outside: { later }, ...props }: OutsideProps) {
  return later
    ? <Go {...props} to={{ from: later.first }}>Later: {countOf(later.total, "release")} ›</Go>
    : null;
}

/** Leads to what no quarter has. */
export function Undated({ outside: { undated }, ...props }: OutsideProps) {
  return undated
    ? (
      <p>
        <Go {...props} to={{ view: "", ...undated.all }}>
          {countOf(undated.total, "release")} without a date
        </Go>
      </p>
    )
    : null;
}
