import { asObject } from "../../text/values.ts";
import { followPages } from "./follow_pages.ts";
import { readJsonPage } from "./json.ts";
import { dateInTitle, type Kind, type KindSettings, labelsOf, openFirst } from "./kind.ts";

/** "Repository issues" of GitHub's REST API, in the version of it that is read here. */
const GITHUB_HEADERS = {
  accept: "application/vnd.github+json",
  "x-github-api-version": "2022-11-28",
};

/** The reasons of issues that were closed without being done. */
const NOT_COMING = ["not_planned", "duplicate"];

/**
 * Parses `github:owner/repository`, optionally with a query of the REST API; null for anything
 * else.
 *
 * ```ts
 * const location = parseGithubLocation("github:github/roadmap?labels=preview");
 * if (location?.owner !== "github" || location.query.get("labels") !== "preview") throw new Error();
 * if (parseGithubLocation("https://github.com/github/roadmap") !== null) throw new Error();
 * ```
 */
export function parseGithubLocation(
  location: string,
): { owner: string; repository: string; query: URLSearchParams } | null {
  const [, owner, repository, query = ""] =
    /^github:([\w.-]+)\/([\w.-]+)(?:\?(.*))?$/.exec(location) ?? [];
  if (owner === undefined || repository === undefined) return null;
  return { owner, repository, query: new URLSearchParams(query) };
}

/** The issues of a repository of GitHub, by its REST API; pull requests are left out. */
export const github: Kind = {
  kind: "github",
  title: "GitHub",
  form: { written: "github:owner/repository", parse: parseGithubLocation },
  lastModifiedIncludesComments: true,
  headers: GITHUB_HEADERS,
  signIn: {
    variables: "GITHUB_TOKEN",
    at: ({ github: { apiUrl } }) => apiUrl,
    headers: ({ github: { token } }): Record<string, string> =>
      token === null ? {} : { authorization: `Bearer ${token}` },
  },
  fields: {
    release_item_id: { from: "number" },
    feature_name: { from: "title" },
    feature_description: { from: "body" },
    product_name: { from: "repository" },
    release_type: { from: "type", default: "Not stated" },
    release_status: { labels: { closed: "Shipped" }, default: "Planned" },
    release_date: { from: "due" },
    blog_url: { from: "html_url" },
    last_modified: { from: "updated" },
    created: { from: "created_at" },
  },
  async read(source) {
    const first = await openFirst(source, addressOf(source.location, source.settings));
    return await followPages(source, first, (document) => {
      const page = readJsonPage(document, source, ["data"]);
      const issues = page.rows.filter((item) => !asObject(asObject(item)?.pull_request));
      const leftOut = { "pull request": page.rows.length - issues.length };
      return { ...page, rows: issues.map(githubRow), leftOut };
    });
  },
};

function addressOf(location: string, { github: { apiUrl } }: KindSettings): string {
  const { owner, repository, query } = parseGithubLocation(location)!;
  const url = new URL(`${apiUrl}/repos/${owner}/${repository}/issues`);
  // By creation date: a new issue does not move the others while pages are read.
  const fixed = { sort: "created", direction: "asc", per_page: "100" };
  url.search = new URLSearchParams({ state: "all", ...Object.fromEntries(query), ...fixed })
    .toString();
  return url.href;
}

/** An issue with the names that a mapping may use; anything else is refused later. */
function githubRow(value: unknown): unknown {
  const issue = asObject(value);
  if (issue === null) return value;
  const milestone = asObject(issue.milestone);
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? null,
    type: asObject(issue.type)?.name ?? null,
    // The state counts as the last label, so a mapping can use it.
    labels: [...labelsOf(issue.labels), issue.state],
    state: issue.state,
    milestone: milestone?.title ?? null,
    due: milestone?.due_on ?? dateInTitle(String(milestone?.title ?? "")),
    repository: String(issue.repository_url ?? "").split("/").at(-1),
    html_url: issue.html_url,
    updated: issue.updated_at ?? null,
    created_at: issue.created_at ?? null,
    active: !(issue.state === "closed" && NOT_COMING.includes(String(issue.state_reason))),
  };
}
