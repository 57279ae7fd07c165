import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { ConfiguredSources, importOptions } from "../../lib/import/sources/configured_sources.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { serveSource, type SourceServer } from "../support/servers/source_server.ts";
import { CLIENT, startTokenServer } from "../support/servers/token_server.ts";

type Fields = Record<string, unknown>;

const RECIPES = await Deno.readTextFile(new URL("../../docs/recipes.md", import.meta.url));

/** The recipe of the documentation, with other hosts in its addresses. */
async function importByRecipe(
  database: Database,
  name: string,
  { server, tokenServer = "", edit = (json) => json }: {
    server: SourceServer;
    tokenServer?: string;
    edit?: (json: string) => string;
  },
) {
  const [, json] = new RegExp(`^###? ${name}\\n.*?^\`\`\`json\\n(.*?)^\`\`\``, "ms").exec(RECIPES)!;
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const local = `{ "sources": [${json}] }`.replace(/("from": ")https:\/\/[^/"]+/, `$1${server.url}`)
    .replace(/("token_url": ")[^"]+/, `$1${tokenServer}`);
  await Deno.writeTextFile(file, edit(local));
  const config = readConfig({ ROADMAP_CONFIG: file });
  const [source] = (await ConfiguredSources.read(config)).current;
  await Deno.remove(file);
  return await importLocation(database, source!.from, {
    ...await importOptions(config, source!),
    asOf: TODAY,
    pausesMs: [],
  });
}

