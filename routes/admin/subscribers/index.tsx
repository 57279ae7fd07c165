import { operatorPage } from "../(_components)/operator.tsx";
import {
  browseSubscribers,
  type ListedSubscriber,
  type SubscriberFilter,
} from "../../../lib/admin/admin_sql.ts";
import { countSubscriptions } from "../../../lib/delivery/subscriptions/subscribers_sql.ts";
import type { SubscriptionState } from "../../../lib/delivery/subscriptions/subscriptions_sql.ts";
import { CADENCES } from "../../../lib/text/cadence.ts";
import { AdminTable, Moment } from "../../../lib/ui/admin/admin_page.tsx";
import { FormField, PostForm } from "../../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: subscribers, found by their address",
};

const PAGE = 100;

/** Subscribers by their address, all or only some. */
const GET = operatorPage(async ({ query, context }) => {
  const { services: { database }, site: { path } } = context;
  const counts = await countSubscriptions(database);
  const states = Object.keys(counts) as SubscriptionState[];
  const filter: SubscriberFilter = {
    text: query.get("q")?.trim() ?? "",
    state: states.find((state) => state === query.get("state")) ?? null,
    cadence: CADENCES.find((cadence) => cadence === query.get("cadence")) ?? null,
  };
  const after = query.get("after") ?? "";
  const found = await browseSubscribers(database, filter, { after, limit: PAGE + 1 });
  const address = (changed: Record<string, string>) => {
    const given = { q: filter.text, state: filter.state ?? "", cadence: filter.cadence ?? "" };
    const fields = Object.entries({ ...given, ...changed }).filter(([, value]) => value !== "");
    return `${path}/admin/subscribers?${new URLSearchParams(fields)}`;
  };
  return {
    title: "Subscribers",
    children: (
      <>
        <ul class="admin-counts">
          {states.map((state) => (
            <li key={state}>
              <a href={`${path}/admin/subscribers?state=${state}`}>
                {counts[state].toLocaleString("en")} {state}
              </a>
            </li>
          ))}
        </ul>
        <FilterForm filter={filter} states={states} path={path} />
        <Found found={found.slice(0, PAGE)} path={path} />
        <p class="admin-pages">
          {after !== "" && <a href={address({})}>First page</a>}{" "}
          {found.length > PAGE && (
            <a href={address({ after: found[PAGE - 1]!.email })}>Next page</a>
          )}
        </p>
        <p>
          <a href={`${path}/admin/subscribers/import`}>Import subscribers</a>
        </p>
        <PostForm action={`${path}/admin/subscribers/export`} button="Download all as CSV" />
      </>
    ),
  };
});

export const handler: ActionHandlers = { GET };

function FilterForm({ filter, states, path }: {
  filter: SubscriberFilter;
  states: readonly SubscriptionState[];
  path: string;
}) {
  return (
    <form class="admin-filter" method="get" action={`${path}/admin/subscribers`}>
      <FormField id="find" label="Address, or a part of it">
        <input id="find" name="q" value={filter.text} maxLength={254} />
      </FormField>
      <FormField id="state" label="State">
        <Menu id="state" values={states} chosen={filter.state} />
      </FormField>
      <FormField id="cadence" label="How often">
        <Menu id="cadence" values={CADENCES} chosen={filter.cadence} />
      </FormField>
      <button type="submit">Show</button>
    </form>
  );
}

function Menu({ id, values, chosen }: {
  id: string;
  values: readonly string[];
  chosen: string | null;
}) {
  return (
    <select id={id} name={id}>
      <option value="">all</option>
      {values.map((value) => (
        <option key={value} value={value} selected={value === chosen}>{value}</option>
      ))}
    </select>
  );
}

function Found({ found, path }: { found: readonly ListedSubscriber[]; path: string }) {
  if (found.length === 0) return <p role="status">No subscribers.</p>;
  const columns = ["Address", "State", "How often", "Requested"];
  return (
    <AdminTable label="Subscribers" columns={columns}>
      {found.map(({ subscription_id: id, email, state, cadence, ...subscriber }) => (
        <tr key={id}>
          <td>
            <a href={`${path}/admin/subscriber?id=${id}`}>{email}</a>
          </td>
          <td>
            {state}
            {state === "bounced" && subscriber.refusal_reason && (
              <span class="quiet">{` ${subscriber.refusal_reason}`}</span>
            )}
          </td>
          <td>{cadence}</td>
          <td>
            <Moment at={subscriber.requested_at} />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}
