import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { MappedItem } from "../../lib/import/mapping/table.ts";
import { ConfiguredSources, importOptions } from "../../lib/import/sources/configured_sources.ts";
import { TODAY } from "../support/app.ts";
import { lineOf, readAt, SHOWS } from "../support/read_table.ts";
import { serveSource, type SourceServer } from "../support/servers/source_server.ts";
import { CLIENT, startTokenServer } from "../support/servers/token_server.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";

type Fields = Record<string, unknown>;

const TEXT = await Deno.readTextFile(new URL("../../docs/recipes.md", import.meta.url));
/** What the variables of recipes hold; others a token. */
const SECRETS: Readonly<Record<string, string>> = {
  CANNY_API_KEY: "sesame",
  GRAPH_CLIENT_ID: CLIENT.id,
  GRAPH_CLIENT_SECRET: CLIENT.secret,
  GRAPH_SECRET: CLIENT.secret,
};

/** An answer of the tracker as it was recorded, of which a test takes what it needs. */
async function readFixture(name: string) {
  return JSON.parse(
    await Deno.readTextFile(new URL(`../fixtures/trackers/${name}`, import.meta.url)),
  );
}

/** The address and the options of a recipe of the documentation, with other hosts in its addresses. */
async function configure(name: string, server: SourceServer, tokenServer = "") {
  const [, json = ""] = new RegExp(`^###? ${name}.*?^\`\`\`json\\n(.*?)^\`\`\``, "ms").exec(
    TEXT,
  )!;
  const variables = [...json.matchAll(/"env:(\w+)"/g)].map(([, variable]) => variable!);
  for (const variable of variables) Deno.env.set(variable, SECRETS[variable] ?? "Bearer sesame");
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const local = json.replace(/("from": ")https:\/\/[^/"]+/, `$1${server.url}`)
      .replace(/("token_url": ")[^"]+/, `$1${tokenServer}`).replace("CLIENT-ID", CLIENT.id);
    await Deno.writeTextFile(file, `{ "sources": [${local}] }`);
    const config = readConfig({ ROADMAP_CONFIG: file });
    const [source] = (await ConfiguredSources.read(config)).current;
    const options = { ...await importOptions(config, source!), asOf: TODAY, pausesMs: [] };
    return { from: source!.from, options };
  } finally {
    for (const variable of variables) Deno.env.delete(variable);
    await Deno.remove(file);
  }
}

/** The items that are read by a recipe, by their names. */
async function readByRecipe(...recipe: Parameters<typeof configure>): Promise<MappedItem[]> {
  const { from, options } = await configure(...recipe);
  return await readAt(from, options);
}

/** One recipe: what its server answers, and what is read then. */
interface Recipe {
  name: string;
  answer: (request: Request, url: URL) => Response | Promise<Response>;
  requests: number;
  /** Its server answers nobody without the token. */
  isPrivate?: boolean;
  rows: string[];
  /** Name, product, type, status and day, unless it says otherwise. */
  shows?: readonly (keyof MappedItem)[];
  /** What its statuses count as, where their words alone do not say it. */
  tones?: Record<string, string>;
  /** By name, of those that have some. */
  tags?: Record<string, unknown>;
}

const SHOWS_MORE = [...SHOWS, "feature_description", "last_modified"] as const;
const refused = () => Response.json({ message: "Authentication required" }, { status: 401 });
const isKnown = (request: Request) => request.headers.get("authorization") === "Bearer sesame";
const pick = <Item>(all: readonly Item[], from: number, count: number) =>
  all.slice(from, from + count);
const numbered = (word: string, count: number) =>
  Array.from({ length: count }, (_, place) => `${word} ${String(place).padStart(3, "0")}`);

