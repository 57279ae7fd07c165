import { z } from "zod";
import { choices, flag, uuids, wholeNumber } from "../../http/requests/parameters.ts";
import { formatPairs } from "../collection.ts";
import { FILTER } from "../filter/filter.ts";
import { DUE_PERIODS, filterPairs } from "../filter/filter_values.ts";
import { type ChangeCursor, cursorParameter, formatCursor } from "./change_cursor.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";

/** The parameter that asks for changes of some kinds; repeated: any of them. */
export function kindParameter() {
  return choices(CHANGE_KINDS).describe("Kind of change; repeat to match any of several");
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
  due: choices(DUE_PERIODS).describe(
    "Only of releases that are neither shipped nor stopped now, and `overdue`, or planned for " +
      "today or for one of the next 7, 30 or 90 days; repeat to match any of several",
  ),
  include_inactive: flag().default(true)
    .describe("`false`: without releases that are not on the roadmap now"),
  release_item_id: uuids().describe("Of a release; any of several"),
  kind: kindParameter(),
});

export type ChangesQuery = z.output<typeof CHANGES_QUERY>;

/** The query of an address that asks for the same behind a cursor; what is a default stays away. */
export function changesQuery(
  { limit, wait, release_item_id, kind, include_inactive = true, ...filter }: Partial<
    Record<keyof ChangesQuery, unknown>
  >,
  after: ChangeCursor,
): string {
  return formatPairs([
    ["after", formatCursor(after)],
    ["limit", limit === DEFAULT_LIMIT ? undefined : limit],
    ["wait", wait || undefined],
    ...filterPairs(filter),
    ["include_inactive", include_inactive ? undefined : false],
    ["release_item_id", release_item_id],
    ["kind", kind],
  ]);
}
