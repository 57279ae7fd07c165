import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Database, DatabaseBusy } from "../../lib/database/database.ts";
import { toolRequest } from "../support/subjects/tool_request.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor } from "../support/subjects/semantic.ts";

const ID = makeItem(1).release_item_id as string;
const TOOLS = ["get_release", "list_changes", "list_filter_options", "search_releases"];

/** A service on a port, with the official client connected to it. */
async function startAsked(
  database: Database,
  settings: Record<string, string> = {},
  path = "/mcp",
) {
  const app = await startApp(database, settings);
  const server = app.listen();
  const url = new URL(`http://127.0.0.1:${server.port}${path}`);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(url));
  return {
    app,
    client,
    url,
    // deno-lint-ignore no-explicit-any
    async call(name: string, args: Record<string, unknown> = {}): Promise<any> {
      const result = await client.callTool({ name, arguments: args });
      const [content] = result.content as { type: string; text: string }[];
      return { ...result, text: content!.text };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Two imports: three items, of which one then ships and another one goes. */
async function importStory(database: Database): Promise<void> {
  const others = { product_name: "Other", last_modified: null, release_type: "Preview" };
  const items = [makeItem(1, { last_modified: null }), makeItem(2, others), makeItem(3, others)];
  await importItems(database, items, { asOf: "2026-07-10" });
  const shipped = makeItem(1, { last_modified: null, release_status: "Shipped" });
  await importItems(database, [shipped, items[1]], { asOf: "2026-07-15" });
}

testOnDatabases("Every tool describes what it does, its input and its output", async (database) => {
  for (const ROADMAP_VARIANT of ["a", "b"]) {
    await using asked = await startAsked(database, { ROADMAP_VARIANT });
    const { tools } = await asked.client.listTools();
    assertEquals(tools.map(({ name }) => name).sort(), TOOLS);
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      assert(title && description!.length > 100, name);
      assertEquals(annotations?.readOnlyHint, true, name);
      assertEquals(inputSchema.type, "object");
      assertEquals(outputSchema?.type, "object");
      for (const [key, value] of Object.entries(inputSchema.properties ?? {})) {
        assert((value as { description?: string }).description, `${name} ${key}`);
      }
    }
    const { properties } = tools.find(({ name }) => name === "search_releases")!.inputSchema;
    const product = properties!.product_name as { type: string };
    assertEquals(product.type, "array");
    assertEquals((properties!.page_size as { maximum: number }).maximum, 50);
    assert(asked.client.getInstructions()!.includes("Roadcast"));
  }
});

testOnDatabases(
  "search_releases returns what /api/releases returns, with paging",
  async (database) => {
    await importStory(database);
    await using asked = await startAsked(database, { BASE_URL: "https://example.com/road" });
    const { structuredContent, text } = await asked.call("search_releases", {
      product_name: ["Product", "Other"],
      page_size: 1,
    });
    const { data: [release] } = await asked.app.json("/road/api/releases?page_size=1");
    assertEquals(structuredContent, {
      releases: [{ ...release, url: `https://example.com/road/release/${ID}` }],
      total_items: 2,
      page: 1,
      total_pages: 2,
      next_page: 2,
      search_mode: null,
    });
    assert(
      text.startsWith("2 releases found; this is page 1 of 2.\n\nFeature 1 (Product): Shipped,"),
    );
    assert(text.includes(`https://example.com/road/release/${ID}`));
    const found = async (args: Record<string, unknown>) => {
      const { structuredContent } = await asked.call("search_releases", args);
      return structuredContent.releases.map(({ feature_name }: { feature_name: string }) =>
        feature_name
      );
    };
    assertEquals(await found({ q: "feature 2" }), ["Feature 2"]);
    assertEquals(await found({ release_status: ["Nothing"] }), []);
    assertEquals((await found({ include_inactive: true })).length, 3);
    assertEquals(await found({ release_date_from: "Q4 2026" }), []);
    assertEquals(await found({ modified_since: "2026-07-12", order: "asc" }), ["Feature 1"]);
  },
);

testOnDatabases("get_release returns a release with its history", async (database) => {
  await importStory(database);
  for (const ROADMAP_VARIANT of ["a", "b"]) {
    await using asked = await startAsked(database, { ROADMAP_VARIANT });
    const { structuredContent, text } = await asked.call("get_release", { release_item_id: ID });
    const release = await asked.app.json(`/api/releases?release_item_id=${ID}`);
    const history = await asked.app.json(`/api/releases/history/${ID}`);
    const url = `http://localhost:8000/release/${ID}`;
    assertEquals(structuredContent, { release: { ...release, url }, history, more_changes: 0 });
    assert(text.includes("A description") && text.includes("2026-07-15: Release"), text);
  }
});

testOnDatabases("list_changes groups releases with the same change, by kind", async (database) => {
  const items = (release_date: string) =>
    [1, 2, 3].map((number) => makeItem(number, { release_date, last_modified: null }));
  await importItems(database, [...items("Q3 2026"), makeItem(4)]);
  await importItems(database, [
    ...items("Q1 2027"),
    makeItem(4, { release_status: "Shipped", last_modified: null }),
  ]);
  await using asked = await startAsked(database);
  const slipped = await asked.call("list_changes", { kind: ["slipped"] });
  const story = "3 releases of Product slipped from Q3 2026 to Q1 2027";
  assertEquals(slipped.structuredContent.stories, [story]);
  assertEquals(slipped.structuredContent.total_releases, 3);
  match(slipped.text, new RegExp(`^3 releases changed .*\\n\\n- ${story}\\n`));
  const shipped = await asked.call("list_changes", { kind: ["shipped"], date: "2026-07-20" });
  assertEquals(shipped.structuredContent.stories, []);
  assertEquals(shipped.structuredContent.total_releases, 1);
});

testOnDatabases(
  "list_changes returns the changelog, at most 50 releases and how many more",
  async (database) => {
    await importStory(database);
    {
      await using asked = await startAsked(database);
      const { structuredContent, text } = await asked.call("list_changes", { days: 6 });
      const { days: [day] } = await asked.app.json("/api/changelog?days=6");
      assertEquals(
        structuredContent.releases.map(({ url: _, ...release }: { url: string }) => release),
        day.items,
      );
      assert(text.includes("- Release Status Planned -> Shipped"), text);
      const active = await asked.call("list_changes", { days: 6, include_inactive: false });
      assertEquals(active.structuredContent.total_releases, 1);
    }
    const many = Array.from({ length: 70 }, (_, n) => makeItem(n + 1, { last_modified: null }));
    await importItems(database, many, { asOf: "2026-07-20" });
    await using asked = await startAsked(database, { ROADMAP_VARIANT: "b" });
    const { structuredContent: { releases, total_releases, more_releases } } = await asked.call(
      "list_changes",
    );
    assertEquals([releases.length, total_releases, more_releases], [50, 70, 20]);
    assertEquals("active" in releases[0], false);
  },
);

testOnDatabases("list_filter_options returns the values to filter by", async (database) => {
  await importStory(database);
  await using asked = await startAsked(database);
  const { structuredContent, text } = await asked.call("list_filter_options");
  assertEquals(structuredContent, {
    product_names: { values: ["Other", "Product"], more: 0 },
    release_types: { values: ["General availability", "Preview"], more: 0 },
    release_statuses: { values: ["Planned", "Shipped"], more: 0 },
  });
  assert(text.includes("- Shipped"));
});

testOnDatabases("An invalid call gets an error that says what is valid", async (database) => {
  await importStory(database);
  await using asked = await startAsked(database, { ROADMAP_VARIANT: "b" });
  const refused = async (name: string, args: Record<string, unknown>) => {
    const { isError, text, structuredContent } = await asked.call(name, args);
    assertEquals([isError, structuredContent], [true, undefined]);
    return text as string;
  };
  const [missing, removed] = [ID.replaceAll("0", "9"), makeItem(3).release_item_id];
  for (
    const [name, args, words] of [
      ["get_release", { release_item_id: missing }, `There is no release with the id ${missing}`],
      ["get_release", { release_item_id: removed }, `There is no release with the id ${removed}`],
      ["get_release", { release_item_id: "x" }, "release_item_id must be a UUID"],
      ["search_releases", { modified_since: "2026-02-30" }, "must be a date such as 2026-01-31"],
      ["search_releases", { page_size: 51 }, "page_size"],
      ["search_releases", { page_size: 0 }, "page_size"],
      ["search_releases", { product_name: { a: 1 } }, "product_name"],
      ["search_releases", { status: ["Shipped"] }, "status"],
      ["search_releases", { q: "x".repeat(1_001) }, "q"],
      ["list_changes", { days: 91 }, "days"],
      ["get_release", {}, "release_item_id"],
    ] as const
  ) assert((await refused(name, args)).includes(words), `${name} ${words}`);
});

testOnDatabases(
  "Requests that violate the protocol are refused as it specifies",
  async (database) => {
    await using app = await startApp(database, { BASE_URL: "https://example.com" });
    const send = (init: RequestInit) => app.fetch("/mcp", init);
    const headers = {
      "Content-Type": "application/json",
      "Accept": "application/json, text/event-stream",
    };
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await send({ method });
      assertEquals(
        [response.status, response.headers.get("allow")],
        [405, "POST, OPTIONS"],
        method,
      );
    }
    for (const origin of ["https://evil.example", "null", "http://example.com"]) {
      const response = await send({ method: "POST", headers: { ...headers, origin }, body: ping });
      assertEquals(response.status, 403, origin);
      assertEquals(response.headers.get("content-type"), "application/problem+json");
    }
    const own = { ...headers, origin: "https://example.com" };
    const answer = await send({ method: "POST", headers: own, body: ping });
    assertEquals([answer.status, answer.headers.get("cache-control")], [200, "no-store"]);
    const long = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(64 * 1024) });
    assertEquals((await send({ method: "POST", headers, body: long })).status, 413);
    for (const body of ["{", "", "hello", "\u0000"]) {
      const response = await send({ method: "POST", headers, body });
      assertEquals(response.status, 400);
      assertEquals((await response.json()).error.code, -32700);
    }
    for (const body of ["[]", "1", "null", '"x"', '{"method":"ping"}', '{"jsonrpc":"2.0"}']) {
      const response = await send({ method: "POST", headers, body });
      const text = await response.text();
      assertEquals(response.status, 400, body);
      assert(JSON.parse(text).error.code < 0, text);
    }
    for (const batch of ["[]", `[${ping}]`, `[${ping},${ping}]`]) {
      const response = await send({ method: "POST", headers, body: batch });
      assertEquals(response.status, 400, batch);
      const { error, id } = await response.json();
      assertEquals([error.code, id], [-32600, null], batch);
    }
    const unknown = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "no/such" });
    const text = await (await send({ method: "POST", headers, body: unknown })).text();
    assert(text.includes("-32601"), text);
    const listen = JSON.stringify({ jsonrpc: "2.0", id: 8, method: "subscriptions/listen" });
    assert(
      (await (await send({ method: "POST", headers, body: listen })).text()).includes('"error"'),
    );
  },
);

