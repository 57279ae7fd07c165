import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { readPage } from "../support/pages.ts";
import { startWithMail } from "../support/subjects/subscribing.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** Sites of both variants, one of them below a path. */
const SITES: { path: string; settings: Record<string, string> }[] = [
  { path: "", settings: {} },
  { path: "", settings: { ROADMAP_VARIANT: "b" } },
  { path: "/road/b", settings: { ROADMAP_VARIANT: "both", BASE_URL: "https://example.com/road" } },
];

const ADMIN_TOKEN = "an-admin-token-of-31-characters";

const ITEMS = [
  makeItem(1, { blog_title: "Post", blog_url: "https://example.com/post" }),
  makeItem(2, { release_date: null, product_id: null, feature_description: null }),
  makeItem(3),
];
const ID = ITEMS[0]!.release_item_id;

testOnDatabases("The OpenAPI document is valid OpenAPI 3.1", async (database) => {
  for (const { path, settings } of SITES) {
    await using app = await startApp(database, { ...settings, ADMIN_TOKEN });
    const response = await app.fetch(`${path}/openapi.json`);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("content-type"), "application/json; charset=utf-8");
    const document = await response.json();
    const validator = new Validator();
    const { valid, errors } = await validator.validate(document);
    assertEquals({ valid, errors }, { valid: true, errors: undefined });
    assertEquals(validator.version, "3.1");
  }
});

testOnDatabases("Each operation of the document is described", async (database) => {
  for (const { path, settings } of SITES) {
    await using app = await startApp(database, { ...settings, ADMIN_TOKEN });
    const { info, tags, paths } = await app.json(`${path}/openapi.json`);
    ok(info.description.length > 0);
    const used = new Set<string>();
    for (const [path, methods] of Object.entries<Document>(paths)) {
      for (const [method, operation] of Object.entries<Document>(methods)) {
        const { tags, summary, description } = operation;
        assertEquals([path, method, tags.length], [path, method, 1]);
        ok(summary && description && summary !== description, `${method} ${path}`);
        used.add(tags[0]);
      }
    }
    assertEquals(new Set(tags.map(({ name }: { name: string }) => name)), used);
    for (const { description } of tags) ok(description.length > 0);
  }
});

testOnDatabases("The API page opens each endpoint by its URL", async (database) => {
  await using app = await startApp(database);
  const { paths } = await app.json("/openapi.json");
  const first = await readPage(app, "/api");
  const links = [...first.matchAll(/href="(\/api\?operation=(\w+))#(\w+)"/g)];
  assertEquals(links.length, Object.keys(paths).length);
  for (const [, address, operation, anchor] of links) {
    assertEquals(anchor, operation);
    const html = await readPage(app, address!);
    assertEquals(html.split('<section class="operation"').length, 2);
    ok(html.includes(`<h2 id="${operation}"`));
    match(
      html,
      new RegExp(`href="/api\\?operation=${operation}#${operation}" aria-current="true"`),
    );
    // Without a script a form can only ask.
    const isPost = html.includes(">POST<");
    const [, form] = /<form([^>]*)>/.exec(html.slice(html.indexOf("<section")))!;
    const [, button] = /<button type="submit"([^>]*)>Run/.exec(html)!;
    assertEquals([form!.includes("action="), button!.includes("disabled")], [!isPost, isPost]);
  }
  ok(first.includes('<h2 id="getReleases"'));
  match(await readPage(app, "/api?operation=getNothing", 404), /no such operation/);
  // What needs the token of the operator is not for readers.
  await using operated = await startApp(database, { ADMIN_TOKEN });
  const { operationId } = (await operated.json("/openapi.json")).paths["/api/import"].post;
  assertEquals((await readPage(operated, "/api")).includes(`operation=${operationId}`), false);
  match(await readPage(operated, `/api?operation=${operationId}`, 404), /no such operation/);
});

