import { getLogger } from "@logtape/logtape";
import type { Connection } from "../database/database.ts";
import { shorten } from "../text/phrases.ts";
import { storeEntry } from "./admin_sql.ts";

/** The most that an entry shows of a name or an address. */
const MAX_SUBJECT = 300;

const log = getLogger(["roadcast", "admin"]);

/** Notes what an operator did, in words, and to what, for the page of the audit log and in the server's log. */
export async function noteAction(
  connection: Connection,
  { who, at, action, subject = "" }: { who: string; at: Date; action: string; subject?: string },
): Promise<void> {
  const shown = shorten(subject, MAX_SUBJECT);
  await storeEntry(connection, { at, who, action, subject: shown });
  log.info("{who}: {action} {subject}", { who, action, subject: shown });
}
