import { deepStrictEqual as assertEquals, ok as assert, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { startApp, TODAY } from "../support/app.ts";
import { testOnDatabases, testOnOne } from "../support/databases.ts";
import { readAt, readTable } from "../support/read_table.ts";
import { serveSource } from "../support/servers/source_server.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url).pathname;
const COUNTS = { added: 0, changed: 0, removed: 0, restored: 0, unchanged: 0 };
const PATH = "/releasecommunications/api/v2/azure";
const ELSEWHERE = "https://relcomms.example/api/v2/azure";

interface Answer {
  total?: number | null;
  top?: number;
  /** The link to the page behind so many items. */
  link?: (skip: number) => string;
  fails?: number;
}

/** Answers as Microsoft's servers do: a count only where it is asked for, a page of `top` items. */
function serveOData(items: unknown[], { total = items.length, top = 2, link, fails }: Answer = {}) {
  return serveSource((_request, { searchParams: asked }) => {
    const skip = Number(asked.get("$skip") ?? asked.get("skip") ?? 0);
    if (skip === fails) return new Response(null, { status: 503 });
    const value = items.slice(skip, skip + top);
    const isCounted = asked.get("$count") === "true" && total !== null;
    return Response.json({
      ...isCounted ? { "@odata.count": total } : {},
      value,
      ...link && skip + top < items.length ? { "@odata.nextLink": link(skip + top) } : {},
    });
  });
}

function azureItem(id: string, more: Record<string, unknown> = {}) {
  const lists = { productCategories: ["Compute"], tags: [], products: ["Batch"] };
  const dates = { generalAvailabilityDate: "2026-03", privatePreviewAvailabilityDate: null };
  const times = { created: "2025-12-11T20:30:24.5013232Z", modified: "2025-12-12T20:30:24.50Z" };
  const availabilities = [{ ring: "General Availability", year: 2026, month: "March" }];
  const texts = { id, title: `Update ${id}`, description: "<p>Text</p>", status: "Launched" };
  return { ...lists, ...dates, ...times, ...texts, availabilities, ...more };
}

const FIVE = ["1", "2", "3", "4", "slug-of-old"].map((id) => azureItem(id));

Deno.test("OData is followed to its end, and never to another host", async () => {
  const links: Record<string, Answer["link"]> = {
    "?$count=true&skip=2 ?$count=true&skip=4": undefined,
    "?$count=true&$skip=2 ?$count=true&$skip=4": (skip) => `${ELSEWHERE}?$skip=${skip}`,
    "?skip=2&from=link&$count=true ?skip=4&from=link&$count=true": (skip) =>
      `?skip=${skip}&from=link&$count=true`,
  };
  for (const [pages, link] of Object.entries(links)) {
    await using server = serveOData(FIVE, { link });
    assertEquals((await readAt(server.url + PATH)).length, 5);
    const asked = ["?$count=true", ...pages.split(" ")].map((query) => `${PATH}${query} 200`);
    assertEquals(server.asked, asked);
  }
});

Deno.test("Without a count the links are followed, by skip", async () => {
  await using server = serveOData(FIVE, { total: null, link: () => ELSEWHERE });
  assertEquals((await readAt(server.url + PATH)).length, 5);
});

testOnDatabases("Incomplete OData removes nothing", async (database) => {
  await using whole = serveOData(FIVE);
  await importLocation(database, whole.url + PATH, { asOf: TODAY });
  const refused: [Answer, RegExp][] = [
    [{ total: 9 }, /it announced 9 items, but sent 5$/],
    [{ fails: 2 }, /azure\?\$count=true&skip=2: the server responded 503 Service Unavailable$/],
    [{ top: 5, total: 6 }, /it announced 6 items, but sent 5$/],
  ];
  for (const [answer, reason] of refused) {
    await using server = serveOData(FIVE, answer);
    const options = { asOf: TODAY, pausesMs: [1] };
    await rejects(importLocation(database, server.url + PATH, options), reason);
  }
  // A server that knows no skip sends the first page for ever.
  await using loop = serveSource(() =>
    Response.json({ "@odata.count": 9, value: FIVE.slice(0, 2) })
  );
  await rejects(importLocation(database, loop.url + PATH, { asOf: TODAY }));
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${folder}/a.json`,
    JSON.stringify({ "@odata.count": 9316, value: FIVE }),
  );
  await rejects(
    importLocation(database, `${folder}/a.json`, { asOf: TODAY }),
    /it is one page of more, with "@odata\.count": 9316, but holds 5 items/,
  );
  await Deno.remove(folder, { recursive: true });
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).pagination.total_items, 5);
});

Deno.test("Azure's updates are recognised and mapped", async () => {
  const ring = (ring: string, month: string) => ({ ring, year: 2026, month });
  const retired = azureItem("515484", {
    title: "[In preview] \ufeffUpdate:\tthe\u200b\u00a0retirement \u0007 ",
    description: '<div style="x"><b>Now</b>&nbsp;<img src="data:image/png;base64,AAAA">gone</div>',
    status: null,
    generalAvailabilityDate: null,
    products: ["Azure Batch ", "Batch", "azure batch"],
    productCategories: ["Compute", "Containers\u00a0"],
    availabilities: [ring("General Availability", "March"), ring("Retirement", "September")],
  });
  const preview = azureItem("slug-of-old", {
    products: [],
    availabilities: [ring("Private Preview", "January"), ring("Preview", "February")],
  });
  const { items } = await readTable("azure.json", { value: [preview, retired] });
  assertEquals(
    items.map((item) => [
      ...[item.release_item_id, item.feature_name, item.product_names, item.release_type],
      ...[item.release_date, item.release_status, item.feature_description, item.last_modified],
      item.tags,
    ]),
    [
      [
        // python3 -c "import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, 'https://azure.microsoft.com/updates?id=slug-of-old'))"
        ...[
          "e98817de-1a28-50c6-bed2-db5d138b7c7f",
          "Update slug-of-old",
          ["Not stated"],
          "Preview",
        ],
        ...["2026-02-28", "Launched", "Text", "2025-12-12"],
        { "Category": ["Compute"], "Release ring": ["Preview", "Private Preview"] },
      ],
      [
        ...["b7645d2c-44ad-5481-977d-c323333c8cb0", "[In preview] Update: the retirement"],
        ...[["Azure Batch", "Batch"], "Retirement", "2026-09-30", "Not stated", "**Now** gone"],
        "2025-12-12",
        {
          "Category": ["Compute", "Containers"],
          "Release ring": ["General Availability", "Retirement"],
        },
      ],
    ],
  );
  const recorded = await Deno.readFile(`${FIXTURES}azure.json`);
  assertEquals((await readTable("azure.json", recorded)).items.length, 5);
});

testOnOne("Versions 1 and 2 of Microsoft 365 are the same releases", async (database) => {
  const { value: [two] } = JSON.parse(await Deno.readTextFile(`${FIXTURES}m365.v2.json`));
  const tags = (names: string[]) => names.map((tagName) => ({ tagName }));
  const one = {
    id: two.id,
    title: `${two.title} `,
    description: two.description,
    moreInfoLink: null,
    publicDisclosureAvailabilityDate: "March CY2026",
    publicPreviewDate: "",
    status: two.status,
    modified: "2025-09-17T23:00:20",
    tagsContainer: {
      products: tags(["Word ", "word", ...two.products]),
      cloudInstances: tags(two.cloudInstances.toReversed()),
      platforms: tags(two.platforms.toReversed()),
      releasePhase: tags(two.releaseRings.toReversed()),
    },
  };
  two.products.unshift("Word");
  const answers: unknown[] = [[one], { "@odata.count": 1, value: [two] }];
  await using server = serveSource(() => Response.json(answers.shift()));
  const read = (version: string) =>
    importLocation(database, `${server.url}/releasecommunications/api/${version}/m365`, {
      asOf: TODAY,
    });
  assertEquals(await read("v1"), { ...COUNTS, added: 1 });
  assertEquals(await read("v2"), { ...COUNTS, unchanged: 1 });
  assertEquals(server.asked, [
    "/releasecommunications/api/v1/m365 200",
    "/releasecommunications/api/v2/m365?$count=true 200",
  ]);
  await using app = await startApp(database);
  const { data: [item] } = await app.json("/api/releases");
  assertEquals([item.release_type, item.release_date, item.product_name], [
    "General Availability",
    "Q1 2026",
    "Microsoft Teams",
  ]);
  assertEquals(item.product_names, ["Microsoft Teams", "Word"]);
  assertEquals(item.tags, {
    "Cloud instance": ["GCC", "GCC High", "Worldwide (Standard Multi-Tenant)"],
    "Platform": ["Desktop", "Mac"],
    "Release ring": ["General Availability", "Targeted Release"],
  });
});

testOnDatabases(
  "Each product finds all its releases, even as a second product",
  async (database) => {
    const { value: [item] } = JSON.parse(await Deno.readTextFile(`${FIXTURES}m365.v2.json`));
    const products = [
      ["Word", "PowerPoint", "Excel"],
      ["PowerPoint"],
      ["Excel", "Word"],
      ["Microsoft 365 Admin Center", "PowerPoint"],
      ["Microsoft 365 admin center"],
    ];
    const value = products.map((products, place) => ({
      ...item,
      id: place + 1,
      title: place === 0 ? "PowerPoint: slides" : "Text",
      products,
    }));
    await using server = serveSource(() => Response.json({ value }));
    await importLocation(database, `${server.url}/api/v2/m365`, { asOf: TODAY });
    await using app = await startApp(database);
    const found: Record<string, number> = {};
    for (const name of [...new Set(products.flat())]) {
      const query = new URLSearchParams({ product_name: name });
      found[name] = (await app.json(`/api/releases?${query}`)).pagination.total_items;
    }
    assertEquals(found, {
      "Word": 2,
      "PowerPoint": 3,
      "Excel": 2,
      "Microsoft 365 Admin Center": 0,
      "Microsoft 365 admin center": 2,
    });
    const { data } = await app.json("/api/releases?product_name=Word&q=PowerPoint:");
    assertEquals(data[0].product_names, ["PowerPoint", "Excel", "Word"]);
  },
);

Deno.test("Descriptions of any length and nesting become short texts", async () => {
  const style = "margin:0;font-family:&quot;Segoe UI&quot;;".repeat(10);
  const word = `<p style="${style}"><span style="${style}">One two three.</span></p>`;
  const texts = {
    long: word.repeat(60),
    deep: "<div>".repeat(2_400) + "deep" + "</div>".repeat(2_400),
    many: "<b>many</b>".repeat(9_000),
  };
  const items = Object.entries(texts).map(([id, description]) => azureItem(id, { description }));
  const read = await readTable("azure.json", { value: items });
  assertEquals(read.items.length, 3);
  for (const { feature_name: name, feature_description: text } of read.items) {
    assert(!text!.includes("<"), name);
    if (name === "Update long") assert(text!.length < 1_000, String(text!.length));
  }
});

Deno.test("The other rings of a release are named dates", async () => {
  const ring = (ring: string, month: string, year = 2026) => ({ ring, month, year });
  const texts = { status: "In development", products: ["Word"], description: "Text" };
  const released = "2026-07-05T10:00:00";
  const two = (id: number, more: Record<string, unknown>) => ({
    ...texts,
    ...{ id, title: `Update ${id}`, created: released, modified: released, ...more },
  });
  const general = "publicDisclosureAvailabilityDate";
  const rows: [Record<string, unknown>, date: string, dates: unknown][] = [
    [{ [general]: "December CY2026", publicPreviewDate: "August CY2026" }, "2026-12-31", {
      Preview: "2026-08-31",
    }],
    [{ [general]: "", publicPreviewDate: "August CY2026" }, "2026-08-31", undefined],
    [{ [general]: "December CY2026", publicPreviewDate: "" }, "2026-12-31", undefined],
    [
      {
        generalAvailabilityDate: "2026-12",
        previewAvailabilityDate: "2026-08",
        availabilities: [
          ring("General Availability", "December"),
          ring("Preview", "July"),
          ring("Preview", "August"),
          ring("Targeted Release", "October"),
        ],
      },
      "2026-12-31",
      { "Preview": "2026-08-31", "Targeted Release": "2026-10-31" },
    ],
    [
      {
        generalAvailabilityDate: "2024-03",
        availabilities: [
          ring("Retirement", "September", 2027),
          ring("General Availability", "March", 2024),
        ],
      },
      "2027-09-30",
      { "General Availability": "2024-03-31" },
    ],
  ];
  const items = rows.map(([more], place) => two(place + 1, more));
  await using server = serveSource(() => Response.json(items));
  const address = `${server.url}/releasecommunications/api/v1/m365`;
  assertEquals(
    (await readAt(address)).map(({ release_date, dates }) => [release_date, dates]),
    rows.map(([, date, dates = {}]) => [date, dates]),
  );
});
