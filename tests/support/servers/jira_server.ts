import { serveSource, type SourceServer } from "./source_server.ts";

/** The behaviour of a Jira server, which a test may change while it runs. */
export interface JiraBehaviour {
  /** Cloud pages by tokens, Data Center by numbers. */
  edition: "cloud" | "data center";
  issues: Record<string, unknown>[];
  /** The maximum page size, whatever is requested. */
  pageSize: number;
  /** Returns a response in place of the usual one, or null. */
  refuse?: (request: Request, url: URL) => Response | Promise<Response> | null;
}

/** An issue as the REST API shows it. */
export function makeIssue(number: number, fields: Record<string, unknown> = {}) {
  return {
    expand: "",
    id: String(10_000 + number),
    self: `https://example.atlassian.net/rest/api/3/issue/${10_000 + number}`,
    key: `WID-${number}`,
    fields: {
      summary: `Issue ${number}`,
      description: null,
      status: { name: "To Do", id: "1", statusCategory: { id: 2, key: "new", name: "To Do" } },
      issuetype: { id: "10001", name: "Epic", subtask: false },
      project: { id: "10000", key: "WID", name: "Widgets" },
      components: [],
      labels: [],
      fixVersions: [],
      duedate: null,
      created: "2026-01-07T09:46:08.305+0100",
      updated: "2026-03-02T09:46:08.305+0100",
      customfield_10015: null,
      ...fields,
    },
  };
}

/** A server of Jira's REST search API, below /jira, as is common for Data Center. */
export function serveJira(
  behaviour: JiraBehaviour,
): SourceServer & { readonly headers: Headers[]; readonly searches: URLSearchParams[] } {
  const headers: Headers[] = [];
  const searches: URLSearchParams[] = [];
  const server = serveSource(async (request, url) => {
    const { searchParams: query } = url;
    headers.push(request.headers);
    const { edition, issues, pageSize } = behaviour;
    const isCloud = edition === "cloud";
    if (url.pathname !== `/jira/rest/api/${isCloud ? "3/search/jql" : "2/search"}`) {
      return new Response("<html><title>Oops, you've found a dead link.</title>", { status: 404 });
    }
    searches.push(query);
    const refused = await behaviour.refuse?.(request, url);
    if (refused) return refused;
    const names = query.get("fields")?.split(",") ?? [];
    const start = Number(isCloud ? query.get("nextPageToken")?.slice(3) : query.get("startAt")) ||
      0;
    const size = Math.min(Number(query.get("maxResults") ?? 50), pageSize);
    const page = issues.slice(start, start + size).map((issue) => ({
      ...issue,
      fields: Object.fromEntries(
        Object.entries(issue.fields as object).filter(([name]) => names.includes(name)),
      ),
    }));
    if (!isCloud) {
      return Response.json({
        ...{ expand: "schema,names", startAt: start, maxResults: size, total: issues.length },
        issues: page,
      });
    }
    const isLast = start + size >= issues.length;
    // The key is absent on the last page, and there is no total.
    return Response.json({
      ...isLast ? {} : { nextPageToken: `tok${start + size}` },
      ...{ issues: page, isLast },
    });
  });
  return Object.assign(server, { headers, searches });
}