const linear = await readFixture("issues.from-fixture.json");
const [oneIssue, otherIssue] = linear.data.issues.nodes;
const LINEAR: Recipe = {
  name: "Linear",
  requests: 2,
  isPrivate: true,
  shows: SHOWS_MORE,
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
    "Add linear to board selection | Widgets | General availability | Wave 2 | 2026-10-01 | **Soon** | 2021-11-09",
    "[Spike] Check linear data support classification | Boards | Public preview | Parked for good | - | - | 2021-11-09",
  ],
  tags: { "[Spike] Check linear data support classification": { Area: ["Boards"] } },
  tones: { "Wave 2": "in_progress", "Parked for good": "stopped" },
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
const AZURE_DEVOPS: Recipe = {
  name: "Azure DevOps",
  requests: 2,
  isPrivate: true,
  shows: SHOWS_MORE,
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
    "Item 1 | Widgets | Not stated | Active | 2026-12-31 | - | 2026-02-05",
    "Item 2 | Widgets | Not stated | Wave 2 | - | - | 2026-02-05",
    "Item 3 | Widgets | Not stated | Wave 3 | - | - | 2026-02-05",
  ],
  tones: { "Active": "in_progress", "Wave 2": "stopped", "Wave 3": "shipped" },
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
const TRELLO: Recipe = {
  name: "Trello",
  requests: 2,
  isPrivate: true,
  shows: SHOWS_MORE,
  answer(_request, { searchParams }) {
    const before = searchParams.get("before");
    const all = cards.filter(({ id }) => before === null || id < before);
    return Response.json(all.slice(0, 1_000));
  },
  rows: [
    "Card 0000 | Widgets | Public preview | Planned | 2026-08-01 | - | 2026-05-01",
    "Card 1000 | Widgets | General availability | Shipped | - | - | 2026-05-01",
  ],
};

const { results: [page] } = await readFixture("database_query.json");
const notionPage = (id: string, properties: Fields) => ({
  ...page,
  id,
  properties: { ...page.properties, ...properties },
});
const [run] = page.properties.Name.title;
const NOTION: Recipe = {
  name: "Notion",
  requests: 2,
  isPrivate: true,
  shows: SHOWS_MORE,
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
    "Dark mode | Console | General availability | In progress | 2026-09-30 | - | 2021-05-24",
    "ba | Widgets | General availability | Planned | - | - | 2021-05-24",
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
const PRODUCTBOARD: Recipe = {
  name: "Productboard",
  requests: 2,
  isPrivate: true,
  shows: SHOWS_MORE,
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
    "Feature 1 | Widgets | Not stated | Candidate | 2026-09-30 | Now **bold** | 2026-02-05",
    "Feature 2 | Widgets | Not stated | Candidate | - | - | 2026-02-05",
  ],
};

const { features: ahaFeatures, pagination } = await readFixture("features.list.json");
const AHA: Recipe = {
  name: "Aha!",
  requests: 3,
  isPrivate: true,
  shows: SHOWS_MORE,
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
    "A feature in project 2 | Project | General availability | Under consideration | - | Body | 2026-02-05",
    "A third Feature | Project | General availability | Under consideration | - | Body | 2026-02-05",
    "Feature 1 | Project | Public preview | Under consideration | 2026-11-05 | Body | 2026-02-05",
    "Feature without Requirements | Project | General availability | Under consideration | - | Body | 2026-02-05",
  ],
};

