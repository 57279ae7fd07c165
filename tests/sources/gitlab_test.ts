import { deepStrictEqual as assertEquals, ok as assert, rejects } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { FetchError } from "../../lib/import/fetching/fetch_address.ts";
import { parseGitlabLocation } from "../../lib/import/kinds/gitlab.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { readAt } from "../support/read_table.ts";
import { serveSource } from "../support/servers/source_server.ts";

type Item = Record<string, unknown>;

const EPICS: Item[] = JSON.parse(
  await Deno.readTextFile(new URL("../fixtures/trackers/epics.list.json", import.meta.url)),
);

const issue = (iid: number, fields: Item = {}): Item => ({
  id: 70 + iid,
  iid,
  project_id: 4,
  title: `Issue ${iid}`,
  description: null,
  state: "opened",
  created_at: "2026-01-04T15:31:51.081Z",
  updated_at: "2026-03-12T15:31:51.081Z",
  labels: [],
  milestone: null,
  issue_type: "issue",
  due_date: null,
  confidential: false,
  web_url: `https://gitlab.example.com/acme/widgets/-/issues/${iid}`,
  references: { short: `#${iid}`, relative: `#${iid}`, full: `acme/widgets#${iid}` },
  moved_to_id: null,
  ...fields,
});

const ISSUES: Item[] = [
  issue(1, {
    description: "**Now** with [links](https://example.com).",
    labels: ["roadmap", "area::editor"],
    milestone: { id: 12, title: "10.0", due_date: "2026-11-29", start_date: null },
  }),
  issue(2, { confidential: true }),
  issue(3, { confidential: "true" }),
  issue(4, { state: "closed", due_date: "2026-05-31", confidential: "false" }),
  issue(5, { confidential: undefined, milestone: { title: "Q3 2026", due_date: null } }),
];

/** What a server of GitLab does, which a test may change while it runs. */
interface Behaviour {
  /** The lists of items, by their paths below /api/v4. */
  lists: Record<string, Item[]>;
  /** Other answers than 404 for paths without a list. */
  absent?: Record<string, number>;
  /** Whether pages are named by a header, a link, or both. */
  paging?: "x-next-page" | "link";
  refuse?: (request: Request, url: URL) => Response | null;
}

/** A server of the lists of GitLab's REST API, by two items a page. */
function serveGitlab(behaviour: Behaviour) {
  const headers: Headers[] = [];
  const server = serveSource((request, url) => {
    headers.push(request.headers);
    const refused = behaviour.refuse?.(request, url);
    if (refused) return refused;
    const path = url.pathname.replace("/gitlab/api/v4/", "");
    const list = behaviour.lists[path];
    if (list === undefined) {
      const status = behaviour.absent?.[path] ?? 404;
      return Response.json({ message: `${status} Not here` }, { status });
    }
    const page = Number(url.searchParams.get("page") ?? 1);
    const last = Math.max(1, Math.ceil(list.length / 2));
    // Behind a proxy, links name GitLab's own address.
    const next = new URL(url.href.replace(url.origin, "http://gitlab.internal"));
    next.searchParams.set("page", String(page + 1));
    const { paging = "x-next-page" } = behaviour;
    const link = paging === "link" ? next.href.replace(next.origin, url.origin) : next.href;
    return Response.json(list.slice(page * 2 - 2, page * 2), {
      headers: {
        ...page < last && { link: `<${link}>; rel="next"` },
        // Present but empty on the last page.
        ...paging === "x-next-page" && {
          "x-next-page": page < last ? String(page + 1) : "",
          "x-total": String(list.length),
        },
      },
    });
  });
  return Object.assign(server, { headers });
}

function importer(database: Database, url: string, environment: Record<string, string> = {}) {
  const settings = readConfig({ GITLAB_URL: `${url}/gitlab/`, ...environment });
  return (location: string, options: Partial<ImportOptions> = {}) =>
    importLocation(database, location, { asOf: TODAY, settings, pausesMs: [], ...options });
}

