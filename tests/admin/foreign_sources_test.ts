import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { SOURCE_KINDS } from "../../lib/config/source_kinds.ts";
import { SETTING_NAMES } from "../../lib/config/settings.ts";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnOne } from "../support/slow.ts";
import { withFolder } from "../support/folder.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { ADMIN_TOKEN, type Operator, startOperator, work } from "../support/subjects/operator.ts";

const CANARY = "canary-0123456789-0123456789-0123456789";
const FEED = `<rss version="2.0"><channel><title>News</title></channel></rss>`;
const CSV = "release_item_id,feature_name,product_name,release_status,release_date\n" +
  "A-1,Dark mode,App,Planned,Q3 2027";

/** Every setting that is a secret, and those that they need. */
function secretSettings(): Record<string, string> {
  const secrets = SETTING_NAMES.filter((name) => /(?:TOKEN|SECRET|KEY)$/.test(name));
  return {
    ...Object.fromEntries(secrets.map((name) => [name, CANARY])),
    ADMIN_TOKEN,
    JIRA_EMAIL: `${CANARY}@example.com`,
    SMTP_URL: `smtp://me:${CANARY}@127.0.0.1:1`,
    MAIL_FROM: "roadmap@example.com",
    MAIL_OAUTH_TOKEN_URL: "http://127.0.0.1:1/token",
    MAIL_OAUTH_CLIENT_ID: CANARY,
    INDEXNOW_URL: "http://127.0.0.1:1/indexnow",
    OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
  };
}

/** What of a request holds a secret: as it was given, or as Basic has it. */
function secretsOf(request: { head: string }): string[] {
  const decoded = [...request.head.matchAll(/Basic ([\w+/=]+)/g)].map(([, text]) => atob(text!));
  return [request.head, ...decoded].filter((text) => text.includes(CANARY));
}

