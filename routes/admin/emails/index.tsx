import { EMAIL_NAMES } from "../(_components)/email_page.tsx";
import { operatorPage } from "../(_components)/operator.tsx";
import { countMails, type ListedMail, listMails } from "../../../lib/delivery/outbox/outbox_sql.ts";
import { SAMPLE_KINDS } from "../../../lib/delivery/sample_mail.ts";
import { AdminTable, Moment } from "../../../lib/ui/admin/admin_page.tsx";
import { Confirm, PostForm } from "../../../lib/ui/admin/parts.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: emails that wait or failed, and why",
};

const PAGE = 200;

/** The states of emails that need attention. */
const OPEN = ["waiting", "failed"] as const;

/** Emails that wait or failed, and why, and how emails look. */
const GET = operatorPage(async ({ query, context }) => {
  const { services: { database, config }, site: { path } } = context;
  const page = Number(/^[1-9]\d{0,5}$/.exec(query.get("page") ?? "")?.[0] ?? 1);
  const [counts, mails] = await Promise.all([
    countMails(database, "all"),
    listMails(database, { which: "unsent", limit: PAGE, offset: (page - 1) * PAGE }),
  ]);
  const open = counts.filter(({ status }) => OPEN.some((one) => one === status))
    .reduce((sum, { count }) => sum + count, 0);
  const words = counts.map(({ status, count }) => `${count.toLocaleString("en")} ${status}`).join(
    ", ",
  );
  return {
    title: "Emails",
    children: (
      <>
        {config.smtp === null && (
          <p class="admin-problem">
            SMTP_URL is not set: emails are written to the log, not sent.
          </p>
        )}
        <p>{words === "" ? "No emails in the last 30 days." : `In the last 30 days: ${words}.`}</p>
        {mails.length > 0 && (
          <>
            <EmailTable mails={mails} path={path} />
            <Pages page={page} last={Math.ceil(open / PAGE)} path={path} />
            <Confirm
              action={`${path}/admin/emails/retry`}
              button="Try all again now"
              question={`All ${
                open.toLocaleString("en")
              } are sent as fast as the mail server takes them.`}
            />
          </>
        )}
        <SampleList path={path} />
      </>
    ),
  };
});

export const handler: ActionHandlers = { GET };

function EmailTable({ mails, path }: { mails: readonly ListedMail[]; path: string }) {
  const columns = ["Created", "Address", "State", "Attempts", "Reason", "Next attempt"];
  return (
    <AdminTable label="Emails that wait or failed" columns={columns}>
      {mails.map((
        { mail_id, subscription_id, email, status, attempts, created_at, due_at, last_error },
      ) => (
        <tr key={mail_id}>
          <td>
            <Moment at={created_at} />
          </td>
          <td>
            <a href={`${path}/admin/subscriber?id=${subscription_id}`}>{email}</a>
          </td>
          <td>
            {status}
            {status === "waiting" && (
              <>
                {" "}until <Moment at={due_at} />
              </>
            )}
          </td>
          <td>{attempts}</td>
          <td>{last_error}</td>
          <td>
            <PostForm
              action={`${path}/admin/emails/retry`}
              fields={{ id: mail_id }}
              button="Try again"
              label={email}
            />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

function Pages({ page, last, path }: { page: number; last: number; path: string }) {
  if (last <= 1) return null;
  const link = (to: number, label: string) => (
    <a href={`${path}/admin/emails?page=${to}`}>{label}</a>
  );
  return (
    <p class="admin-pages">
      {page > 1 && link(page - 1, "Newer")} Page {page} of {last}{" "}
      {page < last && link(page + 1, "Older")}
    </p>
  );
}

/** The emails that Roadcast sends, each with a link to its page. */
function SampleList({ path }: { path: string }) {
  return (
    <section>
      <h2>How emails look</h2>
      <ul>
        {SAMPLE_KINDS.map((kind) => (
          <li key={kind}>
            <a href={`${path}/admin/email?kind=${kind}`}>{EMAIL_NAMES[kind]}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
