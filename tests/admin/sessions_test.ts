import { deepStrictEqual as assertEquals, match, throws } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import {
  ADMIN_TOKEN,
  cookieOf,
  operatorWith,
  signIn,
  startOperator,
} from "../support/subjects/operator.ts";
import { slowOnDatabases } from "../support/slow.ts";

slowOnDatabases("Without ADMIN_TOKEN nothing exists below /admin", async (database) => {
  await using app = await startApp(database);
  for (const path of ["/admin", "/admin/sign-in", "/admin/audit", "/admin/nothing"]) {
    assertEquals([path, (await app.fetch(path)).status], [path, 404]);
  }
  assertEquals((await signIn(app, ADMIN_TOKEN)).status, 404);
});

slowOnDatabases("Each page has one URL, at the main site only", async (database) => {
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/roadmap",
  });
  const statusOf = async (path: string) => (await app.fetch(path)).status;
  assertEquals(await statusOf("/roadmap/admin"), 303);
  const others = [
    ...["/admin", "/admin/sign-in", "/admin/audit", "/roadmap/roadmap/admin", "/admin/"],
    ...["/roadmap/%61dmin", "/roadmap/admin/%61udit", "/b/admin"],
    ...["/roadmap/b/admin", "//roadmap/admin", "/Roadmap/admin"],
  ];
  for (const path of others) assertEquals([path, await statusOf(path)], [path, 404]);
  match(
    await (await app.fetch("/admin")).text(),
    /it is at \/roadmap\/admin: if a proxy removes the path of BASE_URL, set PROXY_STRIPS_PATH=true/,
  );
  const response = await signIn(app, ADMIN_TOKEN, { path: "/roadmap" });
  assertEquals(response.headers.get("location"), "/roadmap/admin");
  match(
    response.headers.get("set-cookie")!,
    /^roadcast_admin=[^;]+; Path=\/roadmap\/admin; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
  );
});

slowOnDatabases("Behind a proxy that strips the path, each page has one URL", async (database) => {
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    PROXY_STRIPS_PATH: "true",
    BASE_URL: "https://example.com/roadmap",
  });
  const statusOf = async (path: string) => (await app.fetch(path)).status;
  assertEquals(await statusOf("/admin"), 303);
  for (const path of ["/roadmap/admin", "/roadmap/admin/sign-in", "/roadmap/roadmap/admin"]) {
    assertEquals([path, await statusOf(path)], [path, 404]);
  }
  for (const path of ["/", "/roadmap/", "/health", "/roadmap/health"]) {
    assertEquals([path, await statusOf(path)], [path, 200]);
  }
});

testOnDatabases("The token creates a session and leads to the requested page", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const asked = await app.fetch("/admin/audit?before=7");
  assertEquals(asked.status, 303);
  assertEquals(asked.headers.get("location"), "/admin/sign-in?next=%2Fadmin%2Faudit%3Fbefore%3D7");
  const form = await app.fetch("/admin/sign-in?next=%2Fadmin%2Faudit%3Fbefore%3D7");
  match(await form.text(), /name="next" value="\/admin\/audit\?before=7"/);

  const wrong = await signIn(app, "not-the-token-of-the-operators");
  assertEquals([wrong.status, wrong.headers.get("set-cookie")], [403, null]);
  match(await wrong.text(), /This token is wrong\./);

  const right = await signIn(app, ADMIN_TOKEN, { next: "/admin/audit" });
  assertEquals([right.status, right.headers.get("location")], [303, "/admin/audit"]);
  match(
    right.headers.get("set-cookie")!,
    /^roadcast_admin=[^;]+; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  const operator = operatorWith(app, { cookie: cookieOf(right) });
  const page = await operator.get("/admin");
  assertEquals(page.status, 200);
  assertEquals(page.headers.get("cache-control"), "no-store");
  assertEquals(page.headers.get("x-frame-options"), "DENY");
  assertEquals(page.headers.get("access-control-allow-origin"), null);
  match(page.headers.get("content-security-policy")!, /script-src 'self'.*frame-ancestors 'none'/);
  assertEquals((await operator.get("/admin/sign-in")).headers.get("location"), "/admin");
  assertEquals((await app.fetch("/admin", { method: "HEAD" })).status, 303);
});

testOnDatabases("A sign-in link cannot redirect to another site", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  for (
    const next of [
      "//evil.example",
      "https://evil.example",
      "/admin/..//evil.example",
      "/",
      "/admin@evil",
      "/admin?a\r\nb: c",
    ]
  ) {
    const response = await signIn(app, ADMIN_TOKEN, { next });
    assertEquals([next, response.headers.get("location")], [next, "/admin"]);
  }
});

