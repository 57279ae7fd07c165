import { mailDay } from "../../../lib/delivery/subscriptions/opened_link.ts";
import {
  type OwnSubscription,
  readSubscription,
} from "../../../lib/delivery/subscriptions/preferences_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { Services } from "../../../lib/service/services.ts";
import { UUID } from "../../../lib/text/values.ts";

/** The subscriber of an address or a form. @throws {Problem} 404 if there is none */
export async function requireSubscriber(
  id: string | null,
  services: Services,
): Promise<OwnSubscription> {
  const found = id !== null && UUID.test(id)
    ? await readSubscription(services.databaseForJobs, id, mailDay(services))
    : null;
  if (found) return found;
  throw gone();
}

/** Says that there is no such subscriber. */
export function gone(): Problem {
  return new Problem(404, "There is no such subscriber");
}
