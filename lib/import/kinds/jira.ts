import { asObject } from "../../text/values.ts";
import { findWarning } from "../fetching/server_message.ts";
import { followPages } from "./follow_pages.ts";
import {
  dateInTitle,
  type Document,
  type Kind,
  readText,
  refuse,
  type SourceToRead,
} from "./kind.ts";
import { setParameters } from "./json_api.ts";
import { parseJson } from "./parse_json.ts";
import { readApiPage } from "./json.ts";

/** Fields that are asked for; those of the mapping are asked for as well. */
const FIELDS =
  ("summary description status resolution security issuetype project components labels " +
    "fixVersions duedate created updated").split(" ");
const PAGE_SIZE = "100";
/** The search of Jira Cloud, with a token for the next page. */
const BY_TOKEN = "/rest/api/3/search/jql";
/** The search of older servers, with a number of issues to pass over. */
const BY_START = "/rest/api/2/search";

/**
 * The Jira of `jira:https://HOST?jql=…` or `jira:HOST/PROJECT`, without a trailing slash, and which
 * of its issues are read; null for anything else.
 *
 * ```ts
 * const location = parseJiraLocation("jira:jira.example.com/WIDGETS");
 * if (location?.base !== "https://jira.example.com") throw new Error();
 * if (location.jql !== 'project = "WIDGETS" order by created asc') throw new Error();
 * if (parseJiraLocation("jira:https://jira.example.com?jql=") !== null) throw new Error();
 * ```
 */
export function parseJiraLocation(location: string): { base: string; jql: string } | null {
  const [, scheme = "https://", rest] = /^jira:(https?:\/\/)?(.+)$/i.exec(location) ?? [];
  const url = rest === undefined ? null : URL.parse(scheme + rest);
  if (url === null || url.username || url.password || url.hash) return null;
  const path = url.pathname.split("/").filter((part) => part !== "");
  const given = url.searchParams.get("jql")?.trim();
  const project = given === undefined ? path.pop() : undefined;
  if (!given && !/^[A-Za-z]\w*$/.test(project ?? "")) return null;
  const jql = given ?? `project = "${project}"`;
  // By creation date: a new issue does not move the others while pages are read.
  const ordered = /\border\s+by\b/i.test(jql) ? jql : `${jql} order by created asc`;
  return { base: [url.origin, ...path].join("/"), jql: ordered };
}

/** The issues of a search in Jira, by its REST API. */
export const jira: Kind = {
  kind: "jira",
  title: "Jira",
  form: {
    written: "jira:https://HOST?jql=… or jira:HOST/PROJECT",
    parse: parseJiraLocation,
  },
  lastModifiedIncludesComments: true,
  signIn: {
    variables: "JIRA_URL, JIRA_EMAIL and JIRA_TOKEN",
    at: ({ jira: { url } }) => url,
    headers({ jira: { email, token } }): Record<string, string> {
      if (token === null) return {};
      const basic = new TextEncoder().encode(`${email}:${token}`).toBase64();
      return { authorization: email === null ? `Bearer ${token}` : `Basic ${basic}` };
    },
  },
  fields: {
    release_item_id: { from: "key" },
    feature_name: { from: "fields.summary" },
    feature_description: { from: "fields.description", format: "jira" },
    product_name: { from: "fields.project" },
    release_type: { from: "fields.issuetype", default: "Not stated" },
    release_status: { from: "fields.status" },
    release_date: { from: "due" },
    last_modified: { from: "fields.updated" },
    created: { from: "fields.created" },
  },
  async read(source) {
    const asked = source.columns.flatMap((column) => fieldIn(column) ?? []);
    const fields = [...new Set([...FIELDS, ...asked])];
    const empty = Object.fromEntries(fields.map((name) => [name, null]));
    const first = await openSearch(source, fields);
    return await followPages(source, first, (document, before) => {
      const value = parseJson(readText(document, source), document);
      const page = readApiPage(value, document, API);
      const rows = page.rows.map((issue) => jiraRow(issue, empty));
      // A Jira that does not know the token answers without issues, and says so beside them.
      const said = before.pages === 0 && rows.length === 0
        ? findWarning(asObject(value) ?? {})
        : null;
      if (said !== null) {
        throw refuse(document, `it has no issues, and the server warns: ${said}`);
      }
      const total = page.more?.total ?? null;
      const next = jiraNextPage(document.address, page.next, before.items + rows.length, total);
      return { ...page, rows, next: rows.length === 0 && page.next === null ? null : next, total };
    });
  },
};

const API = { items: "/issues", pages: { next: "/nextPageToken" } };

/** The search of a cloud, or that of an older server. */
async function openSearch(
  { location, open }: SourceToRead,
  fields: readonly string[],
): Promise<Document> {
  const { base, jql } = parseJiraLocation(location)!;
  const query = { jql, fields: fields.join(","), maxResults: PAGE_SIZE };
  return await open({ address: setParameters(base + BY_TOKEN, query), absentAt: [404] }) ??
    (await open({ address: setParameters(base + BY_START, query) }))!;
}

function jiraNextPage(
  address: string,
  token: string | null,
  read: number,
  total: number | null,
): string | null {
  if (!new URL(address).pathname.endsWith(BY_START)) {
    return token === null ? null : setParameters(address, { nextPageToken: token });
  }
  const isComplete = total !== null && read >= total;
  return isComplete ? null : setParameters(address, { startAt: String(read) });
}

/** An issue with all the fields that were asked for, its date, and its address for readers. */
function jiraRow(value: unknown, empty: Readonly<Record<string, null>>): unknown {
  const issue = asObject(value);
  const fields = asObject(issue?.fields);
  if (issue === null || fields === null) return value;
  return {
    ...issue,
    fields: { ...empty, ...fields },
    due: fields.duedate ?? dateOfVersions(fields.fixVersions),
    url: typeof issue.self === "string"
      ? issue.self.replace(/\/rest\/api\/.*/, `/browse/${issue.key}`)
      : null,
  };
}

/** The first day on which one of the versions is released, else a date in a name, such as Q3 2026. */
function dateOfVersions(versions: unknown): string | null {
  const all = (Array.isArray(versions) ? versions : []).map((version) => asObject(version) ?? {});
  const days = all.map(({ releaseDate, name }) => releaseDate ?? dateInTitle(String(name ?? "")));
  return days.filter((day) => typeof day === "string").toSorted()[0] ?? null;
}

/** The field that a column of the mapping is, or is in: `fields.status.name` is in `status`. */
function fieldIn(column: string): string | null {
  const [name = ""] = column.replace(/^fields\./, "").split(".");
  return /^[A-Za-z]\w*$/.test(name) && !["key", "due", "url"].includes(name) ? name : null;
}
