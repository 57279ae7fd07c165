import type { ComponentChildren } from "preact";
import { PAGE_HEADERS } from "../http/responses/page_headers.ts";
import { PRIVATE_HEADERS } from "../http/clients/link_token.ts";
import { Layout } from "./layout.tsx";
import { renderPage } from "./render_page.tsx";
import type { SiteFrame } from "./brand.tsx";

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
  context: SiteFrame,
): Response {
  // Without a referrer a browser sends the forms of a page with `Origin: null`, and without TLS
  // nothing else says that they are ours. The origin alone has no token.
  const referrer = <meta name="referrer" content="strict-origin" />;
  const page = (
    <Layout title={title} frame={context} head={referrer}>
      <div class={isWide ? "prose" : "prose card link-card"}>
        <h1>{title}</h1>
        {children}
        <p>
          <a href={`${context.site.path}/`}>Go to the roadmap</a>
        </p>
      </div>
    </Layout>
  );
  return new Response(request.method === "HEAD" ? null : renderPage(page), {
    status,
    headers: { "Content-Type": "text/html; charset=utf-8", ...PAGE_HEADERS, ...PRIVATE_HEADERS },
  });
}

/** What opening a link does, according to LINK_ACTION; a HEAD never acts. */
export function openingOf(
  { method }: Request,
  { services: { config } }: SiteFrame,
): { needsConfirmation: boolean; acts: boolean } {
  const needsConfirmation = config.LINK_ACTION === "confirm";
  return { needsConfirmation, acts: method !== "HEAD" && !needsConfirmation };
}

/** Answers with the page of a link, or with an error page if it is invalid. */
export function answerLink<Link>(
  request: Request,
  { token, link, hasNewLink, ended, page }: {
    token: string | null;
    link: Link | null;
    /** A new link can be requested. */
    hasNewLink: boolean;
    /** What to do where the link has ended; absent: use a newer one. */
    ended?: ComponentChildren;
    page: (token: string, link: Link) => LinkPage;
  },
  context: SiteFrame,
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
    site: SiteFrame["site"];
    hasNewLink: boolean;
    ended: ComponentChildren;
  },
): LinkPage {
  const isMissing = token === null;
  return {
    status: isMissing ? 400 : 404,
    title: isMissing ? "This link is incomplete" : "This link has expired",
    children: (
      <>
        <p>
          {isMissing
            ? "The token at the end is missing. Some email apps break long links: copy the whole link from the email."
            : "It is unknown, has expired, or was replaced by a newer one."}
        </p>
        {hasNewLink
          ? (
            <LinkForm
              action={`${site.path}/new-link`}
              label="Your email address"
              button="Send a new link"
            />
          )
          : ended ?? <LostLink action={`${site.path}/send-preferences-link`} />}
      </>
    ),
  };
}

/** How to get the link to the preferences again. */
export function LostLink({ action }: { action: string }) {
  return (
    <>
      <p>
        Every email we sent you has a link to your preferences at the bottom. If you have none left,
        enter your address and we'll send you the link.
      </p>
      <LinkForm
        action={action}
        label="Address you subscribed with"
        button="Send me the link"
      />
    </>
  );
}

function LinkForm(
  { action, label, button }: { action: string; label: string; button: string },
) {
  return (
    <form method="post" action={action}>
      <p>
        <label for="link-email">{label}</label>{" "}
        <input
          id="link-email"
          name="email"
          type="email"
          autocomplete="email"
          maxLength={254}
          required
        />
      </p>
      <p>
        <button type="submit">{button}</button>
      </p>
    </form>
  );
}

/** The button that performs the action of a link, if opening it only asks for confirmation. */
export function ConfirmForm(
  { action, token, button }: { action: string; token: string; button: string },
) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="token" value={token} />
      <p>
        <button type="submit">{button}</button>
      </p>
    </form>
  );
}
