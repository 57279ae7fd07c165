import type { Connection } from "../../database/database.ts";
import { Problem } from "../../http/responses/problem.ts";
import type { ChangeCursor } from "./change_cursor.ts";
import { type CursorFacts, readCursorFacts } from "./change_entries_sql.ts";

/** Digits of the database's id that a cursor bears. */
const DATABASE_DIGITS = 12;

/** A database as a cursor names it, by its id. */
export function nameDatabase(id: string): string {
  return id.replaceAll("-", "").slice(0, DATABASE_DIGITS);
}

/** @throws {Problem} 400 where the cursor is of another database, or of a state that is gone */
export async function checkCursor(connection: Connection, cursor: ChangeCursor): Promise<void> {
  const facts = await readCursorFacts(connection, cursor.position);
  refuseForeign(cursor, nameDatabase(facts.database_id), facts);
}

/** @throws {Problem} 400 where the cursor is of another database, or of a state that is gone */
export function refuseForeign(
  { database, position, mark }: ChangeCursor,
  ours: string,
  found: Pick<CursorFacts, "newest" | "mark">,
): void {
  const reason = database !== ours
    ? "is a cursor of another database"
    : position > found.newest || position > 0 && (found.mark ?? mark) !== mark
    ? "is a cursor of changes that this database does not have: it was restored to an earlier state"
    : null;
  if (reason === null) return;
  const advice = `${reason}: start without it, and discard the copy made before`;
  throw new Problem(400, `after ${advice}`, { errors: [{ name: "after", reason: advice }] });
}