testOnDatabases("A session ends by expiry, by signing out and by a new token", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const other = await startOperator(app);
  app.advance(12 * 3600 - 1);
  assertEquals((await operator.get("/admin")).status, 200);
  app.advance(1);
  assertEquals((await operator.get("/admin")).status, 303);

  const again = await startOperator(app);
  const out = await again.post("/admin/sign-out");
  assertEquals([out.status, out.headers.get("location")], [303, "/admin/sign-in"]);
  match(out.headers.get("set-cookie")!, /^roadcast_admin=; Path=\/admin; Max-Age=0;/);
  assertEquals((await again.get("/admin")).status, 303); // also with a copy of the cookie
  assertEquals((await again.post("/admin/sign-out")).status, 303);
  assertEquals((await other.post("/admin/sign-out")).headers.get("location"), "/admin/sign-in");

  const staying = await startOperator(app);
  const leaving = await startOperator(app); // within the same second
  await leaving.post("/admin/sign-out");
  assertEquals((await leaving.get("/admin")).status, 303);
  assertEquals((await staying.get("/admin")).status, 200);

  const cookie = cookieOf(await signIn(app, ADMIN_TOKEN));
  await using changed = await startApp(database, { ADMIN_TOKEN: `${ADMIN_TOKEN}-2` });
  assertEquals((await changed.fetch("/admin", { headers: { cookie } })).status, 303);
  await using elsewhere = await startApp(database, { ADMIN_TOKEN });
  assertEquals((await elsewhere.fetch("/admin", { headers: { cookie } })).status, 200);

  const everywhere = await staying.post("/admin/sign-out", { everywhere: "yes" });
  assertEquals(everywhere.status, 303);
  assertEquals((await staying.get("/admin")).status, 303);
  assertEquals((await elsewhere.fetch("/admin", { headers: { cookie } })).status, 303);
  assertEquals((await (await startOperator(app)).get("/admin")).status, 200);
});

testOnDatabases("A session cannot be forged or extended", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const session = cookieOf(await signIn(app, ADMIN_TOKEN));
  const [, expires, id, signature] = /=(\d+)\.([^.]*)\.(.*)$/.exec(session)!;
  const forged = [
    "roadcast_admin=",
    `roadcast_admin=${expires}.`,
    `roadcast_admin=${expires}.${signature}`,
    `roadcast_admin=${Number(expires) + 1}.${id}.${signature}`,
    `roadcast_admin=${expires}.${"A".repeat(22)}.${signature}`,
    `roadcast_admin=${expires}.${id}.${"A".repeat(43)}`,
    `roadcast_admin=${expires}.${id}.${"é".repeat(43)}`.replaceAll("é", "%C3%A9"),
    `xroadcast_admin=${expires}.${signature}`,
    session.slice(0, -1),
  ];
  for (const cookie of forged) {
    const { status } = await app.fetch("/admin", { headers: { cookie } });
    assertEquals([cookie, status], [cookie, 303]);
  }
  const among = `a=b; ${session}; c=d`;
  assertEquals((await app.fetch("/admin", { headers: { cookie: among } })).status, 200);
});

testOnDatabases("A long token is let in whatever others tried", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN: `${ADMIN_TOKEN}-of-32-characters` });
  const token = `${ADMIN_TOKEN}-of-32-characters`;
  const guesses = Array.from({ length: 30 }, (_, place) => signIn(app, `a-wrong-token-${place}`));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assertEquals(statuses.filter((status) => status === 403).length, 10);
  assertEquals(statuses.filter((status) => status === 429).length, 20);
  assertEquals((await signIn(app, token)).status, 303);
  const work = (token: string) =>
    app.fetch("/api/work", { method: "POST", headers: { "Authorization": `Bearer ${token}` } });
  assertEquals((await work(token)).status, 200);
  assertEquals((await work(`${token}x`)).status, 429);
});

