import { inEnglish } from "../../lib/text/messages.ts";
import {
  browseSubscribers,
  type ListedSubscriber,
  type SubscriberFilter,
} from "../../lib/admin/admin_sql.ts";
import { reactivateMailbox } from "../../lib/delivery/bounces/bounces_sql.ts";
import { exportSubscribers } from "../../lib/delivery/subscriptions/export_subscribers.ts";
import { describePreferences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import {
  type OwnSubscription,
  readStoredData,
  readSubscription,
} from "../../lib/delivery/subscriptions/preferences_sql.ts";
import {
  countSubscriptions,
  deleteSubscriber,
} from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import {
  type SubscriptionState,
  unsubscribe,
} from "../../lib/delivery/subscriptions/subscriptions_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import type { Services } from "../../lib/service/services.ts";
import { mailDay } from "../../lib/delivery/subscriptions/opened_link.ts";
import { CADENCES } from "../../lib/text/cadence.ts";
import { UUID } from "../../lib/text/values.ts";
import { ADMIN_HEADERS, AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, FactList, FormField, PostForm } from "../../lib/ui/admin/parts.tsx";
import { operatorAction, operatorPage, operatorRoute, readFormFields } from "./operator.tsx";

const PAGE = 100;

/** Subscribers by their address, all or only some. */
export const subscribersPage = operatorPage(async ({ query, context }) => {
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
        <PostForm action={`${path}/admin/subscribers/export`} button="Download all as CSV" />
      </>
    ),
  };
});

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

/** All subscriptions as CSV. */
export const postedSubscribersExport = operatorRoute(async ({ context, note }) => {
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

/** What is stored of a subscriber, as far as this page shows it. */
interface StoredData {
  requested_at: string;
  verified_at: string | null;
  unsubscribed_at: string | null;
  refusals: number;
  refusal_reason: string | null;
  mails: {
    kind: string;
    status: string;
    attempts: number;
    last_error: string | null;
    created_at: string;
  }[];
}

/** A subscriber with the history of the emails. */
export const subscriberPage = operatorPage(async ({ query, context }) => {
  const { services, site: { path } } = context;
  const subscriber = await requireSubscriber(query.get("id"), services);
  const { subscription_id: id, email, state } = subscriber;
  const stored = await readStoredData(services.database, id) as StoredData | null;
  if (stored === null) throw gone();
  const act = (action: string) => ({
    action: `${path}/admin/subscriber/${action}`,
    fields: { id },
    label: email,
  });
  return {
    title: email,
    place: "/subscribers",
    children: (
      <>
        <FactList facts={factsOf(subscriber, stored, services)} />
        <div class="admin-actions">
          {state === "bounced" && (
            <PostForm {...act("reactivate")} button="Send emails again" weight="first" />
          )}
          <PostForm {...act("export")} button="Download all stored data" />
          {state !== "unsubscribed" && (
            <Confirm
              {...act("unsubscribe")}
              button="Unsubscribe"
              question="The address gets no more emails until its owner subscribes again."
            />
          )}
          <Confirm
            {...act("delete")}
            button="Delete all data"
            question="The address and everything stored with it are deleted for good."
          />
        </div>
        <h2>Emails of the last 30 days</h2>
        <Emails mails={stored.mails.toReversed()} />
      </>
    ),
  };
});

function factsOf(subscriber: OwnSubscription, stored: StoredData, { config }: Services) {
  const { requested_at, verified_at, unsubscribed_at, refusals, refusal_reason } = stored;
  const moment = (at: string | null) => at === null ? "never" : <Moment at={at} />;
  return [
    ["State", subscriber.state],
    ["Gets", inEnglish(() => describePreferences(subscriber, config.digestTimes))],
    ...subscriber.paused_until ? [["Paused until", subscriber.paused_until] as const] : [],
    ["Requested", moment(requested_at)],
    ["Verified", moment(verified_at)],
    ["Unsubscribed", moment(unsubscribed_at)],
    ...refusal_reason && (refusals > 0 || subscriber.state === "bounced")
      ? [["Rejected emails", `${refusals} in a row: ${refusal_reason}`] as const]
      : [],
  ] as const;
}

function Emails({ mails }: { mails: StoredData["mails"] }) {
  if (mails.length === 0) return <p>No emails.</p>;
  return (
    <AdminTable label="Emails" columns={["Created", "Kind", "State", "Attempts", "Reason"]}>
      {mails.map(({ kind, status, attempts, last_error, created_at }, place) => (
        <tr key={place}>
          <td>
            <Moment at={created_at} />
          </td>
          <td>{kind}</td>
          <td>{status}</td>
          <td>{attempts}</td>
          <td>{last_error}</td>
        </tr>
      ))}
    </AdminTable>
  );
}

/** Ends a subscription. */
export const postedUnsubscription = operatorAction(
  async (form, { context: { services }, note }) => {
    const { subscription_id: id } = await requireSubscriber(form.get("id"), services);
    await unsubscribe(services.databaseForJobs, id, services.clock());
    await note("unsubscribed a subscriber", id);
    return { page: `/admin/subscriber?id=${id}`, notice: "unsubscribed" };
  },
);

/** Has a mailbox that rejected too many emails get them again. */
export const postedReactivation = operatorAction(
  async (form, { context: { services }, note }) => {
    const { subscription_id: id, email } = await requireSubscriber(form.get("id"), services);
    if (!await reactivateMailbox(services.databaseForJobs, email)) {
      throw new Problem(409, "This address is not among those that rejected too many emails");
    }
    await note("reactivated a subscriber", id);
    return { page: `/admin/subscriber?id=${id}`, notice: "reactivated" };
  },
);

/** Deletes what is stored of a subscriber. The audit log has the id, since the address is deleted. */
export const postedSubscriberDeletion = operatorAction(
  async (form, { context: { services }, note }) => {
    const { subscription_id: id, email } = await requireSubscriber(form.get("id"), services);
    await deleteSubscriber(services.databaseForJobs, email);
    await note("deleted a subscriber", id);
    return { page: "/admin/subscribers", notice: "subscriber-deleted" };
  },
);

/** Everything that is stored of a subscriber, as JSON. */
export const postedSubscriberExport = operatorRoute(async ({ request, context, note }) => {
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

async function requireSubscriber(
  id: string | null,
  services: Services,
): Promise<OwnSubscription> {
  const found = id !== null && UUID.test(id)
    ? await readSubscription(services.databaseForJobs, id, mailDay(services))
    : null;
  if (found) return found;
  throw gone();
}

function gone(): Problem {
  return new Problem(404, "There is no such subscriber");
}
