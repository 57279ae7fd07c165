import { matchOptions, refuseWrong } from "../(_components)/announcements.ts";
import { operatorAction } from "../(_components)/operator.tsx";
import { setPost } from "../../../lib/import/announcements/update_matches.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Sets the post of a release for good",
};

/** Sets the post of a release for good. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const given = { release: form.get("release") ?? "", post: form.get("post") ?? "" };
  const { name } = await refuseWrong(() =>
    setPost(services.databaseForJobs, given, matchOptions(services))
  );
  await note("confirmed an announcement", `${given.post} of ${name}`);
  return { page: "/admin/announcements", notice: "confirmed" };
});

export const handler: ActionHandlers = { POST };
