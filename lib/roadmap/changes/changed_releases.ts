import { z } from "zod";
import type { Connection } from "../../database/database.ts";
import { DAY, ID } from "../answer_schemas.ts";
import { cursorParameter, formatCursor } from "./change_cursor.ts";
import { findChangedReleases } from "./changed_releases_sql.ts";
import { nameDatabase, refuseForeign } from "./check_cursor.ts";
import { CHANGE_KINDS, type ChangeKind, countKinds } from "./kinds.ts";
import type { Variant } from "../variant.ts";

/** The most ids in an answer. */
const MAX_IDS = 500;

/** The parameters of the releases that changed. */
export const CHANGED_RELEASES_QUERY = z.object({
  after: cursorParameter().describe(
    "`next_after` of an earlier response, here or at `/api/changes`; absent: the response has only `next_after`",
  ),
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
}).meta({ id: "ChangedReleases" });

/**
 * Reads which releases changed after a cursor, as far as a variant shows that.
 *
 * @throws {Problem} 400 where the cursor is of another database, or of a state that is gone
 */
export async function readChangedReleases(
  { after }: z.output<typeof CHANGED_RELEASES_QUERY>,
  { database, variant }: { database: Connection; variant: Variant },
): Promise<z.output<typeof CHANGED_RELEASES>> {
  const found = await findChangedReleases(database, {
    position: after?.position ?? 0,
    limit: MAX_IDS,
    variant,
  });
  const name = nameDatabase(found.database_id);
  if (after) refuseForeign(after, name, found);
  return {
    release_item_ids: after ? found.ids : [],
    total: after ? found.total : 0,
    first_day: after ? found.first_day : null,
    kinds: after ? found.kinds : {},
    summary: after ? summarise(found) : "",
    next_after: formatCursor({ database: name, position: found.newest, mark: found.end_mark }),
  };
}

/** The most kinds that a line has room for. */
const MAX_KINDS = 3;

function summarise(
  { kinds, total }: { kinds: Partial<Record<ChangeKind, number>>; total: number },
) {
  const counts = new Map(Object.entries(kinds) as [ChangeKind, number][]);
  const words = countKinds(counts);
  if (words.length <= MAX_KINDS) return words.join(", ");
  const shown = CHANGE_KINDS.filter((kind) => counts.has(kind)).slice(0, MAX_KINDS - 1);
  const more = total - shown.reduce((sum, kind) => sum + counts.get(kind)!, 0);
  return [...words.slice(0, MAX_KINDS - 1), `${more.toLocaleString("en")} more`].join(", ");
}