testOnDatabases("Arguments may be written as models write them", async (database) => {
  await importStory(database);
  await using asked = await startAsked(database);
  const idsOf = async (args: Record<string, unknown>) => {
    const { isError, structuredContent, text } = await asked.call("search_releases", args);
    assert(!isError, text);
    return structuredContent.releases.map(({ product_name }: { product_name: string }) =>
      product_name
    );
  };
  assertEquals(await idsOf({ product_name: "Other" }), ["Other"]);
  assertEquals(await idsOf({ product_name: '["Other"]' }), ["Other"]);
  assertEquals((await idsOf({ product_name: ["Other"], include_inactive: "true" })).length, 2);
  assertEquals((await idsOf({ include_inactive: "False", page: "1", page_size: "50" })).length, 2);
  assertEquals((await idsOf({ q: null, product_name: null, page: null })).length, 2);
  // The empty list of a program without types is no argument.
  assertEquals((await idsOf([] as unknown as Record<string, unknown>)).length, 2);
  assertEquals((await idsOf({ q: 1, modified_since: "2026-07-15" })).length, 1);
  const { isError, text } = await asked.call("search_releases", { page: "one", page_size: "" });
  assertEquals([isError, /page/.test(text)], [true, true]);
});

testOnDatabases("An answer has the form that a client takes", async (database) => {
  await importStory(database);
  await using app = await startApp(database);
  const call = { name: "search_releases", arguments: null };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: call });
  const send = (headers: Record<string, string>) =>
    app.fetch("/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
    });
  const json = ["*/*", "application/json", "application/*", "text/html, */*;q=0.1"];
  for (const headers of [{}, ...json.map((Accept) => ({ Accept }))]) {
    const response = await send(headers);
    assertEquals([response.status, response.headers.get("content-type")], [
      200,
      "application/json",
    ]);
    const { id, result } = await response.json();
    assertEquals([id, result.structuredContent.total_items], [7, 2]);
  }
  for (const Accept of ["text/event-stream", "application/json, text/event-stream"]) {
    const response = await send({ Accept });
    assertEquals([response.status, response.headers.get("content-type")], [
      200,
      "text/event-stream",
    ]);
  }
  assertEquals((await send({ Accept: "text/html" })).status, 406);
});

