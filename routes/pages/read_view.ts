import { resolveFilter } from "../../lib/roadmap/filter/filter.ts";
import { readMovedFrom } from "../../lib/roadmap/moves_sql.ts";
import { readCells, readToneRows } from "../../lib/roadmap/quarters/quarter_cells_sql.ts";
import { limitCells, type QuarterView } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { type Moves, toBoard, toToneBoard } from "../../lib/roadmap/quarters/to_board.ts";
import { toGrid } from "../../lib/roadmap/quarters/to_grid.ts";
import { toMarks } from "../../lib/roadmap/words/marks.ts";
import { findReleases } from "../../lib/search/find_releases.ts";
import { formatQuarter } from "../../lib/text/dates.ts";
import { today } from "../route.ts";
import { type Found, LIST_SIZE, type ParsedSearch, type SearchContext } from "./parsed_search.ts";

/** The cards of a column of a board by status. */
const TONE_SIZE = 10;

/** Finds what a board or a timeline shows. */
export async function readView(
  view: QuarterView,
  parsed: Pick<ParsedSearch, "collection" | "search">,
  context: SearchContext,
): Promise<Found> {
  const { filter, selection, mode, shortLived } = await findReleases(
    resolveFilter(parsed.collection, today(context.services)),
    context,
  );
  const among = selection?.slice(0, selection.count) ?? filter;
  const { group } = parsed.search;
  const shown = view === "board" && group === "status"
    ? await readTones(among, parsed, context)
    : await readQuarters(view, { among, filter }, { ...parsed, ...context });
  return {
    answer: { items: [], page: 1, totalPages: 1, mode, marks: toMarks(filter), ...shown },
    shortLived,
  };
}

type Among = Parameters<typeof readCells>[1];

async function readTones(
  among: Among,
  { collection }: Pick<ParsedSearch, "collection">,
  context: SearchContext,
) {
  const { database } = context.services;
  const rows = await readToneRows(database, among, { perCell: TONE_SIZE });
  const moves = await readMoves(rows, collection.as_of, context);
  return { board: toToneBoard(rows, moves), total: rows[0]?.all_items ?? 0 };
}

async function readQuarters(
  view: QuarterView,
  { among, filter }: { among: Among; filter: Parameters<typeof limitsFor>[1] },
  { collection, search, ...context }:
    & Pick<ParsedSearch, "collection" | "search">
    & SearchContext,
) {
  const { services } = context;
  const day = today(services);
  const quarter = formatQuarter(day);
  const limits = limitsFor(view, filter, { quarter, first: search.from || undefined });
  const rows = await readCells(services.database, among, limits, day);
  const options = { limits, filter: search, quarter, pageSize: LIST_SIZE };
  const total = rows[0]?.all_items ?? 0;
  if (view === "timeline") return { grid: toGrid(rows, options), total };
  const moves = await readMoves(rows, collection.as_of, context);
  return { board: toBoard(rows, options, moves), total };
}

function limitsFor(
  view: QuarterView,
  { release_date_from: from, release_date_to: to }: {
    release_date_from?: string;
    release_date_to?: string;
  },
  around: { quarter: string; first?: string },
) {
  return limitCells(view, { ...around, from, to });
}

/** From which days the releases of cards last moved. */
async function readMoves(
  rows: readonly { release_item_id: string }[],
  as_of: string | undefined,
  { services, site }: SearchContext,
): Promise<Moves> {
  const ids = rows.map(({ release_item_id }) => release_item_id);
  const movedFrom = await readMovedFrom(services.database, ids, as_of);
  return { variant: site.variant, movedFrom };
}
