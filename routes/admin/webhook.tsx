import {
  changeWebhook,
  describeUnknown,
  rotateSecret,
} from "../../lib/delivery/webhooks/edit_webhooks.ts";
import { testWebhook } from "../../lib/delivery/webhooks/webhook_sender.ts";
import {
  disableWebhook,
  enableWebhook,
  findTarget,
  listDeliveries,
  type ListedWebhook,
  listWebhooks,
  removeWebhook,
} from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { FieldError } from "../../lib/expected_error.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { sitesOf } from "../../lib/roadmap/sites.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import type { Refused } from "../../lib/ui/admin/form.tsx";
import { Confirm, FactList, PostForm } from "../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, TOKEN_USER, type Visit } from "./(_components)/operator.tsx";
import {
  changeForm,
  Deliveries,
  fieldsOf,
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
    GET: "For operators: one webhook with its deliveries",
    POST: "Tests, changes, disables, enables or removes a webhook",
  },
};

export const handler: ActionHandlers = operated({
  async find({ query, context: { services } }) {
    const name = query.get("name") ?? "";
    const found = (await listWebhooks(services.databaseForJobs)).find((one) => one.name === name);
    return found ?? refuseMissing(name);
  },
  page: showWebhook,
  actions: {
    test: {
      async run({ name }, { context: { services, site }, note }) {
        const outcome = await testWebhook(services.databaseForJobs, name, {
          context: { siteName: services.config.SITE_NAME, site },
          ...webhookOptions(services),
        }) ?? refuseMissing(name);
        await note("tested a webhook", name);
        const { isSuccess, text } = outcome;
        return {
          title: "Test of a webhook",
          ...backTo(name),
          children: (
            <p class={isSuccess ? "admin-note" : "admin-problem"} role="status">
              {isSuccess ? "The test succeeded." : "The test failed."} {text}
            </p>
          ),
        };
      },
    },
    disable: {
      says: "The webhook is disabled.",
      async run({ name }, { context: { services }, who, note }) {
        const { databaseForJobs: database, clock } = services;
        const { webhook_id } = await findTarget(database, name) ?? refuseMissing(name);
        const reason = who === TOKEN_USER ? "in /admin" : `by ${who}`;
        await database.transaction((connection) =>
          disableWebhook(connection, webhook_id, { reason, now: clock() })
        );
        await note("disabled a webhook", name);
      },
    },
    enable: {
      says: "The webhook is enabled again.",
      async run({ name }, { context: { services: { databaseForJobs, clock } }, note }) {
        await enableWebhook(databaseForJobs, name, clock()) ?? refuseMissing(name);
        await note("enabled a webhook", name);
      },
    },
    rotate: {
      async run({ name }, { context: { services }, note }) {
        const secret = await rotateSecret(services.databaseForJobs, name, webhookOptions(services))
          .catch((error) => {
            throw error instanceof FieldError ? new Problem(409, error.message) : error;
          }) ?? refuseMissing(name);
        await note("gave a webhook a new secret", name);
        return {
          title: "New secret",
          ...backTo(name),
          children: (
            <>
              <p>
                Copy the new secret of {name} now. It is not shown again: <code>{secret}</code>
              </p>
              <p>For 24 hours each delivery has the signatures of both secrets.</p>
            </>
          ),
        };
      },
    },
    remove: {
      says: "The webhook is removed.",
      async run({ name }, { context: { services }, note }) {
        if (!await removeWebhook(services.databaseForJobs, name)) refuseMissing(name);
        await note("removed a webhook", name);
        return { to: "/admin/webhooks" };
      },
    },
    save: {
      says: "The webhook is saved.",
      async run({ name }, { context: { services }, note }, form) {
        const { config, databaseForJobs: database } = services;
        const { url, cadence, ...lists } = changeForm(config.webhookTimes).read(form);
        const wanted = { url, cadence, filter: filterIn({ url, cadence, ...lists }) };
        const isThere = await changeWebhook(database, name, wanted, {
          ...webhookOptions(services),
          site: sitesOf(config)[0]!,
          zone: config.DIGEST_ZONE,
        });
        if (!isThere) refuseMissing(name);
        await note("changed a webhook", name);
      },
    },
  },
});

function refuseMissing(name: string): never {
  throw new Problem(404, `There is no webhook "${name}"`);
}

async function showWebhook(
  webhook: ListedWebhook,
  { context: { services: { database, config } } }: Visit,
  refused?: Refused,
): Promise<AdminPage> {
  const { name } = webhook;
  const [deliveries, unknown] = await Promise.all([
    listDeliveries(database, { name, limit: MAX_DELIVERIES }),
    describeUnknown(database, webhook.filter),
  ]);
  const { Fields } = changeForm(config.webhookTimes);
  const filled = { refused, given: fieldsOf(webhook) };
  return {
    title: name,
    place: "/webhooks",
    children: (
      <>
        {unknown && <p class="admin-problem">{unknown}.</p>}
        <FactList
          facts={[
            ["Kind", WEBHOOK_KIND_NAMES[webhook.kind]],
            ["Address", webhook.shown_url],
            ["Sent", sentIn(webhook.cadence, config.webhookTimes)],
            ["State", stateOf(webhook)],
            ["Last delivery", <LastDelivery key="last" {...webhook} />],
          ]}
        />
        <div class="admin-actions">
          <PostForm does="test" button="Test" label={name} />
          {webhook.disabled_at === null
            ? <PostForm does="disable" button="Disable" label={name} />
            : <PostForm does="enable" button="Enable" label={name} />}
          {webhook.kind === "standard" && (
            <Confirm
              does="rotate"
              button="New secret"
              label={name}
              question="The next page shows it, once. For 24 hours each delivery has the signatures of both secrets."
            />
          )}
          <Confirm
            does="remove"
            button="Remove"
            label={name}
            question="Its secret and its deliveries are deleted for good."
          />
        </div>
        <section>
          <h2>Change</h2>
          <form method="post">
            <Fields {...filled} only={["url", "cadence"]} />
            <details open={isNarrowed(refused?.form ?? filled.given)}>
              <summary>Only some releases or changes</summary>
              <Fields {...filled} only={FILTER_NAMES} />
            </details>
            <button type="submit" name="do" value="save">Save</button>
          </form>
        </section>
        <Deliveries deliveries={deliveries} />
      </>
    ),
  };
}

/** Where a page about what was done with a webhook belongs, and the way back. */
function backTo(name: string): Pick<AdminPage, "place" | "back"> {
  return { place: "/webhooks", back: [webhookPath("", name), `Back to ${name}`] };
}
