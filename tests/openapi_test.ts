import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { importItems, makeItem, startApp, type TestApp } from "./support/app.ts";
import { linkOf } from "./support/mail_server.ts";
import { startWithMail } from "./support/subscribing.ts";
import { testOnDatabases } from "./support/databases.ts";

/** Sites of both variants, one of them below a path. */
const SITES: { path: string; settings: Record<string, string> }[] = [
  { path: "", settings: {} },
  { path: "", settings: { ROADMAP_VARIANT: "b" } },
  { path: "/road/b", settings: { ROADMAP_VARIANT: "both", BASE_URL: "https://example.com/road" } },
];

const ITEMS = [
  makeItem(1, { blog_title: "Post", blog_url: "https://example.com/post" }),
  makeItem(2, { release_date: null, product_id: null, feature_description: null }),
  makeItem(3),
];
const ID = ITEMS[0]!.release_item_id;

testOnDatabases("The OpenAPI document obeys the rules of OpenAPI 3.1", async (database) => {
  for (const { path, settings } of SITES) {
    await using app = await startApp(database, settings);
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

testOnDatabases("Every answer is as the OpenAPI document says", async (database) => {
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
      "/rss",
      "/rss.xml?limit=1",
      "/atom.xml",
      "/feed.json?limit=x",
      "/feed.json",
      "/calendar.ics",
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

testOnDatabases("Subscribing answers as the OpenAPI document says", async (database) => {
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
  const token = new URL(linkOf(mail!, "/verify-email")).searchParams.get("token");
  await check("", `/api/verify-email?token=${token}`);
  assertEquals(check.statuses.has(200), true);
});

testOnDatabases("The OpenAPI document takes what the requests take", async (database) => {
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
