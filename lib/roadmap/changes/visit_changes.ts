import { z } from "zod";
import type { Connection } from "../../database/database.ts";
import { flag } from "../../http/requests/parameters.ts";
import { inEnglish, say } from "../../text/messages.ts";
import { joinParts } from "../../text/phrases.ts";
import { DAY, ID } from "../collection.ts";
import { FILTER, type ItemFilter } from "../filter/filter.ts";
import type { Variant } from "../variant.ts";
import { IGNORED } from "./api_changes.ts";
import {
  type ChangeCursor,
  cursorParameter,
  formatCursor,
  nameDatabase,
  refuseForeign,
} from "./change_cursor.ts";
import { CHANGE_KINDS, countKinds, type KindCounts } from "./kinds.ts";
import { findChangedReleases } from "./visit_changes_sql.ts";

const MAX_IDS = 500;

/** The parameters of the releases that changed: the filter, as the page of the roadmap reads it. */
export const CHANGED_RELEASES_QUERY = z.object({
  after: cursorParameter().describe(
    "`next_after` of an earlier response, here or at `/api/changes`; absent: the response has only `next_after`",
  ),
  ...FILTER,
  include_inactive: flag().default(true)
    .describe("`false`: without releases that are not on the roadmap now"),
});

/** Which releases changed after a cursor. */
export const CHANGED_RELEASES = z.strictObject({
  release_item_ids: z.array(ID).describe(`Last changed first, at most ${MAX_IDS}`),
  total: z.int().min(0).describe("Number of releases, within the last 10,000 changes"),
  first_day: DAY.nullable().describe("The earliest day of their changes"),
  kinds: z.partialRecord(z.enum(CHANGE_KINDS), z.int().min(1))
    .describe("Number of releases by the heaviest of what happened to them"),
  summary: z.string().describe("These numbers in words, such as `2 shipped, 3 slipped`"),
  next_after: z.string().describe("The cursor of the newest change"),
  ignored: IGNORED,
}).meta({ id: "ChangedReleases" });

/**
 * Reads which releases changed after a cursor, as far as a variant shows that.
 *
 * @throws {Problem} 400 where the cursor is of another database, or of a state that is gone
 */
export async function readChangedReleases(
  after: ChangeCursor | undefined,
  { database, variant, among }: {
    database: Connection;
    variant: Variant;
    /** Only these releases: those with some ids, or that pass a filter. */
    among: ItemFilter | readonly string[];
  },
): Promise<z.output<typeof CHANGED_RELEASES>> {
  const found = await findChangedReleases(database, {
    position: after?.position ?? null,
    limit: MAX_IDS,
    variant,
    among,
  });
  const name = nameDatabase(found.database_id);
  if (after) refuseForeign(after, name, found);
  return {
    release_item_ids: found.ids,
    total: found.total,
    first_day: found.first_day,
    kinds: found.kinds,
    summary: inEnglish(() => summarise(found)),
    next_after: formatCursor({ database: name, position: found.newest, mark: found.end_mark }),
  };
}

/** The most kinds that a line has room for. */
const MAX_KINDS = 3;

/** How many releases changed and how, in words, such as `2 shipped, 3 slipped`. */
export function summarise({ kinds, total }: { kinds: KindCounts; total: number }): string {
  const words = countKinds(kinds);
  if (words.length <= MAX_KINDS) return joinParts(words);
  const shown = CHANGE_KINDS.filter((kind) => kinds[kind]).slice(0, MAX_KINDS - 1);
  const more = total - shown.reduce((sum, kind) => sum + kinds[kind]!, 0);
  return joinParts([...words.slice(0, MAX_KINDS - 1), say("list.more", { count: more })]);
}
