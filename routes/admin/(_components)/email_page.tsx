import { readMailBody } from "../../../lib/delivery/mail/mail_body.ts";
import type { MailWords } from "../../../lib/delivery/mail/mail_content.ts";
import { SAMPLE_KINDS, type SampleKind, writeSample } from "../../../lib/delivery/sample_mail.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import type { AdminPage } from "../../../lib/ui/admin/admin_page.tsx";
import { FormField } from "../../../lib/ui/admin/parts.tsx";
import type { Context } from "../../route.ts";

/** What each email is called on these pages. */
export const EMAIL_NAMES: Readonly<Record<SampleKind, string>> = {
  digest: "Digest of the latest changes",
  reminder: "Reminder of a watched release",
  verification: "Confirmation of a subscription",
  watch: "Confirmation of watching a release",
  preferences: "Confirm a change of preferences",
  link: "Link to the preferences",
};

const THEMES = ["light", "dark"] as const;

/** The page of an email: in both themes, as text, and a form to send it as a test. */
export async function buildEmailPage(
  context: Context,
  kind: SampleKind,
  { to, error }: { to?: string; error?: string } = {},
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

/** Why there is nothing to show. */
export function explainNothing(kind: SampleKind): string {
  return kind === "reminder"
    ? "Nothing is planned for the next 90 days."
    : "Nothing on the roadmap has changed yet.";
}

/** Writes an email about what is stored; null where nothing is. */
export function writeEmail(
  kind: SampleKind,
  { services: { database, config, clock }, site }: Context,
): Promise<MailWords | null> {
  return writeSample(kind, { database, config, site, now: clock() });
}

/** The email of an address or a form. @throws {Problem} 404 if there is none of this name */
export function requireKind(name: string | null): SampleKind {
  const kind = SAMPLE_KINDS.find((kind) => kind === name);
  if (kind) return kind;
  throw new Problem(404, "There is no such email");
}
