import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { type Form, formsIn } from "../support/forms.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  ADMIN_TOKEN,
  cookieOf,
  operatorWith,
  startOperator,
} from "../support/subjects/operator.ts";
import {
  startWithMail,
  stateOf,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";

testOnDatabases(
  "A subscriber can be found, with the reason why no email arrived",
  async (database) => {
    await using app = await startApp(database, {
      ADMIN_TOKEN,
      SMTP_URL: "smtp://127.0.0.1:1",
      MAIL_FROM: "roadmap@example.com",
    });
    const operator = await startOperator(app);
    await subscribe(app, { email: "Grace@example.com" });
    await subscribe(app, { email: "ada@example.org" });
    await app.sendMails();
    match(await operator.read("/admin/subscribers?q=nobody"), /No subscribers\./);
    const found = await operator.read("/admin/subscribers?q=GRACE");
    match(found, />grace@example\.com<\/a><\/td><td>unverified<\/td>/i);
    doesNotMatch(found, /ada@example\.org/);
    const address = /href="(\/admin\/subscriber\?id=[^"]*)"/.exec(found)![1]!;
    const page = await operator.read(address);
    match(page, /<dt>State<\/dt><dd>unverified<\/dd>/);
    match(
      page,
      /<td>verification<\/td><td>waiting<\/td><td>0<\/td><td>Emails are not being sent: no server answers at 127/,
    );

    const emails = await operator.read("/admin/emails");
    match(emails, /In the last 30 days: 2 waiting\..*ada@example\.org.*no server answers at/s);
    const mailId = /name="id" value="([^"]*)"/.exec(emails)![1]!;
    match(await operator.submit("/admin/emails#retry", { id: mailId }), /Retrying now\./);
    match(await operator.submit("/admin/emails#retry"), /Retrying now\./);
    assertEquals((await operator.post("/admin/emails#retry", { id: "1" })).status, 400);
    const none = { id: crypto.randomUUID() };
    match(await operator.submit("/admin/emails#retry", none), /Only waiting or failed emails/);
    await app.sendMails();
    match(await operator.read(address), /<td>verification<\/td><td>waiting<\/td><td>0<\/td>/);
    match(await operator.read("/admin/audit"), /retried emails: all 2/);
  },
);