const PORTALS: Recipe[] = [
  {
    name: "Featurebase",
    requests: 2,
    answer(_request, { searchParams }) {
      const page = Number(searchParams.get("page"));
      const post = (id: string, type: string, name: string) => ({
        id,
        title: `Post ${id}`,
        content: "<p>Some <b>text</b></p>",
        postStatus: { name, type },
        postCategory: { category: "💡 Ideas" },
        date: "2026-01-02T03:04:05.678Z",
        lastModified: "2026-02-03T03:04:05.678Z",
        eta: id === "1" ? "2026-12-31T00:00:00.000Z" : null,
      });
      const all = [
        post("1", "active", "In Progress"),
        post("2", "reviewing", "In Review"),
        post("3", "completed", "Completed"),
      ];
      const results = pick(all, page * 2 - 2, 2);
      return Response.json({ results, page, limit: 2, totalPages: 2, totalResults: 3 });
    },
    rows: [
      "Post 1 | 💡 Ideas | Not stated | In Progress | 2026-12-31",
      "Post 3 | 💡 Ideas | Not stated | Completed | -",
    ],
  },
  {
    name: "Fider",
    requests: 1,
    answer: () =>
      Response.json(["open", "planned", "completed"].map((status, place) => ({
        id: place + 10,
        number: place + 1,
        title: `Idea ${place + 1}`,
        description: "Text",
        createdAt: "2026-01-02T03:04:05.678901Z",
        status,
        votesCount: 3,
        tags: ["ui"],
      }))),
    rows: [
      "Idea 2 | Widgets | Not stated | planned | -",
      "Idea 3 | Widgets | Not stated | completed | -",
    ],
  },
  {
    name: "A public Trello board",
    requests: 1,
    answer: () =>
      Response.json({
        id: "5f0000000000000000000001",
        name: "Roadmap",
        lists: [{ id: "l1", name: "Planned", closed: false }, { id: "l2", name: "Done" }],
        cards: [
          ...[["c1", "l1", "2026-12-01T12:00:00.000Z", false], ["c2", "l2", null, false], [
            "c3",
            "l1",
            null,
            true,
          ]].map(([id, idList, due, closed]) => ({
            id: `5f00000000000000000000${id}`,
            name: `Card ${id}`,
            desc: "",
            ...{ idList, due, closed, labels: [], dateLastActivity: "2026-02-03T00:00:00.000Z" },
            ...{ shortUrl: `https://trello.com/c/${id}`, idBoard: "5f0000000000000000000001" },
          })),
        ],
        ...{ actions: [], members: [], checklists: [] },
      }),
    rows: [
      "Card c1 | Roadmap | Not stated | Planned | 2026-12-01",
      "Card c2 | Roadmap | Not stated | Done | -",
    ],
  },
  {
    name: "GitHub Projects",
    requests: 2,
    async answer(request) {
      if (!isKnown(request)) return Response.json({ message: "Bad credentials" }, { status: 401 });
      const { variables = {} } = await request.json();
      const isFirst = variables.after === undefined;
      const content = isFirst
        ? {
          title: "An issue",
          body: "Text",
          createdAt: "2026-01-02T03:04:05Z",
          ...{ state: "OPEN", stateReason: null, repository: { name: "hub" } },
          labels: { nodes: [{ name: "ui" }] },
        }
        : { title: "A draft", body: "", createdAt: "2026-01-02T03:04:05Z" };
      const node = {
        id: isFirst ? "PVTI_1" : "PVTI_2",
        updatedAt: "2026-02-03T03:04:05Z",
        isArchived: false,
        status: isFirst ? { name: "In Progress" } : null,
        target: isFirst ? { date: "2026-12-31" } : null,
        content,
      };
      const nodes = isFirst ? [node, { ...node, id: "PVTI_3", isArchived: true }] : [node];
      const pageInfo = { hasNextPage: isFirst, endCursor: isFirst ? "Y3Vyc29yOjE" : "Y3Vyc29yOjI" };
      return Response.json({
        data: { organization: { projectV2: { items: { nodes, pageInfo } } } },
      });
    },
    rows: [
      "A draft | Widgets | Not stated | Backlog | -",
      "An issue | hub | Not stated | In Progress | 2026-12-31",
    ],
  },
  {
    name: "Canny",
    requests: 2,
    async answer(request) {
      const { apiKey, limit, skip } = await request.json();
      if (apiKey !== "sesame") {
        return Response.json({ error: `invalid ${apiKey}` }, { status: 401 });
      }
      const all = numbered("Post", 103).map((name, place) => ({
        id: `post${place}`,
        title: name,
        details: "Text",
        status: ["planned", "planned", "closed"][place] ?? "open",
        eta: place === 0 ? "December 2026" : null,
        created: "2026-01-02T03:04:05.678Z",
        board: { id: "b", name: "Features" },
        tags: [{ id: "t", name: "ui" }],
      }));
      if (typeof skip !== "number" || typeof limit !== "number") throw new Error("no numbers");
      return Response.json({ hasMore: skip + limit < all.length, posts: pick(all, skip, limit) });
    },
    rows: [
      "Post 000 | Features | Not stated | planned | 2026-12-31",
      "Post 001 | Features | Not stated | planned | -",
      "Post 002 | Features | Not stated | closed | -",
    ],
    // Canny closes what will not be done; what was done is complete.
    tones: { closed: "stopped", planned: "planned" },
  },
  {
    name: "endoflife.date",
    requests: 1,
    answer: () =>
      Response.json({
        schema_version: "1.2.0",
        total: 3,
        result: [["deno", "Deno"], ["nodejs", "Node.js"], ["amiga", "Amiga"]].map((
          [name, label],
        ) => ({
          ...{ name, label, category: "framework", tags: ["runtime"] },
          // What a product does not say of any release is left out of all of them.
          releases: ["1", "2"].map((version) => ({
            ...{ name: version, codename: null, label: `${version} (LTS)` },
            ...{ releaseDate: "2024-10-09", isLts: true, ltsFrom: null },
            ...name === "nodejs" && { isEoas: version === "1", eoasFrom: "2025-04-01" },
            isEol: version === "1",
            eolFrom: version === "1" ? "2026-08-31" : name === "nodejs" ? "2027-04-30" : null,
            isMaintained: version === "2",
            latest: { name: `${version}.9.1`, date: "2025-10-28", link: null },
            custom: null,
          })),
        })),
      }),
    rows: [
      "1 (LTS) | Deno | Not stated | End of life | 2024-10-09",
      "1 (LTS) | Node.js | Not stated | End of life | 2024-10-09",
      "2 (LTS) | Deno | Not stated | Maintained | 2024-10-09",
      "2 (LTS) | Node.js | Not stated | Maintained | 2024-10-09",
    ],
    tones: { "End of life": "shipped", Maintained: "shipped" },
  },
  {
    name: "Chrome Platform Status",
    requests: 2,
    answer(_request, { searchParams }) {
      const [start, num] = ["start", "num"].map((name) => Number(searchParams.get(name)));
      const all = numbered("Feature", 502).map((name, place) => ({
        id: 5_000_000_000_000_000 + place,
        name,
        ...{ summary: "Text", feature_type: "New or changed feature", category: "CSS" },
        browsers: { chrome: { status: { text: "Enabled by default", val: 5 } } },
        created: { by: null, when: "2026-01-02 03:04:05.678901" },
        updated: { by: null, when: "2026-02-03 03:04:05.678901" },
      }));
      const body = { features: pick(all, start!, num!), total_count: all.length };
      return new Response(`)]}'\n${JSON.stringify(body)}`, {
        headers: { "Content-Type": "application/json" },
      });
    },
    rows: numbered("Feature", 502).map((name) =>
      `${name} | Chrome | New or changed feature | Enabled by default | -`
    ),
  },
  {
    name: "webstatus.dev",
    requests: 2,
    answer(_request, { searchParams }) {
      const isFirst = searchParams.get("page_token") === null;
      const feature = isFirst
        ? {
          feature_id: "a",
          name: "Anchor positioning",
          baseline: { status: "newly", low_date: "2026-01-13" },
        }
        : { feature_id: "b", name: "Barcode detector" };
      return Response.json({
        metadata: { total: 2, ...isFirst && { next_page_token: "Tm93" } },
        data: [feature],
      });
    },
    rows: [
      "Anchor positioning | Web platform | Not stated | Newly available | 2026-01-13",
      "Barcode detector | Web platform | Not stated | Limited availability | -",
    ],
  },
  {
    name: "AWS What's New",
    requests: 2,
    answer(_request, { searchParams }) {
      const page = Number(searchParams.get("page"));
      const all = numbered("News", 101).map((name, place) => ({
        tags: [{ id: "whats-new-v2#year#2026" }],
        item: {
          id: `whats-new-v2#${place}`,
          dateCreated: "2026-01-02T03:04:05+0000",
          dateUpdated: "2026-01-02T03:04:05+0000",
          additionalFields: {
            headline: name,
            postBody: "<p>Text</p>",
            postDateTime: "2026-01-02T03:04:05Z",
          },
        },
      }));
      return Response.json({
        metadata: { count: 100, totalHits: all.length },
        items: pick(all, page * 100, 100),
      });
    },
    rows: numbered("News", 101).map((name) => `${name} | AWS | Not stated | Launched | 2026-01-02`),
  },
  {
    name: "Azure updates",
    requests: 1,
    answer() {
      const item = (id: number, title: string, ...categories: string[]) =>
        `<item><guid isPermaLink="false">${id}</guid><title>${title}</title>` +
        categories.map((category) => `<category>${category}</category>`).join("") +
        "<pubDate>Wed, 01 Jul 2026 08:00:00 Z</pubDate></item>";
      const items = [
        item(1, "Backup for AKS", "Launched", "Containers", "Features"),
        item(2, "Cold tier", "Storage", "In preview"),
        item(3, "Old images", "Retirements"),
        item(4, "Other news", "Compute"),
      ];
      return new Response(
        `<rss version="2.0"><channel><title>Azure</title>${items.join("")}</channel></rss>`,
        { headers: { "content-type": "application/rss+xml" } },
      );
    },
    rows: [
      "Backup for AKS | Azure | Not stated | Launched | -",
      "Cold tier | Azure | Not stated | In preview | -",
      "Old images | Azure | Not stated | Retired | -",
    ],
  },
  {
    name: "Salesforce",
    requests: 2,
    answer(_request, { searchParams }) {
      const all = [{
        id: 719_001,
        name: "Winter '27 Major Release",
        message: { maintenanceType: "release", eventStatus: "Scheduled" },
        plannedStartTime: "2026-10-10T02:00:00.000Z",
        plannedEndTime: "2026-10-10T02:05:00.000Z",
        createdAt: "2026-01-02T03:04:05.678Z",
        updatedAt: "2026-02-03T03:04:05.678Z",
        instanceKeys: ["NA1", "EU2"],
      }];
      return Response.json(pick(all, Number(searchParams.get("offset")), 1000));
    },
    rows: ["Winter '27 Major Release | Salesforce | release | Scheduled | 2026-10-10"],
  },
  {
    name: "Python Enhancement Proposals",
    requests: 1,
    answer: () =>
      Response.json({
        "8": {
          number: 8,
          title: "Style Guide for Python Code",
          ...{ status: "Active", type: "Process", created: "05-Jul-2001", python_version: null },
          url: "https://peps.python.org/pep-0008/",
        },
        "750": {
          number: 750,
          title: "Template Strings",
          ...{ status: "Final", type: "Standards Track", created: "08-Jul-2024" },
          ...{ python_version: "3.14", url: "https://peps.python.org/pep-0750/" },
        },
      }),
    rows: [
      "Style Guide for Python Code | Python | Process | Active | -",
      "Template Strings | Python | Standards Track | Final | -",
    ],
  },
  {
    name: "Star Citizen",
    requests: 1,
    answer: () =>
      Response.json({
        ...{ success: 1, code: "OK", msg: "OK" },
        data: {
          releases: [["1", "4.2.0", "Q2 2026", 1], ["2", "4.6.0", "Q1 2027", 0]].map((
            [id, name, description, released],
          ) => ({
            ...{ id, name, description, released },
            cards: [{
              ...{ id: `${id}0`, name: `Card ${id}`, description: "Text" },
              ...{ time_created: 1_767_225_600, time_modified: 1_769_904_000 },
            }],
          })),
        },
      }),
    rows: [
      "Card 1 | Star Citizen | Not stated | Released | 2026-06-30",
      "Card 2 | Star Citizen | Not stated | Planned | 2027-03-31",
    ],
  },
  {
    name: "Microsoft's Message Center",
    requests: 2,
    answer(request, url) {
      if (!request.headers.get("authorization")?.startsWith("Bearer token-")) {
        return Response.json({ error: { code: "InvalidAuthenticationToken" } }, { status: 401 });
      }
      const isFirst = !url.searchParams.has("$skip");
      const message = {
        id: isFirst ? "MC1" : "MC2",
        title: `Message ${isFirst ? 1 : 2}`,
        category: isFirst ? "planForChange" : "stayInformed",
        services: ["Exchange Online", "Microsoft Teams"],
        tags: ["New feature"],
        actionRequiredByDateTime: null,
        ...{ startDateTime: "2026-01-02T03:04:05Z", endDateTime: "2026-12-31T08:00:00Z" },
        lastModifiedDateTime: "2026-02-03T03:04:05.67Z",
        body: { contentType: "html", content: "<p>Text</p>" },
      };
      const nextLink = `${url.origin}${url.pathname}?$top=100&$skip=100`;
      return Response.json({ value: [message], ...isFirst && { "@odata.nextLink": nextLink } });
    },
    rows: [
      "Message 1 | Exchange Online | planForChange | Planned | 2026-12-31",
      "Message 2 | Exchange Online | stayInformed | Announced | 2026-12-31",
    ],
  },
  {
    name: "A Google calendar",
    requests: 1,
    answer: () =>
      new Response(
        [
          "BEGIN:VCALENDAR",
          "VERSION:2.0",
          ...["BEGIN:VEVENT", "UID:1@google.com", "SUMMARY:Gmail: a launch"],
          ...["DTSTART;VALUE=DATE:20261201", "DTEND;VALUE=DATE:20261203", "STATUS:CONFIRMED"],
          "END:VEVENT",
          "END:VCALENDAR",
        ].join("\r\n"),
        { headers: { "Content-Type": "text/calendar; charset=UTF-8" } },
      ),
    rows: ["Gmail: a launch | Calendar | Not stated | Confirmed | 2026-12-02"],
  },
];

