import { operatorAction } from "../(_components)/operator.tsx";
import { readSubscriberText } from "../(_components)/subscriber_text.ts";
import { importSubscribers } from "../../../lib/delivery/subscriptions/import_subscribers.ts";
import { sitesOf } from "../../../lib/roadmap/sites.ts";
import { countOf } from "../../../lib/text/phrases.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Sends the new addresses of a file of subscribers an email to confirm",
};

/** The text of a file is three times as long where all of it is encoded. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Brings the subscribers of a file along. The audit log has their number, and no address. */
const POST = operatorAction(async (form, { context: { services }, note }) => {
  const file = readSubscriberText(form.get("text") ?? "");
  const { databaseForJobs, config, clock } = services;
  const { invited } = await importSubscribers(databaseForJobs, file, {
    variants: sitesOf(config).map(({ variant }) => variant.name),
    now: clock(),
  });
  await note("imported subscribers", countOf(invited, "email"));
  return { page: "/admin/subscribers", notice: "subscribers-invited" };
}, { maxBytes: MAX_BYTES });

export const handler: ActionHandlers = { POST };