testOnDatabases(
  "A client has ten invalid tokens an hour, and valid ones do not count",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN, TRUSTED_PROXIES: "1" });
    const from = (address: string) => ({ headers: { "X-Forwarded-For": address } });
    const ours = from("203.0.113.7");
    for (let time = 0; time < 12; time++) {
      assertEquals((await signIn(app, ADMIN_TOKEN, ours)).status, 303);
    }
    // All at once, one of them right: no more than ten are compared.
    const guesses = Array.from(
      { length: 30 },
      (_, place) => signIn(app, place === 29 ? ADMIN_TOKEN : `a-wrong-token-number-${place}`, ours),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assertEquals(statuses.filter((status) => status !== 429).length, 10);
    const refused = await signIn(app, ADMIN_TOKEN, ours);
    assertEquals([refused.status, refused.headers.get("set-cookie")], [429, null]);
    assertEquals(refused.headers.has("retry-after"), true);
    match(await refused.text(), /Too many wrong tokens from your network address/);
    // The same limit as that of the API.
    const api = await app.fetch("/api/work", {
      method: "POST",
      headers: { "Authorization": `Bearer ${ADMIN_TOKEN}`, ...ours.headers },
    });
    assertEquals(api.status, 429);
    assertEquals((await signIn(app, ADMIN_TOKEN, from("203.0.113.8"))).status, 303);
    app.advance(3601);
    assertEquals((await signIn(app, ADMIN_TOKEN, ours)).status, 303);
  },
);

testOnDatabases("Forms of other sites are refused, whatever their cookies", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const foreign: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site", "Origin": "null" },
    { "Sec-Fetch-Site": "same-site", "Origin": "https://www.localhost" },
    { "Origin": "https://elsewhere.example" },
    { "Origin": "null" },
  ];
  for (const headers of foreign) {
    const out = await operator.post("/admin/sign-out", { everywhere: "yes" }, headers);
    assertEquals([headers, out.status], [headers, 403]);
    assertEquals((await signIn(app, ADMIN_TOKEN, { headers })).status, 403);
  }
  assertEquals((await operator.get("/admin")).status, 200);
  const ours = { "Sec-Fetch-Site": "same-origin", "Origin": "null" };
  assertEquals((await operator.post("/admin/sign-out", {}, ours)).status, 303);
});

testOnDatabases("A trusted proxy signs in by a header", async (database) => {
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    TRUSTED_PROXIES: "1",
    ADMIN_USER_HEADER: "X-Forwarded-User",
  });
  const ann = operatorWith(app, { "X-Forwarded-User": "ann@example.com" });
  match(await ann.read("/admin"), /Signed in as ann@example\.com/);
  const session = cookieOf(
    await (async () => {
      await using plain = await startApp(database, { ADMIN_TOKEN });
      return await signIn(plain, ADMIN_TOKEN);
    })(),
  );
  for (
    const headers of [{}, { "X-Forwarded-User": " " }, { cookie: session }] as Record<
      string,
      string
    >[]
  ) {
    const refused = await app.fetch("/admin", { headers });
    assertEquals([headers, refused.status], [headers, 403]);
    match(await refused.text(), /The proxy did not name a user in the header X-Forwarded-User/);
    const twice = await app.fetch("/admin", { headers: { "X-Forwarded-User": "ann, mallory" } });
    assertEquals(twice.status, 403);
    match(await twice.text(), /The header X-Forwarded-User came twice, or names several users/);
  }
  const unneeded = await signIn(app, ADMIN_TOKEN);
  assertEquals([unneeded.status, unneeded.headers.get("set-cookie")], [303, null]);
});

testOnDatabases(
  "A proxy's header counts from this machine and ADMIN_PROXY only",
  async (database) => {
    const settings = { ADMIN_TOKEN, TRUSTED_PROXIES: "1", ADMIN_USER_HEADER: "X-User" };
    const statusFrom = async (app: TestApp, from: string, headers: Record<string, string>) =>
      (await app.fetch("/admin", { headers }, from)).status;
    const user = { "X-User": "mallory" };
    await using app = await startApp(database, settings);
    for (const from of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
      assertEquals([from, await statusFrom(app, from, user)], [from, 200]);
    }
    const foreign = ["203.0.113.9", "10.0.0.5", "2001:db8::1", "::ffff:10.0.0.5", "0.0.0.0", "::"];
    for (const from of foreign) {
      // What a client says of itself does not count.
      for (const headers of [user, { ...user, "X-Forwarded-For": "127.0.0.1" }]) {
        assertEquals([from, await statusFrom(app, from, headers)], [from, 403]);
      }
    }
    const refused = await app.fetch("/admin/sign-in", { headers: user }, "203.0.113.9");
    match(await refused.text(), /The request came from 203\.0\.113\.9, not from a proxy that may/);
    const ADMIN_PROXY = " 10.0.0.5  172.16.0.0/12 2001:db8::/32 ";
    await using listed = await startApp(database, { ...settings, ADMIN_PROXY });
    const known = ["10.0.0.5", "::ffff:10.0.0.5", "172.31.0.1", "2001:db8:ffff::1", "127.0.0.1"];
    for (const from of known) {
      assertEquals([from, await statusFrom(listed, from, user)], [from, 200]);
    }
    for (const from of ["10.0.0.6", "172.32.0.1", "2001:db9::1"]) {
      assertEquals([from, await statusFrom(listed, from, user)], [from, 403]);
    }
  },
);

