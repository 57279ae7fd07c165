import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { startReceiver } from "../support/subjects/webhooks.ts";

testOnDatabases("A webhook is added, tested, enabled and removed", async (database) => {
  await using receiver = startReceiver();
  await using app = await startApp(database, { ADMIN_TOKEN, WEBHOOK_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  await importItems(database, [makeItem(1, { product_name: "City maps" })]);
  const wanted = {
    url: `${receiver.url}/hook?key=s3cret`,
    kind: "standard",
    name: "ours",
    product_name: "Maps\r\nMail\r\n\r\nMaps",
    tag: "Team:Blue",
    due: "next7",
    date_name: "Preview",
    cadence: "daily",
  };
  const added = await operator.post("/admin/webhooks#add", wanted);
  assertEquals([added.status, added.headers.get("cache-control")], [200, "no-store"]);
  const shown = await added.text();
  match(shown, /ours.*Copy its secret now. It is not shown again: <code>whsec_/s);
  const unknown =
    /No release has &quot;Team:Blue&quot;, &quot;Mail&quot;, &quot;Maps&quot; \(did you mean &quot;City maps&quot;\?\), &quot;Preview&quot; now/;
  match(shown, unknown);
  const page = await operator.read("/admin/webhooks");
  match(
    page,
    /<td><a href="\/admin\/webhook\?name=ours">ours<\/a><\/td><td>Signed JSON \(Standard Webhooks\)<\/td>/,
  );
  const form = await operator.read("/admin/webhook?name=ours");
  match(form, unknown);
  match(form, /<option value="daily" selected>every day at 07:00 UTC/);
  match(
    form,
    />Mail\nMaps<\/textarea>.*>Team:Blue<\/textarea>.*value="next7" checked.*value="Preview"/s,
  );
  doesNotMatch(form, /s3cret|whsec_/);
  doesNotMatch(page, /s3cret|whsec_/);

  const tested = await operator.post("/admin/webhook#test", { name: "ours" });
  match(await tested.text(), /The test succeeded\./);
  assertEquals(receiver.received.map(({ path }) => path), ["/hook?key=s3cret"]);
  await database.query(sql`
    update webhooks set disabled_at = now(), disabled_reason = '<script>alert(1)</script>'
  `);
  const disabled = await operator.read("/admin/webhooks");
  match(disabled, /disabled: &lt;script>alert\(1\)/);
  assertEquals(disabled.includes("<script>alert"), false);
  const enabled = await operator.submit("/admin/webhook#enable", { name: "ours" });
  match(enabled, /The webhook is enabled again\..*<dd>enabled<\/dd>/s);
  const off = await operator.submit("/admin/webhook#disable", { name: "ours" });
  match(off, /The webhook is disabled\..*disabled: in \/admin/s);
  await operator.submit("/admin/webhook#enable", { name: "ours" });
  const removed = await operator.submit("/admin/webhook#remove", { name: "ours" });
  match(removed, /The webhook is removed\./);
  doesNotMatch(removed, />ours<\/a>/);
  for (const action of ["test", "enable", "disable", "remove"]) {
    const response = await operator.post(`/admin/webhook#${action}`, { name: "ours" });
    assertEquals([action, response.status], [action, 404]);
  }
  const log = await operator.read("/admin/audit");
  for (const action of ["added", "tested", "enabled", "removed"]) {
    match(log, new RegExp(`${action} a webhook: ours`));
  }
});

testOnDatabases("A webhook is narrowed and moved, and keeps its secret", async (database) => {
  await using one = startReceiver();
  await using other = startReceiver();
  await using app = await startApp(database, { ADMIN_TOKEN, WEBHOOK_ALLOW_PRIVATE: "true" });
  const operator = await startOperator(app);
  await operator.post("/admin/webhooks#add", { url: one.url, kind: "standard", name: "ours" });
  const change = async (fields: [string, string][]) => {
    const body = new URLSearchParams([["name", "ours"], ...fields]);
    const response = await operator.post("/admin/webhook#save", body);
    const { status } = response;
    const next = response.headers.get("location");
    return { status, text: next ? await operator.read(next) : await response.text() };
  };
  const sealed = () => database.query(sql`select target, shown_url from webhooks`);
  const before = await sealed();
  const narrowed = await change([["change_kind", "shipped"], ["change_kind", "slipped"]]);
  assertEquals(narrowed.status, 303);
  match(narrowed.text, /The webhook is saved\..*value="shipped" checked.*value="slipped" checked/s);
  assertEquals(await sealed(), before);
  const [{ filter }] = await database.query<{ filter: unknown }>(
    sql`select filter from webhooks`,
  ) as [{ filter: unknown }];
  assertEquals(filter, { kind: ["shipped", "slipped"] });

  const moved = await change([["url", `${other.url}/new`]]);
  assertEquals(moved.status, 303);
  await operator.post("/admin/webhook#test", { name: "ours" });
  assertEquals([one.received.length, other.received[0]!.path], [0, "/new"]);
  match(other.received[0]!.headers["webhook-signature"]!, /^v1,/);

  const cadence = () => database.query(sql`select cadence from webhooks`);
  const weekly = await change([["cadence", "weekly"]]);
  match(weekly.text, /every Monday at 07:00 UTC<\/dd>.*<option value="weekly" selected/s);
  assertEquals([...await cadence()], [{ cadence: "weekly" }]);
  match(
    await operator.read("/admin/webhooks"),
    /<td>every Monday at 07:00 UTC<\/td><td>enabled<\/td>/,
  );
  const hourly = await change([["cadence", "hourly"]]);
  assertEquals(hourly.status, 422);
  match(hourly.text, /When to send changes must be one of immediate, daily, weekly/);
  await change([["cadence", "immediate"]]);
  assertEquals([...await cadence()], [{ cadence: "immediate" }]);

  const wrong = await change([["url", "nothing"], ["product_name", "Maps"]]);
  assertEquals(wrong.status, 422);
  match(wrong.text, /value="nothing".*A webhook has an http.*>Maps<\/textarea>/s);
  match((await change([["change_kind", "late"]])).text, /Kinds of change must be one of /s);
  const gone = await operator.post("/admin/webhook#save", { name: "theirs" });
  assertEquals(gone.status, 404);
  match(await gone.text(), /aria-label="Administration".*There is no webhook &quot;theirs&quot;/s);
});

testOnDatabases("An invalid webhook is refused with the reason", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const refuse = async (fields: Record<string, string>) => {
    const wanted = { url: "https://203.0.113.9/x", kind: "standard", ...fields };
    const response = await operator.post("/admin/webhooks#add", wanted);
    return `${response.status} ${await response.text()}`;
  };
  match(await refuse({ url: "nothing" }), /^422 .*A webhook has an http or https address/s);
  match(await refuse({ url: "http://127.0.0.1/x" }), /^422 /);
  match(await refuse({ due: "late" }), /^422 .*Due must be one of overdue, next7, next30, next90/s);
  match(await refuse({ kind: "email" }), /^422 .*Kind must be one of standard, slack/s);
  match(
    await refuse({ cadence: "hourly" }),
    /^422 .*When to send changes must be one of immediate, daily/s,
  );
  match(await refuse({ name: "a\u0007" }), /^422 .*The name takes 1 to 100 characters/s);
  match(await refuse({ tag: "Blue" }), /^422 .*Tags must have tags as Group:Value/s);
  const many = Array.from({ length: 101 }, (_, place) => place).join("\n");
  match(await refuse({ q: many }), /^422 .*Searches must have at most 10 values/s);
  match(
    await refuse({ tag: "Blue", name: "mine" }),
    /aria-label="Administration".*value="https:\/\/203\.0\.113\.9\/x".*value="mine".*>Blue<\/textarea>/s,
  );
  doesNotMatch(await operator.read("/admin/webhooks"), /203\.0\.113\.9/);
});

testOnDatabases(
  "A new secret of a webhook signs, and for a day the former one as well",
  async (database) => {
    await using receiver = startReceiver();
    await using app = await startApp(database, { ADMIN_TOKEN, WEBHOOK_ALLOW_PRIVATE: "true" });
    const operator = await startOperator(app);
    const secretIn = async (response: Response) => /whsec_[\w+/=]+/.exec(await response.text())![0];
    const wanted = { url: receiver.url, kind: "standard", name: "ours" };
    const first = await secretIn(await operator.post("/admin/webhooks#add", wanted));
    const second = await secretIn(await operator.post("/admin/webhook#rotate", { name: "ours" }));
    const signaturesOf = async () => {
      // A session lasts for half a day.
      const tester = await startOperator(app);
      const before = receiver.received.length;
      await tester.post("/admin/webhook#test", { name: "ours" });
      assertEquals(receiver.received.length, before + 1);
      const { body, headers } = receiver.received.at(-1)!;
      const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
      const sent = headers["webhook-signature"]!.split(" ");
      return [first, second].map((secret) =>
        sent.includes(new Webhook(secret).sign(headers["webhook-id"]!, at, body))
      );
    };
    assertEquals([first === second, await signaturesOf()], [false, [true, true]]);
    app.advance(24 * 3600 - 60);
    assertEquals(await signaturesOf(), [true, true]);
    app.advance(120);
    assertEquals(await signaturesOf(), [false, true]);
    const last = await startOperator(app);
    assertEquals((await last.post("/admin/webhook#rotate", { name: "none" })).status, 404);
    match(await last.read("/admin/audit"), /gave a webhook a new secret: ours/);
  },
);
