import { deepStrictEqual as assertEquals, ok as assert, rejects, throws } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { FetchError } from "../../lib/import/fetching/fetch_address.ts";
import { showLocation } from "../../lib/import/fetching/location.ts";
import { parseJiraLocation } from "../../lib/import/kinds/jira.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { lineOf, readAt } from "../support/read_table.ts";
import { type JiraBehaviour, makeIssue, serveJira } from "../support/servers/jira_server.ts";
import { serveSource } from "../support/servers/source_server.ts";

const TRACKERS = new URL("../fixtures/trackers/", import.meta.url);
const EDITIONS = ["cloud", "data center"] as const;

const ISSUES = [
  makeIssue(1, {
    description: {
      type: "doc",
      version: 1,
      content: [{
        type: "paragraph",
        content: [{ type: "text", text: "Now " }, {
          type: "text",
          text: "bold",
          marks: [{ type: "strong" }],
        }],
      }],
    },
    duedate: "2026-06-30",
    fixVersions: [{ name: "2026.2", releaseDate: "2026-09-30" }],
    labels: ["roadmap", "beta"],
    components: [{ id: "1", name: "Console" }],
  }),
  makeIssue(2, { description: "h2. Why\n*Because*", fixVersions: [{ name: "Q3 2026" }] }),
  makeIssue(3, {
    fixVersions: [{ name: "b", releaseDate: "2026-12-01" }, {
      name: "a",
      releaseDate: "2026-11-01",
    }],
    status: { name: "Done" },
    customfield_10015: "2027-01-31",
  }),
  makeIssue(4),
  makeIssue(5),
];

/** Imports the issues of a server. */
function importer(database: Database, url: string, environment: Record<string, string> = {}) {
  const settings = settingsOf(url, environment);
  return (options: Partial<ImportOptions> = {}) =>
    importLocation(database, `jira:${url}/jira/WID`, {
      asOf: TODAY,
      settings,
      pausesMs: [],
      ...options,
    });
}

const settingsOf = (url: string, environment: Record<string, string>) =>
  readConfig({ ...environment.JIRA_TOKEN && { JIRA_URL: url }, ...environment });

/** Reads the issues of a server. */
const reader =
  (url: string, environment: Record<string, string> = {}) =>
  (rest = "/jira/WID", options: Partial<ImportOptions> = {}) =>
    readAt(`jira:${url}${rest}`, { settings: settingsOf(url, environment), ...options });

for (const edition of EDITIONS) {
  testOnOne(`The issues of a search in Jira (${edition}) are a roadmap`, async (database) => {
    await using server = serveJira({ edition, issues: ISSUES, pageSize: 2 });
    const read = importer(database, server.url);
    assertEquals((await read()).added, 5);
    assertEquals(server.searches.length, 3);
    const [first, ...others] = server.searches.map((query) => Object.fromEntries(query));
    assertEquals(first, {
      jql: 'project = "WID" order by created asc',
      fields:
        "summary,description,status,resolution,security,issuetype,project,components,labels,fixVersions,duedate,created,updated",
      maxResults: "100",
    });
    const where = edition === "cloud"
      ? ["tok2", "tok4"].map((nextPageToken) => ({ nextPageToken }))
      : ["2", "4"].map((startAt) => ({ startAt }));
    assertEquals(others, where.map((place) => ({ ...first, ...place })));
    assertEquals((await read()).unchanged, 5);

    await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
    const { data } = await app.json("/api/releases?sort=feature_name");
    data.sort((one: { feature_name: string }, other: { feature_name: string }) =>
      one.feature_name.localeCompare(other.feature_name)
    );
    const { release_item_id: id, ...one } = data[0];
    const [added] = await app.json(`/api/releases/history/${id}`);
    assertEquals(added.last_modified, "2026-01-07");
    assertEquals(one, {
      feature_name: "Issue 1",
      release_date: "2026-06-30",
      release_type: "Epic",
      release_status: "To Do",
      product_id: null,
      product_name: "Widgets",
      feature_description: "Now **bold**",
      last_modified: "2026-03-02",
    });
    const dates = data.map((item: Record<string, unknown>) => [
      item.feature_name,
      item.release_date,
    ]);
    assertEquals(dates.slice(1, 3), [["Issue 2", "2026-09-30"], ["Issue 3", "2026-11-01"]]);
    assertEquals(data[1].feature_description, "## Why\n\n**Because**");
  });

  testOnDatabases(`A page of Jira (${edition}) that fails removes nothing`, async (database) => {
    const behaviour: JiraBehaviour = { edition, issues: ISSUES, pageSize: 2 };
    await using server = serveJira(behaviour);
    const read = importer(database, server.url, { JIRA_TOKEN: "sesame-token" });
    await read();
    const failures: [Response, RegExp][] = [
      [new Response(null, { status: 500 }), /responded 500 Internal Server Error$/],
      [
        new Response(null, { status: 401 }),
        /401 Unauthorized; check JIRA_URL, JIRA_EMAIL and JIRA_TOKEN$/,
      ],
      [
        Response.json({ errorMessages: ["Forbidden"], errors: {} }, { status: 403 }),
        /403 Forbidden: Forbidden; check JIRA_URL, JIRA_EMAIL and JIRA_TOKEN$/,
      ],
      [
        Response.json({ errorMessages: ["The token is invalid or expired."] }, { status: 400 }),
        /400 Bad Request: The token is invalid or expired\.$/,
      ],
      [
        Response.json({
          issues: [makeIssue(3)],
          ...edition === "cloud" ? { isLast: false } : { total: 9 },
        }),
        /one page of more|it changed/,
      ],
    ];
    for (const [answer, message] of failures) {
      let searches = 0;
      behaviour.refuse = () => ++searches === 2 ? answer : null;
      await rejects(read({ allowMassRemoval: true }), (error: Error) => {
        assert(message.test(error.message), error.message);
        assert(!error.message.includes("sesame"), error.message);
        return true;
      });
    }
    behaviour.refuse = undefined;
    assertEquals((await read()).unchanged, 5);
  });
}

