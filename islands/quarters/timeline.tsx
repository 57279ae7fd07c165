import { CellItems } from "./cell_items.tsx";
import { Name } from "../name.tsx";
import type { QuarterViewProps } from "./quarter_view.ts";
import { ShowAll } from "../search/show_all.tsx";

/** Products by quarters: a table, with the first releases of each product in each quarter. */
export function Timeline({ quarter, ...props }: QuarterViewProps) {
  const { path, answer } = props;
  const { cells = [], columns = [] } = answer.grid ?? {};
  const products = [...Map.groupBy(cells, ({ product }) => product)]
    .sort(([a], [b]) => a < b ? -1 : 1);
  const shown = cells.reduce((sum, { total }) => sum + total, 0);
  return (
    <div class="boards">
      {shown < answer.total && (
        <p class="notice">
          Showing the {products.length} products with the most releases. Use filters to see others.
        </p>
      )}
      <div class="timeline-view" role="group" tabIndex={0} aria-label="Products by quarter">
        <table>
          <caption class="visually-hidden">Releases by product and quarter</caption>
          <thead>
            <tr>
              <th scope="col">Product</th>
              {columns.map((name) => (
                <th key={name} scope="col" class={name === quarter ? "current" : undefined}>
                  {name} {name === quarter && <span class="badge tone-now">now</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {products.map(([product, ofProduct]) => (
              <tr key={product}>
                <th scope="row">
                  <Name text={product} />
                </th>
                {columns.map((name) => {
                  const cell = ofProduct.find((one) => one.quarter === name);
                  return (
                    <td key={name}>
                      {cell && <CellItems path={path} marks={answer.marks} items={cell.items} />}
                      {cell && <ShowAll cell={cell} {...props} />}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
