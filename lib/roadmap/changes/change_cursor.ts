import { z } from "zod";
import type { Connection } from "../../database/database.ts";
import { Problem } from "../../http/responses/problem.ts";
import { type CursorFacts, readCursorFacts } from "./change_cursor_sql.ts";

/** A place in the changes of a database, right behind one of them. */
export interface ChangeCursor {
  /** The database that has the change: the first digits of its id. */
  readonly database: string;
  /** The id of the change; 0: before the first one. */
  readonly position: number;
  /** When its import began, so that a database that was put back to an earlier state is noticed. */
  readonly mark: number;
}

/** Raised when what a cursor says changes; older ones are refused from then on. */
const VERSION = 1;

const CURSOR = /^(\d{1,4})-([\da-f]{12})-([\da-z]{1,11})-([\da-z]{1,11})$/;

/**
 * Writes a cursor as clients keep it: text that needs no encoding in an address.
 *
 * ```ts
 * const cursor = { database: "0123456789ab", position: 37, mark: 0 };
 * if (formatCursor(cursor) !== "1-0123456789ab-11-0") throw new Error();
 * ```
 */
export function formatCursor({ database, position, mark }: ChangeCursor): string {
  return [VERSION, database, position.toString(36), mark.toString(36)].join("-");
}

/** The parameter that takes a cursor. */
export function cursorParameter() {
  return z.string().transform((text, context): ChangeCursor => {
    const [, version, database, position = "", mark = ""] = CURSOR.exec(text.trim()) ?? [];
    const cursor = {
      database: database ?? "",
      position: parseInt(position, 36),
      mark: parseInt(mark, 36),
    };
    if (Number.isSafeInteger(cursor.position) && Number.isSafeInteger(cursor.mark)) {
      if (Number(version) === VERSION) return cursor;
      refuse(context, "is a cursor of another version of this service: start without it");
    } else refuse(context, "must be a cursor from an earlier response");
    return z.NEVER;
  }).optional();
}

function refuse(context: z.core.$RefinementCtx, message: string): void {
  context.addIssue({ code: "custom", message });
}

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
