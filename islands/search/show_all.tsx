import type { Cell } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { toLine } from "../../lib/text/to_line.ts";
import type { QuarterViewProps } from "../quarters/quarter_view.ts";
import { searchAddress } from "./search_query.ts";
import { staysHere } from "../stays_here.ts";

type ShowAllProps = Pick<QuarterViewProps, "path" | "query" | "onPick"> & { cell: Cell };

/** Leads to the list of all releases of a cell, if not all are shown. */
export function ShowAll({ cell, path, query, onPick }: ShowAllProps) {
  if (!cell.all) return null;
  const wanted = { ...query, view: "", page: 1, ...cell.all };
  return (
    <a
      class="show-all"
      href={searchAddress(path, wanted)}
      onClick={staysHere(() => onPick(wanted))}
    >
      Show all {cell.total}{" "}
      <span class="visually-hidden">
        of {cell.product && `${toLine(cell.product)}, `}
        {cell.quarter}
      </span>
    </a>
  );
}
