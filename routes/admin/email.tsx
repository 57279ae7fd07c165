import { readMailBody } from "../../lib/delivery/mail/mail_body.ts";
import { type SampleKind, sendSample } from "../../lib/delivery/sample_mail.ts";
import { parseEmailAddress } from "../../lib/delivery/subscriptions/email_address.ts";
import { FieldError } from "../../lib/expected_error.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import type { AdminPage } from "../../lib/ui/admin/admin_page.tsx";
import { form, readBy, type Refused, text } from "../../lib/ui/admin/form.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";
import {
  EMAIL_NAMES,
  explainNothing,
  requireKind,
  writeEmail,
} from "./(_components)/sample_emails.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: an email as subscribers get it",
    POST: "Sends that email as a test",
  },
};

const THEMES = ["light", "dark"] as const;

const RECIPIENT = form({
  to: text("Send it as a test to", {
    type: "email",
    required: true,
    autocomplete: "email",
    schema: readBy((text) => {
      const { address, reason } = parseEmailAddress(text);
      if (address !== undefined) return address;
      throw new FieldError({ to: `The address ${reason}` });
    }),
  }),
});

export const handler: ActionHandlers = operated({
  find: ({ query }) => Promise.resolve(requireKind(query.get("kind"))),
  page: showEmail,
  actions: {
    send: {
      async run(kind, { context, note }, sent) {
        const { to } = RECIPIENT.read(sent);
        const mail = await writeEmail(kind, context);
        if (mail === null) throw new Problem(409, explainNothing(kind));
        const { services: { config, clock }, site } = context;
        // Without the whole address, which may be a subscriber's and is to be deleted with the rest.
        await note("sent a test email", `${kind}, to an address at ${to.split("@")[1]}`);
        const outcome = await sendSample(mail, { kind, to, config, site, now: clock() });
        return {
          title: "Test of an email",
          place: "/emails",
          back: [`/admin/email?kind=${kind}`, "Back to the email"],
          children: "reason" in outcome
            ? (
              <p class="admin-problem" role="status">
                The email was not sent: {outcome.reason}
              </p>
            )
            : (
              <p class="admin-note" role="status">
                {outcome.outcome === "sent"
                  ? `The mail server accepted the email to ${to}.`
                  : "SMTP_URL is not set: the email is in the server's log."}
              </p>
            ),
        };
      },
    },
  },
});

async function showEmail(
  kind: SampleKind,
  { context }: Visit,
  refused?: Refused,
): Promise<AdminPage> {
  const mail = await writeEmail(kind, context);
  const { services: { config }, site: { path } } = context;
  if (mail === null) {
    return { title: EMAIL_NAMES[kind], place: "/emails", children: <p>{explainNothing(kind)}</p> };
  }
  return {
    title: EMAIL_NAMES[kind],
    place: "/emails",
    hasFrames: true,
    children: (
      <>
        <p>Subject: {mail.subject}</p>
        <p>Personal links don't work in this preview.</p>
        <form method="post">
          <RECIPIENT.Fields refused={refused} />
          {config.smtp === null && (
            <p class="quiet">SMTP_URL is not set: the email is written to the server's log.</p>
          )}
          <button type="submit" name="do" value="send">Send</button>
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
