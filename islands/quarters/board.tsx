import { countOf } from "../../lib/text/count_of.ts";
import type {
  BoardColumn,
  BoardGrid,
  CellSearch,
} from "../../lib/roadmap/quarters/quarter_grid.ts";
import { searchAddress, type SearchQuery } from "../search/search_query.ts";
import { staysHere } from "../stays_here.ts";
import { CellItems } from "./cell_items.tsx";
import type { QuarterViewProps } from "./quarter_view.ts";

/** A window of quarters, a column each, or a column for how far releases have come. */
export function Board(props: QuarterViewProps) {
  const { columns, earlier, later, undated }: BoardGrid = props.answer.board ?? { columns: [] };
  const isByStatus = props.query.group !== "";
  return (
    <div class="boards">
      <div class="board-head">
        {earlier && (
          <Go {...props} to={{ from: earlier.first }}>
            ‹ Earlier: {countOf(earlier.total, "release")}
          </Go>
        )}
        <nav class="switch" aria-label="Columns">
          {["", "status"].map((group) => (
            <Go
              {...props}
              to={{ group, from: "" }}
              current={isByStatus === (group !== "")}
            >
              {group ? "Status" : "Quarter"}
            </Go>
          ))}
        </nav>
        {later && (
          <Go {...props} to={{ from: later.first }}>Later: {countOf(later.total, "release")} ›</Go>
        )}
      </div>
      <div class="board" role="group" tabIndex={0} aria-label="Board">
        {columns.map((column) => <Column key={column.name} column={column} {...props} />)}
      </div>
      {undated && (
        <p>
          <Go {...props} to={{ view: "", ...undated.all }}>
            {countOf(undated.total, "release")} without a date
          </Go>
        </p>
      )}
    </div>
  );
}

function Column({ column, ...props }: QuarterViewProps & { column: BoardColumn }) {
  const { name, total, groups } = column;
  const isNow = name === props.quarter;
  return (
    <section class={isNow ? "column current" : "column"}>
      <h3>
        {name} {isNow && <span class="badge tone-now">now</span>} <span class="quiet">{total}</span>
      </h3>
      <p class="column-counts">
        {groups.map(({ standing, total }, place) =>
          standing && (
            <>
              {place > 0 && " · "}
              <span class={standing === "overdue" ? "late" : undefined}>{total} {standing}</span>
            </>
          )
        )}
      </p>
      {groups.map(({ standing, items, total, all }) => (
        <>
          {groups[1] && <h4>{standing}</h4>}
          <CellItems path={props.path} marks={props.answer.marks} items={items} />
          {all && (
            <Go {...props} to={{ view: "", ...all }}>
              + {total - items.length} {standing ?? "more"}
              <span class="visually-hidden">, {name}</span>
            </Go>
          )}
        </>
      ))}
    </section>
  );
}

/** A link to another part of the search. */
function Go({ path, query, onPick, to, current, children }: QuarterViewProps & {
  to: Partial<SearchQuery> | CellSearch;
  current?: boolean;
  children: preact.ComponentChildren;
}) {
  const wanted = { ...query, page: 1, ...to } as SearchQuery;
  return (
    <a
      class="show-all"
      href={searchAddress(path, wanted)}
      aria-current={current ? "true" : undefined}
      onClick={staysHere(() => onPick(wanted))}
    >
      {children}
      {" "}
    </a>
  );
}
