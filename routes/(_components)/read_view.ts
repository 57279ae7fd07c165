import { resolveFilter } from "../../lib/roadmap/filter/filter.ts";
import { readMovedFrom } from "../../lib/roadmap/items_sql.ts";
import {
  countTimeline,
  readCells,
  readTimeline,
  readToneRows,
} from "../../lib/roadmap/quarters/quarters_sql.ts";
import { limitCells, type QuarterView } from "../../lib/roadmap/quarters/quarter_grid.ts";
import type { Moves } from "../../lib/roadmap/found_item.ts";
import { toBoard, toTimeline, toToneBoard } from "../../lib/roadmap/quarters/quarter_views.ts";
import { toMarks } from "../../lib/roadmap/words/marks.ts";
import { findReleases } from "../../lib/search/find_releases.ts";
import { formatQuarter } from "../../lib/text/dates.ts";
import { today } from "../route.ts";
import { type Found, LIST_SIZE, type ParsedSearch, type ViewContext } from "./parsed_search.ts";

/** The cards of a column of a board by status. */
const TONE_SIZE = 10;
/** The rows of a timeline. */
const MAX_PRODUCTS = 50;

/** Finds what a board or a timeline shows. */
export async function readView(
  view: QuarterView,
  parsed: Pick<ParsedSearch, "collection" | "search">,
  context: ViewContext,
): Promise<Found> {
  const { selection, ...found } = await findReleases(
    resolveFilter(parsed.collection, today(context.services)),
    context,
  );
  const { filter, mode } = found;
  const among = selection?.slice(0, selection.count) ?? filter;
  const { group } = parsed.search;
  const shown = view === "board" && group === "status"
    ? await readTones(among, parsed, context)
    : await readQuarters(view, { among, filter }, { ...parsed, ...context });
  return {
    answer: { items: [], page: 1, totalPages: 1, mode, marks: toMarks(filter), ...shown },
    found,
  };
}

type Among = Parameters<typeof readCells>[1];

async function readTones(
  among: Among,
  { collection }: Pick<ParsedSearch, "collection">,
  context: ViewContext,
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
    & ViewContext,
) {
  const { services } = context;
  const day = today(services);
  const quarter = formatQuarter(day);
  const limits = limitsFor(view, filter, { quarter, first: search.from || undefined });
  const options = { limits, filter: search, pageSize: LIST_SIZE };
  const { database } = services;
  const read = <Row extends { release_item_id: string }>(rows: readonly Row[]) =>
    readMoves(rows, collection.as_of, context);
  if (view === "timeline") {
    const chosen = collection.product_name ?? [];
    const { as_of } = collection;
    const rows = await readTimeline(database, among, limits, { chosen, most: MAX_PRODUCTS, as_of });
    const counts = await countTimeline(database, among, limits, chosen);
    return { timeline: toTimeline(rows, counts, options, await read(rows)), total: counts.all };
  }
  const rows = await readCells(database, among, limits, day);
  return { board: toBoard(rows, options, await read(rows)), total: rows[0]?.all_items ?? 0 };
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
  { services, site }: ViewContext,
): Promise<Moves> {
  const ids = rows.map(({ release_item_id }) => release_item_id);
  const movedFrom = await readMovedFrom(services.database, ids, as_of);
  return { variant: site.variant, movedFrom };
}