Deno.test("Fields named by a mapping are requested", async () => {
  await using server = serveJira({ edition: "cloud", issues: ISSUES, pageSize: 100 });
  const fields = {
    product_name: { from: "fields.components" },
    release_type: { labels: { beta: "Preview" }, default: "General availability" },
    release_date: { from: "customfield_10015" },
    blog_url: { from: "url" },
    where: { "fields.labels": "roadmap" },
  };
  const items = await readAt(`jira:${server.url}/jira/WID`, { fields });
  const shows = ["product_name", "release_type", "release_date", "blog_url"] as const;
  assertEquals(items.map((item) => lineOf(item, shows)), [
    "Console | Preview | - | https://example.atlassian.net/browse/WID-1",
  ]);
  const [query] = server.searches;
  assertEquals(query!.get("fields")!.split(",").slice(-2), ["updated", "customfield_10015"]);
});

Deno.test("Jira says what was called off, and what is not for everybody", async () => {
  const done = { name: "Done", statusCategory: { id: 3, key: "done", name: "Done" } };
  const issues = [
    makeIssue(1, { status: done, resolution: { id: "1", name: "Won't Do" } }),
    makeIssue(2, { status: done, resolution: { id: "2", name: "Done" } }),
    makeIssue(3, { status: done, resolution: null }),
    makeIssue(4, { security: { id: "10000", name: "Staff only" } }),
    makeIssue(5, { issuetype: { id: "3", name: "Sub-task", subtask: true } }),
    makeIssue(6, { issuetype: { id: "4", name: "Teilstück", subtask: true } }),
  ];
  for (const edition of EDITIONS) {
    await using server = serveJira({ edition, issues, pageSize: 2 });
    const location = `jira:${server.url}/jira/WID`;
    const { remarks, firstItems } = (await readSource(location, { asOf: TODAY }))!;
    assertEquals(remarks.left_out, { "with a security level": 1, subitem: 2 });
    const tones = firstItems.map(({ feature_name, tone }) => [feature_name, tone]);
    assertEquals(Object.fromEntries(tones), {
      ...{ "Issue 1": "stopped", "Issue 2": "shipped", "Issue 3": "shipped" },
    });
  }
});

Deno.test("A recorded Jira search response is read", async () => {
  const body = await Deno.readTextFile(new URL("search.startAt.real-anonymised.json", TRACKERS));
  const { issues, ...about } = JSON.parse(body);
  // Three of its 26 issues are there.
  await using part = serveSource((_request, { pathname }) =>
    pathname.includes("/3/")
      ? new Response(null, { status: 404 })
      : Response.json({ ...about, issues })
  );
  await rejects(
    readAt(`jira:${part.url}/ISSUE`),
    /it announced 26 items, but sent|is already used by|one page of more/,
  );
  await using whole = serveSource((_request, { pathname }) =>
    pathname.includes("/3/")
      ? new Response(null, { status: 404 })
      : Response.json({ ...about, issues, total: 3 })
  );
  assertEquals((await readAt(`jira:${whole.url}/ISSUE`)).length, 3);
});

Deno.test("A reading is refused if the total changes between pages", async () => {
  const issues = [...ISSUES];
  const behaviour: JiraBehaviour = { edition: "data center", issues, pageSize: 2 };
  await using server = serveJira(behaviour);
  const read = reader(server.url);
  await read();
  behaviour.refuse = (_request, { searchParams }) => {
    if (searchParams.get("startAt") === "2") issues.shift();
    return null;
  };
  await rejects(read(), /it changed while its pages were being read/);
});

