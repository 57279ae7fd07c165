import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  startWithMail,
  stateOf,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example" };

/** What a browser says of where a form was sent from: by another site, or by ours and no browser. */
const FOREIGN: Record<string, string>[] = [
  CROSS_SITE,
  { "Sec-Fetch-Site": "cross-site", "Origin": "null" },
  { "Sec-Fetch-Site": "same-site", "Origin": "https://www.example.com" },
  { "Sec-Fetch-Site": "same-site", "Origin": "null" },
  { "Origin": "https://elsewhere.example" },
  { "Origin": "http://localhost:8001" },
  { "Origin": "http://localhost.elsewhere.example:8000" },
  { "Origin": "null" },
];
const OURS: Record<string, string>[] = [
  {},
  { "Sec-Fetch-Site": "none" },
  { "Sec-Fetch-Site": "same-origin", "Origin": "null" }, // a page whose address holds a token
  { "Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:8000" },
  { "Origin": "http://localhost:8000" }, // the Host
  { "Origin": "https://road.example.com" }, // of BASE_URL, where a proxy changes the Host
];

testOnDatabases("Requests from pages of other sites are refused", async (database) => {
  await using services = await startWithMail(database, {
    LINK_ACTION: "confirm",
    BASE_URL: "https://road.example.com",
  });
  const { app } = services;
  const mail = await subscribeAndRead(services, "ann@example.com");
  const tokenOf = (path: string) => new URL(linkOf(mail, path)).searchParams.get("token")!;
  const forms: [path: string, fields: Record<string, string>, status: number][] = [
    ["/subscribe", { email: "eve@example.com" }, 202],
    ["/new-link", { email: "eve@example.com" }, 202],
    ["/send-preferences-link", { email: "eve@example.com" }, 202],
    ["/verify-email", { token: tokenOf("/verify-email") }, 200],
    [`/verify-email?token=${tokenOf("/verify-email")}`, {}, 200],
    ["/preferences", { token: tokenOf("/preferences"), action: "export" }, 200],
    ["/preferences", { token: tokenOf("/preferences"), cadence: "daily" }, 200],
    ["/unsubscribe", { token: tokenOf("/unsubscribe") }, 200],
  ];
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    app.fetch(path, { method: "POST", headers, body: new URLSearchParams(fields) });
  for (const headers of FOREIGN) {
    for (const [path, fields] of forms) {
      const refused = await post(path, fields, headers);
      assertEquals([path, headers, refused.status], [path, headers, 403]);
      assertEquals(refused.headers.get("cache-control"), "no-store");
      match(await refused.text(), /Requests from pages of other sites are not allowed/);
    }
    const json = await subscribe(app, { email: "eve@example.com" }, headers);
    assertEquals([headers, json.status], [headers, 403]);
    assertEquals(json.headers.get("content-type"), "application/problem+json");
  }
  assertEquals(await stateOf(database, "eve@example.com"), undefined);
  assertEquals(await stateOf(database, "ann@example.com"), "unverified");
  assertEquals((await database.query(sql`select 1 from outbox`)).length, 1);

  for (const [path, fields, status] of forms) {
    for (const headers of OURS) {
      const answer = await post(path, fields, headers);
      assertEquals([path, headers, answer.status], [path, headers, status]);
    }
  }
  for (const headers of OURS) {
    assertEquals((await subscribe(app, { email: "eve@example.com" }, headers)).status, 202);
  }
  assertEquals(await stateOf(database, "ann@example.com"), "unsubscribed");
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
  for (const headers of [{}, ...FOREIGN]) {
    const response = await app.fetch(linkOf(mail, "/unsubscribe"), {
      method: "POST",
      headers,
      body: oneClick,
    });
    assertEquals([headers, response.status], [headers, 200]);
  }
  assertEquals(await stateOf(database, "ann@example.com"), "unsubscribed");
});

testOnDatabases("Pages of other origins may not send requests with effects", async (database) => {
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

testOnDatabases("A name that only leads here for a moment is not this site", async (database) => {
  const BASE_URL = "https://road.example.com";
  await using app = await startApp(database, {
    BASE_URL,
    SMTP_URL: "smtp://localhost",
    MAIL_FROM: "a@example.com",
  });
  const statusAt = async (origin: string, headers: Record<string, string>) => {
    const body = JSON.stringify({ email: "ann@example.com" });
    const type = { "Content-Type": "application/json" };
    const init = { method: "POST", body, headers: { ...type, ...headers } };
    return (await app.fetch(`${origin}/api/subscribe`, init)).status;
  };
  for (
    const origin of [
      "http://rebound.example:8000",
      "http://localhost.example",
      "http://2130706433.example",
    ]
  ) {
    assertEquals([origin, await statusAt(origin, { Origin: origin })], [origin, 403]);
    // What is no browser may call this site by any name.
    assertEquals([origin, await statusAt(origin, {})], [origin, 202]);
    assertEquals(await statusAt(origin, { Origin: BASE_URL }), 202); // a proxy changes the Host
  }
  for (
    const origin of [BASE_URL, "http://127.0.0.1:8000", "http://[::1]:8000", "http://10.0.0.5"]
  ) {
    assertEquals([origin, await statusAt(origin, { Origin: origin })], [origin, 202]);
  }
});

testOnDatabases(
  "A page of EMBED_ORIGINS may have a form to subscribe, and nothing else",
  async (database) => {
    await using services = await startWithMail(database, {
      BASE_URL: "https://road.example.com",
      EMBED_ORIGINS: "https://ours.example",
    });
    const { app } = services;
    const html = await (await app.fetch("/api")).text();
    match(html, /action=(?:"|&quot;)https:\/\/road\.example\.com\/subscribe(?:"|&quot;)/);
    const headers = { "Sec-Fetch-Site": "cross-site", "Origin": "https://ours.example" };
    const post = (path: string, sent: Record<string, string>) =>
      app.fetch(path, {
        method: "POST",
        headers: sent,
        body: new URLSearchParams({ email: "ann@example.com" }),
      });
    assertEquals((await post("/subscribe", headers)).status, 202);
    assertEquals(await stateOf(database, "ann@example.com"), "unverified");
    for (const path of ["/new-link", "/send-preferences-link", "/unsubscribe", "/preferences"]) {
      assertEquals([path, (await post(path, headers)).status], [path, 403]);
    }
    assertEquals((await post("/subscribe", CROSS_SITE)).status, 403);
    await using closed = await startApp(database, { BASE_URL: "https://road.example.com" });
    const refused = await closed.fetch("/subscribe", { method: "POST", headers, body: "" });
    assertEquals(refused.status, 403);
    assertEquals((await (await closed.fetch("/api")).text()).includes("on your own site"), false);
  },
);
