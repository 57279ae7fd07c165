import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match,
  ok as assert,
} from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { startWithMail, subscribe } from "../support/subjects/subscribing.ts";
import { slowOnDatabases } from "../support/slow.ts";

const KINDS = ["digest", "reminder", "verification", "watch", "preferences", "link"];
const FIRST = [makeItem(1, { feature_name: "Offline <maps>", release_date: "2026-03-31" })];
const MOVED = [
  { ...FIRST[0]!, release_date: "2026-06-30" },
  makeItem(2, { feature_name: "Offline <maps> 2", release_date: "2026-08-01" }),
];

slowOnDatabases("Each email is shown in both themes and as text", async (database) => {
  await importItems(database, FIRST);
  await using app = await serve(database, MOVED, {
    ADMIN_TOKEN,
    BASE_URL: "https://a.example/road",
  });
  const operator = await startOperator(app, "/road");
  await subscribe(app, { email: "ada@example.com" }, {}, "/road");
  const list = await operator.read("/road/admin/emails");
  for (const kind of KINDS) {
    assert(list.includes(`href="/road/admin/email?kind=${kind}"`), kind);
    const page = await operator.get(`/road/admin/email?kind=${kind}`);
    match(page.headers.get("content-security-policy")!, /default-src 'none'.*; frame-src 'self'$/);
    const shown = await page.text();
    match(shown, /<pre [^>]*>[^<]*\n/);
    doesNotMatch(shown, /ada@example\.com/);
    for (const theme of ["light", "dark"]) {
      const path = `/road/admin/email/body?kind=${kind}&theme=${theme}`;
      assert(shown.includes(`src="${path.replaceAll("&", "&amp;")}" sandbox`), shown);
      const body = await operator.get(path);
      assertEquals(body.headers.get("cache-control"), "no-store");
      assertEquals(body.headers.get("x-frame-options"), "SAMEORIGIN");
      const policy = body.headers.get("content-security-policy")!;
      match(policy, /default-src 'none'.*frame-ancestors 'self'; sandbox$/);
      const html = await body.text();
      assertEquals(html.includes("@media all"), theme === "dark");
      assert(!html.includes("prefers-color-scheme:dark"));
      assertEquals(new Set(html.match(/(?<=token=)[^"&]*/g)), new Set(["example"]));
      if (/digest|due|watch/.test(kind)) match(html, /Offline &lt;maps/);
    }
  }
});

slowOnDatabases("A test email goes to nobody else", async (database) => {
  await importItems(database, FIRST);
  await importItems(database, MOVED);
  await using services = await startWithMail(database, { ADMIN_TOKEN });
  const { app, mail } = services;
  const operator = await startOperator(app);
  for (const kind of KINDS) {
    const sent = await operator.post("/admin/email#send", { kind, to: "Ops@Example.com" });
    match(await sent.text(), /accepted the email to ops@example\.com\./);
  }
  const received = await mail.receive(6);
  for (const { envelopeTo, subject, text, raw } of received) {
    assertEquals(envelopeTo, ["ops@example.com"]);
    match(subject!, /^\[Test\] /);
    assertEquals(new Set(text!.match(/(?<=token=)[^\s&]*/g)), new Set(["example"]));
    match(raw, /^List-Unsubscribe: <[^>]*\/unsubscribe\?token=example>/m);
  }
  match(await operator.read("/admin/audit"), /sent a test email: digest, to an address at example/);
  match(await operator.read("/admin/emails"), /No emails in the last 30 days\./);

  for (const to of ["", "ops", "a@example.com, b@example.com", "a@example.com\r\nBcc: b@c.de"]) {
    const refused = await operator.post("/admin/email#send", { kind: "digest", to });
    assertEquals([to, refused.status], [to, 422]);
    match(await refused.text(), /id="to".*The address must /s);
  }
  const foreign = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
  const fields = { kind: "digest", to: "ops@example.com" };
  assertEquals((await operator.post("/admin/email#send", fields, foreign)).status, 403);
  assertEquals(mail.received.length, 6);
});

testOnDatabases("A test email that cannot be sent says why", async (database) => {
  const fields = { kind: "verification", to: "ops@example.com" };
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "roadmap@example.com",
  });
  const operator = await startOperator(app);
  const failed = await operator.post("/admin/email#send", fields);
  match(
    await failed.text(),
    /admin-problem" role="status">The email was not sent: no server answers at /,
  );
  for (const path of ["/admin/email", "/admin/email/body"]) {
    assertEquals((await operator.get(`${path}?kind=other`)).status, 404);
  }
  // Before anything changed there is nothing to show of it.
  match(await operator.read("/admin/email?kind=digest"), /Nothing on the roadmap has changed yet/);
  match(
    await operator.read("/admin/email?kind=reminder"),
    /Nothing is planned for the next 90 days/,
  );
  assertEquals((await operator.get("/admin/email/body?kind=watch")).status, 404);
  const none = await operator.post("/admin/email#send", { ...fields, kind: "digest" });
  assertEquals(none.status, 409);
});

testOnDatabases("Without a mail server a test email goes to the log", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  match(await operator.read("/admin/email?kind=preferences"), /is written to the server's log/);
  const fields = { kind: "preferences", to: "ops@example.com" };
  const logged = await operator.post("/admin/email#send", fields);
  match(await logged.text(), /the email is in the server's log/);
});

testOnDatabases("The sample of a reminder may be of a named date", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { release_date: null, dates: { Preview: "2026-08-01", Beta: "2026-07-01" } }),
    makeItem(2, { release_date: "2026-08-09" }),
  ], { ADMIN_TOKEN });
  const operator = await startOperator(app);
  match(
    await operator.read("/admin/email?kind=reminder"),
    /Preview of Feature 1 is on 1 August, in 12 days/,
  );
});
