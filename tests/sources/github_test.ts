import {
  deepStrictEqual as assertEquals,
  match as assertMatch,
  ok as assert,
  rejects,
} from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { ScheduledImport } from "../../lib/import/sources/scheduled_import.ts";
import { sql } from "../../lib/database/sql.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { type Behaviour, type Issue, serveGithub } from "../support/servers/github_server.ts";
import { lineOf, readAt } from "../support/read_table.ts";
import { recordLog } from "../support/log.ts";
import { serveSource } from "../support/servers/source_server.ts";

const LOCATION = "github:acme/roadmap";

const ISSUES: Issue[] = [
  {
    number: 1,
    title: "Faster builds",
    body: "Builds take **half** the time.",
    labels: ["area: build", "coming soon"],
    milestone: { title: "Autumn", due_on: "2026-10-15T07:00:00Z" },
    updated_at: "2026-07-18T23:59:00Z",
  },
  { number: 2, title: "Fix a typo", pull_request: { url: "https://api.github.com/pulls/2" } },
  {
    number: 3,
    title: "Dark mode",
    labels: ["Shipped", "area: web"],
    state: "closed",
    milestone: { title: "Q2 2026", due_on: null },
  },
  { number: 4, title: "Fax", state: "closed", state_reason: "not_planned" },
  { number: 5, title: "Passkeys", state: "closed", type: { name: "Preview" } },
];

const importer = (database: Database, url: string) => (options: Partial<ImportOptions> = {}) =>
  importLocation(database, LOCATION, {
    ...{ asOf: TODAY, settings: readConfig({ GITHUB_API_URL: url }), sourceName: "roadmap" },
    ...options,
  });

/** What is read of a repository, of a server at this address. */
const reader = (url: string, token?: string) => {
  const settings = readConfig({ GITHUB_API_URL: url, ...token && { GITHUB_TOKEN: token } });
  return (options: Partial<ImportOptions> = {}, location = LOCATION) =>
    readAt(location, { settings, ...options });
};

testOnOne("The issues of a repository are a roadmap", async (database) => {
  await using github = serveGithub({ issues: ISSUES, pageSize: 2 });
  const read = importer(database, `${github.url}/api/v3/`);
  assertEquals((await read()).added, 3);
  assertEquals(
    github.asked[0],
    "/api/v3/repos/acme/roadmap/issues?state=all&sort=created&direction=asc&per_page=100 200",
  );
  assertEquals(github.asked.length, 3);
  assertEquals(github.headers[0]!.get("accept"), "application/vnd.github+json");
  assertEquals(github.headers[0]!.get("x-github-api-version"), "2022-11-28");
  assertEquals(github.headers[0]!.get("authorization"), null);

  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  const { data } = await app.json("/api/releases?sort=release_date");
  const [builds, mode, passkeys] = data;
  assertMatch(builds.release_item_id, /^[0-9a-f-]{14}5[0-9a-f]{3}-/);
  const { release_item_id: _, ...others } = builds;
  assertEquals(others, {
    feature_name: "Faster builds",
    release_date: "2026-10-15",
    release_type: "Not stated",
    release_status: "Planned",
    product_id: null,
    product_name: "roadmap",
    feature_description: "Builds take **half** the time.",
    last_modified: "2026-07-18",
  });
  assertEquals([mode.feature_name, mode.release_status, mode.release_date], [
    "Dark mode",
    "Shipped",
    "2026-06-30",
  ]);
  assertEquals(
    [passkeys.feature_name, passkeys.release_status, passkeys.release_type, passkeys.release_date],
    ["Passkeys", "Shipped", "Preview", null],
  );
});

testOnOne("An issue is added on the day on which it was created", async (database) => {
  const issues = [{ number: 1, title: "Old", created_at: "2024-05-06T07:08:09Z" }];
  await using github = serveGithub({ issues, pageSize: 2 });
  await importer(database, github.url)();
  await using app = await startApp(database);
  const { data: [{ release_item_id: id }] } = await app.json("/api/releases");
  const history = await app.json(`/api/releases/history/${id}`);
  assertEquals(
    history.map((entry: Record<string, unknown>) => [entry.changed_columns, entry.last_modified]),
    [["Roadmap Item Added", "2024-05-06"]],
  );
});

Deno.test("Labels and milestones become fields as a mapping says", async () => {
  await using github = serveGithub({ issues: ISSUES, pageSize: 100 });
  const read = reader(github.url);
  const fields = {
    release_status: {
      labels: { shipped: "Launched", "Coming soon": "In development", closed: "Done" },
      default: "Planned",
    },
    product_name: {
      labels: { "area: build": "Builds", "area: web": "Website" },
      default: "Everything else",
    },
    release_type: { value: "General availability" },
    tags: { Area: { labels: "Area:*" } },
  };
  const byTitle = { ...fields, release_date: { from: "milestone" } };
  await rejects(read({ fields: byTitle }), /"milestone"/); // "Autumn" is no date
  const shows = [
    ...["feature_name", "release_status", "product_name", "release_date", "tags"] as const,
    "blog_url",
  ] as const;
  assertEquals(
    (await read({ fields })).map((item) => lineOf(item, shows)),
    [
      'Dark mode | Launched | Website | 2026-06-30 | {"Area":["web"]} | 3',
      'Faster builds | In development | Builds | 2026-10-15 | {"Area":["build"]} | 1',
      "Passkeys | Done | Everything else | - | {} | 5",
    ].map((line) => line.replace(/\d$/, "https://github.com/acme/roadmap/issues/$&")),
  );
});

