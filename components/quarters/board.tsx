import type { BoardColumn, BoardGrid } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { CellItems } from "./cell_items.tsx";
import { Earlier, Go, Later, Undated } from "./go.tsx";
import type { QuarterViewProps } from "./quarter_view.ts";

/** A window of quarters, a column each, or a column for how far releases have come. */
export function Board(props: QuarterViewProps) {
  const board: BoardGrid = props.answer.board ?? { columns: [] };
  const isByStatus = props.query.group !== "";
  return (
    <div class="boards">
      <div class="board-head">
        <Earlier {...props} outside={board} />
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
        <Later {...props} outside={board} />
      </div>
      <div class="board" role="group" tabIndex={0} aria-label="Board">
        {board.columns.map((column) => <Column key={column.name} column={column} {...props} />)}
      </div>
      <Undated {...props} outside={board} />
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