Deno.test("ADMIN_USER_HEADER needs ADMIN_TOKEN and TRUSTED_PROXIES", () => {
  throws(() => readConfig({ ADMIN_USER_HEADER: "X-User" }), {
    message:
      /^ADMIN_TOKEN is required with ADMIN_USER_HEADER; .*\nTRUSTED_PROXIES is required with ADMIN_USER_HEADER/,
  });
  throws(() => readConfig({ ADMIN_USER_HEADER: "X-User", ADMIN_TOKEN }), {
    message: /^TRUSTED_PROXIES is required with ADMIN_USER_HEADER/,
  });
});

testOnDatabases(
  "Operator actions are stored for 90 days, and logged without a token",
  async (database) => {
    await using app = await startApp(database, {
      ADMIN_TOKEN,
      TRUSTED_PROXIES: "1",
      ADMIN_USER_HEADER: "X-User",
    });
    const hostile = "<img src=x onerror=alert(1)>";
    const operator = operatorWith(app, { "X-User": hostile });
    await using log = await recordLog();
    await operator.post("/admin/sign-out", { everywhere: "yes" });
    match(log.lines.join("\n"), /signed out everywhere/);
    const page = await operator.read("/admin/audit");
    match(page, /<time datetime="2026-07-20T12:00:00Z">20 Jul 2026, 12:00 UTC<\/time>/);
    match(page, /&lt;img src=x onerror=alert\(1\)>.*signed out everywhere/s);
    assertEquals(page.includes("<img src=x"), false);
    app.setClock("2026-07-21T12:00:00Z");
    await operator.post("/admin/sign-out");
    app.setClock("2026-10-18T12:01:00Z");
    const headers = { "Authorization": `Bearer ${ADMIN_TOKEN}` };
    assertEquals((await app.fetch("/api/work", { method: "POST", headers })).status, 200);
    const kept = (await operator.read("/admin/audit")).match(/datetime="[^"]*"/g);
    assertEquals(kept, ['datetime="2026-07-21T12:00:00Z"']);
  },
);

testOnDatabases("The audit log lists every entry once, newest first", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  await database.query(sql`
    insert into audit_log (at, who, action, subject)
    select timestamptz '2026-07-20 12:00+00', 'token', 'started an import', 'run ' || number
    from generate_series(1, 1150) as number
    order by number
  `);
  const seen: number[] = [];
  let next: string | undefined = "/admin/audit";
  while (next !== undefined) {
    const page = await operator.read(next);
    seen.push(...[...page.matchAll(/run (\d+)</g)].map(([, run]) => Number(run)));
    next = /href="(\/admin\/audit\?before=\d+)"/.exec(page)?.[1];
  }
  assertEquals(seen, Array.from({ length: 1150 }, (_, place) => 1150 - place));
});

testOnDatabases("Neither the log nor the audit log shows a token", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  await using log = await recordLog();
  await signIn(app, "a-wrong-token-of-somebody");
  const operator = await startOperator(app);
  const page = await operator.read("/admin/audit");
  match(page, /signed in/);
  const text = log.lines.join("\n");
  match(text, /A wrong token was sent to sign in/);
  for (const token of [ADMIN_TOKEN, "a-wrong-token-of-somebody"]) {
    assertEquals([text.includes(token), page.includes(token)], [false, false]);
  }
});

testOnDatabases(
  "A page of operators that ends with a slash leads to the one without",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    for (const path of ["/admin/", "/admin/sources/?a=1"]) {
      const response = await app.fetch(path);
      const asked = `http://localhost:8000${path}`;
      const { href } = new URL(response.headers.get("location")!, asked);
      assertEquals([response.status, href], [308, asked.replace(/\/(?=\?|$)/, "")]);
    }
    assertEquals((await app.fetch("/admin/sign-out/", { method: "POST" })).status, 404);
    await using closed = await startApp(database);
    assertEquals((await closed.fetch("/admin/")).status, 404);
    await using below = await startApp(database, {
      ADMIN_TOKEN,
      BASE_URL: "https://example.com/roadmap",
    });
    assertEquals((await below.fetch("/roadmap/admin/")).status, 308);
    assertEquals((await below.fetch("/admin/")).status, 404);
  },
);
