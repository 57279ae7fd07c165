import type { Database } from "../../database/database.ts";
import type { Limits } from "../../http/limits.ts";
import { type OwnSubscription, readSubscription } from "./preferences_sql.ts";
import { readOwnToken } from "../read_own_token.ts";

/** Finds the subscription whose preferences a token opens. Null: there is none. */
export async function openPreferences(
  token: string,
  { address, services }: {
    /** Of the client. */
    address: string;
    services: {
      readonly database: Database;
      readonly limits: Limits;
      readonly tokenSecret: string;
    };
  },
): Promise<OwnSubscription | null> {
  const id = await readOwnToken("preferences", token, { address, services });
  return id === null ? null : await readSubscription(services.database, id);
}