Deno.test("A repeated page token is a loop, and other refusals say why", async () => {
  const behaviour: JiraBehaviour = { edition: "cloud", issues: ISSUES, pageSize: 2 };
  await using server = serveJira(behaviour);
  const read = reader(server.url);
  behaviour.refuse = () => Response.json({ issues: [], nextPageToken: "same", isLast: false });
  await rejects(read(), /its links\.next loop at .*nextPageToken=…$/);
  const messages = ["Error in the JQL Query: 'x' is a reserved JQL word.", "Use quotes."];
  behaviour.refuse = () => Response.json({ errorMessages: messages, errors: {} }, { status: 400 });
  await rejects(read("/jira?jql=x = y"), /400 Bad Request: Error in the JQL .* Use quotes\.$/);
  assertEquals(server.searches.at(-1)!.get("jql"), "x = y order by created asc");
  behaviour.refuse = () => Response.json({ issues: [{ id: "10068" }], isLast: true });
  await rejects(
    readSource(`jira:${server.url}/jira/WID`, { asOf: TODAY }).then((read) => {
      throw new Error(read!.problems.kept.map(({ reason }) => reason).join());
    }),
    /fields\.summary|feature_name/,
  );
  behaviour.refuse = () => Response.json({ issues: [], isLast: true });
  assertEquals(await read(), []);
  behaviour.refuse = () => new Response(null, { status: 429, headers: { "retry-after": "900" } });
  await rejects(read(), (error) => error instanceof FetchError && error.retryAfterMs === 900_000);
});

Deno.test("The token is sent only to the origin of JIRA_URL", async () => {
  const behaviour: JiraBehaviour = { edition: "cloud", issues: ISSUES, pageSize: 2 };
  await using server = serveJira(behaviour);
  const sent = () => server.headers.splice(0).map((headers) => headers.get("authorization"));
  const environments: [Record<string, string>, string | null][] = [
    [{}, null],
    [{ JIRA_TOKEN: "sesame" }, "Bearer sesame"],
    [
      { JIRA_EMAIL: "me@example.com", JIRA_TOKEN: "sesame" },
      `Basic ${btoa("me@example.com:sesame")}`,
    ],
  ];
  for (const [environment, header] of environments) {
    await reader(server.url, environment)();
    assertEquals(sent(), [header, header, header]);
  }
  const elsewhere = { JIRA_URL: "https://jira.example.com", JIRA_TOKEN: "sesame" };
  await reader(server.url, elsewhere)();
  assertEquals(sent(), [null, null, null]);
  await using other = serveJira(behaviour);
  behaviour.refuse = (request) => {
    const { origin, pathname, search } = new URL(request.url);
    return origin === server.url ? Response.redirect(other.url + pathname + search) : null;
  };
  const resolve = () => Promise.resolve([{ address: "9.9.9.9", family: 4 as const }]);
  await reader(server.url, { JIRA_TOKEN: "sesame" })("/jira/WID", { resolve });
  assertEquals(sent(), ["Bearer sesame"]);
  assertEquals(other.headers.map((headers) => headers.get("authorization")), [null, null, null]);
});

Deno.test("The address and the settings of a jira source are checked", () => {
  const bases: [string, string | undefined][] = [
    ["jira:https://acme.atlassian.net?jql=labels = roadmap", "https://acme.atlassian.net"],
    ["jira:http://jira.internal:8080/jira?jql=a=b", "http://jira.internal:8080/jira"],
    ["jira:http://jira.internal/WID", "http://jira.internal"],
    ["jira:jira.example.com/a/WID", "https://jira.example.com/a"],
    ["jira:", undefined],
    ["jira:https://acme.atlassian.net", undefined],
    ["jira:https://acme.atlassian.net/WID?jql=", undefined],
    ["jira:https://me:sesame@acme.atlassian.net/WID", undefined],
    ["https://acme.atlassian.net/WID", undefined],
  ];
  for (const [location, base] of bases) assertEquals(parseJiraLocation(location)?.base, base);
  const { jql } = parseJiraLocation("jira:https://a.example?jql=labels%3Da ORDER BY rank")!;
  assertEquals(jql, "labels=a ORDER BY rank");
  assertEquals(showLocation("jira:https://me:sesame@a.example/WID"), "jira:https://a.example/WID");
  assertEquals(showLocation("jira:me:sesame@a.example/WID"), "jira:a.example/WID");
  throws(
    () => readConfig({ JIRA_EMAIL: "me@example.com" }),
    /^ConfigError: JIRA_TOKEN is required with JIRA_EMAIL; it takes a token of Jira without spaces$/,
  );
  throws(
    () => readConfig({ JIRA_TOKEN: "sesame" }),
    /^ConfigError: JIRA_URL is required with JIRA_TOKEN; it takes an http or https address, such as https:\/\/acme\.atlassian\.net$/,
  );
});

Deno.test("A Jira that warns beside no issues is refused with its warning", async () => {
  const warning = "The value 'WID' does not exist for the field 'project'.";
  await using server = serveSource(() =>
    Response.json({ issues: [], isLast: true, warningMessages: [warning] })
  );
  await rejects(
    reader(server.url)(),
    /it has no issues, and the server warns: The value 'WID' does not exist for the field 'project'\.$/,
  );
});
