import { type Cell, EARLIER } from "../lib/roadmap/quarter_grid.ts";
import { searchCell } from "./cell_search.ts";
import type { QuarterViewProps } from "./quarter_view.ts";
import { searchAddress } from "./search_query.ts";
import { staysHere } from "./stays_here.ts";

/** Leads to the list of all releases of a cell, if not all are shown. */
export function ShowAll({ cell, path, query, answer, onPick }: Omit<QuarterViewProps, "quarter"> & {
  cell: Cell;
}) {
  const shown = cell.quarter === EARLIER ? 0 : cell.items.length;
  if (shown === cell.total) return null;
  const wanted = searchCell(cell, query, { ...answer.grid!, total: answer.total });
  const of = `of ${cell.product ? `${cell.product}, ` : ""}${cell.quarter}`;
  return (
    <a
      class="show-all"
      href={searchAddress(path, wanted)}
      onClick={staysHere(() => onPick(wanted))}
    >
      Show all {cell.total} <span class="visually-hidden">{of}</span>
    </a>
  );
}