testOnOne(
  "Unchanged issues are not requested again, and a comment is no change",
  async (database) => {
    const behaviour: Behaviour = { issues: structuredClone(ISSUES), pageSize: 2 };
    await using github = serveGithub(behaviour);
    const read = importer(database, github.url);
    await read();
    const before = github.asked.length;
    assertEquals((await read()).unchanged, 3);
    assertEquals(github.asked.slice(before).map((line) => line.slice(-4)), [
      " 304",
      " 304",
      " 304",
    ]);
    // Another mapping needs the issues themselves.
    const fields = { product_name: { value: "Acme" } };
    assertEquals((await read({ fields })).changed, 3);

    behaviour.issues[0]!.updated_at = "2026-07-20T08:00:00Z";
    const commented = await read({ fields });
    assertEquals([commented.changed, commented.unchanged], [0, 3]);
    behaviour.issues[0]!.title = "Much faster builds";
    behaviour.issues[4]!.state_reason = "duplicate";
    behaviour.issues[3]!.state = "open";
    const counts = await read({ fields });
    assertEquals([counts.added, counts.changed, counts.removed], [1, 1, 1]);
  },
);

Deno.test("A query filters the issues", async () => {
  await using github = serveGithub({ issues: ISSUES, pageSize: 100 });
  const query = "labels=coming+soon&state=open&per_page=1";
  assertEquals((await reader(github.url)({}, `${LOCATION}?${query}`)).length, 1);
  assertEquals(
    github.asked,
    [
      "/repos/acme/roadmap/issues?state=open&labels=coming+soon&per_page=100&sort=created" +
      "&direction=asc 200",
    ],
  );
});

Deno.test("Many pull requests in a row do not end the issues", async () => {
  const pulls = Array.from({ length: 24 }, (_, index): Issue => ({
    number: index + 1,
    title: "A pull request",
    pull_request: { url: "https://api.github.com/pulls/1" },
  }));
  await using github = serveGithub({
    issues: [...pulls, { number: 99, title: "An issue" }],
    pageSize: 2,
  });
  assertEquals((await reader(github.url)()).length, 1);
});

Deno.test("The token is sent only to the API, and appears in no message", async () => {
  const token = "ghp_secret";
  await using other = serveSource((request) => {
    assertEquals(request.headers.get("authorization"), null);
    return Response.json([]);
  });
  const behaviour: Behaviour = { issues: ISSUES, pageSize: 2 };
  await using github = serveGithub(behaviour);
  const read = reader(github.url, token);
  await read();
  assertEquals(
    github.headers.map((headers) => headers.get("authorization")),
    Array(3).fill(`Bearer ${token}`),
  );
  behaviour.refuse = (_request, { searchParams }) =>
    searchParams.has("page") ? null : new Response("[]", {
      headers: { link: `<${other.url}/issues?page=2>; rel="next"` },
    });
  await rejects(read(), (error: Error) => {
    assertMatch(error.message, /leads to http:.*; all pages must be at /);
    assertEquals(error.message.includes(token), false);
    return true;
  });
  behaviour.refuse = () => Response.redirect(`${other.url}/issues`, 302);
  await rejects(read(), {
    name: "SnapshotError",
    message: /it redirects to .* is not a public address$/,
  });
  assertEquals(other.asked.length, 0);
  behaviour.refuse = () => Response.json({ message: "Bad credentials" }, { status: 401 });
  await rejects(read(), (error: Error) => {
    assertMatch(error.message, /: the server responded 401 Unauthorized; check GITHUB_TOKEN$/);
    return true;
  });
  await rejects(
    reader(github.url)({}, "github:acme"),
    /Cannot read github:acme: a source of kind github is written github:owner\/repository/,
  );
  await rejects(
    reader(github.url)({ kind: "github" }, "https://me:secret@example.com/?token=abc"),
    /Cannot read https:\/\/example\.com\/\?token=…: a source of kind github is written/,
  );
});

testOnDatabases("An exhausted rate limit postpones the next attempt", async (database) => {
  await using log = await recordLog();
  const reset = Math.floor(Date.now() / 1000) + 1_800;
  const limited: [number, Record<string, string>][] = [
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) }],
    [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) }],
    [403, { "retry-after": "1800" }],
    [429, { "retry-after": "1800" }],
  ];
  for (const [status, headers] of limited) {
    await database.query(sql`delete from schedules`);
    await using github = serveGithub({
      issues: ISSUES,
      pageSize: 2,
      // In the middle of the pages: nothing of those before is stored.
      refuse: (_request, { searchParams }) =>
        searchParams.get("page") === "2"
          ? Response.json({ message: "API rate limit exceeded" }, { status, headers })
          : null,
    });
    const source = { name: "roadmap", from: LOCATION, kind: "github", everyMinutes: 5 } as const;
    const config = readConfig({ GITHUB_API_URL: github.url });
    const scheduled = new ScheduledImport(database, source, { ...config, clock: () => new Date() });
    await scheduled.add();
    assertEquals(await scheduled.importIfDue(new AbortController().signal), "failed");
    assertEquals(github.asked.length, 2, "it is asked no more");
    const [schedule] = await database.query<{ seconds: number }>(sql`
      select extract(epoch from due_at - now())::float8 as seconds from schedules
    `);
    const { seconds } = schedule!;
    assert(seconds > 1_700 && seconds < 2_000, String(seconds));
  }
  const until = new Date(reset * 1000).toISOString().slice(0, 16);
  assertMatch(
    log.lines.find((line) => line.startsWith("error"))!,
    new RegExp(`the server responded 403 Forbidden, and asks for a pause until ${until}`),
  );
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).pagination.total_items, 0);
});