testOnDatabases("A call gets 503 while the database is too busy", async (database) => {
  let isBusy = false;
  await using app = await startApp({
    ...database,
    query: (statement, caller) =>
      isBusy ? Promise.reject(new DatabaseBusy("too much")) : database.query(statement, caller),
  });
  isBusy = true;
  const response = await app.fetch("/mcp", toolRequest("search_releases"));
  assertEquals([response.status, response.headers.get("retry-after")], [503, "5"]);
  assert((await response.json()).detail.includes("too busy"));
});

testOnDatabases("MCP=off disables it, and each site has its own", async (database) => {
  await importStory(database);
  {
    await using app = await startApp(database, { MCP: "off" });
    for (const method of ["GET", "POST"]) {
      assertEquals((await app.fetch("/mcp", { method })).status, 404);
    }
  }
  await using asked = await startAsked(database, { ROADMAP_VARIANT: "both" }, "/b/mcp");
  const { structuredContent } = await asked.call("search_releases", { q: "feature 1" });
  const [release] = structuredContent.releases;
  assertEquals(release.release_date, "2026-09-30");
  assertEquals("active" in release, false);
  assertEquals(release.url, `http://localhost:8000/b/release/${ID}`);
});

testOnDatabases("New questions of an assistant count for its client", async (database) => {
  await importStory(database);
  await using embedding = startEmbeddingServer();
  const settings = settingsFor(embedding, { QUESTION_LIMIT: "1" });
  await embedAll(database, settings);
  await using asked = await startAsked(database, settings);
  const before = embedding.requests.length;
  const modes: unknown[] = [];
  for (const q of ["feature first", "feature second", "feature first"]) {
    const { structuredContent } = await asked.call("search_releases", { q });
    modes.push(structuredContent.search_mode);
  }
  assertEquals(modes, ["semantic", "any-word", "semantic"]);
  assertEquals(embedding.requests.length - before, 1);
});
