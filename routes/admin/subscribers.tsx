import {
  browseSubscribers,
  type ListedSubscriber,
  type SubscriberFilter,
} from "../../lib/admin/admin_sql.ts";
import { exportSubscribers } from "../../lib/delivery/subscriptions/export_subscribers.ts";
import { mailDay } from "../../lib/delivery/subscriptions/opened_link.ts";
import { countSubscriptions } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import type { SubscriptionState } from "../../lib/delivery/subscriptions/subscriptions_sql.ts";
import { CADENCES } from "../../lib/text/cadence.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { choice, form, text } from "../../lib/ui/admin/form.tsx";
import { PostForm } from "../../lib/ui/admin/parts.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { download, operated, type Visit } from "./(_components)/operator.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: subscribers, found by their address",
    POST: "All subscriptions as CSV",
  },
};

const PAGE = 100;

export const handler: ActionHandlers = operated({
  page: (_, visit) => showSubscribers(visit),
  actions: {
    export: {
      async run(_, { request, context: { services }, note }) {
        await note("exported the subscribers");
        const lines = exportSubscribers(services.databaseForJobs, mailDay(services));
        const bytes = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
        return download(request, "subscribers.csv", bytes);
      },
    },
  },
});

async function showSubscribers({ query, context }: Visit): Promise<AdminPage> {
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
  const { Fields } = form({
    q: text("Address, or a part of it", { maxLength: 254 }),
    state: choice("State", { "": "all", ...namesOf(states) }),
    cadence: choice("How often", { "": "all", ...namesOf(CADENCES) }),
  });
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
        <form class="admin-filter" method="get">
          <Fields given={query} />
          <button type="submit">Show</button>
        </form>
        <Found found={found.slice(0, PAGE)} path={path} />
        <nav class="pages" aria-label="Pages of subscribers">
          {after === "" ? <span /> : <a href={address({})}>First page</a>}
          <span />
          {found.length > PAGE && (
            <a href={address({ after: found[PAGE - 1]!.email })}>
              Next page
            </a>
          )}
        </nav>
        <p>
          <a href={`${path}/admin/subscribers/import`}>Import subscribers</a>
        </p>
        <PostForm does="export" button="Download all as CSV" />
      </>
    ),
  };
}

function namesOf(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value) => [value, value]));
}

function Found({ found, path }: { found: readonly ListedSubscriber[]; path: string }) {
  return (
    <Table
      label="Subscribers"
      none="No subscribers."
      rows={found}
      columns={{
        "Address": ({ subscription_id: id, email }) => (
          <a href={`${path}/admin/subscriber?id=${id}`}>{email}</a>
        ),
        "State": ({ state, refusal_reason: reason }) => (
          <>
            {state}
            {state === "bounced" && reason && <span class="quiet">{` ${reason}`}</span>}
          </>
        ),
        "How often": "cadence",
        "Requested": ({ requested_at }) => <Moment at={requested_at} />,
      }}
    />
  );
}
