import { type OwnSubscription, readSubscription } from "./preferences_sql.ts";
import { type Opening, readOwnToken } from "../read_own_token.ts";

/** Finds the subscription whose preferences a token opens. Null: there is none. */
export async function openPreferences(
  token: string,
  opening: Opening,
): Promise<OwnSubscription | null> {
  const id = await readOwnToken("preferences", token, opening);
  return id === null ? null : await readSubscription(opening.services.database, id);
}