/** Reads the items of a server. */
function reader(url: string, environment: Record<string, string> = {}) {
  const settings = readConfig({ GITLAB_URL: `${url}/gitlab/`, ...environment });
  return (location: string, options: Partial<ImportOptions> = {}) =>
    readAt(location, { settings, ...options });
}

const PROJECT = "projects/acme%2Fwidgets/issues";

for (const paging of ["x-next-page", "link"] as const) {
  testOnOne(
    `The issues of a project of GitLab are a roadmap (${paging})`,
    async (database) => {
      await using server = serveGitlab({ lists: { [PROJECT]: ISSUES }, paging });
      const read = importer(database, server.url);
      assertEquals(
        (await read("gitlab:acme/widgets?labels=roadmap&not[labels][]=a&not[labels][]=b&sort=desc"))
          .added,
        3,
      );
      const query =
        "labels=roadmap&not[labels][]=a&not[labels][]=b&order_by=created_at&sort=asc&per_page=100";
      const path = `/gitlab/api/v4/${decodeURIComponent(PROJECT)}?${query}`;
      assert(server.asked[0]!.includes(PROJECT));
      assertEquals(server.asked.map(decodeURIComponent), [
        `${path} 200`,
        `${path}&page=2 200`,
        `${path}&page=3 200`,
      ]);
      await using app = await startApp(database);
      const { data } = await app.json("/api/releases");
      data.sort((one: Item, other: Item) =>
        String(one.feature_name).localeCompare(String(other.feature_name))
      );
      const shown = data.map((item: Item) => [
        item.feature_name,
        item.product_name,
        item.release_type,
        item.release_status,
        item.release_date,
        item.blog_url,
      ]);
      const address = "https://gitlab.example.com/acme/widgets/-/issues";
      assertEquals(shown, [
        ["Issue 1", "widgets", "Not stated", "Planned", "Q4 2026", `${address}/1`],
        ["Issue 4", "widgets", "Not stated", "Shipped", "Q2 2026", `${address}/4`],
        ["Issue 5", "widgets", "Not stated", "Planned", "Q3 2026", `${address}/5`],
      ]);
      assertEquals(data[0].feature_description, "**Now** with [links](https://example.com).");
      assertEquals(await app.json(`/api/releases/history/${data[0].release_item_id}`), [
        { changed_columns: "Roadmap Item Added", last_modified: "2026-01-04" },
      ]);
    },
  );
}

testOnDatabases(
  "An item that becomes confidential is removed, as is a moved one",
  async (database) => {
    const issues = ISSUES.map((item) => ({ ...item }));
    await using server = serveGitlab({ lists: { [PROJECT]: issues } });
    const read = importer(database, server.url);
    await read("gitlab:acme/widgets");
    issues[0]!.confidential = true;
    assertEquals((await read("gitlab:acme/widgets")).removed, 1);
    issues[3]!.moved_to_id = 99;
    assertEquals((await read("gitlab:acme/widgets")).removed, 1);
  },
);

Deno.test("A group has epics if its server has them, else issues", async () => {
  const epics = [...EPICS, { ...EPICS[0], id: 71, iid: 5, confidential: "true" }];
  const behaviour: Behaviour = {
    lists: { "groups/test/epics": epics, "groups/test/issues": ISSUES },
  };
  await using server = serveGitlab(behaviour);
  const read = reader(server.url);
  const epicsRead = await read("gitlab:test");
  assertEquals(epicsRead.map(({ product_name }) => product_name).sort(), ["sample", "test"]);
  delete behaviour.lists["groups/test/epics"];
  for (const status of [403, 404]) {
    behaviour.absent = { "groups/test/epics": status };
    const issues = await read("gitlab:test");
    assertEquals([issues.length, await read("gitlab:test")], [3, issues]);
  }
  // A subgroup is written as a project is.
  behaviour.lists = { "groups/acme%2Ftools/issues": ISSUES };
  assertEquals((await read("gitlab:acme/tools")).length, 3);
});