/** Name, product, type, status and date of each release, by name. */
async function show(database: Database): Promise<unknown[][]> {
  await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
  const all: Fields[] = [];
  for (let next: string | null = "/api/releases?page_size=200"; next !== null;) {
    const { data, links }: { data: Fields[]; links: { next: string | null } } = await app.json(
      next,
    );
    all.push(...data);
    next = links.next;
  }
  return all.map((item: Fields) => [
    item.feature_name,
    item.product_name,
    item.release_type,
    item.release_status,
    item.release_date,
  ]).sort((one, other) => JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
}

/** One public roadmap: what its server answers, and what is shown then. */
interface Portal {
  name: string;
  answer: (request: Request, url: URL) => Response | Promise<Response>;
  requests: number;
  rows: unknown[][];
  /** What its statuses count as, where their words alone do not say it. */
  tones?: Record<string, string>;
  /** What else is to be seen of it. */
  also?: (database: Database) => Promise<void>;
}

const isBearer = (request: Request) => request.headers.get("authorization") === "Bearer sesame";
const pick = <Item>(all: readonly Item[], from: number, count: number) =>
  all.slice(from, from + count);

const PORTALS: Portal[] = [
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
      ["Post 1", "💡 Ideas", "Not stated", "In Progress", "2026-12-31"],
      ["Post 3", "💡 Ideas", "Not stated", "Completed", null],
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
      ["Idea 2", "Widgets", "Not stated", "planned", null],
      ["Idea 3", "Widgets", "Not stated", "completed", null],
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
      ["Card c1", "Roadmap", "Not stated", "Planned", "2026-12-01"],
      ["Card c2", "Roadmap", "Not stated", "Done", null],
    ],
  },
  {
    name: "GitHub Projects",
    requests: 2,
    async answer(request) {
      if (!isBearer(request)) return Response.json({ message: "Bad credentials" }, { status: 401 });
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
      ["A draft", "Widgets", "Not stated", "Backlog", null],
      ["An issue", "hub", "Not stated", "In Progress", "2026-12-31"],
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
      const all = Array.from({ length: 103 }, (_, place) => ({
        id: `post${place}`,
        title: `Post ${String(place).padStart(3, "0")}`,
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
      ["Post 000", "Features", "Not stated", "planned", "2026-12-31"],
      ["Post 001", "Features", "Not stated", "planned", null],
      ["Post 002", "Features", "Not stated", "closed", null],
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
      ["1 (LTS)", "Deno", "Not stated", "End of life", "2024-10-09"],
      ["1 (LTS)", "Node.js", "Not stated", "End of life", "2024-10-09"],
      ["2 (LTS)", "Deno", "Not stated", "Maintained", "2024-10-09"],
      ["2 (LTS)", "Node.js", "Not stated", "Maintained", "2024-10-09"],
    ],
    tones: { "End of life": "shipped", Maintained: "shipped" },
    async also(database) {
      await using app = await startApp(database, { ROADMAP_VARIANT: "b" });
      const { data } = await app.json("/api/releases?date_name=end+of+life&sort=release_date");
      assertEquals(data.map(({ release_date, dates }: Fields) => [release_date, dates]), [
        ["2027-04-30", { "End of active support": "2025-04-01", "End of life": "2027-04-30" }],
        ["2026-08-31", { "End of active support": "2025-04-01", "End of life": "2026-08-31" }],
        ["2026-08-31", { "End of life": "2026-08-31" }],
        [null, undefined],
      ]);
      const calendar = await (await app.fetch("/calendar.ics?date_name=End+of+life")).text();
      assertEquals(
        [...calendar.matchAll(/^DTSTART.*:(\d+)\r\n(?:.+\r\n)*?SUMMARY:(.*)\r$/gm)]
          .map(([, ...event]) => event),
        [
          ["20260831", "End of life: 1 (LTS) (Deno)"],
          ["20260831", "End of life: 1 (LTS) (Node.js)"],
          ["20270430", "End of life: 2 (LTS) (Node.js)"],
        ],
      );
    },
  },
  {
    name: "Chrome Platform Status",
    requests: 2,
    answer(_request, { searchParams }) {
      const [start, num] = ["start", "num"].map((name) => Number(searchParams.get(name)));
      const all = Array.from({ length: 502 }, (_, place) => ({
        id: 5_000_000_000_000_000 + place,
        name: `Feature ${String(place).padStart(3, "0")}`,
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
    rows: Array.from(
      { length: 502 },
      (
        _,
        place,
      ) => [
        `Feature ${String(place).padStart(3, "0")}`,
        "Chrome",
        "New or changed feature",
        "Enabled by default",
        null,
      ],
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
      ["Anchor positioning", "Web platform", "Not stated", "Newly available", "2026-01-13"],
      ["Barcode detector", "Web platform", "Not stated", "Limited availability", null],
    ],
  },
  {
    name: "AWS What's New",
    requests: 2,
    answer(_request, { searchParams }) {
      const page = Number(searchParams.get("page"));
      const all = Array.from({ length: 101 }, (_, place) => ({
        tags: [{ id: "whats-new-v2#year#2026" }],
        item: {
          id: `whats-new-v2#${place}`,
          dateCreated: "2026-01-02T03:04:05+0000",
          dateUpdated: "2026-01-02T03:04:05+0000",
          additionalFields: {
            headline: `News ${String(place).padStart(3, "0")}`,
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
    rows: Array.from(
      { length: 101 },
      (
        _,
        place,
      ) => [
        `News ${String(place).padStart(3, "0")}`,
        "AWS",
        "Not stated",
        "Launched",
        "2026-01-02",
      ],
    ),
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
      ["Backup for AKS", "Azure", "Not stated", "Launched", null],
      ["Cold tier", "Azure", "Not stated", "In preview", null],
      ["Old images", "Azure", "Not stated", "Retired", null],
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
    rows: [["Winter '27 Major Release", "Salesforce", "release", "Scheduled", "2026-10-10"]],
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
      ["Style Guide for Python Code", "Python", "Process", "Active", null],
      ["Template Strings", "Python", "Standards Track", "Final", null],
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
      ["Card 1", "Star Citizen", "Not stated", "Released", "2026-06-30"],
      ["Card 2", "Star Citizen", "Not stated", "Planned", "2027-03-31"],
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
      ["Message 1", "Exchange Online", "planForChange", "Planned", "2026-12-31"],
      ["Message 2", "Exchange Online", "stayInformed", "Announced", "2026-12-31"],
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
    rows: [["Gmail: a launch", "Calendar", "Not stated", "Confirmed", "2026-12-02"]],
  },
];

for (const { name, answer, requests, rows, tones, also } of PORTALS) {
  testOnOne(`The recipe of ${name} reads the whole roadmap`, async (database) => {
    await using tokens = startTokenServer();
    await using server = serveSource(answer);
    const secrets = {
      GITHUB_PROJECTS_AUTHORIZATION: "Bearer sesame",
      CANNY_API_KEY: "sesame",
      GRAPH_CLIENT_ID: CLIENT.id,
      GRAPH_CLIENT_SECRET: CLIENT.secret,
    };
    for (const [variable, value] of Object.entries(secrets)) Deno.env.set(variable, value);
    try {
      const options = { server, tokenServer: tokens.url };
      await importByRecipe(database, name, options);
      assertEquals(await show(database), rows);
      const statuses = await database.query<{ status: string; tone: string; by: string }>(
        sql`select distinct release_status as status, tone, tone_by as by from items`,
      );
      assertEquals(statuses.filter(({ by }) => by === "unknown"), []);
      if (tones) {
        assertEquals(Object.fromEntries(statuses.map(({ status, tone }) => [status, tone])), tones);
      }
      assertEquals([server.asked.length, name], [requests, name]);
      await also?.(database);
      const again = await importByRecipe(database, name, options);
      const { added, changed, removed } = again;
      assertEquals([added, changed, removed], [0, 0, 0], "the same again changes nothing");
    } finally {
      for (const variable of Object.keys(secrets)) Deno.env.delete(variable);
    }
  });
}

testOnOne("A server that answers otherwise is refused in words", async (database) => {
  const refuse = async (name: string, body: unknown): Promise<string> => {
    await using server = serveSource(() =>
      typeof body === "string" ? new Response(body) : Response.json(body)
    );
    return await importByRecipe(database, name, { server }).then(
      () => "imported",
      (error: Error) => error.message,
    );
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
