import { getLogger } from "@logtape/logtape";
import { DatabaseAway, DatabaseBusy, DatabaseReadOnly } from "../lib/database/database.ts";
import { PAGE_HEADERS } from "../lib/http/responses/page_headers.ts";
import { type FieldError, Problem } from "../lib/http/responses/problem.ts";
import { cutPath } from "../lib/http/server/request_log.ts";
import { CORS_HEADERS } from "../lib/http/responses/representation.ts";
import { Layout } from "../lib/ui/layout.tsx";
import { capitalise, shorten } from "../lib/text/phrases.ts";
import { sayProblem, sayReason } from "../lib/ui/form_mistakes.tsx";
import { renderPage } from "../lib/ui/render_page.tsx";
import type { Context, Route } from "./route.ts";
import { rich, say } from "../lib/text/messages.ts";
import { said } from "../lib/text/said.ts";

const log = getLogger(["roadcast", "http"]);

/** nginx's status for a client that closed its connection; it is only logged. */
const CLIENT_LEFT = 499;

/** Turns an error into a response: problem details, or a page for browsers. */
export function answerError(
  error: unknown,
  { method, path, query, form, signal }: {
    method: string;
    path: string;
    query: URLSearchParams;
    form: Route["errors"];
    signal: AbortSignal;
  },
  context: Context,
): Response {
  if (error === signal.reason) return new Response(null, { status: CLIENT_LEFT });
  const problem = toProblem(error, { method, path });
  if (form === "json") return answerProblem(problem, method);
  const isForm = method !== "GET" && method !== "HEAD";
  return answerWith(renderErrorPage(problem, { isForm, query }, context), problem, {
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
    return new Problem(503, said("problem.database"), {
      headers: { "Retry-After": "5" },
    });
  }
  if (error instanceof DatabaseBusy) {
    return new Problem(503, said("problem.busy"), {
      headers: { "Retry-After": "5" },
    });
  }
  if (error instanceof DatabaseReadOnly) {
    return new Problem(503, said("problem.read_only"), {
      headers: { "Retry-After": "60" },
    });
  }
  log.error("{method} {path} failed: {error}", {
    method: asked.method,
    path: cutPath(asked.path),
    error: error instanceof Error ? error.stack : String(error),
  });
  return new Problem(500, said("problem.unexpected"));
}

/** Says what is wrong, and how to go on. */
function renderErrorPage(
  problem: Problem,
  { isForm, query }: { isForm: boolean; query: URLSearchParams },
  context: Context,
): string {
  const { status } = problem;
  const { path, variant } = context.site;
  const heading = isForm && status === 400 ? say("error.form") : say(`error.${status}`);
  return renderPage(
    <Layout title={heading} context={context}>
      <div class="prose card link-card error-page">
        <p class="eyebrow">{say("error.status", { status: String(status) })}</p>
        <h1>{heading}</h1>
        <p>{inSentence(problem, query)}</p>
        <p>
          {rich(
            variant.hasChangelog ? "error.go_on" : "error.go_to_roadmap",
            {
              roadmap: (words) => <a href={`${path}/`}>{words}</a>,
              changelog: (words) => <a href={`${path}/changelog`}>{words}</a>,
            },
          )}
        </p>
      </div>
    </Layout>,
  );
}

/** A parameter of a page that a link has wrong, for a person who has followed it. */
const WRONG: Readonly<Record<string, (error: FieldError, value: string) => string>> = {
  due: () => say("wrong.filter"),
  kind: () => say("wrong.filter"),
  page: (_, value) => say("wrong.page", { page: shorten(value, 40) }),
  q: (error) => say("wrong.search", { reason: sayReason(error) }),
  tag: (error) => say("wrong.tag", { reason: sayReason(error) }),
  ...Object.fromEntries(
    ["month", "from", "to", "as_of", "release_date_from", "release_date_to", "modified_since"]
      .map((name) => [name, sayWrongDate]),
  ),
};

function sayWrongDate(error: FieldError): string {
  switch (error.said?.key) {
    case "reason.day":
      return say("wrong.day");
    case "reason.day_or_quarter":
      return say("wrong.day_or_quarter", error.said.values);
    case "reason.month":
      return say("wrong.month");
  }
  return capitalise(say("list.sentence", { words: sayReason(error) }));
}

/** A problem as a sentence; that of a parameter without the name of the parameter. */
function inSentence(problem: Problem, query: URLSearchParams): string {
  for (const error of problem.more.errors ?? []) {
    const known = WRONG[error.name]?.(error, query.get(error.name) ?? "");
    if (known) return known;
  }
  return sayProblem(problem);
}