testOnDatabases("A page of GitLab that fails removes nothing", async (database) => {
  const behaviour: Behaviour = { lists: { [PROJECT]: ISSUES } };
  await using server = serveGitlab(behaviour);
  const read = importer(database, server.url, { GITLAB_TOKEN: "glpat-sesame" });
  await read("gitlab:acme/widgets");
  const page = (headers: Record<string, string>) => Response.json([issue(4)], { headers });
  const failures: [() => Response, RegExp][] = [
    [() => new Response(null, { status: 502 }), /responded 502 Bad Gateway$/],
    [
      () => Response.json({ message: "401 Unauthorized" }, { status: 401 }),
      /401 Unauthorized; check GITLAB_TOKEN$/,
    ],
    [
      () => Response.json({ message: "404 Project Not Found" }, { status: 404 }),
      /404 Not Found: 404 Project Not Found; check GITLAB_TOKEN$/,
    ],
    [() => page({ "x-next-page": "2", "x-total": "5" }), /its links\.next loop at /],
    [() => page({ "x-next-page": "", "x-total": "5" }), /it announced 5 items, but sent 3$/],
    [() => page({ "x-next-page": "3", "x-total": "6" }), /it changed while its pages/],
    [
      () => page({ link: '<https://elsewhere.example/?page=3>; rel="next"' }),
      /leads to https:\/\/elsewhere\.example/,
    ],
  ];
  for (const [answer, message] of failures) {
    behaviour.refuse = (_request, { searchParams }) =>
      searchParams.get("page") === "2" ? answer() : null;
    await rejects(read("gitlab:acme/widgets", { allowMassRemoval: true }), (error: Error) => {
      assert(message.test(error.message), error.message);
      assert(!error.message.includes("sesame"), error.message);
      return true;
    });
  }
  behaviour.refuse = () => new Response(null, { status: 429, headers: { "retry-after": "600" } });
  await rejects(
    read("gitlab:acme/widgets"),
    (error) => error instanceof FetchError && error.retryAfterMs === 600_000,
  );
  behaviour.refuse = undefined;
  assertEquals((await read("gitlab:acme/widgets")).unchanged, 3);
});

Deno.test("The GitLab token is sent only to its own origin", async () => {
  const behaviour: Behaviour = { lists: { [PROJECT]: ISSUES } };
  await using server = serveGitlab(behaviour);
  await using other = serveGitlab(behaviour);
  const read = reader(server.url, { GITLAB_TOKEN: "glpat-sesame" });
  await read("gitlab:acme/widgets");
  const sent = ({ headers }: { headers: Headers[] }) =>
    headers.splice(0).map((headers) => headers.get("private-token"));
  assertEquals(sent(server), Array(3).fill("glpat-sesame"));
  behaviour.refuse = (request) => {
    const { origin, pathname, search } = new URL(request.url);
    return origin === server.url ? Response.redirect(other.url + pathname + search) : null;
  };
  const resolve = () => Promise.resolve([{ address: "9.9.9.9", family: 4 as const }]);
  await read("gitlab:acme/widgets", { resolve });
  assertEquals([sent(server), sent(other)], [["glpat-sesame"], [null, null, null]]);
});

Deno.test("The address of a gitlab source is checked", () => {
  const paths: [string, string | undefined][] = [
    ["gitlab:acme", "acme"],
    ["gitlab:acme/widgets/", "acme/widgets"],
    ["gitlab:a.b/c_d/e-f?state=opened", "a.b/c_d/e-f"],
    ["gitlab:", undefined],
    ["gitlab:https://gitlab.com/acme", undefined],
    ["gitlab:acme/../x y", undefined],
  ];
  for (const [location, path] of paths) assertEquals(parseGitlabLocation(location)?.path, path);
});
