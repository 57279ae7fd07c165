import type { Database } from "../../database/database.ts";
import { parseShape } from "../../http/requests/parameters.ts";
import { storeLinkRequest } from "./link_requests_sql.ts";
import { ONLY_EMAIL } from "./subscription_request.ts";

/** The answer to every valid address, so that it does not reveal who has subscribed. */
const LINK_ACCEPTED = {
  status: "accepted",
  message: "If this address is subscribed, an email with a link to its preferences is on its way.",
} as const;

/**
 * Takes a request for the link to the preferences of an address, from a script or a form. The
 * sender of emails answers it, so that neither the answer nor its time shows who subscribed.
 *
 * @throws {Problem} 400 where there is no valid address
 */
export async function requestPreferencesLink(
  given: unknown,
  { services: { database, clock } }: {
    readonly services: {
      readonly database: Database;
      readonly clock: () => Date;
    };
  },
): Promise<typeof LINK_ACCEPTED> {
  const { email } = parseShape(ONLY_EMAIL, given);
  await storeLinkRequest(database, email, clock());
  return LINK_ACCEPTED;
}
