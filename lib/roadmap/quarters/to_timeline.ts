import { toLine } from "../../text/to_line.ts";
import { type Moves, searchQuarter, toCellItem } from "./cell_item.ts";
import type { TimelineCell, TimelineGrid } from "./quarter_grid.ts";
import type { TimelineCounts, TimelineRow } from "./timeline_sql.ts";
import { countOutside, type GridOptions, listQuarters } from "./to_board.ts";

/** A timeline, of rows that stand product by product. */
export function toTimeline(
  rows: readonly TimelineRow[],
  counts: TimelineCounts,
  { filter, ...options }: GridOptions,
  moves: Moves,
): TimelineGrid {
  const quarters = listQuarters(options.limits);
  const products = [...Map.groupBy(rows, ({ product }) => product)];
  const toCell = (ofCell: readonly TimelineRow[]): TimelineCell | null => {
    const [first] = ofCell;
    if (first === undefined) return null;
    const { product, quarter, total, shipped, open, slipped } = first;
    const all = { ...searchQuarter(quarter, filter), product_name: [product] };
    return {
      shipped,
      open,
      slipped,
      total,
      items: ofCell.map((row) => toCellItem(row, moves)),
      ...ofCell.length < total && { all },
    };
  };
  return {
    quarters,
    rows: products.map(([product, ofProduct]) => ({
      product: toLine(product),
      total: ofProduct[0]!.of_product,
      cells: quarters.map((name) => toCell(ofProduct.filter(({ quarter }) => quarter === name))),
    })),
    more: counts.busy - products.length,
    idle: counts.products - counts.busy,
    ...countOutside(counts, { filter, ...options }),
  };
}
