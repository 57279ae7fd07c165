import type { TimelineCell } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { Name } from "../name.tsx";
import { CellItems } from "./cell_items.tsx";
import { Earlier, Go, Later, Undated } from "./go.tsx";
import type { QuarterViewProps } from "./quarter_view.ts";

/** Products by quarters: how much has shipped and is to come; a cell opens its releases beside it. */
export function Timeline(props: QuarterViewProps) {
  const { timeline } = props.answer;
  if (!timeline) return null;
  const { quarters, rows, more, idle } = timeline;
  return (
    <div class="boards">
      <div class="board-head">
        <Earlier {...props} outside={timeline} />
        <p class="keys">
          <span class="shipped-key">●</span> shipped <span class="open-key">○</span> to come{" "}
          <span class="slipped-key">↷</span> slipped to the quarter
        </p>
        <Later {...props} outside={timeline} />
      </div>
      <div class="timeline-view" role="group" tabIndex={0} aria-label="Products by quarter">
        <table>
          <caption class="visually-hidden">Releases by product and quarter</caption>
          <thead>
            <tr>
              <th scope="col">Product</th>
              {quarters.map((name) => (
                <th key={name} scope="col" class={name === props.quarter ? "current" : undefined}>
                  {name} {name === props.quarter && <span class="badge tone-now">now</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ product, total, cells }) => (
              <tr key={product}>
                <th scope="row">
                  <Name text={product} /> <span class="quiet">{total}</span>
                </th>
                {cells.map((cell, place) => (
                  <td key={place}>
                    {cell && (
                      <CellDetails
                        {...props}
                        cell={cell}
                        title={`${product}, ${quarters[place]}`}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more + idle > 0 && (
        <p class="quiet">
          {more > 0 && `${countOf(more, "more product")} with fewer releases. `}
          {idle > 0 && `${countOf(idle, "product")} with nothing in these quarters.`}
        </p>
      )}
      <Undated {...props} outside={timeline} />
    </div>
  );
}

/** Of all cells one is open at a time. */
function CellDetails({ cell, title, ...props }: QuarterViewProps & {
  cell: TimelineCell;
  title: string;
}) {
  const { shipped, open, slipped, total, items, all } = cell;
  return (
    <details name="cell">
      <summary>
        {shipped > 0 && (
          <span class="shipped-key">
            <span aria-hidden="true">●</span> {shipped} <span class="visually-hidden">shipped</span>
          </span>
        )} {open > 0 && (
          <span class="open-key">
            <span aria-hidden="true">○</span> {open} <span class="visually-hidden">to come</span>
          </span>
        )}
        {slipped > 0 && (
          <span class="slipped-key">
            <span aria-hidden="true">↷</span> {slipped}{" "}
            <span class="visually-hidden">slipped to this quarter</span>
          </span>
        )}
        {shipped + open === 0 && <span class="quiet">{total} stopped</span>}
      </summary>
      <div class="cell-panel">
        <p class="quiet">{title}</p>
        <CellItems path={props.path} marks={props.answer.marks} items={items} />
        {all && (
          <Go {...props} to={{ view: "", ...all }}>
            Show all {total} <span class="visually-hidden">of {title}</span>
          </Go>
        )}
      </div>
    </details>
  );
}
