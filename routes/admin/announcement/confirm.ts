import { operatorAction } from "../(_components)/operator.tsx";
import { AnnouncementError, setPost } from "../../../lib/import/announcements/update_matches.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";
import { buildAnnouncementsPage } from "../announcements.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: "Sets the post of a release for good",
};

/** Sets the post of a release for good. */
const POST = operatorAction(async (form, { context, note }) => {
  const { services } = context;
  const given = { release: form.get("release") ?? "", post: form.get("post") ?? "" };
  try {
    const { name } = await setPost(services.databaseForJobs, given);
    if (services.config.BACKGROUND_JOBS) services.jobs.trigger("imports");
    await note("confirmed an announcement", `${given.post} of ${name}`);
    return { page: "/admin/announcements", notice: "confirmed" };
  } catch (error) {
    if (!(error instanceof AnnouncementError)) throw error;
    const errors = { [error.field]: error.message };
    return { ...await buildAnnouncementsPage(context, { given: form, errors }), status: 422 };
  }
});

export const handler: ActionHandlers = { POST };