testOnDatabases("A snapshot can be sent in every documented format", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const document = await app.json("/openapi.json");
  const content = document.paths["/api/import"].post.requestBody.content;
  const ajv = new Ajv2020({ strict: false });
  const validate = ajv.compile({
    allOf: [content["application/json"].schema],
    components: document.components,
  });
  for (const body of [ITEMS, { data: ITEMS }, { items: ITEMS }, { data: ITEMS, links: {} }]) {
    ok(validate(body), JSON.stringify(validate.errors));
    const response = await app.fetch("/api/import", {
      method: "POST",
      headers: { "Authorization": `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    assertEquals([response.status, await response.text()].slice(0, 1), [200]);
  }
  for (const body of [1, "items", { data: 1 }, [1]]) ok(!validate(body), JSON.stringify(body));
});

testOnDatabases("An ID is described by its format, whatever its UUID version", async (database) => {
  // RFC 9562 leaves the versions above 8 to the future, so clients that check "uuid" refuse this.
  const id = "cd2b1f9e-3e40-f111-a822-000d3a5b2c01";
  await using app = await serve(database, [makeItem(1, { release_item_id: id })]);
  const text = await (await app.fetch("/openapi.json")).text();
  ok(!text.includes('"format":"uuid"'));
  const { paths } = JSON.parse(text);
  const [{ schema }] = paths["/api/releases/history/{release_item_id}"].get.parameters;
  ok(new RegExp(schema.pattern).test(id));
  assertEquals((await app.fetch(`/api/releases/history/${id}`)).status, 200);
});

slowOnDatabases("Every response matches the OpenAPI document", async (database) => {
  await importItems(database, ITEMS, { asOf: "2026-07-10" });
  await importItems(database, [
    { ...ITEMS[0], release_status: "Shipped", last_modified: null },
    ITEMS[1],
  ], { asOf: "2026-07-15" });
  for (const { path, settings } of SITES) {
    await using app = await startApp(database, settings);
    const document = await app.json(`${path}/openapi.json`);
    const check = makeCheck(app, document);
    const addresses = [
      "/api/releases",
      "/api/releases?q=feature&sort=release_date&page=2&page_size=1",
      "/api/releases?q=nothing-at-all",
      `/api/releases?release_item_id=${ID}`,
      "/api/releases?page=abc",
      `/api/releases?release_item_id=${String(ID).replaceAll("0", "9")}`,
      `/api/releases/history/${ID}`,
      "/api/releases/history/abc",
      `/api/releases/history/${String(ID).replaceAll("0", "9")}`,
      "/api/changes",
      "/api/changes?limit=1",
      "/api/changes?after=x",
      "/api/changes/releases",
      "/api/changes/releases?after=x",
      "/api/filter-options",
      "/api/insights",
      "/api/insights?product_name=Product",
      "/api/insights?modified_since=x",
      "/badge.svg",
      "/badge.svg?due=x",
      "/rss",
      "/rss.xml?limit=1",
      "/atom.xml",
      "/feed.json?limit=x",
      "/feed.json",
      "/feeds.opml",
      "/calendar.ics",
      "/releases.csv",
      "/releases.csv?modified_since=x",
      "/changes.csv",
      "/changes.csv?after=x",
      "/api/verify-email",
      "/api/verify-email?token=unknown",
      ...document.paths["/api/changelog"]
        ? ["/api/changelog?days=30", "/api/changelog?days=x", "/api/changelog?days=1"]
        : [],
    ];
    const seen = new Set<string>();
    for (const address of addresses) seen.add(await check(path, address));
    assertEquals([...seen].sort(), readPathsOf(document), "every path was asked");
  }
});

testOnDatabases("Responses to subscribe requests match the OpenAPI document", async (database) => {
  await using served = await startWithMail(database, { SUBSCRIBE_LIMIT: "3" });
  const { app } = served;
  const check = makeCheck(app, await app.json("/openapi.json"));
  const post = (body: string, type = "application/json") =>
    check("", "/api/subscribe", { method: "POST", headers: { "Content-Type": type }, body });
  assertEquals(await post('{"email":"ann@example.com"}'), "/api/subscribe");
  await post('{"email":"ann"}');
  await post("email=ann", "text/plain");
  await post(`"${"x".repeat(40_000)}"`);
  for (let count = 0; count < 3; count++) await post('{"email":"bob@example.com"}');
  assertEquals([...check.statuses].sort(), [202, 400, 413, 415, 429]);
  await app.sendMails();
  const mail = served.mail.received.find(({ envelopeTo }) =>
    envelopeTo.includes("ann@example.com")
  );
  app.advance(3600);
  const ask = (body: string) => {
    const headers = { "Content-Type": "application/json" };
    return check("", "/api/send-preferences-link", { method: "POST", headers, body });
  };
  assertEquals(await ask('{"email":"ann@example.com"}'), "/api/send-preferences-link");
  await ask('{"email":"ann"}');
  const token = new URL(linkOf(mail!, "/verify-email")).searchParams.get("token");
  await check("", `/api/verify-email?token=${token}`);
  assertEquals(check.statuses.has(200), true);
});

testOnDatabases("The OpenAPI document accepts what the requests accept", async (database) => {
  await using app = await startApp(database);
  const { paths, servers } = await app.json("/openapi.json");
  assertEquals(servers, [{ url: "http://localhost:8000" }]);
  const parameters = Object.fromEntries(
    paths["/api/releases"].get.parameters.map((
      { name, schema }: { name: string; schema: Record<string, unknown> },
    ) => [name, schema]),
  );
  assertEquals(parameters.page_size, { type: "integer", minimum: 1, maximum: 200, default: 50 });
  assertEquals(parameters.modified_within_days, { type: "integer", minimum: 1, maximum: 30 });
  assertEquals(parameters.sort.enum, ["last_modified", "release_date", "relevance"]);
  assertEquals(parameters.product_name.type, "array");
  assertEquals(parameters.modified_since.format, "date");
  assertEquals(parameters.include_inactive.default, "false");

  await using appOfB = await startApp(database, { ROADMAP_VARIANT: "b" });
  const { paths: pathsOfB } = await appOfB.json("/openapi.json");
  assertEquals("/api/changelog" in pathsOfB, false);
  const names = pathsOfB["/api/releases"].get.parameters.map(({ name }: { name: string }) => name);
  assertEquals(names.includes("include_inactive"), false);
});

// deno-lint-ignore no-explicit-any
type Document = any;

function readPathsOf({ paths }: Document): string[] {
  return Object.keys(paths).filter((path) => paths[path].get).sort();
}

/** Makes a function that asks an address and compares status, headers and body with the document. */
function makeCheck(app: TestApp, document: Document) {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const statuses = new Set<number>();
  const check = async (site: string, address: string, init?: RequestInit): Promise<string> => {
    const path = Object.keys(document.paths).find((path) => matches(path, address))!;
    const response = await app.fetch(site + address, init);
    statuses.add(response.status);
    const { responses } = document.paths[path][(init?.method ?? "GET").toLowerCase()];
    const described = responses[response.status];
    ok(described, `${address} answered ${response.status}, which is not described`);
    const type = response.headers.get("content-type")!.split(";")[0]!;
    assertEquals(Object.keys(described.content), [type], address);
    const isSearch = address.includes("q=");
    for (const name of Object.keys(described.headers ?? {})) {
      if (name === "Link" || (name === "X-Search-Mode" && !isSearch)) continue;
      ok(response.headers.has(name), `${address} has no ${name}`);
    }
    const text = await response.text();
    const { schema } = described.content[type];
    const validate = ajv.compile({ allOf: [schema], components: document.components });
    const isValid = validate(type.endsWith("json") ? JSON.parse(text) : text);
    ok(isValid, `${address}: ${JSON.stringify(validate.errors)} in ${text}`);
    return path;
  };
  return Object.assign(check, { statuses });
}

function matches(path: string, address: string): boolean {
  const pattern = path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${pattern}$`).test(address.split("?")[0]!);
}