const RECIPES = [LINEAR, AZURE_DEVOPS, TRELLO, NOTION, PRODUCTBOARD, AHA, ...PORTALS];
for (const { name, answer, requests, isPrivate, rows, shows = SHOWS, tones, tags } of RECIPES) {
  Deno.test(`The recipe of ${name} reads all of its pages`, async () => {
    let isIll = false;
    let asked = 0;
    await using tokens = startTokenServer();
    await using server = serveSource((request, url) => {
      if (isPrivate && !isKnown(request)) return refused();
      return ++asked === requests && isIll ? refused() : answer(request, url);
    });
    const read = () => {
      asked = 0;
      return readByRecipe(name, server, tokens.url);
    };
    const items = await read();
    assertEquals(asked, requests);
    assertEquals(items.map((item) => lineOf(item, shows)), rows);
    assertEquals(items.filter(({ tone_by }) => tone_by === "unknown"), []);
    const counted = items.map(({ release_status, tone }) => [release_status, tone]);
    if (tones) assertEquals(Object.fromEntries(counted), tones);
    if (isPrivate) {
      const tagged = items.filter(({ tags }) => Object.keys(tags).length > 0);
      const found = tagged.map(({ feature_name, tags }) => [feature_name, tags]);
      assertEquals(Object.fromEntries(found), tags ?? {});
    }
    assertEquals(await read(), items, "the same again changes nothing");
    isIll = true;
    await rejects(read(), /the server responded 401 Unauthorized/);
  });
}

