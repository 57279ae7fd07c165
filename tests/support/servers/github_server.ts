import { serveSource, type SourceServer } from "./source_server.ts";

/** An issue as GitHub's REST API returns it, with the fields that matter here. */
export interface Issue {
  number: number;
  title: string;
  body?: string | null;
  labels?: string[];
  state?: "open" | "closed";
  state_reason?: string | null;
  milestone?: { title: string; due_on: string | null } | null;
  type?: { name: string } | null;
  updated_at?: string;
  created_at?: string;
  pull_request?: { url: string };
}

/** The behaviour of a GitHub REST API server, which a test may change while it runs. */
export interface Behaviour {
  issues: Issue[];
  /** The maximum page size, whatever is requested. */
  pageSize: number;
  /** Returns a response in place of the usual one, or null. */
  refuse?: (request: Request, url: URL) => Response | null;
}

/** A server of "Repository issues" in GitHub's REST API, for the repository acme/roadmap. */
export function serveGithub(
  behaviour: Behaviour,
): SourceServer & { readonly headers: Headers[] } {
  const headers: Headers[] = [];
  const server = serveSource((request, url) => {
    headers.push(request.headers);
    const refused = behaviour.refuse?.(request, url);
    if (refused) return refused;
    const { searchParams } = url;
    if (!url.pathname.endsWith("/repos/acme/roadmap/issues")) {
      return Response.json({ message: "Not Found", status: "404" }, { status: 404 });
    }
    const page = Number(searchParams.get("page") ?? 1);
    const size = Math.min(Number(searchParams.get("per_page") ?? 30), behaviour.pageSize);
    const wanted = searchParams.get("labels")?.split(",") ?? [];
    const all = behaviour.issues.filter(({ labels = [], state = "open" }) =>
      wanted.every((label) => labels.includes(label)) &&
      ["all", state].includes(searchParams.get("state") ?? "open")
    );
    const body = JSON.stringify(all.slice((page - 1) * size, page * size).map(describe));
    const etag = `W/"${body.length}-${page}-${hash(body)}"`;
    const linkTo = (page: number, rel: string) => {
      const target = new URL(url);
      target.searchParams.set("page", String(page));
      return `<${target}>; rel="${rel}"`;
    };
    const last = Math.ceil(all.length / size);
    const links = page < last ? [linkTo(page + 1, "next"), linkTo(last, "last")] : [];
    if (page > 1) links.unshift(linkTo(page - 1, "prev"), linkTo(1, "first"));
    const answerHeaders: Record<string, string> = {
      etag,
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "55",
      ...links.length > 0 && { link: links.join(", ") },
    };
    return request.headers.get("if-none-match") === etag
      ? new Response(null, { status: 304, headers: answerHeaders })
      : new Response(body, {
        headers: { ...answerHeaders, "content-type": "application/json; charset=utf-8" },
      });
  });
  return Object.assign(server, { headers });
}

function describe(issue: Issue) {
  const { number, labels = [], state = "open" } = issue;
  const repository = "https://api.github.com/repos/acme/roadmap";
  return {
    url: `${repository}/issues/${number}`,
    repository_url: repository,
    html_url: `https://github.com/acme/roadmap/issues/${number}`,
    id: 1_000_000 + number,
    node_id: `I_${number}`,
    body: null,
    user: { login: "octocat", id: 1 },
    state,
    state_reason: state === "closed" ? "completed" : null,
    locked: false,
    comments: 3,
    created_at: "2026-01-01T10:00:00Z",
    updated_at: "2026-07-01T10:00:00Z",
    milestone: null,
    ...issue,
    labels: labels.map((name, index) => ({ id: index, name, color: "d73a4a", default: false })),
  };
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) | 0, 7);
}
