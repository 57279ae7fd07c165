import { addWebhook, describeUnknown } from "../../lib/delivery/webhooks/edit_webhooks.ts";
import { listDeliveries, listWebhooks } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated } from "./(_components)/operator.tsx";
import {
  addForm,
  Deliveries,
  FILTER_NAMES,
  filterIn,
  isNarrowed,
  LastDelivery,
  MAX_DELIVERIES,
  sentIn,
  stateOf,
  WEBHOOK_KIND_NAMES,
  webhookOptions,
  webhookPath,
} from "./(_components)/webhook_parts.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: webhooks with their deliveries",
    POST: "Adds a webhook, and shows its secret",
  },
};

export const handler: ActionHandlers = operated({
  async page(_, { context: { services: { database, config }, site: { path } } }, refused) {
    const [webhooks, deliveries] = await Promise.all([
      listWebhooks(database),
      listDeliveries(database, { name: null, limit: MAX_DELIVERIES }),
    ]);
    const times = config.webhookTimes;
    const { Fields } = addForm(times);
    return {
      title: "Webhooks",
      children: (
        <>
          <p>Webhooks send changes to other systems and chats.</p>
          {webhooks.length > 0 && (
            <Table
              label="Webhooks"
              rows={webhooks}
              columns={{
                "Name": ({ name }) => <a href={webhookPath(path, name)}>{name}</a>,
                "Kind": ({ kind }) => WEBHOOK_KIND_NAMES[kind],
                "Address": "shown_url",
                "Sent": ({ cadence }) => sentIn(cadence, times),
                "State": stateOf,
                "Last delivery": LastDelivery,
              }}
            />
          )}
          <section>
            <h2>Add a webhook</h2>
            <form method="post">
              <Fields refused={refused} only={["kind", "url", "name", "cadence"]} />
              <details open={isNarrowed(refused?.form)}>
                <summary>Only some releases or changes</summary>
                <Fields refused={refused} only={FILTER_NAMES} />
              </details>
              <button type="submit" name="do" value="add">Add</button>
            </form>
          </section>
          <Deliveries deliveries={deliveries} />
        </>
      ),
    };
  },
  actions: {
    /** Only this answer has the secret. */
    add: {
      async run(_, { context: { services }, note }, sent) {
        const { databaseForJobs: database, config } = services;
        const { kind, name: wantedName, ...read } = addForm(config.webhookTimes).read(sent);
        const { url, cadence } = read;
        const filter = filterIn(read);
        const wanted = { url, kind, name: wantedName, filter, cadence };
        const options = webhookOptions(services);
        const { name, shownUrl, secret } = await addWebhook(database, wanted, options);
        await note("added a webhook", name);
        const unknown = await describeUnknown(database, filter);
        return {
          title: "Webhook added",
          place: "/webhooks",
          back: [webhookPath("", name), "Test or edit it"],
          children: (
            <>
              <p>
                {name}: {shownUrl}
              </p>
              {unknown && <p class="admin-problem">{unknown}.</p>}
              {secret !== null && (
                <p>
                  Copy its secret now. It is not shown again: <code>{secret}</code>
                </p>
              )}
            </>
          ),
        };
      },
    },
  },
});
