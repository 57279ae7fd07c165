import { decodeEntities } from "../text/plain_text.ts";
import type { CellRow } from "./quarter_cells_sql.ts";
import type { Cell } from "./quarter_grid.ts";

/** The cells of a view by quarter, of rows that stand cell by cell. */
export function toCells(rows: readonly CellRow[]): Cell[] {
  const cells = Map.groupBy(rows, ({ product, quarter }) => `${product}\0${quarter}`);
  return [...cells.values()].map((rows) => {
    const { product, quarter, total } = rows[0]!;
    return {
      quarter,
      product,
      total,
      items: rows.map((
        { release_item_id, feature_name, release_status, product_name, active },
      ) => ({
        release_item_id,
        feature_name: decodeEntities(feature_name),
        release_status,
        product_name,
        ...!active && { active: false as const },
      })),
    };
  });
}