/** A server that is not the company's, which stores all that arrives, and leads on to another. */
function serveForeign(onward?: string) {
  const arrived: { head: string }[] = [];
  const server = serveSource(async (request, { pathname, search }) => {
    const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`);
    const body = await request.text();
    arrived.push({ head: [request.method, pathname + search, ...headers, body].join("\n") });
    if (onward) return Response.redirect(onward + pathname + search, 302);
    return /feed|csv/.test(pathname)
      ? new Response(pathname.includes("feed") ? FEED : CSV)
      : new Response("Sign in", { status: 401 });
  });
  return Object.assign(server, { arrived });
}

/** Reads and checks a source, as its page does, and adds it if it can be read. */
async function readAndCheck(operator: Operator, fields: Record<string, string>, more?: unknown) {
  const response = await operator.post("/admin/source/add#add", { every_minutes: "60", ...fields });
  const [, id] = /id=([\w-]+)$/.exec(response.headers.get("location") ?? "") ?? [];
  if (id === undefined) {
    return { status: response.status, page: await response.text() };
  }
  if (more) {
    const written = JSON.stringify({ name: fields.name, from: fields.from, ...more });
    await operator.post("/admin/upload#json", { id, fields: written });
  }
  return { status: 200, page: await operator.read(`/admin/upload?id=${id}`), id };
}

slowOnOne(
  "No source gets a token that was given for another server, of whatever kind it is",
  async (database) => {
    await using last = serveForeign();
    await using first = serveForeign(last.url);
    await using app = await startApp(database, {
      ...secretSettings(),
      JIRA_URL: "https://acme.atlassian.net",
      GITHUB_API_URL: "https://github.example/api/v3",
      GITLAB_URL: "https://gitlab.example",
      SOURCE_ALLOW_PRIVATE: "true",
    });
    const operator = await startOperator(app);
    // Most of the time is that between attempts, so both are read at once.
    await Promise.all([first, last].map(async ({ url }) => {
      const host = url.replace("http://", "");
      const places = [
        `jira:${url}/WEB`,
        `jira:${url}?jql=project=WEB`,
        `${url}/browse/WEB-1`,
        `${url}/acme/app/-/issues`,
        `${url}/roadmap.csv`,
      ];
      for (const [place, from] of places.entries()) {
        const name = `place ${place} ${host}`;
        await readAndCheck(operator, { name, from, announcements: `${url}/feed.xml` });
      }
      for (const kind of SOURCE_KINDS) {
        const from = `${url}/${kind}.csv`;
        await readAndCheck(operator, { name: `${kind} ${host}`, from }, { kind });
      }
    }));
    const { id } = await readAndCheck(operator, {
      name: "plans",
      from: `${last.url}/plans.csv`,
      announcements: `${last.url}/feed.xml`,
    });
    match(await operator.submit("/admin/upload#import", { id: id! }), /The source is added/);
    await work(app);
    await work(app);
    assertEquals(first.arrived.length > 10 && last.arrived.length > 10, true);
    assertEquals([...first.arrived, ...last.arrived].flatMap(secretsOf), []);
  },
);

testOnDatabases("A token goes to its own server, and along no redirect", async (database) => {
  for (
    const [own, from] of [["JIRA_URL", (url: string) => `jira:${url}/WEB`], [
      "GITHUB_API_URL",
      () => "github:acme/app",
    ], ["GITLAB_URL", () => "gitlab:acme/app"]] as const
  ) {
    await using other = serveForeign();
    await using company = serveForeign(other.url);
    await using app = await startApp(database, {
      ...secretSettings(),
      JIRA_URL: "https://acme.atlassian.net",
      [own]: company.url,
    });
    const operator = await startOperator(app);
    // The environment has named this server, so no further setting is needed.
    const { page } = await readAndCheck(operator, { name: own, from: from(company.url) });
    match(page, /it redirects to http:\/\/127\.0\.0\.1:\d+: 127\.0\.0\.1 is not a public address/);
    assertEquals([own, company.arrived.flatMap(secretsOf).length > 0], [own, true]);
    assertEquals(other.arrived, []);
  }
});

testOnDatabases(
  "A source that was added on a page reads public addresses only, unless a setting allows more",
  async (database) => {
    await using inside = serveForeign();
    const { url } = inside;
    const settings = { ADMIN_TOKEN };
    await using app = await startApp(database, settings);
    const operator = await startOperator(app);
    const refused = /127\.0\.0\.1 is not a public address: SOURCE_ALLOW_PRIVATE=true allows it/;
    const client = { sign_in: "client", token_url: `${url}/token`, client_id: "a", secret: "b" };
    for (
      const [name, from, more, fields] of [
        ["csv", `${url}/plans.csv`],
        ["jira", `jira:${url}/WEB`],
        ["post", `${url}/plans`, { method: "POST", body: { a: 1 }, items: "/a" }],
        ["headers", `${url}/plans`, { headers: { "Metadata-Flavor": "Google" } }],
        ["token", "https://example.com/plans.csv", undefined, client],
      ] as [string, string, unknown?, Record<string, string>?][]
    ) {
      const { page } = await readAndCheck(operator, { name, from, ...fields }, more);
      assertEquals([name, refused.test(page)], [name, true]);
    }
    for (
      const address of ["169.254.169.254/latest", "10.0.0.1/a", "[::1]:8000/", "168.63.129.16/"]
    ) {
      const { page } = await readAndCheck(operator, { name: address, from: `http://${address}` });
      match(page, /is not a public address: SOURCE_ALLOW_PRIVATE=true allows it/);
    }
    assertEquals(inside.arrived, []);

    await using open = await startApp(database, { ...settings, SOURCE_ALLOW_PRIVATE: "true" });
    const opened = await startOperator(open);
    const { page, id } = await readAndCheck(opened, {
      name: "plans",
      from: `${url}/plans.csv`,
      announcements: `${url}/feed.xml`,
    });
    match(page, /1 release will be added/);
    match(await opened.submit("/admin/upload#import", { id: id! }), /The source is added/);
    await work(open);
    await work(open);
    const asked = (inside.arrived as { head: string }[]).map(({ head }) => head.split("\n")[1]);
    assertEquals([...new Set(asked)].sort(), ["/feed.xml", "/plans.csv"]);

    // The setting is gone: neither the source nor its announcements are read any more.
    await using closed = await startApp(database, settings);
    const later = await startOperator(closed);
    await later.post("/admin/source#import", { name: "plans" });
    closed.advance(3 * 3600);
    await work(closed);
    await work(closed);
    assertEquals(inside.arrived.length, asked.length);
    match(await later.read("/admin/source?name=plans"), refused);

    const audit = await later.read("/admin/audit");
    match(audit, /read and checked a source: csv: 127\.0\.0\.1:\d+</);
    match(audit, /read and checked a source: token: example\.com, 127\.0\.0\.1:\d+</);
    match(audit, /read and checked a source: 10\.0\.0\.1\/a: 10\.0\.0\.1</);
  },
);

testOnDatabases("The sources of the settings need no further setting", async (database) => {
  await withFolder(async (folder) => {
    await using inside = serveForeign();
    const config = `${folder}/sources.json`;
    const from = `${inside.url}/plans.csv`;
    await Deno.writeTextFile(config, JSON.stringify({ sources: [{ name: "plans", from }] }));
    await using app = await startApp(database, { ADMIN_TOKEN, ROADMAP_CONFIG: config });
    await work(app);
    assertEquals((await app.json("/api/releases")).pagination.total_items, 1);
  });
});
