import { addQuarters, placeOfQuarter, quarterOf } from "../../text/dates.ts";
import { foreign } from "../../text/foreign.ts";
import { toLine } from "../../text/phrases.ts";
import { cleanName } from "../../text/plain_text.ts";
import type { FilterValues } from "../filter/filter_values.ts";
import { nextDate } from "../found_item.ts";
import type { StatusTone } from "../status_tone.ts";
import type { Variant } from "../variant.ts";
import type { CellRow, ToneRow } from "./quarters_sql.ts";
import {
  type BoardColumn,
  type BoardGrid,
  type BoardGroup,
  type CellItem,
  type CellLimits,
  EARLIER,
  LATER,
  type QuarterStanding,
  UNDATED,
} from "./quarter_grid.ts";

/** What is news stands first. */
const STANDINGS: readonly QuarterStanding[] = [
  "overdue",
  "unclear",
  "to come",
  "shipped",
  "stopped",
];
const TONES: readonly StatusTone[] = ["in_progress", "planned", "shipped", "stopped"];

/** How a board is cut out of a search. */
interface GridOptions {
  limits: CellLimits;
  /** That of the roadmap, `YYYY-MM-DD`. */
  day: string;
  quarter: string;
  filter: Pick<FilterValues, "release_date_from" | "release_date_to">;
  pageSize: number;
  variant: Variant;
}

/** A board by quarter: every quarter of its window has a column. */
export function toBoard(rows: readonly CellRow[], options: GridOptions): BoardGrid {
  const cells = [
    ...Map.groupBy(rows, ({ standing, quarter }) => `${quarter}/${standing}`).values(),
  ];
  const countIn = (name: string) =>
    cells.reduce((sum, [row]) => row!.quarter === name ? sum + row!.total : sum, 0);
  const toGroups = (name: string) =>
    STANDINGS.flatMap((standing) => {
      const cell = cells.find(([row]) => row!.quarter === name && row!.standing === standing);
      return cell ? [toGroup(cell, options)] : [];
    });
  const { limits: { first, last }, pageSize } = options;
  const quarters = placeOfQuarter(last) - placeOfQuarter(first) + 1;
  const columns = Array.from({ length: quarters }, (_, index) => addQuarters(first, index))
    .map((name): BoardColumn => ({ name, total: countIn(name), groups: toGroups(name) }));
  const [earlier, later, undated] = [EARLIER, LATER, UNDATED].map(countIn) as [
    number,
    number,
    number,
  ];
  // Behind the last quarter with a release there is nothing to see, but today's is always there.
  const end = columns.findLastIndex(({ name, total }) => total > 0 || name === options.quarter);
  // No filter asks for a missing date; in the order of dates, those without come last.
  const page = Math.floor(((rows[0]?.all_items ?? 0) - undated) / pageSize) + 1;
  return {
    columns: later === 0 && end >= 0 ? columns.slice(0, end + 1) : columns,
    ...earlier > 0 && { earlier: { total: earlier, first: addQuarters(first, -1) } },
    ...later > 0 && { later: { total: later, first: addQuarters(first, 1) } },
    ...undated > 0 && { undated: { total: undated, all: { ...LISTED, page } } },
  };
}

function toGroup(rows: readonly CellRow[], { filter, variant, day }: GridOptions): BoardGroup {
  const { quarter, standing, total } = rows[0]!;
  // A day that was chosen may lie in the quarter.
  const within = (bound: string) => bound !== "" && quarterOf(bound) === quarter ? bound : quarter;
  return {
    standing,
    total,
    items: rows.map((row) => toCellItem(variant, row, day)),
    ...rows.length < total && {
      all: {
        ...LISTED,
        release_date_from: within(filter.release_date_from),
        release_date_to: within(filter.release_date_to),
        ...standing === "overdue" && { due: standing },
      },
    },
  };
}

/** In the order of a view by quarter. */
const LISTED = { sort: "release_date", order: "asc" };

/** A release of a cell, with the date from which it slipped. */
function toCellItem(variant: Variant, row: CellRow | ToneRow, day: string): CellItem {
  const { release_item_id, tone, release_date, moved_from } = row;
  const from = moved_from === null ? undefined : variant.formatDate(moved_from);
  const isOpen = tone === "planned" || tone === "in_progress";
  const hasSlipped = isOpen && release_date !== null && moved_from !== null &&
    from !== variant.formatDate(release_date) && moved_from < release_date;
  return {
    release_item_id,
    feature_name: cleanName(row.feature_name),
    release_status: toLine(row.release_status),
    tone,
    product_name: toLine(row.product_name),
    ...hasSlipped && { slipped_from: from },
    ...nextDate(variant, row, day),
    ...!row.active && { active: false as const },
    ...foreign(row.language),
  };
}

/** A board by how far releases have come. */
export function toToneBoard(rows: readonly ToneRow[], variant: Variant, day: string): BoardGrid {
  return {
    columns: TONES.flatMap((tone) => {
      const ofTone = rows.filter((row) => row.tone === tone);
      if (ofTone.length === 0) return [];
      const { total, statuses } = ofTone[0]!;
      const items = ofTone.map((row) => toCellItem(variant, row, day));
      const all = items.length < total && { all: { ...LISTED, release_status: statuses } };
      return [{ name: tone, total, groups: [{ standing: null, total, items, ...all }] }];
    }),
  };
}
