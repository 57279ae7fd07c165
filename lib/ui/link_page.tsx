import type { ComponentChildren, VNode } from "preact";
import type { Limits } from "../http/clients/limits.ts";
import { readForm } from "../http/requests/body.ts";
import { PAGE_HEADERS } from "../http/responses/page_headers.ts";
import { PRIVATE_HEADERS } from "../http/clients/link_token.ts";
import { EmailInput } from "./email_form.tsx";
import { FormMistake, Mistake, type Mistakes, mistakesIn } from "./form_mistakes.tsx";
import { Layout } from "./layout.tsx";
import { renderPage } from "./render_page.tsx";
import type { PageContext } from "./brand.tsx";
import { say } from "../text/messages.ts";

/** A page that a link in a mail leads to. */
export interface LinkPage {
  status: 200 | 202 | 400 | 404;
  title: string;
  /** Absent: a narrow card, for a few sentences and a button. */
  isWide?: boolean;
  children: ComponentChildren;
}

/** Answers with a page that is not cached and reveals its address to no other site. */
export function answerPage(
  request: Request,
  { status, title, isWide = false, children }: LinkPage,
  context: PageContext,
): Response {
  // Without a referrer a browser sends the forms of a page with `Origin: null`, and without TLS
  // nothing else says that they are ours. The origin alone has no token.
  const referrer = <meta name="referrer" content="strict-origin" />;
  const page = (
    <Layout title={title} context={context} head={referrer}>
      <div class={isWide ? "prose" : "prose card link-card"}>
        <h1>{title}</h1>
        {children}
        <p>
          <a href={`${context.site.path}/`}>{say("link.go_to_the_roadmap")}</a>
        </p>
      </div>
    </Layout>
  );
  return answerHtml(request, { status, page });
}

/** Answers with a page of one client only, which no cache keeps. */
export function answerHtml(
  { method }: Request,
  { status, page }: { status: number; page: VNode },
): Response {
  return new Response(method === "HEAD" ? null : renderPage(page), {
    status,
    headers: { "Content-Type": "text/html; charset=utf-8", ...PAGE_HEADERS, ...PRIVATE_HEADERS },
  });
}

/** What opening a link does, according to LINK_ACTION; a HEAD never acts. */
export function openingOf(
  { method }: Request,
  { services: { config } }: PageContext,
): { needsConfirmation: boolean; acts: boolean } {
  const needsConfirmation = config.LINK_ACTION === "confirm";
  return { needsConfirmation, acts: method !== "HEAD" && !needsConfirmation };
}

/** Answers with the page of a link, or with an error page if it is invalid. */
export function answerLink<Link>(
  request: Request,
  { token, link, hasNewLink = false, ended, page }: {
    token: string | null;
    link: Link | null;
    /** A new link can be requested. */
    hasNewLink?: boolean;
    /** What to do where the link has ended; absent: use a newer one. */
    ended?: ComponentChildren;
    page: (token: string, link: Link) => LinkPage;
  },
  context: PageContext,
): Response {
  const answered = token !== null && link
    ? page(token, link)
    : endedLinkPage(token, { site: context.site, hasNewLink, ended });
  return answerPage(request, answered, context);
}

/** The page of an invalid link: its token is missing, unknown or expired. */
function endedLinkPage(
  token: string | null,
  { site, hasNewLink, ended }: {
    site: PageContext["site"];
    hasNewLink: boolean;
    ended: ComponentChildren;
  },
): LinkPage {
  const isMissing = token === null;
  return {
    status: isMissing ? 400 : 404,
    title: isMissing ? say("link.incomplete") : say("link.ended"),
    children: (
      <>
        <p>
          {isMissing ? say("link.no_token") : say("link.expired")}
        </p>
        {hasNewLink
          ? <NewLink action={`${site.path}/new-link`} />
          : ended ?? <LostLink action={`${site.path}/send-preferences-link`} />}
      </>
    ),
  };
}

/** What was sent with a form for a link, and what is wrong with it. */
interface SentLink {
  email: string;
  mistakes: Mistakes;
}

interface LinkFormProps {
  action: string;
  sent?: SentLink;
}

/** How to get the link to the preferences again. */
export function LostLink(form: LinkFormProps) {
  return (
    <>
      <p>{say("link.every_email_we_sent")}</p>
      <LinkForm {...form} button={say("link.send_me_the_link")} />
    </>
  );
}

/** How to get a new link to confirm. */
export function NewLink(form: LinkFormProps) {
  return <LinkForm {...form} button={say("link.send_a_new_link")} />;
}

function LinkForm({ action, sent, button }: LinkFormProps & { button: string }) {
  return (
    <form class="link-form" method="post" action={action}>
      <FormMistake mistakes={sent?.mistakes} fields={["email"]} />
      <div class="field">
        <label for="link-email">{say("subscribe.your_email_address")}</label>
        <EmailInput id="link-email" value={sent?.email} mistakes={sent?.mistakes} />
        <Mistake of="email" mistakes={sent?.mistakes} />
      </div>
      <p>
        <button type="submit">{button}</button>
      </p>
    </form>
  );
}

/** Answers a form that asks for a link: that it was sent, or the form again with what is wrong. */
export async function answerLinkRequest(
  request: Request,
  { address, ask, title, said, form: Form, action }: {
    /** The address of the client. */
    address: string;
    ask: (given: { email: string }) => Promise<unknown>;
    /** Of the form, where it is shown again. */
    title: string;
    /** What follows, the same for every address. */
    said: string;
    form: (props: LinkFormProps) => ComponentChildren;
    action: string;
  },
  context: PageContext & { readonly services: { readonly limits: Limits } },
): Promise<Response> {
  let email: string | undefined;
  try {
    await context.services.limits.takeSubscribing(address, async () => {
      email = (await readForm(request)).get("email") ?? "";
      await ask({ email });
    });
    const children = <p>{said}</p>;
    return answerPage(request, { status: 202, title: say("link.check_inbox"), children }, context);
  } catch (error) {
    if (email === undefined) throw error;
    const sent = { email, mistakes: mistakesIn(error) };
    const children = <Form action={context.site.path + action} sent={sent} />;
    return answerPage(request, { status: 400, title, children }, context);
  }
}

/** A form with one button, which acts for the token of a link. */
export function ConfirmForm({ action, token, does, button, children }: {
  action: string;
  token: string;
  /** Where its address does several things: which. */
  does?: "export" | "delete" | "subscribe-again";
  button: string;
  children?: ComponentChildren;
}) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      {does && <input type="hidden" name="action" value={does} />}
      {children}
      <p>
        <button type="submit">{button}</button>
      </p>
    </form>
  );
}
