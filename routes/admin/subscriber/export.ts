import { operatorRoute, readFormFields } from "../(_components)/operator.tsx";
import { requireSubscriber } from "../(_components)/require_subscriber.ts";
import { readStoredData } from "../../../lib/delivery/subscriptions/preferences_sql.ts";
import { ADMIN_HEADERS } from "../../../lib/ui/admin/admin_page.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "All data of a subscriber, as JSON",
};

/** Everything that is stored of a subscriber, as JSON. */
const POST = operatorRoute(async ({ request, context, note }) => {
  const { services } = context;
  const { subscription_id: id } = await requireSubscriber(
    (await readFormFields(request)).get("id"),
    services,
  );
  await note("exported a subscriber", id);
  const data = await readStoredData(services.databaseForJobs, id);
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="subscriber.json"',
      ...ADMIN_HEADERS,
    },
  });
});

export const handler: ActionHandlers = { POST };
