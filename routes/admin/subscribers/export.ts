import { operatorRoute } from "../(_components)/operator.tsx";
import { exportSubscribers } from "../../../lib/delivery/subscriptions/export_subscribers.ts";
import { mailDay } from "../../../lib/delivery/subscriptions/opened_link.ts";
import { ADMIN_HEADERS } from "../../../lib/ui/admin/admin_page.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "All subscriptions as CSV" };

/** All subscriptions as CSV. */
const POST = operatorRoute(async ({ context, note }) => {
  const { services } = context;
  await note("exported the subscribers");
  const lines = ReadableStream.from(exportSubscribers(services.databaseForJobs, mailDay(services)))
    .pipeThrough(new TextEncoderStream());
  return new Response(lines, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="subscribers.csv"',
      ...ADMIN_HEADERS,
    },
  });
});

export const handler: ActionHandlers = { POST };
