import type { Cell } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { CellItems } from "./cell_items.tsx";
import type { QuarterViewProps } from "./quarter_view.ts";
import { ShowAll } from "../search/show_all.tsx";

/** The first releases of each quarter, a column each; past quarters are folded. */
export function Board(props: QuarterViewProps) {
  const { cells = [], columns = [], past = 0 } = props.answer.grid ?? {};
  const isPast = ({ quarter }: Cell) => columns.indexOf(quarter) < past;
  const before = cells.filter(isPast).reverse();
  const next = cells.filter((cell) => !isPast(cell));
  const count = before.reduce((sum, { total }) => sum + total, 0);
  return (
    <div class="boards">
      {next.length > 0 && <Columns title="Current and upcoming quarters" cells={next} {...props} />}
      {before.length > 0 && (
        <details class="past" open={next.length === 0}>
          <summary>Earlier: {countOf(count, "release")} in past quarters</summary>
          <Columns title="Past quarters" cells={before} {...props} />
        </details>
      )}
    </div>
  );
}

function Columns(
  { title, cells, quarter, ...props }: QuarterViewProps & {
    title: string;
    cells: readonly Cell[];
  },
) {
  return (
    <div class="board" role="group" tabIndex={0} aria-label={title}>
      {cells.map((cell) => {
        const isNow = cell.quarter === quarter;
        return (
          <section key={cell.quarter} class={isNow ? "column current" : "column"}>
            <h3>
              {cell.quarter} {isNow && <span class="badge tone-now">now</span>}{" "}
              <span class="quiet">{cell.total}</span>
            </h3>
            <ByProduct cell={cell} {...props} />
            <ShowAll cell={cell} {...props} />
          </section>
        );
      })}
    </div>
  );
}

/** The releases of a column below the names of their products, each name once. */
function ByProduct({ cell, path, answer }: Pick<QuarterViewProps, "path" | "answer"> & {
  cell: Cell;
}) {
  const products = [...Map.groupBy(cell.items, ({ product_name }) => product_name)]
    .sort(([a], [b]) => a < b ? -1 : 1);
  return (
    <>
      {products.map(([product, items]) => (
        <section key={product}>
          <h4 dir="auto">{product}</h4>
          <CellItems path={path} marks={answer.marks} items={items} />
        </section>
      ))}
    </>
  );
}
