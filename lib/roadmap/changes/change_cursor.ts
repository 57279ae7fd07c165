import { z } from "zod";

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
