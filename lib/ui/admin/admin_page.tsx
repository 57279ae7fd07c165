import type { ComponentChildren } from "preact";
import { PAGE_HEADERS } from "../../http/page_headers.ts";
import { Layout } from "../layout.tsx";
import { renderPage } from "../render_page.ts";
import { assetPath, type SiteFrame } from "../site_frame.ts";

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
  readonly children: ComponentChildren;
  readonly status?: 200 | 403 | 422;
  /** What the form did that led here. */
  readonly notice?: string | null;
  /** It shows other addresses of this server in frames. */
  readonly hasFrames?: boolean;
}

const POLICY = "Content-Security-Policy";

const PLACES = [
  { path: "/admin", name: "Overview" },
  { path: "/admin/sources", name: "Sources" },
  { path: "/admin/uploads", name: "Upload" },
  { path: "/admin/subscribers", name: "Subscribers" },
  { path: "/admin/emails", name: "Emails" },
  { path: "/admin/webhooks", name: "Webhooks" },
  { path: "/admin/announcements", name: "Announcements" },
  { path: "/admin/settings", name: "Settings" },
  { path: "/admin/audit", name: "Audit log" },
] as const;

/** Answers with a page for operators; `who` is null before they have signed in. */
export function answerAdmin(
  request: Request,
  { title, children, status = 200, notice, hasFrames = false }: AdminPage,
  { who, frame }: { who: string | null; frame: SiteFrame },
): Response {
  const { services: { assets }, site } = frame;
  const stylesheet = assetPath(frame, assets.nameOf("admin.css"));
  const { pathname } = new URL(request.url);
  const page = (
    <Layout title={title} frame={frame} head={<link rel="stylesheet" href={stylesheet} />}>
      <div class="admin">
        {who !== null && <AdminBar path={site.path} who={who} current={pathname} />}
        <h1>{title}</h1>
        {notice && <p class="admin-note" role="status">{notice}</p>}
        {children}
      </div>
    </Layout>
  );
  return new Response(request.method === "HEAD" ? null : renderPage(page), {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      ...PAGE_HEADERS,
      ...ADMIN_HEADERS,
      ...hasFrames && { [POLICY]: `${PAGE_HEADERS[POLICY]}; frame-src 'self'` },
    },
  });
}

function AdminBar({ path, who, current }: { path: string; who: string; current: string }) {
  return (
    <div class="admin-bar">
      <nav aria-label="Administration">
        <ul>
          {PLACES.map((place) => (
            <li key={place.path}>
              <a
                href={path + place.path}
                aria-current={isWithin(current, path + place.path)}
              >
                {place.name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {who === "token"
        ? (
          <form method="post" action={`${path}/admin/sign-out`}>
            <button type="submit" class="second">Sign out</button>
          </form>
        )
        : <p>Signed in as {who}</p>}
    </div>
  );
}

/** Marks the place of the bar to which a page belongs, such as `/admin/source` to `/admin/sources`. */
function isWithin(current: string, place: string): "page" | "true" | undefined {
  if (current === place) return "page";
  const one = place.replace(/s$/, "");
  return one !== place && (current === one || current.startsWith(`${one}/`)) ? "true" : undefined;
}

/** A table that scrolls in itself where the window is narrow. */
export function AdminTable(
  { label, columns, children }: {
    label: string;
    columns: readonly string[];
    children: ComponentChildren;
  },
) {
  return (
    <div class="admin-table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A moment that the server stored, in UTC. */
export function Moment({ at }: { at: string }) {
  return <time datetime={at}>{at.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC")}</time>;
}

/** A link that shows the page again, as it is by then. */
export function Reload({ href }: { href: string }) {
  return <a href={href}>Reload</a>;
}
