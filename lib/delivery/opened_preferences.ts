import type { Database } from "../database/database.ts";
import type { Limits } from "../http/limits.ts";
import { type OwnSubscription, readSubscription } from "./preferences_sql.ts";
import { readLinkTokenFor } from "./tokens.ts";

/** Finds the subscription whose preferences a token opens. Null: there is none. */
export async function openPreferences(
  token: string,
  { address, services: { database, limits, tokenSecret } }: {
    /** Of the client. */
    address: string;
    services: {
      readonly database: Database;
      readonly limits: Limits;
      readonly tokenSecret: string;
    };
  },
): Promise<OwnSubscription | null> {
  await limits.refuseGuessing(address);
  const id = readLinkTokenFor("preferences", token, tokenSecret);
  const found = id && await readSubscription(database, id);
  if (!found) await limits.countWrongToken(address);
  return found || null;
}
