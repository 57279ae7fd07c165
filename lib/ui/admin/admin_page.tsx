import type { ComponentChildren } from "preact";
import { PAGE_HEADERS } from "../../http/responses/page_headers.ts";
import { VERSION } from "../../version.ts";
import { assetPath, Brand, type PageContext, Signs } from "../brand.tsx";
import { inEnglish } from "../../text/messages.ts";
import { renderPage } from "../render_page.tsx";
import { ThemeSwitch } from "../layout.tsx";

/** The headers of everything below /admin. */
export const ADMIN_HEADERS = {
  "Cache-Control": "no-store",
  // Forms are recognised as ours by their Origin, which a browser withholds with `no-referrer`.
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
} as const;

/** A page for operators. */
export interface AdminPage {
  readonly title: string;
  /** What stands beside the title. */
  readonly note?: string;
  readonly children: ComponentChildren;
  /** The address below the site and the words of a link that leads on. */
  readonly back?: readonly [path: string, words: string];
  readonly status?: number;
  /** What the form did that led here. */
  readonly notice?: string | null;
  /** It shows other addresses of this server in frames. */
  readonly hasFrames?: boolean;
  /** The place in the bar that the page belongs to. */
  readonly place?: Place;
  /** It shows work that is going on, so a script loads it again after some seconds. */
  readonly isLive?: boolean;
}

/** Who sees a page, and where. */
interface AdminViewer {
  /** Null: they have not signed in yet. */
  readonly who: string | null;
  readonly context: PageContext;
  /** How many scheduled sources failed at their last import. */
  readonly failing?: number;
}

const POLICY = "Content-Security-Policy";

const PLACES = {
  "": "Overview",
  "/sources": "Sources",
  "/subscribers": "Subscribers",
  "/emails": "Emails",
  "/webhooks": "Webhooks",
  "/settings": "Settings",
  "/audit": "Audit log",
} as const;

/** The pages of the sources. */
const SOURCE_PLACES = {
  "/sources": "All sources",
  "/uploads": "Upload",
  "/announcements": "Announcements",
} as const;

type Place = keyof typeof PLACES | keyof typeof SOURCE_PLACES;

/** Answers with a page for operators. */
export function answerAdmin(
  request: Request,
  page: AdminPage,
  viewer: AdminViewer,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const place = page.place ?? new URL(request.url).pathname.split("/admin").at(-1)!;
  const html = request.method === "HEAD"
    ? null
    : inEnglish(() => renderPage(<AdminFrame page={page} viewer={viewer} place={place} />));
  return new Response(html, {
    status: page.status ?? 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      ...PAGE_HEADERS,
      ...ADMIN_HEADERS,
      ...page.hasFrames && { [POLICY]: `${PAGE_HEADERS[POLICY]}; frame-src 'self'` },
      ...headers,
    },
  });
}

function AdminFrame({ page, viewer, place }: {
  page: AdminPage;
  viewer: AdminViewer;
  place: string;
}) {
  const { title, note, notice, children, back, isLive } = page;
  const { context, who } = viewer;
  const { services: { config, assets }, site } = context;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${config.SITE_NAME} admin`}</title>
        {["frame", "admin"].flatMap((name) => assets.scriptsOf(name)).map((script) => (
          <script
            key={script}
            src={assetPath(context, script)}
            defer={!script.startsWith("frame")}
          />
        ))}
        {["style.css", "admin.css"].map((name) => (
          <link key={name} rel="stylesheet" href={assetPath(context, assets.nameOf(name))} />
        ))}
        <Signs context={context} />
      </head>
      <body class="admin-body">
        <a class="skip" href="#content">Skip to content</a>
        <header class="admin-header">
          <div class="admin-top">
            <Brand context={context} />
            {who === "token"
              ? (
                <form method="post" action={`${site.path}/admin/sign-out`}>
                  <button type="submit" class="second">Sign out</button>
                </form>
              )
              : who !== null && <p>Signed in as {who}</p>}
          </div>
          {who !== null && <Places path={site.path} place={place} failing={viewer.failing ?? 0} />}
        </header>
        <main id="content" class="admin" tabIndex={-1} data-live={isLive || undefined}>
          <h1>
            {title}
            {note && " "}
            {note && <span class="admin-beside">{note}</span>}
          </h1>
          {notice && <p class="admin-note" role="status">{notice}</p>}
          {children}
          {back && (
            <p>
              <a href={site.path + back[0]}>{back[1]}</a>
            </p>
          )}
        </main>
        <footer class="admin-footer">
          <p>Roadcast {VERSION}</p>
          <ThemeSwitch />
        </footer>
      </body>
    </html>
  );
}

function Places({ path, place, failing }: { path: string; place: string; failing: number }) {
  const isOfSources = place in SOURCE_PLACES;
  const current = isOfSources ? "/sources" : place;
  return (
    <nav class="admin-bar" aria-label="Administration">
      <ul>
        {Object.entries(PLACES).map(([address, name]) => (
          <li key={address}>
            <a
              href={`${path}/admin${address}`}
              aria-current={address !== current ? undefined : isOfSources ? "true" : "page"}
            >
              {name}
              {address === "/sources" && failing > 0 && (
                <>
                  {" "}
                  <span class="admin-count" aria-label={`${failing} failing`}>{failing}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
      {isOfSources && (
        <ul class="admin-below">
          {Object.entries(SOURCE_PLACES).map(([address, name]) => (
            <li key={address}>
              <a
                href={`${path}/admin${address}`}
                aria-current={address === place ? "page" : undefined}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}

/** A link that shows the page again, as it is by then. */
export function Reload({ href }: { href: string }) {
  return <a href={href}>Reload</a>;
}
