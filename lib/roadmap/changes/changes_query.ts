import { z } from "zod";
import { flag, texts, uuids, wholeNumber } from "../../http/requests/parameters.ts";
import { formatPairs } from "../collection.ts";
import { FILTER } from "../filter/filter.ts";
import { DUE_PERIODS, type DuePeriod, filterPairs, isDuePeriod } from "../filter/filter_values.ts";
import { type ChangeCursor, cursorParameter, formatCursor } from "./change_cursor.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";
import { reason } from "../../text/said.ts";

/** The parameter that asks for changes of some kinds; repeated: any of them. */
export function kindParameter() {
  return texts()
    .refine(
      (values = []) => values.every(isChangeKind),
      reason("reason.one_of", { values: CHANGE_KINDS.join(", ") }),
    )
    .transform((values) => values as ChangeKind[] | undefined)
    .optional()
    .meta({ items: { enum: [...CHANGE_KINDS] } })
    .describe("Kind of change; repeat to match any of several");
}

/** Whether a text names a kind of change. */
export function isChangeKind(text: string): text is ChangeKind {
  return (CHANGE_KINDS as readonly string[]).includes(text);
}

const DEFAULT_LIMIT = 200;

/** The parameters of the changes. */
export const CHANGES_QUERY = z.object({
  after: cursorParameter()
    .describe("The cursor of an entry, or `next_after` of a response; default: from the beginning"),
  limit: wholeNumber({ min: 1, max: 1_000 }).default(DEFAULT_LIMIT)
    .describe("Maximum number of entries"),
  wait: wholeNumber({ min: 0, max: 30 }).default(0)
    .describe("How many seconds to wait for a change if there is nothing new"),
  ...FILTER,
  due: duePeriods(),
  include_inactive: flag().default(true)
    .describe("`false`: without releases that are not on the roadmap now"),
  release_item_id: uuids().describe("Of a release; any of several"),
  kind: kindParameter(),
});

export type ChangesQuery = z.output<typeof CHANGES_QUERY>;

/** The query of an address that asks for the same behind a cursor; what is a default stays away. */
export function changesQuery(
  { limit = DEFAULT_LIMIT, wait = 0, release_item_id = [], kind = [], ...query }: Partial<
    Record<keyof ChangesQuery, unknown> & Pick<ChangesQuery, "release_item_id" | "kind">
  >,
  after: ChangeCursor,
): string {
  const { include_inactive = true, ...filter } = query;
  return formatPairs([
    ["after", formatCursor(after)],
    ...limit === DEFAULT_LIMIT ? [] : [["limit", String(limit)] as const],
    ...wait === 0 ? [] : [["wait", String(wait)] as const],
    ...filterPairs(filter),
    ...include_inactive ? [] : [["include_inactive", "false"] as const],
    ...release_item_id.map((value) => ["release_item_id", value] as const),
    ...kind.map((value) => ["kind", value] as const),
  ]);
}

/** The parameter that asks for changes of releases that are due now; repeated: in any period. */
function duePeriods() {
  return texts()
    .refine(
      (values = []) => values.every(isDuePeriod),
      reason("reason.one_of", { values: DUE_PERIODS.join(", ") }),
    )
    .transform((values) => values as DuePeriod[] | undefined)
    .optional()
    .meta({ items: { enum: [...DUE_PERIODS] } })
    .describe(
      "Only of releases that are neither shipped nor stopped now, and `overdue`, or planned for " +
        "today or for one of the next 7, 30 or 90 days; repeat to match any of several",
    );
}
