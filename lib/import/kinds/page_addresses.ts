/**
 * The source behind the page of a tracker, whose address is what people have: a repository of
 * GitHub, a project of GitLab, a project or a search of Jira. Any other address is what it is.
 *
 * ```ts
 * const gitlabUrl = "https://gitlab.com";
 * const found = [
 *   "https://github.com/acme/app/issues?q=is%3Aopen",
 *   "https://gitlab.com/acme/tools/app/-/issues",
 *   "https://acme.atlassian.net/jira/software/c/projects/WEB/boards/1",
 *   "https://jira.example.com/issues/?jql=project%20%3D%20WEB",
 *   "https://example.com/roadmap.csv",
 * ].map((address) => locationOfPage(address, { gitlabUrl }));
 * const wanted = [
 *   "github:acme/app",
 *   "gitlab:acme/tools/app",
 *   "jira:acme.atlassian.net/WEB",
 *   "jira:https://jira.example.com?jql=project%20%3D%20WEB",
 *   "https://example.com/roadmap.csv",
 * ];
 * if (found.join() !== wanted.join()) throw new Error(found.join());
 * ```
 */
export function locationOfPage(address: string, { gitlabUrl }: { gitlabUrl: string }): string {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null || url.username !== "") return address;
  if (url.hostname === "github.com") {
    const [, repository] =
      /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?(?:$|\/(?:issues|pulls|milestones|projects)\b)/
        .exec(url.pathname) ?? [];
    return repository === undefined ? address : `github:${repository}`;
  }
  if (url.origin === new URL(gitlabUrl).origin) {
    const [, path] = /^\/(?:groups\/)?([\w.-]+(?:\/[\w.-]+)*?)\/?(?:$|\/-\/)/.exec(url.pathname) ??
      [];
    return path === undefined ? address : `gitlab:${path}`;
  }
  return jiraLocation(url) ?? address;
}

/** The pages of Jira Cloud, and of servers, which may be below a path. */
function jiraLocation({ protocol, host, hostname, pathname, searchParams }: URL): string | null {
  const isCloud = hostname.endsWith(".atlassian.net");
  const [, above = "", key] =
    /^(.*?)\/(?:browse|projects)\/([A-Z][A-Z0-9_]+)(?:-\d+)?(?:\/|$)/.exec(pathname) ?? [];
  const base = isCloud ? host : host + above;
  if (key !== undefined) return `jira:${protocol === "http:" ? "http://" : ""}${base}/${key}`;
  const [, before] = /^(.*?)\/issues\/?$/.exec(pathname) ?? [];
  const jql = searchParams.get("jql")?.trim();
  if (before === undefined || !jql) return null;
  const place = isCloud ? host : host + before;
  return `jira:${protocol}//${place}?jql=${encodeURIComponent(jql)}`;
}
