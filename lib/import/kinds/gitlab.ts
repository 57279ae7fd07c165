import { asObject } from "../../text/values.ts";
import { followPages } from "./follow_pages.ts";
import { readJsonPage } from "./json.ts";
import { dateInTitle, type Document, type Kind, labelsOf, type SourceToRead } from "./kind.ts";
import { setParameters } from "./json_api.ts";

/**
 * Parses `gitlab:group/project` or `gitlab:group`, optionally with a query of the REST API; null
 * for anything else.
 *
 * ```ts
 * const location = parseGitlabLocation("gitlab:acme/tools/widgets?labels=roadmap");
 * if (location?.path !== "acme/tools/widgets") throw new Error();
 * if (parseGitlabLocation("gitlab:acme//widgets") !== null) throw new Error();
 * ```
 */
export function parseGitlabLocation(location: string): { path: string; query: string } | null {
  const [, path, query = ""] = /^gitlab:([\w.-]+(?:\/[\w.-]+)*)\/?(?:\?(.*))?$/i.exec(location) ??
    [];
  return path === undefined ? null : { path, query };
}

/** The issues of a project of GitLab, or the epics or issues of a group, by its REST API. */
export const gitlab: Kind = {
  kind: "gitlab",
  title: "GitLab",
  form: { written: "gitlab:group/project or gitlab:group", parse: parseGitlabLocation },
  lastModifiedIncludesComments: true,
  signIn: {
    variables: "GITLAB_TOKEN",
    at: ({ gitlab: { url } }) => url,
    headers: ({ gitlab: { token } }): Record<string, string> =>
      token === null ? {} : { "private-token": token },
  },
  fields: {
    release_item_id: { from: "id" },
    feature_name: { from: "title" },
    feature_description: { from: "description" },
    product_name: { from: "project" },
    release_type: { value: "Not stated" },
    release_status: { labels: { closed: "Shipped" }, default: "Planned" },
    release_date: { from: "due" },
    blog_url: { from: "web_url" },
    last_modified: { from: "updated" },
    created: { from: "created_at" },
  },
  async read(source) {
    const first = await openPlace(source);
    return await followPages(source, first, (document) => {
      const page = readJsonPage(document, source, ["data"]);
      const shown = page.rows.filter((item) => !isConfidential(item));
      return {
        rows: shown.map(gitlabRow),
        leftOut: { confidential: page.rows.length - shown.length },
        next: gitlabNextPage(document),
        total: readTotal(document.headers["x-total"]),
      };
    });
  },
};

/** The issues of a project, else the epics or the issues of a group, whichever the server has. */
async function openPlace({ location, settings: { gitlab }, open }: SourceToRead) {
  const { path, query } = parseGitlabLocation(location)!;
  const name = encodeURIComponent(path);
  // By creation date: a new issue does not move the others while pages are read.
  const fixed = { order_by: "created_at", sort: "asc", per_page: "100" };
  const addressOf = (place: string) =>
    setParameters(`${gitlab.url}/api/v4/${place}?${query}`, fixed);
  // A path with a slash may be a subgroup as well.
  const project = path.includes("/")
    ? await open({ address: addressOf(`projects/${name}/issues`), absentAt: [404] })
    : null;
  // "If epics feature is not available a 403 status code is returned."
  return project ??
    await open({ address: addressOf(`groups/${name}/epics`), absentAt: [403, 404] }) ??
    (await open({ address: addressOf(`groups/${name}/issues`) }))!;
}

/** By its number on the address that was asked for: a link may name GitLab's inner address. */
function gitlabNextPage({ address, headers, link }: Document): string | null {
  const number = headers["x-next-page"]?.trim();
  return number && /^\d+$/.test(number) ? setParameters(address, { page: number }) : link;
}

/** Absent above 10,000 items. */
function readTotal(header: string | undefined): number | null {
  return /^\d+$/.test(header ?? "") ? Number(header) : null;
}

/** The examples of GitLab's documents have texts, and some items nothing. */
function isConfidential(value: unknown): boolean {
  return String(asObject(value)?.confidential ?? false) !== "false";
}

/** An issue or an epic with the names that a mapping may use; anything else is refused later. */
function gitlabRow(value: unknown): unknown {
  const item = asObject(value);
  if (item === null) return value;
  const milestone = asObject(item.milestone);
  return {
    // Epics and issues are numbered separately.
    id: "group_id" in item ? `epic ${item.id}` : item.id,
    number: item.iid,
    title: item.title,
    description: item.description ?? null,
    type: item.issue_type ?? item.type ?? null,
    // The state counts as the last label, so a mapping can use it.
    labels: [...labelsOf(item.labels), item.state],
    state: item.state,
    milestone: milestone?.title ?? null,
    due: item.due_date ?? milestone?.due_date ?? dateInTitle(String(milestone?.title ?? "")),
    project: projectOf(item),
    reference: asObject(item.references)?.full ?? null,
    web_url: item.web_url ?? null,
    updated: item.updated_at ?? null,
    created_at: item.created_at ?? null,
    active: item.moved_to_id == null,
  };
}

/** The name of the project or group from `acme/widgets#4`, else from the address. */
function projectOf({ references, web_url }: Readonly<Record<string, unknown>>): string | null {
  const reference = asObject(references)?.full;
  const path = typeof reference === "string"
    ? reference.replace(/[#&]\d+$/, "")
    : String(web_url ?? "").replace(/\/(?:-\/)?(?:issues|epics|work_items)\/\d+$/, "");
  return path.split("/").at(-1) || null;
}
