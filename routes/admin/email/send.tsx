import {
  buildEmailPage,
  explainNothing,
  requireKind,
  writeEmail,
} from "../(_components)/email_page.tsx";
import { operatorAction } from "../(_components)/operator.tsx";
import { sendSample } from "../../../lib/delivery/sample_mail.ts";
import { parseEmailAddress } from "../../../lib/delivery/subscriptions/email_address.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = { errors: "page", summary: "Sends that email as a test" };

/** Sends an email as a test, and shows what became of it. */
const POST = operatorAction(async (form, visit) => {
  const { client, context, note } = visit;
  const kind = requireKind(form.get("kind"));
  const given = form.get("to") ?? "";
  const { address: to, reason } = parseEmailAddress(given);
  if (to === undefined) {
    const page = await buildEmailPage(context, kind, { to: given, error: `The address ${reason}` });
    return { ...page, status: 422 };
  }
  const mail = await writeEmail(kind, context);
  if (mail === null) throw new Problem(409, explainNothing(kind));
  const { services: { config, clock, limits }, site } = context;
  await limits.countTestMail(client.address);
  // Without the whole address, which may be a subscriber's and is to be deleted with the rest.
  await note("sent a test email", `${kind}, to an address at ${to.split("@")[1]}`);
  const sent = await sendSample(mail, { kind, to, config, site, now: clock() });
  return {
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
  };
});

export const handler: ActionHandlers = { POST };
