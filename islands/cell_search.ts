import { type Cell, EARLIER, LATER, UNDATED } from "../lib/roadmap/quarter_grid.ts";
import { addQuarters, quarterOf } from "../lib/text/dates.ts";
import type { SearchAnswer } from "./search_answer.ts";
import type { SearchQuery } from "./search_query.ts";

/** The releases on a page of the list. */
export const LIST_SIZE = 50;

/** The search that lists all releases of a cell. */
export function searchCell(
  { quarter, product, total }: Pick<Cell, "quarter" | "product" | "total">,
  query: SearchQuery,
  grid: NonNullable<SearchAnswer["grid"]> & { total: number },
): SearchQuery {
  const ofProduct = product === "" ? {} : { product_name: [product] };
  const list = { ...query, ...ofProduct, view: "", page: 1, sort: "release_date", order: "asc" };
  switch (quarter) {
    case EARLIER:
      return { ...list, release_date_to: addQuarters(grid.first, -1), order: "" };
    case LATER:
      return { ...list, release_date_from: addQuarters(grid.last, 1) };
    case UNDATED: {
      // No filter asks for a missing date; in the order of dates those without come last.
      const all = product === "" ? grid.total : totalOf(product, grid.cells);
      return { ...list, page: Math.floor((all - total) / LIST_SIZE) + 1 };
    }
    default:
      return {
        ...list,
        release_date_from: within(quarter, query.release_date_from),
        release_date_to: within(quarter, query.release_date_to),
      };
  }
}

/** A day that is chosen may lie within the quarter. */
function within(quarter: string, bound: string): string {
  return bound !== "" && quarterOf(bound) === quarter ? bound : quarter;
}

function totalOf(product: string, cells: readonly Cell[]): number {
  return cells.filter((cell) => cell.product === product)
    .reduce((sum, { total }) => sum + total, 0);
}
