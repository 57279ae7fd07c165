import { operatorAction } from "../(_components)/operator.tsx";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { AnnouncementError, rejectPost } from "../../../lib/import/announcements/update_matches.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Rejects a post for good" };

/** Rejects a post for good. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const post = form.get("post") ?? "";
  await rejectPost(services.databaseForJobs, post).catch((error) => {
    throw error instanceof AnnouncementError ? new Problem(404, error.message) : error;
  });
  if (services.config.BACKGROUND_JOBS) services.jobs.trigger("imports");
  await note("rejected an announcement", post);
  return { page: "/admin/announcements", notice: "rejected" };
});

export const handler: ActionHandlers = { POST };
