import { getLogger } from "@logtape/logtape";
import { DatabaseAway, DatabaseBusy, DatabaseReadOnly } from "../lib/database/database.ts";
import { PAGE_HEADERS } from "../lib/http/responses/page_headers.ts";
import { Problem } from "../lib/http/responses/problem.ts";
import { cutPath } from "../lib/http/server/request_log.ts";
import { CORS_HEADERS } from "../lib/http/responses/representation.ts";
import { Layout } from "../lib/ui/layout.tsx";
import { renderPage } from "../lib/ui/render_page.tsx";
import type { Context, Route } from "./route.ts";

const log = getLogger(["roadcast", "http"]);

/** nginx's status for a client that closed its connection; it is only logged. */
const CLIENT_LEFT = 499;

/** Turns an error into a response: problem details, or a page for browsers. */
export function answerError(
  error: unknown,
  { method, path, form, signal }: {
    method: string;
    path: string;
    form: Route["errors"];
    signal: AbortSignal;
  },
  context: Context,
): Response {
  if (error === signal.reason) return new Response(null, { status: CLIENT_LEFT });
  const problem = toProblem(error, { method, path });
  if (form === "json") return answerProblem(problem, method);
  const isForm = method !== "GET" && method !== "HEAD";
  return answerWith(renderErrorPage(problem, { isForm }, context), problem, {
    method,
    headers: { "Content-Type": "text/html; charset=utf-8", ...PAGE_HEADERS },
  });
}

/** Answers with problem details (RFC 9457). */
export function answerProblem(problem: Problem, method: string): Response {
  return answerWith(JSON.stringify(problem), problem, {
    method,
    headers: { "Content-Type": "application/problem+json" },
  });
}

function answerWith(
  body: string,
  { status, more }: Problem,
  { method, headers }: { method: string; headers: Readonly<Record<string, string>> },
): Response {
  return new Response(method === "HEAD" ? null : body, {
    status,
    headers: {
      ...headers,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer", // the address may hold a token
      ...CORS_HEADERS,
      ...more.headers,
    },
  });
}

/** What a client may know of an error; an unexpected one is logged. */
export function toProblem(error: unknown, asked: { method: string; path: string }): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseAway) {
    return new Problem(503, "The database is unavailable, try again in a few seconds", {
      headers: { "Retry-After": "5" },
    });
  }
  if (error instanceof DatabaseBusy) {
    return new Problem(503, "The server is too busy, try again in a few seconds", {
      headers: { "Retry-After": "5" },
    });
  }
  if (error instanceof DatabaseReadOnly) {
    return new Problem(503, "The database is read-only right now, try again in a minute", {
      headers: { "Retry-After": "60" },
    });
  }
  log.error("{method} {path} failed: {error}", {
    method: asked.method,
    path: cutPath(asked.path),
    error: error instanceof Error ? error.stack : String(error),
  });
  return new Problem(500, "Something went wrong on this server");
}

/** What a person reads as the heading; the others are clear by their title. */
const HEADINGS: Partial<Record<Problem["status"], string>> = {
  400: "We can't read this address",
  404: "Page not found",
  500: "Something went wrong",
  503: "Please try again in a moment",
};

/** Says what is wrong, and how to go on. */
function renderErrorPage(
  { status, title, message }: Problem,
  { isForm }: { isForm: boolean },
  frame: Context,
): string {
  const { path, variant } = frame.site;
  const heading = isForm && status === 400
    ? "Please check what you entered"
    : HEADINGS[status] ?? title;
  return renderPage(
    <Layout title={heading} frame={frame}>
      <div class="prose card link-card error-page">
        <p class="eyebrow">Error {status}</p>
        <h1>{heading}</h1>
        <p>{message}</p>
        <p>
          Search above, or go to <a href={`${path}/`}>the roadmap</a>
          {variant.hasChangelog && (
            <>
              {" "}or to <a href={`${path}/changelog`}>the changelog</a>
            </>
          )}.
        </p>
      </div>
    </Layout>,
  );
}
