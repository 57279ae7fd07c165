import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { ConfiguredSources, importOptions } from "../../lib/import/sources/configured_sources.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { serveSource, type SourceServer } from "../support/servers/source_server.ts";

type Fields = Record<string, unknown>;

const RECIPES = await Deno.readTextFile(new URL("../../docs/recipes.md", import.meta.url));

/** An answer of the tracker as it was recorded, of which a test takes what it needs. */
async function readFixture(name: string) {
  return JSON.parse(
    await Deno.readTextFile(new URL(`../fixtures/trackers/${name}`, import.meta.url)),
  );
}

/** The recipe of the documentation, with another host in its address. */
async function importByRecipe(database: Database, name: string, server: SourceServer) {
  const [, json] = new RegExp(`^###? ${name}\\n.*?^\`\`\`json\\n(.*?)^\`\`\``, "ms").exec(RECIPES)!;
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const entry = json!.replace(/("from": ")https:\/\/[^/]+/, `$1${server.url}`);
  await Deno.writeTextFile(file, `{ "sources": [${entry}] }`);
  const [, variable] = /"env:(\w+)"/.exec(json!)!;
  Deno.env.set(variable!, "Bearer sesame");
  try {
    const config = readConfig({ ROADMAP_CONFIG: file });
    const [source] = (await ConfiguredSources.read(config)).current;
    return await importLocation(database, source!.from, {
      ...await importOptions(config, source!),
      sourceName: name,
      asOf: TODAY,
      pausesMs: [],
    });
  } finally {
    Deno.env.delete(variable!);
    await Deno.remove(file);
  }
}

/** What the roadmap shows after an import, by name. */
async function show(database: Database) {
  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  const { data } = await app.json("/api/releases?page_size=200");
  const rows = data.map((item: Fields) => [
    item.feature_name,
    item.product_name,
    item.release_type,
    item.release_status,
    item.release_date,
    item.feature_description,
    item.last_modified,
  ]);
  return rows.sort(([one]: [string], [other]: [string]) => one < other ? -1 : 1);
}

async function tagsOf(database: Database) {
  const rows = await database.query<{ feature_name: string; tags: unknown }>(sql`
    select feature_name, tags from items where tags <> '{}' order by feature_name
  `);
  return Object.fromEntries(rows.map(({ feature_name, tags }) => [feature_name, tags]));
}

async function tonesOf(database: Database) {
  const rows = await database.query<{ feature_name: string; tone: string }>(
    sql`select feature_name, tone from items where active`,
  );
  return Object.fromEntries(rows.map(({ feature_name, tone }) => [feature_name, tone]));
}

const refused = () => Response.json({ message: "Authentication required" }, { status: 401 });
const isKnown = (request: Request) => request.headers.get("authorization") === "Bearer sesame";

/** Each tracker: what its server answers, and what the roadmap shows then. */
interface Tracker {
  name: string;
  answer: (request: Request, url: URL) => Response | Promise<Response>;
  requests: number;
  rows: unknown[][];
  /** By name, of those that have some. */
  tags?: Record<string, unknown>;
  /** What statuses count as, by name, where their words alone do not say it. */
  tones?: Record<string, string>;
}

const linear = await readFixture("issues.from-fixture.json");
const [oneIssue, otherIssue] = linear.data.issues.nodes;
const LINEAR: Tracker = {
  name: "Linear",
  requests: 2,
  async answer(request) {
    const { query, variables } = await request.json();
    const isAsked = /issues\(first: 100, after: \$after/.test(query) &&
      query.includes("state { name type }");
    if (!isAsked || variables?.after === "") {
      return Response.json({ errors: [{ message: "Argument Validation Error" }] }, { status: 400 });
    }
    const { after } = variables ?? {};
    const nodes = after === undefined
      ? [{
        ...oneIssue,
        description: "**Soon**",
        dueDate: "2026-10-01",
        state: { name: "Wave 2", type: "started" },
        labels: { nodes: [] },
      }]
      : [{
        ...otherIssue,
        state: { name: "Parked for good", type: "canceled" },
        project: { name: "Boards", targetDate: null },
        labels: { nodes: [{ name: "Beta" }, { name: "area/Boards" }] },
      }];
    // The cursor is there on the last page as well.
    const pageInfo = { hasNextPage: after === undefined, endCursor: nodes[0].id };
    return Response.json({ data: { issues: { pageInfo, nodes } } });
  },
  rows: [
    [
      "Add linear to board selection",
      "Widgets",
      "General availability",
      "Wave 2",
      "2026-10-01",
      "**Soon**",
      "2021-11-09",
    ],
    [
      "[Spike] Check linear data support classification",
      "Boards",
      "Public preview",
      "Parked for good",
      null,
      null,
      "2021-11-09",
    ],
  ],
  tags: { "[Spike] Check linear data support classification": { Area: ["Boards"] } },
  tones: {
    "Add linear to board selection": "in_progress",
    "[Spike] Check linear data support classification": "stopped",
  },
};

const workItem = (id: number, fields: Fields = {}) => ({
  WorkItemId: id,
  Title: `Item ${id}`,
  State: "Active",
  StateCategory: "InProgress",
  WorkItemType: "Epic",
  TargetDate: null,
  CreatedDate: "2026-01-05T10:11:12.13+01:00",
  ChangedDate: "2026-02-05T10:11:12.137Z",
  TagNames: null,
  Area: { AreaName: "Widgets" },
  ...fields,
});
const AZURE_DEVOPS: Tracker = {
  name: "Azure DevOps",
  requests: 2,
  answer(_request, url) {
    assertEquals(url.searchParams.get("$filter"), "WorkItemType eq 'Epic'");
    const asked = url.searchParams.get("$select")!.split(",");
    const select = (item: Fields) =>
      Object.fromEntries(
        Object.entries(item).filter(([name]) => [...asked, "Area"].includes(name)),
      );
    const next = new URL(url);
    next.searchParams.set("$skiptoken", "2");
    return Response.json(
      url.searchParams.has("$skiptoken")
        ? { value: [select(workItem(3, { State: "Wave 3", StateCategory: "Completed" }))] }
        : {
          "@odata.context": `${url.origin}/$metadata#WorkItems`,
          value: [
            workItem(1, { TargetDate: "2026-12-31T00:00:00-08:00", TagNames: "Public; Big bet" }),
            workItem(2, { State: "Wave 2", StateCategory: "Removed" }),
          ].map(select),
          "@odata.nextLink": next.href,
        },
    );
  },
  rows: [
    ["Item 1", "Widgets", "Not stated", "Active", "2026-12-31", null, "2026-02-05"],
    ["Item 2", "Widgets", "Not stated", "Wave 2", null, null, "2026-02-05"],
    ["Item 3", "Widgets", "Not stated", "Wave 3", null, null, "2026-02-05"],
  ],
  tones: { "Item 1": "in_progress", "Item 2": "stopped", "Item 3": "shipped" },
  tags: { "Item 1": { Tag: ["Big bet", "Public"] } },
};

const cards = Array.from({ length: 1_001 }, (_, index) => ({
  id: (0x56af_0000 + index).toString(16).padEnd(24, "0"),
  name: `Card ${String(index).padStart(4, "0")}`,
  desc: "",
  due: index === 0 ? "2026-08-01T12:00:00.000Z" : null,
  dateLastActivity: "2026-05-01T12:00:00.000Z",
  idList: index === 1_000 ? "LIST-2" : index === 0 ? "LIST-1" : "BACKLOG",
  labels: index === 0 ? [{ id: "1", name: "beta", color: "sky" }] : [],
})).reverse();
const TRELLO: Tracker = {
  name: "Trello",
  requests: 2,
  answer(_request, { searchParams }) {
    const before = searchParams.get("before");
    const all = cards.filter(({ id }) => before === null || id < before);
    return Response.json(all.slice(0, 1_000));
  },
  rows: [
    ["Card 0000", "Widgets", "Public preview", "Planned", "2026-08-01", null, "2026-05-01"],
    ["Card 1000", "Widgets", "General availability", "Shipped", null, null, "2026-05-01"],
  ],
};

const { results: [page] } = await readFixture("database_query.json");
const notionPage = (id: string, properties: Fields) => ({
  ...page,
  id,
  properties: { ...page.properties, ...properties },
});
const [run] = page.properties.Name.title;
const NOTION: Tracker = {
  name: "Notion",
  requests: 2,
  async answer(request) {
    const body = await request.json();
    if ("start_cursor" in body && body.start_cursor !== "c1") {
      return Response.json({
        object: "error",
        status: 400,
        code: "validation_error",
        message: "body.start_cursor should be a valid uuid or `undefined`",
      }, { status: 400 });
    }
    const title = [{ ...run, plain_text: "Dark " }, { ...run, plain_text: "mode" }];
    const results = "start_cursor" in body
      ? [notionPage("2", { Status: { type: "status", status: null }, Date: { date: null } })]
      : [
        notionPage("1", {
          Name: { id: "title", type: "title", title },
          Status: { type: "status", status: { id: "x", name: "In progress", color: "blue" } },
          Product: { type: "select", select: { name: "Console" } },
          Phase: { type: "select", select: null },
          Summary: { type: "rich_text", rich_text: [] },
          Date: { type: "date", date: { start: "2026-09-01", end: "2026-09-30" } },
        }),
        { ...notionPage("3", {}), archived: true },
      ];
    const isFirst = !("start_cursor" in body);
    return Response.json({
      ...{ object: "list", results },
      ...{ next_cursor: isFirst ? "c1" : null, has_more: isFirst },
    });
  },
  rows: [
    [
      "Dark mode",
      "Console",
      "General availability",
      "In progress",
      "2026-09-30",
      null,
      "2021-05-24",
    ],
    ["ba", "Widgets", "General availability", "Planned", null, null, "2021-05-24"],
  ],
};

const feature = (id: number, fields: Fields = {}) => ({
  id: `00000000-0000-4000-8000-00000000000${id}`,
  name: `Feature ${id}`,
  description: "<p>Now <b>bold</b></p>",
  type: "feature",
  archived: false,
  status: { id: "1", name: "Candidate" },
  parent: { product: { id: "PRODUCT-ID", links: { self: "https://…" } } },
  links: { self: "https://…", html: "https://…" },
  owner: { email: "someone@example.com" },
  timeframe: { startDate: "2026-07-01", endDate: "2026-09-30", granularity: "quarter" },
  createdAt: "2026-01-05T10:11:12.123456Z",
  updatedAt: "2026-02-05T10:11:12.123456Z",
  ...fields,
});
const PRODUCTBOARD: Tracker = {
  name: "Productboard",
  requests: 2,
  answer(request, url) {
    assertEquals(request.headers.get("x-version"), "1");
    const next = `${url.origin}/features?pageCursor=a%3D`;
    const timeframe = { startDate: "2026-01-01", endDate: "2026-03-31", granularity: "none" };
    return Response.json(
      url.searchParams.has("pageCursor")
        ? { data: [feature(2, { timeframe, description: "" })], links: { next: null } }
        : { data: [feature(1)], links: { next } },
    );
  },
  rows: [
    ["Feature 1", "Widgets", "Not stated", "Candidate", "2026-09-30", "Now **bold**", "2026-02-05"],
    ["Feature 2", "Widgets", "Not stated", "Candidate", null, null, "2026-02-05"],
  ],
};

const { features: ahaFeatures, pagination } = await readFixture("features.list.json");
const AHA: Tracker = {
  name: "Aha!",
  requests: 3,
  answer(_request, { searchParams }) {
    const number = Number(searchParams.get("page") ?? 1);
    const features = ahaFeatures.slice(number * 3 - 3, number * 3).map((one: Fields) => ({
      ...one,
      updated_at: "2026-02-05T10:11:12.123Z",
      description: { id: "1", body: "<p>Body</p>", attachments: [] },
      workflow_status: { id: "1", name: "Under consideration", complete: false },
      tags: one.reference_num === "PRJ1-1" ? ["Beta"] : [],
      release: {
        parking_lot: String(one.reference_num).startsWith("PRJ1-") && one.name !== "Feature 1",
        external_release_date: one.name === "Feature 1" ? "2026-11-05" : null,
        project: { name: "Project" },
      },
    }));
    return Response.json({
      features,
      pagination: { ...pagination, total_pages: 3, current_page: number },
    });
  },
  rows: [
    ["A feature in project 2", null],
    ["A third Feature", null],
    ["Feature 1", "2026-11-05"],
    ["Feature without Requirements", null],
  ].map(([name, date]) => [
    name,
    "Project",
    date === null ? "General availability" : "Public preview",
    "Under consideration",
    date,
    "Body",
    "2026-02-05",
  ]),
};

for (const tracker of [LINEAR, AZURE_DEVOPS, TRELLO, NOTION, PRODUCTBOARD, AHA]) {
  const { name, answer, requests, rows, tags = {}, tones } = tracker;
  testOnOne(`The recipe of ${name} reads all of its pages`, async (database) => {
    let isIll = false;
    let asked = 0;
    await using server = serveSource((request, url) => {
      if (!isKnown(request)) return refused();
      return isIll && ++asked === 2 ? refused() : answer(request, url);
    });
    const counts = await importByRecipe(database, name, server);
    assertEquals([counts.added, server.asked.length], [rows.length, requests]);
    assertEquals(await show(database), rows);
    assertEquals(await tagsOf(database), tags);
    if (tones) assertEquals(await tonesOf(database), tones);
    isIll = true;
    await rejects(importByRecipe(database, name, server), /the server responded 401 Unauthorized/);
    isIll = false;
    const { unchanged, removed } = await importByRecipe(database, name, server);
    assertEquals([unchanged, removed], [rows.length, 0]);
  });
}

testOnOne("Cards in an unexpected order are refused", async (database) => {
  await using server = serveSource((request, url) => {
    const before = url.searchParams.get("before");
    const all = cards.filter(({ id }) => before === null || id < before);
    return isKnown(request) ? Response.json(all.slice(0, 1_000).reverse()) : refused();
  });
  // The last one of a page is the newest then, and the next page the first one but for it.
  await rejects(
    importByRecipe(database, "Trello", server),
    /two of its pages begin with the same item/,
  );
});
