import { exportSubscribers } from "../../lib/delivery/subscriptions/export_subscribers.ts";
import {
  type BouncedMailbox,
  countSubscriptions,
  findSubscribers,
  type FoundSubscriber,
  readBounced,
} from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { ADMIN_HEADERS, AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { Facts } from "../../lib/ui/admin/overview.tsx";
import { operatorPage, operatorRoute } from "./operator.ts";

const MAX_FOUND = 100;

/** Subscribers, found by their address. */
export const subscribersPage = operatorPage(async ({ query, context }) => {
  const { services: { database }, site: { path } } = context;
  const text = query.get("q")?.trim() ?? "";
  const [counts, bounced, found] = await Promise.all([
    countSubscriptions(database),
    readBounced(database, MAX_FOUND),
    text === "" ? null : findSubscribers(database, { text, limit: MAX_FOUND + 1 }),
  ]);
  return {
    title: "Subscribers",
    children: (
      <>
        <Facts facts={Object.entries(counts)} />
        <form method="get" action={`${path}/admin/subscribers`}>
          <div class="field">
            <label for="find">Address, or a part of it</label>
            <input id="find" name="q" value={text} maxLength={254} required />
          </div>
          <p>
            <button type="submit">Find</button>
          </p>
        </form>
        {found && <Found found={found} path={path} />}
        {bounced.length > 0 && <Bounced bounced={bounced} path={path} />}
        <h2>Export</h2>
        <form method="post" action={`${path}/admin/subscribers/export`}>
          <button type="submit">Download all as CSV</button>
        </form>
      </>
    ),
  };
});

function Found({ found, path }: { found: readonly FoundSubscriber[]; path: string }) {
  if (found.length === 0) return <p role="status">No subscriber has this address.</p>;
  const columns = ["Address", "State", "How often", "Requested"];
  return (
    <>
      <AdminTable label="Subscribers" columns={columns}>
        {found.slice(0, MAX_FOUND).map((subscriber) => (
          <tr key={subscriber.subscription_id}>
            <td>
              <a href={`${path}/admin/subscriber?id=${subscriber.subscription_id}`}>
                {subscriber.email}
              </a>
            </td>
            <td>{subscriber.state}</td>
            <td>{subscriber.cadence}</td>
            <td>
              <Moment at={subscriber.requested_at} />
            </td>
          </tr>
        ))}
      </AdminTable>
      {found.length > MAX_FOUND && <p>Only the first {MAX_FOUND} are shown.</p>}
    </>
  );
}

function Bounced({ bounced, path }: { bounced: readonly BouncedMailbox[]; path: string }) {
  return (
    <>
      <h2>Rejected too many emails</h2>
      <p>These addresses get no more emails until they subscribe again, or you reactivate them.</p>
      <AdminTable
        label="Rejected too many emails"
        columns={["Address", "Last rejection", "Reason"]}
      >
        {bounced.map(({ subscription_id: id, email, refused_at, refusal_reason }) => (
          <tr key={id}>
            <td>
              <a href={`${path}/admin/subscriber?id=${id}`}>{email}</a>
            </td>
            <td>
              <Moment at={refused_at} />
            </td>
            <td>{refusal_reason}</td>
          </tr>
        ))}
      </AdminTable>
      {bounced.length === MAX_FOUND && <p>Only the latest {MAX_FOUND} are shown.</p>}
    </>
  );
}

/** All subscriptions as CSV. */
export const postedSubscribersExport = operatorRoute(async ({ context, note }) => {
  const { databaseForJobs } = context.services;
  await note("exported the subscribers");
  const lines = ReadableStream.from(exportSubscribers(databaseForJobs))
    .pipeThrough(new TextEncoderStream());
  return new Response(lines, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="subscribers.csv"',
      ...ADMIN_HEADERS,
    },
  });
});