testOnDatabases("A subscriber is unsubscribed, exported and deleted", async (database) => {
  await using services = await startWithMail(database, { ADMIN_TOKEN });
  const { app } = services;
  const operator = await startOperator(app);
  const mail = await subscribeAndRead(services, "ada@example.com");
  await app.fetch(linkOf(mail, "/verify-email"));
  assertEquals(await stateOf(database, "ada@example.com"), "verified");
  const found = await operator.read("/admin/subscribers?q=ada");
  const id = /\/admin\/subscriber\?id=([^"]*)"/.exec(found)![1]!;
  match(await operator.read("/admin"), /1 verified/);

  const stored = await operator.post("/admin/subscriber#export", { id });
  assertEquals(stored.headers.get("content-disposition"), 'attachment; filename="subscriber.json"');
  assertEquals((await stored.json()).email, "ada@example.com");
  const all = await operator.post("/admin/subscribers#export");
  assertEquals(all.headers.get("cache-control"), "no-store");
  match(await all.text(), /^email,state,.*\r?\nada@example\.com,verified,/);

  match(
    await operator.submit("/admin/subscriber#unsubscribe", { id }),
    /is unsubscribed, and gets no more emails.*<dt>State<\/dt><dd>unsubscribed<\/dd>/s,
  );
  assertEquals(await stateOf(database, "ada@example.com"), "unsubscribed");
  match(
    await operator.submit("/admin/subscriber#delete", { id }),
    /All data of the subscriber is deleted\./,
  );
  assertEquals(await stateOf(database, "ada@example.com"), undefined);
  for (const path of ["unsubscribe", "export", "delete"]) {
    const response = await operator.post(`/admin/subscriber#${path}`, { id });
    assertEquals([path, response.status], [path, 404]);
  }
  assertEquals((await operator.get(`/admin/subscriber?id=${id}`)).status, 404);
  assertEquals((await operator.get("/admin/subscriber?id=1")).status, 404);
  // What is deleted is not in the audit log either.
  const log = await operator.read("/admin/audit");
  match(log, new RegExp(`deleted a subscriber: ${id}`));
  doesNotMatch(log, /ada@example\.com/);
});

testOnDatabases(
  "Subscribers are paged and filtered, with hostile reasons escaped",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN });
    const operator = await startOperator(app);
    await subscribe(app, { email: "first@example.com" });
    await database.query(sql`
    update outbox set status = 'failed', last_error = '<script>alert(1)</script>'
  `);
    await database.query(sql`
    insert into subscriptions (email, variant, requested_at)
    select 'user' || number || '@example.com', 'A', now()
    from generate_series(1, 101) as number
  `);
    const found = await operator.read("/admin/subscribers?q=user");
    assertEquals(found.match(/\/admin\/subscriber\?id=/g)?.length, 100);
    const next = /href="([^"]*after=[^"]*)">Next page/.exec(found)![1]!.replaceAll("&amp;", "&");
    const last = await operator.read(next);
    assertEquals(last.match(/\/admin\/subscriber\?id=/g)?.length, 1);
    match(last, /user9@example\.com/);
    doesNotMatch(last, /Next page/);
    match(await operator.read("/admin/subscribers"), /101 unverified|102 unverified/);
    const listed = async (query: string) =>
      (await operator.read(`/admin/subscribers?${query}`)).match(/\/admin\/subscriber\?id=/g)
        ?.length ?? 0;
    assertEquals(await listed("q=first&state=unverified"), 1);
    assertEquals(await listed("q=first&state=verified"), 0);
    assertEquals(await listed("q=first&cadence=weekly"), 1);
    assertEquals(await listed("q=first&cadence=daily"), 0);
    assertEquals(await listed("q=first&state=nothing&cadence=nothing"), 1);
    match(await operator.read("/admin/subscribers?q=%25"), /No subscribers\./);
    const emails = await operator.read("/admin/emails");
    match(emails, /&lt;script>alert\(1\)/);
    match(emails, /SMTP_URL is not set/);
    assertEquals(emails.includes("<script>alert"), false);
    for (const path of ["/admin/subscribers?q=%00", "/admin/source?name=%00"]) {
      assertEquals([path, (await operator.get(path)).status], [path, 400]);
    }
    for (const path of ["/admin/webhook#test", "/admin/webhook#enable", "/admin/source#import"]) {
      const { status } = await operator.post(path, { name: "a\0" });
      assertEquals([path, status], [path, 400]);
    }
    const hostile = await operator.read(
      `/admin/subscribers?q=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    assertEquals(hostile.includes("<script>alert"), false);
  },
);

testOnDatabases("A mailbox that was set aside is listed, and can be restored", async (database) => {
  await using services = await startDigests(database, { ADMIN_TOKEN });
  const { app } = services;
  const operator = operatorWith(app, {
    cookie: cookieOf(
      await app.fetch("/roadmap/admin/sign-in", {
        method: "POST",
        body: new URLSearchParams({ token: ADMIN_TOKEN }),
      }),
    ),
  });
  await services.verify("ada@example.com");
  const list = "/roadmap/admin/subscribers";
  doesNotMatch(await operator.read(`${list}?state=bounced`), /ada@example/);
  await database.query(sql`
    update subscriptions
    set state = 'bounced', refusals = 3, refused_at = '2026-07-20 12:00+00',
      refusal_reason = '550 <script>alert(1)</script>'
  `);
  await importItems(database, [makeItem(1)]);
  const page = await operator.read(`${list}?state=bounced`);
  match(page, /ada@example\.com.*550 &lt;script>alert\(1\)/s);
  const id = /\/admin\/subscriber\?id=([^"]*)"/.exec(page)![1]!;
  const reactivate = () => operator.post("/roadmap/admin/subscriber#reactivate", { id });
  const subscriber = `/roadmap/admin/subscriber?id=${id}`;
  match(await operator.read(subscriber), /Send emails again/);
  assertEquals((await reactivate()).status, 303);
  assertEquals(await stateOf(database, "ada@example.com"), "verified");
  const after = await operator.read(subscriber);
  match(after, /gets emails again/);
  doesNotMatch(after, /Send emails again/);
  match(
    await operator.read("/roadmap/admin/audit"),
    new RegExp(`reactivated a subscriber: <a[^>]*>${id}<`),
  );
  assertEquals((await reactivate()).status, 409);

  // What changed before is not sent; it counts from the beginning.
  assertEquals(await services.digest(), []);
  await importItems(database, [makeItem(1, { feature_name: "Renamed" })]);
  services.refuse(550);
  await services.digest();
  assertEquals(await stateOf(database, "ada@example.com"), "verified");
});

testOnDatabases(
  "Subscribers of another service are checked, then brought along",
  async (database) => {
    await using app = await startApp(database, { ADMIN_TOKEN, ROADMAP_MAX_MB: "1" });
    const operator = await startOperator(app);
    const upload = async (content: string | Uint8Array<ArrayBuffer>) => {
      const form = new FormData();
      form.set("file", new File([content], "list.csv"));
      return await (await operator.post("/admin/subscribers/import", form)).text();
    };
    match(await operator.read("/admin/subscribers/import"), /Upload and check/);
    const page = await upload(
      "email,status\nann@example.com,subscribed\nbob@example.com,cleaned\nx,",
    );
    match(page, /1 email to confirm would be sent/);
    match(
      page,
      /1 left out: the file says &quot;cleaned&quot;|1 left out: the file says "cleaned"/,
    );
    match(page, /row 4: the address/);
    const [{ fields }] = formsIn(page).filter(({ fields }) =>
      fields.some(({ name }) => name === "text")
    ) as [Form];
    const text = fields.find(({ name }) => name === "text")!.value;
    match(
      await operator.submit("/admin/subscribers/import#invite", { text }),
      /The emails to confirm are being sent\.[^]*ann@example\.com/,
    );
    match(await upload("email\nann@example.com"), /1 already known here as unverified/);
    match(await operator.read("/admin/audit"), /imported subscribers[^]*1 email/);

    match(await upload("name\nAnn"), /No column of the file has email addresses/);
    match(await upload(new Uint8Array([0x65, 0xc3, 0x28, 0x81, 0x8d])), /UTF-8/);
    match(await upload(`email\n${"x".repeat(1_100_000)}`), /at most 1 MB|too large|longer/);
    const empty = await operator.post("/admin/subscribers/import#invite", {});
    assertEquals(empty.status, 400);
    match(await empty.text(), /The file is empty/);
  },
);
