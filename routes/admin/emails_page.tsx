import {
  countMails,
  type ListedMail,
  listMails,
  retryMails,
} from "../../lib/delivery/outbox/listed_mails_sql.ts";
import { Problem } from "../../lib/http/problem.ts";
import { UUID } from "../../lib/text/uuid.ts";
import { AdminTable, Moment } from "../../lib/ui/admin/admin_page.tsx";
import { SampleList } from "./email_page.tsx";
import { operatorAction, operatorPage } from "./operator.ts";

const MAX_LISTED = 200;

/** Emails that wait or failed, and why, and how emails look. */
export const emailsPage = operatorPage(async ({ context }) => {
  const { services: { database, config }, site: { path } } = context;
  const [counts, mails] = await Promise.all([
    countMails(database),
    listMails(database, { statuses: ["waiting", "failed"], limit: MAX_LISTED }),
  ]);
  const words = counts.map(({ status, count }) => `${count} ${status}`).join(", ");
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
            <form method="post" action={`${path}/admin/emails/retry`}>
              <button type="submit">Try all again now</button>
            </form>
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
      {mails.map(({ mail_id, email, status, attempts, created_at, due_at, last_error }) => (
        <tr key={mail_id}>
          <td>
            <Moment at={created_at} />
          </td>
          <td>{email}</td>
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
            <form method="post" action={`${path}/admin/emails/retry`}>
              <input type="hidden" name="id" value={mail_id} />
              <button type="submit" class="second" aria-label={`Try again: ${email}`}>
                Try again
              </button>
            </form>
          </td>
        </tr>
      ))}
    </AdminTable>
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
