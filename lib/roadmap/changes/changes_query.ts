import { z } from "zod";
import { texts, uuids, wholeNumber } from "../../http/requests/parameters.ts";
import { formatPairs } from "../collection.ts";
import { FILTER } from "../filter/filter.ts";
import { DUE_PERIODS, type DuePeriod, isDuePeriod } from "../filter/filter_values.ts";
import { type ChangeCursor, cursorParameter, formatCursor } from "./change_cursor.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";

/** The parameter that asks for changes of some kinds; repeated: any of them. */
export function kindParameter() {
  return texts()
    .refine(
      (values = []) => values.every(isChangeKind),
      `must be one of ${CHANGE_KINDS.join(", ")}`,
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
  product_name: FILTER.product_name,
  release_type: FILTER.release_type,
  release_status: FILTER.release_status,
  tag: FILTER.tag,
  source: FILTER.source,
  due: duePeriods(),
  release_item_id: uuids().describe("Of a release; any of several"),
  kind: kindParameter(),
});

export type ChangesQuery = z.output<typeof CHANGES_QUERY>;

const LISTS = [
  "product_name",
  "release_type",
  "release_status",
  "tag",
  "source",
  "due",
  "release_item_id",
  "kind",
] as const;

/** The query of an address that asks for the same behind a cursor; what is a default stays away. */
export function changesQuery(query: Partial<ChangesQuery>, after: ChangeCursor): string {
  const { limit = DEFAULT_LIMIT, wait = 0 } = query;
  return formatPairs([
    ["after", formatCursor(after)],
    ...limit === DEFAULT_LIMIT ? [] : [["limit", String(limit)] as const],
    ...wait === 0 ? [] : [["wait", String(wait)] as const],
    ...LISTS.flatMap((name) => (query[name] ?? []).map((value) => [name, value] as const)),
  ]);
}

/** The parameter that asks for changes of releases that are due now; repeated: in any period. */
function duePeriods() {
  return texts()
    .refine((values = []) => values.every(isDuePeriod), `must be one of ${DUE_PERIODS.join(", ")}`)
    .transform((values) => values as DuePeriod[] | undefined)
    .optional()
    .meta({ items: { enum: [...DUE_PERIODS] } })
    .describe(
      "Only of releases that are neither shipped nor stopped now, and `overdue`, or planned for " +
        "today or for one of the next 7, 30 or 90 days; repeat to match any of several",
    );
}
