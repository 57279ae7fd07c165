import {
  countMails,
  type ListedMail,
  listMails,
  retryMails,
} from "../../lib/delivery/outbox/listed_mails_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { UUID } from "../../lib/text/values.ts";
import { AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, PostForm } from "../../lib/ui/admin/parts.tsx";
import { SampleList } from "./email_page.tsx";
import { operatorAction, operatorPage } from "./operator.tsx";

const PAGE = 200;
/** The states of emails that need attention. */
const OPEN = ["waiting", "failed"] as const;

/** Emails that wait or failed, and why, and how emails look. */
export const emailsPage = operatorPage(async ({ query, context }) => {
  const { services: { database, config }, site: { path } } = context;
  const page = Number(/^[1-9]\d{0,5}$/.exec(query.get("page") ?? "")?.[0] ?? 1);
  const [counts, mails] = await Promise.all([
    countMails(database),
    listMails(database, { statuses: OPEN, limit: PAGE, offset: (page - 1) * PAGE }),
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

function EmailTable({ mails, path }: { mails: readonly ListedMail[]; path: string }) {
  const columns = ["Created", "Address", "State", "Attempts", "Reason", "Again"];
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

/** Makes an email due now, or all that wait or failed. */
export const postedRetry = operatorAction(async (form, { context: { services }, note }) => {
  const { databaseForJobs, clock, config, jobs } = services;
  const mailId = form.get("id");
  if (mailId !== null && !UUID.test(mailId)) throw new Problem(400, "This is no email");
  const count = await retryMails(databaseForJobs, { mailId, now: clock() });
  if (count === 0) return { page: "/admin/emails", notice: "nothing-to-retry" };
  await note("retried emails", mailId ?? `all ${count}`);
  // A running server sends them after its pause, which no request shortens (lib/service/jobs.ts).
  if (!config.BACKGROUND_JOBS) await jobs.runDue();
  return { page: "/admin/emails", notice: "retried" };
});
