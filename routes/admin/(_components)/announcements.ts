import { notifyImmediately } from "../../../lib/delivery/notify_immediately.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { AnnouncementError } from "../../../lib/import/announcements/update_matches.ts";
import type { Services } from "../../../lib/service/services.ts";
import { today } from "../../route.ts";

/** With what matches are changed. */
export function matchOptions(services: Services) {
  const { config, clock } = services;
  return { asOf: today(services), onChange: notifyImmediately(config, clock) };
}

/** Does what a form asks. @throws {Problem} 404 that says why it cannot be done */
export async function refuseWrong<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AnnouncementError)) throw error;
    throw new Problem(404, error.message);
  }
}