Deno.test("The dates of endoflife.date have names", async () => {
  const { name, answer } = RECIPES.find(({ name }) => name === "endoflife.date")!;
  await using server = serveSource(answer);
  assertEquals((await readByRecipe(name, server)).map(({ dates }) => dates), [
    { "End of life": "2026-08-31" },
    { "End of active support": "2025-04-01", "End of life": "2026-08-31" },
    {},
    { "End of active support": "2025-04-01", "End of life": "2027-04-30" },
  ]);
});

Deno.test("An Excel file on SharePoint is read by Graph, as the recipe says", async () => {
  const table = [["ID", "Title", "Product", "Status"], ["1", "Maps", "App", "Planned"]];
  const sent: (string | null)[] = [];
  const note = ({ headers }: Request) => sent.push(headers.get("authorization"));
  // The storage behind Graph, which is signed in to by its address.
  await using storage = serveSource((request) => {
    note(request);
    return new Response(makeSpreadsheet({ Plans: table }));
  });
  await using graph = serveSource((request) => {
    note(request);
    return Response.redirect(`${storage.url}/download.aspx?tempauth=1`);
  });
  await using tokens = startTokenServer();
  const { from, options } = await configure("An Excel file on SharePoint", graph, tokens.url);
  const items = await readAt(from, {
    ...options,
    // The storage stands for a public server, to which redirects may lead.
    resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 }]),
    fetchChecked: (url, { method, headers }) => fetch(url, { method, headers }),
  });
  assertEquals(items.map((item) => lineOf(item)), ["Maps | App | planned | -"]);
  assertEquals(sent, [`Bearer ${tokens.given[0]}`, null]);
  assertEquals(graph.asked, ["/v1.0/sites/SITE-ID/drive/root:/Product/roadmap.xlsx:/content 302"]);
});

