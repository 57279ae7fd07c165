import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { sql } from "../lib/database/sql.ts";
import { startApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { linkOf } from "./support/mail_server.ts";
import { startWithMail, stateOf, subscribe, subscribeAndRead } from "./support/subscribing.ts";

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example" };

testOnDatabases("What a page of another site sends is refused", async (database) => {
  await using services = await startWithMail(database, { LINK_ACTION: "confirm" });
  const { app } = services;
  const mail = await subscribeAndRead(services, "ann@example.com");
  const tokenOf = (path: string) => new URL(linkOf(mail, path)).searchParams.get("token")!;
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    app.fetch(path, { method: "POST", headers, body: new URLSearchParams(fields) });
  const forms: [string, Record<string, string>][] = [
    ["/subscribe", { email: "eve@example.com" }],
    ["/api/subscribe", { email: "eve@example.com" }],
    ["/new-link", { email: "eve@example.com" }],
    ["/verify-email", { token: tokenOf("/verify-email") }],
    [`/verify-email?token=${tokenOf("/verify-email")}`, {}],
    ["/unsubscribe", { token: tokenOf("/unsubscribe") }],
  ];
  for (const [path, fields] of forms) {
    const refused = await post(path, fields, CROSS_SITE);
    assertEquals([path, refused.status], [path, 403]);
    assertEquals(refused.headers.get("cache-control"), "no-store");
    match(await refused.text(), /A page of another site cannot send this for its visitors/);
  }
  const json = await subscribe(app, { email: "eve@example.com" }, CROSS_SITE);
  assertEquals(json.status, 403);
  assertEquals(json.headers.get("content-type"), "application/problem+json");
  assertEquals(await stateOf(database, "eve@example.com"), undefined);
  assertEquals(await stateOf(database, "ann@example.com"), "unverified");
  assertEquals((await database.query(sql`select 1 from outbox`)).length, 1);

  // What the site's own pages send, and what is no browser, is served.
  for (const site of ["same-origin", "same-site", "none"]) {
    const sent = await post("/subscribe", { email: `${site}@example.com` }, {
      "Sec-Fetch-Site": site,
    });
    assertEquals([site, sent.status], [site, 202]);
  }
  const own = await post("/verify-email", { token: tokenOf("/verify-email") }, {
    "Sec-Fetch-Site": "same-origin",
    "Origin": "null", // the page that holds a token tells nobody where it came from
  });
  assertEquals(own.status, 200);
  assertEquals(await stateOf(database, "ann@example.com"), "verified");
});

testOnDatabases("Links and the one-click form work from everywhere", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const mail = await subscribeAndRead(services, "ann@example.com");
  const follow = (path: string, init: RequestInit = {}) =>
    app.fetch(linkOf(mail, path), { ...init, headers: CROSS_SITE });
  assertEquals((await follow("/verify-email")).status, 200); // a mail program in the browser
  assertEquals(await stateOf(database, "ann@example.com"), "verified");
  const oneClick = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  const response = await follow("/unsubscribe", { method: "POST", body: oneClick });
  assertEquals(response.status, 200);
  assertEquals(await stateOf(database, "ann@example.com"), "unsubscribed");
});

testOnDatabases("Pages of other origins may not ask for what acts", async (database) => {
  await using app = await startApp(database);
  const preflight = (path: string, method: string) =>
    app.fetch(path, {
      method: "OPTIONS",
      headers: {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "content-type",
      },
    });
  for (
    const [path, allow] of [
      ["/api/subscribe", "POST, OPTIONS"],
      ["/new-link", "POST, OPTIONS"],
      ["/verify-email", "GET, HEAD, POST, OPTIONS"],
      ["/unsubscribe", "GET, HEAD, POST, OPTIONS"],
    ] as const
  ) {
    const { status, headers } = await preflight(path, "POST");
    assertEquals([path, status, headers.get("allow")], [path, 204, allow]);
    assertEquals(headers.get("access-control-allow-origin"), null);
    assertEquals(headers.get("access-control-allow-methods"), null);
  }
  // The page with the form may be read, and no more.
  const { headers } = await preflight("/subscribe", "POST");
  assertEquals(headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS");
});
