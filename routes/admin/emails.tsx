import {
  countMails,
  type ListedMail,
  listMails,
  retryMails,
} from "../../lib/delivery/outbox/outbox_sql.ts";
import { SAMPLE_KINDS } from "../../lib/delivery/sample_mail.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { UUID } from "../../lib/text/values.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, PostForm } from "../../lib/ui/admin/parts.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";
import { EMAIL_NAMES } from "./(_components)/sample_emails.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: emails that wait or failed, and why",
    POST: "Makes emails due that wait or failed",
  },
};

const PAGE = 200;

/** The states of emails that need attention. */
const OPEN = ["waiting", "failed"] as const;

export const handler: ActionHandlers = operated({
  page: (_, visit) => showEmails(visit),
  actions: {
    /** Makes an email due now, or all that wait or failed. */
    retry: {
      says: {
        retried: "Retrying now.",
        nothing: "Only waiting or failed emails to recipients who still need them can be retried.",
      },
      async run(_, { context: { services }, note }, sent) {
        const { databaseForJobs, clock, config, jobs } = services;
        const mailId = sent.get("id");
        if (mailId !== null && !UUID.test(mailId)) throw new Problem(400, "There is no such email");
        const count = await retryMails(databaseForJobs, { mailId, now: clock() });
        if (count === 0) return { said: "nothing" };
        await note("retried emails", mailId ?? `all ${count}`);
        // A running server sends them after its pause, which no request shortens (lib/service/jobs.ts).
        if (!config.BACKGROUND_JOBS) await jobs.runDue();
        return { said: "retried" };
      },
    },
  },
});

async function showEmails({ query, context }: Visit): Promise<AdminPage> {
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
              does="retry"
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
}

function EmailTable({ mails, path }: { mails: readonly ListedMail[]; path: string }) {
  return (
    <Table
      label="Emails that wait or failed"
      rows={mails}
      columns={{
        "Created": ({ created_at }) => <Moment at={created_at} />,
        "Address": ({ subscription_id: id, email }) => (
          <a href={`${path}/admin/subscriber?id=${id}`}>{email}</a>
        ),
        "State": ({ status, due_at }) => (
          <>
            {status}
            {status === "waiting" && (
              <>
                {" "}until <Moment at={due_at} />
              </>
            )}
          </>
        ),
        "Attempts": "attempts",
        "Reason": "last_error",
        "Next attempt": ({ mail_id: id, email }) => (
          <PostForm does="retry" fields={{ id }} button="Try again" label={email} />
        ),
      }}
    />
  );
}

function Pages({ page, last, path }: { page: number; last: number; path: string }) {
  if (last <= 1) return null;
  const link = (to: number, label: string) => (
    <a href={`${path}/admin/emails?page=${to}`}>{label}</a>
  );
  return (
    <nav class="pages" aria-label="Pages of emails">
      {page > 1 ? link(page - 1, "Newer") : <span />}
      <span>Page {page} of {last}</span>
      {page < last ? link(page + 1, "Older") : <span />}
    </nav>
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
