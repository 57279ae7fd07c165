import { getLogger } from "@logtape/logtape";
import { DatabaseAway } from "../lib/database/database.ts";
import { PAGE_HEADERS } from "../lib/http/page_headers.ts";
import { Problem } from "../lib/http/problem.ts";
import { CORS_HEADERS } from "../lib/http/representation.ts";
import { Layout } from "../lib/ui/layout.tsx";
import { renderPage } from "../lib/ui/render_page.ts";
import type { Context } from "./route.ts";

const log = getLogger(["roadcast", "http"]);

/** Turns an error into the answer for it: problem details, or a page where a person asked. */
export function answerError(error: unknown, request: Request, context: Context): Response {
  const problem = toProblem(error, request);
  const isPage = isPagePath(request);
  const body = isPage ? renderErrorPage(problem, context) : JSON.stringify(problem);
  return new Response(request.method === "HEAD" ? null : body, {
    status: problem.status,
    headers: {
      "Content-Type": isPage ? "text/html; charset=utf-8" : "application/problem+json",
      "Cache-Control": "no-store",
      ...isPage && PAGE_HEADERS,
      "Referrer-Policy": "no-referrer", // the address may hold a token
      ...CORS_HEADERS,
      ...problem.more.headers,
    },
  });
}

function toProblem(error: unknown, request: Request): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseAway) {
    return new Problem(503, "The database cannot be reached, try again in a few seconds", {
      headers: { "Retry-After": "5" },
    });
  }
  log.error("{method} {path} failed: {error}", {
    method: request.method,
    path: new URL(request.url).pathname,
    error: error instanceof Error ? error.stack : String(error),
  });
  return new Problem(500, "Something went wrong on this server");
}

/** Addresses for scripts and feed readers lie below /api/ or at /rss; all others are pages. */
function isPagePath({ url }: Request): boolean {
  return !/\/(api\/|rss(\.xml)?$)/.test(new URL(url).pathname);
}

function renderErrorPage({ status, title, message }: Problem, frame: Context): string {
  return renderPage(
    <Layout title={title} frame={frame}>
      <div class="prose">
        <p class="eyebrow">{status}</p>
        <h1>{title}</h1>
        <p>{message}</p>
        <p>
          <a class="button" href={`${frame.site.path}/`}>To the roadmap</a>
        </p>
      </div>
    </Layout>,
  );
}
