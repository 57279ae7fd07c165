import { reactivateMailbox } from "../../lib/delivery/bounces/bounces_sql.ts";
import { mailDay } from "../../lib/delivery/subscriptions/opened_link.ts";
import { describePreferences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import {
  type OwnSubscription,
  readStoredData,
  readSubscription,
} from "../../lib/delivery/subscriptions/preferences_sql.ts";
import { deleteSubscriber } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { unsubscribe } from "../../lib/delivery/subscriptions/subscriptions_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import type { Services } from "../../lib/service/services.ts";
import { inEnglish } from "../../lib/text/messages.ts";
import { UUID } from "../../lib/text/values.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, FactList, PostForm } from "../../lib/ui/admin/parts.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { downloadJson, operated, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: a subscriber with the history of the emails",
    POST: "Downloads or deletes all data of a subscriber, ends or resumes the emails",
  },
};

/** A subscriber with the history of the emails. The audit log has the ID, since addresses are deleted. */
export const handler: ActionHandlers = operated({
  async find({ query, context: { services } }) {
    const id = query.get("id") ?? "";
    if (!UUID.test(id)) throw gone();
    const found = await readSubscription(services.databaseForJobs, id, mailDay(services));
    if (found) return found;
    throw gone();
  },
  page: showSubscriber,
  actions: {
    export: {
      async run({ subscription_id: id }, { request, context: { services }, note }) {
        await note("exported a subscriber", id);
        const data = await readStoredData(services.databaseForJobs, id);
        return downloadJson(request, "subscriber.json", data);
      },
    },
    /** A mailbox that rejected too many emails gets them again. */
    reactivate: {
      says: "The subscriber gets emails again, about changes from now on.",
      async run({ subscription_id: id, email }, { context: { services }, note }) {
        if (!await reactivateMailbox(services.databaseForJobs, email)) {
          throw new Problem(409, "This address is not among those that rejected too many emails");
        }
        await note("reactivated a subscriber", id);
      },
    },
    unsubscribe: {
      says: "The subscriber is unsubscribed, and gets no more emails.",
      async run({ subscription_id: id }, { context: { services }, note }) {
        await unsubscribe(services.databaseForJobs, id, services.clock());
        await note("unsubscribed a subscriber", id);
      },
    },
    delete: {
      says: "All data of the subscriber is deleted.",
      async run({ subscription_id: id, email }, { context: { services }, note }) {
        await deleteSubscriber(services.databaseForJobs, email);
        await note("deleted a subscriber", id);
        return { to: "/admin/subscribers" };
      },
    },
  },
});

/** Says that there is no such subscriber. */
function gone(): Problem {
  return new Problem(404, "There is no such subscriber");
}

async function showSubscriber(
  subscriber: OwnSubscription,
  { context: { services } }: Visit,
): Promise<AdminPage> {
  const { subscription_id: id, email, state } = subscriber;
  const stored = await readStoredData(services.database, id) as StoredData | null;
  if (stored === null) throw gone();
  return {
    title: email,
    place: "/subscribers",
    children: (
      <>
        <FactList facts={factsOf(subscriber, stored, services)} />
        <div class="admin-actions">
          {state === "bounced" && (
            <PostForm does="reactivate" label={email} button="Send emails again" weight="first" />
          )}
          <PostForm does="export" label={email} button="Download all stored data" />
          {state !== "unsubscribed" && (
            <Confirm
              does="unsubscribe"
              label={email}
              button="Unsubscribe"
              question="The address gets no more emails until its owner subscribes again."
            />
          )}
          <Confirm
            does="delete"
            label={email}
            button="Delete all data"
            question="The address and everything stored with it are deleted for good."
          />
        </div>
        <h2>Emails of the last 30 days</h2>
        <Table
          label="Emails"
          none="No emails."
          rows={stored.mails.toReversed()}
          columns={{
            "Created": ({ created_at }) => <Moment at={created_at} />,
            "Kind": "kind",
            "State": "status",
            "Attempts": "attempts",
            "Reason": "last_error",
          }}
        />
      </>
    ),
  };
}

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
