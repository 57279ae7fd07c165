import { readMailBody } from "../../lib/delivery/mail/mail_body.ts";
import type { MailWords } from "../../lib/delivery/mail/mail_content.ts";
import {
  countMails,
  type ListedMail,
  listMails,
  retryMails,
} from "../../lib/delivery/outbox/outbox_sql.ts";
import {
  SAMPLE_KINDS,
  type SampleKind,
  sendSample,
  writeSample,
} from "../../lib/delivery/sample_mail.ts";
import { parseEmailAddress } from "../../lib/delivery/subscriptions/email_address.ts";
import { mailHeaders } from "../../lib/http/responses/page_headers.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { UUID } from "../../lib/text/values.ts";
import {
  ADMIN_HEADERS,
  type AdminPage,
  AdminTable,
  Moment,
} from "../../lib/ui/admin/admin_page.tsx";
import { Confirm, FormField, PostForm } from "../../lib/ui/admin/parts.tsx";
import type { Context } from "../route.ts";
import {
  operatorAction,
  operatorPage,
  operatorRoute,
  readFormFields,
  showPage,
} from "./operator.tsx";

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
  if (mailId !== null && !UUID.test(mailId)) throw new Problem(400, "There is no such email");
  const count = await retryMails(databaseForJobs, { mailId, now: clock() });
  if (count === 0) return { page: "/admin/emails", notice: "nothing-to-retry" };
  await note("retried emails", mailId ?? `all ${count}`);
  // A running server sends them after its pause, which no request shortens (lib/service/jobs.ts).
  if (!config.BACKGROUND_JOBS) await jobs.runDue();
  return { page: "/admin/emails", notice: "retried" };
});

const NAMES: Readonly<Record<SampleKind, string>> = {
  digest: "Digest of the latest changes",
  reminder: "Reminder of a watched release",
  verification: "Confirmation of a subscription",
  watch: "Confirmation of watching a release",
  preferences: "Confirm a change of preferences",
  link: "Link to the preferences",
};
const THEMES = ["light", "dark"] as const;

/** Why there is nothing to show. */
function explainNothing(kind: SampleKind): string {
  return kind === "reminder"
    ? "Nothing is planned for the next 90 days."
    : "Nothing on the roadmap has changed yet.";
}

/** The emails that Roadcast sends, each with a link to its page. */
function SampleList({ path }: { path: string }) {
  return (
    <section>
      <h2>How emails look</h2>
      <ul>
        {SAMPLE_KINDS.map((kind) => (
          <li key={kind}>
            <a href={`${path}/admin/email?kind=${kind}`}>{NAMES[kind]}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An email as subscribers get it: in both themes, as text, and a form to send it as a test. */
export const emailPage = operatorPage((visit) =>
  buildPage(visit.context, requireKind(visit.query.get("kind")))
);

async function buildPage(
  context: Context,
  kind: SampleKind,
  { to, error }: { to?: string; error?: string } = {},
): Promise<AdminPage> {
  const mail = await write(kind, context);
  const { services: { config }, site: { path } } = context;
  if (mail === null) {
    return { title: NAMES[kind], place: "/emails", children: <p>{explainNothing(kind)}</p> };
  }
  return {
    title: NAMES[kind],
    place: "/emails",
    hasFrames: true,
    children: (
      <>
        <p>Subject: {mail.subject}</p>
        <p>Personal links don't work in this preview.</p>
        <form method="post" action={`${path}/admin/email/send`}>
          <input type="hidden" name="kind" value={kind} />
          <FormField id="to" label="Send it as a test to" error={error}>
            <input id="to" name="to" type="email" value={to} required autocomplete="email" />
          </FormField>
          {config.smtp === null && (
            <p class="quiet">SMTP_URL is not set: the email is written to the server's log.</p>
          )}
          <button type="submit">Send</button>
        </form>
        {THEMES.map((theme) => (
          <section key={theme}>
            <h2>In a {theme} theme</h2>
            <iframe
              class="admin-mail"
              title={`The email in a ${theme} theme`}
              src={`${path}/admin/email/body?${new URLSearchParams({ kind, theme })}`}
              sandbox=""
            />
          </section>
        ))}
        <section>
          <h2>As text</h2>
          <pre class="admin-mail-text" tabIndex={0}>{readMailBody(mail.text)}</pre>
        </section>
      </>
    ),
  };
}

/** The HTML of an email, in one theme whatever the browser prefers. */
export const emailBody = operatorRoute(async ({ request, query, context }) => {
  const kind = requireKind(query.get("kind"));
  const mail = await write(kind, context);
  if (mail === null) throw new Problem(404, explainNothing(kind));
  const isDark = query.get("theme") === "dark";
  const html = readMailBody(mail.html)
    .replace("@media (prefers-color-scheme:dark)", isDark ? "@media all" : "@media not all");
  const { "X-Frame-Options": _, ...headers } = ADMIN_HEADERS;
  return new Response(request.method === "HEAD" ? null : html, {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      ...mailHeaders("'self'"),
      ...headers,
      "X-Frame-Options": "SAMEORIGIN",
    },
  });
});

/** Sends an email as a test, and shows what became of it. */
export const postedTestMail = operatorRoute(async (visit) => {
  const { request, client, context, note } = visit;
  const form = await readFormFields(request);
  const kind = requireKind(form.get("kind"));
  const given = form.get("to") ?? "";
  const { address: to, reason } = parseEmailAddress(given);
  if (to === undefined) {
    const page = await buildPage(context, kind, { to: given, error: `The address ${reason}` });
    return await showPage(visit, { ...page, status: 422 });
  }
  const mail = await write(kind, context);
  if (mail === null) throw new Problem(409, explainNothing(kind));
  const { services: { config, clock, limits }, site } = context;
  await limits.countTestMail(client.address);
  // Without the whole address, which may be a subscriber's and is to be deleted with the rest.
  await note("sent a test email", `${kind}, to an address at ${to.split("@")[1]}`);
  const sent = await sendSample(mail, { kind, to, config, site, now: clock() });
  return await showPage(visit, {
    title: "Test of an email",
    place: "/emails",
    children: (
      <>
        {"reason" in sent
          ? <p class="admin-problem" role="status">The email was not sent: {sent.reason}</p>
          : (
            <p class="admin-note" role="status">
              {sent.outcome === "sent"
                ? `The mail server accepted the email to ${to}.`
                : "SMTP_URL is not set: the email is in the server's log."}
            </p>
          )}
        <p>
          <a href={`${site.path}/admin/email?kind=${kind}`}>Back to the email</a>
        </p>
      </>
    ),
  });
});

function write(
  kind: SampleKind,
  { services: { database, config, clock }, site }: Context,
): Promise<MailWords | null> {
  return writeSample(kind, { database, config, site, now: clock() });
}

function requireKind(name: string | null): SampleKind {
  const kind = SAMPLE_KINDS.find((kind) => kind === name);
  if (kind) return kind;
  throw new Problem(404, "There is no such email");
}