Deno.test("A server that answers otherwise is refused in words", async () => {
  const refuse = async (name: string, body: unknown): Promise<string> => {
    await using server = serveSource(() =>
      typeof body === "string" ? new Response(body) : Response.json(body)
    );
    return await readByRecipe(name, server).then(() => "read", (error: Error) => error.message);
  };
  match(
    await refuse("Star Citizen", { data: { releases: "soon" } }),
    /what it has at "\/data\/releases" is neither a list nor an object, so the star after it matches nothing$/,
  );
  match(
    await refuse("Star Citizen", { data: { releases: [{ name: "4.2" }] } }),
    /it has no list at "\/data\/releases\/\*\/cards"/,
  );
  match(await refuse("Star Citizen", { success: 0 }), /it has no list at/);
  match(await refuse("Python Enhancement Proposals", "<html>"), /it is an HTML page, not JSON/);
  match(await refuse("A Google calendar", "<html>"), /it is not a calendar/);
  match(
    await refuse("Chrome Platform Status", { features: [{ id: 1, name: "A" }], total_count: 2 }),
    /two of its pages begin with the same item: check "pages"/,
  );
});

Deno.test("Cards in an unexpected order are refused", async () => {
  await using server = serveSource((request, url) => {
    const before = url.searchParams.get("before");
    const all = cards.filter(({ id }) => before === null || id < before);
    return isKnown(request) ? Response.json(all.slice(0, 1_000).reverse()) : refused();
  });
  // The last one of a page is the newest then, and the next page the first one but for it.
  await rejects(readByRecipe("Trello", server), /two of its pages begin with the same item/);
});
