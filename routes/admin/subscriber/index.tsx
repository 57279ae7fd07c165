import { operatorPage } from "../(_components)/operator.tsx";
import { gone, requireSubscriber } from "../(_components)/require_subscriber.ts";
import { describePreferences } from "../../../lib/delivery/subscriptions/preferences_in_words.ts";
import {
  type OwnSubscription,
  readStoredData,
} from "../../../lib/delivery/subscriptions/preferences_sql.ts";
import type { Services } from "../../../lib/service/services.ts";
import { inEnglish } from "../../../lib/text/messages.ts";
import { AdminTable, Moment } from "../../../lib/ui/admin/admin_page.tsx";
import { Confirm, FactList, PostForm } from "../../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: a subscriber with the history of the emails",
};

/** A subscriber with the history of the emails. */
const GET = operatorPage(async ({ query, context }) => {
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

export const handler: ActionHandlers = { GET };

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
