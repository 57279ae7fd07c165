import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { addSchedule, claimWork } from "../../lib/database/leases.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { ADMIN_TOKEN, type Operator, startOperator, work } from "../support/subjects/operator.ts";
import { slowOnDatabases } from "../support/slow.ts";

const PRODUCTS = ["Maps", "Mail"];

/** Items 1 to `count`, half of each product. */
function makeItems(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, place) =>
    makeItem(place + 1, {
      product_name: PRODUCTS[place % 2],
      product_id: `11111111-1111-4111-8111-11111111111${place % 2}`,
    }));
}

/** A server with one source "team" in a file of sources. */
async function withSource(
  database: Database,
  test: (parts: {
    app: TestApp;
    operator: Operator;
    config: string;
    write: (items: unknown) => Promise<void>;
  }) => Promise<void>,
  name = "team",
): Promise<void> {
  await withFolder(async (folder) => {
    const config = `${folder}/sources.json`;
    const write = (items: unknown) =>
      Deno.writeTextFile(`${folder}/items.json`, JSON.stringify(items));
    await write(makeItems(10));
    const sources = { sources: [{ name, from: "items.json" }] };
    await Deno.writeTextFile(config, JSON.stringify(sources));
    await using app = await startApp(database, { ADMIN_TOKEN, ROADMAP_CONFIG: config });
    await test({ app, operator: await startOperator(app), config, write });
  });
}

slowOnDatabases("The overview shows problems, and what happens next", async (database) => {
  await withSource(database, async ({ app, operator, write }) => {
    await work(app);
    const fine = await operator.read("/admin");
    match(fine, /<h2>What to do first<\/h2>.*Nothing is wrong\..*<h2>Sources<\/h2>/s);
    match(fine, /10 items, 2 products.*: 10 added</s);
    match(fine, /Emails<\/dt><dd><a href="\/admin\/emails">none waiting/);
    match(fine, /<h2>Subscribers<\/h2><p>No subscribers yet\.<\/p>/);
    match(fine, /<h2>Version<\/h2><p>Roadcast \d+\.\d+\.\d+<\/p>/);

    await write([]);
    await operator.post("/admin/source#import", { name: "team" });
    await work(app);
    const failed = await operator.read("/admin");
    match(
      failed,
      /<a href="\/admin\/source\?name=team">team<\/a><\/strong>: the last import failed\. The snapshot has no items/,
    );
    doesNotMatch(failed, /Nothing is wrong/);
  });
});

testOnDatabases("The doctor's findings come first, and can be refreshed", async (database) => {
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "roadmap@example.com",
  });
  const operator = await startOperator(app);
  const wrong =
    /mail server<\/strong>: No server answers at 127\.0\.0\.1:1: .*Set SMTP_URL to a server/s;
  let page = await operator.read("/admin");
  for (let time = 0; time < 10 && !wrong.test(page); time++) page = await operator.read("/admin");
  match(page, wrong);
  match(page, /Links in emails point to http:\/\/localhost:8000\. Set BASE_URL/);
  match(page, /As of <time datetime="2026-07-20T12:00:00\.000Z">/);
  match(await operator.submit("/admin#check"), /The checks are running again\./);
});

testOnDatabases("A source is imported on request, once for two requests", async (database) => {
  await withSource(database, async ({ app, operator, config, write }) => {
    await work(app);
    const page = await operator.read("/admin/source?name=team");
    match(page, new RegExp(`Set in</dt><dd>${config} \\(ROADMAP_CONFIG\\)`));
    match(page, /<button type="submit" name="do" value="import">Import now<\/button>/);
    await write(makeItems(12));
    const started = await operator.submit("/admin/source#import", { name: "team" });
    match(started, /The import starts within a few seconds\..*An import is about to start\./s);
    const reloaded = await operator.read("/admin/source?name=team");
    match(reloaded, /An import is about to start\./);
    doesNotMatch(reloaded, /starts within a few seconds/);
    doesNotMatch(started, /Import now/);
    const second = await operator.submit("/admin/source#import", { name: "team" });
    match(second, /An import of this source is already about to start\./);
    await work(app);
    const done = await operator.read("/admin/source?name=team");
    match(done, /<td>2 added, 10 unchanged<\/td>/);
    match(done, /Import now/);

    // Another process is at it.
    await operator.post("/admin/source#import", { name: "team" });
    const holder = { holder: crypto.randomUUID(), seconds: 60, maxPause: 3600 };
    await addSchedule(database, "sync team");
    assertEquals(await claimWork(database, "sync team", holder) === null, false);
    const third = await operator.submit("/admin/source#import", { name: "team" });
    match(third, /An import of this source is already running; its state is below\./);
    match(third, /An import is running\. <a href="\/admin\/source\?name=team">Reload<\/a>/);
    const log = await operator.read("/admin/audit");
    assertEquals(log.match(/started an import: team/g)?.length, 2);
  });
});

testOnDatabases(
  "A refused import shows what it would remove, and is accepted once",
  async (database) => {
    await withSource(database, async ({ app, operator, write }) => {
      await work(app);
      await write(makeItems(3));
      await operator.post("/admin/source#import", { name: "team" });
      await work(app);
      const refused = await operator.read("/admin/source?name=team");
      match(refused, /The last import was refused.*would remove 7 of 10 active items/s);
      match(refused, /<td>Mail<\/td><td>5<\/td><td>4<\/td>.*<td>Maps<\/td><td>5<\/td><td>3<\/td>/s);
      match(refused, /may remove up to(<!-- -->)? ?7 items/);
      const runId = /name="run_id" value="(\d+)"/.exec(refused)![1]!;

      const other = await operator.post("/admin/source#accept", { name: "team", run_id: "1" });
      assertEquals(other.status, 409);
      const fields = { name: "team", run_id: runId };
      match(await operator.submit("/admin/source#accept", fields), /may remove these items/);
      // Meanwhile the source lost more than what was accepted.
      await write(makeItems(1));
      await work(app);
      const again = await operator.read("/admin/source?name=team");
      match(again, /would remove 9 of 10 active items/);
      await write(makeItems(3));
      await operator.post("/admin/source#import", { name: "team" });
      await work(app);
      const notKept = await operator.read("/admin/source?name=team");
      match(notKept, /The last import was refused.*would remove 7 of 10/s);

      const newId = /name="run_id" value="(\d+)"/.exec(notKept)![1]!;
      await operator.post("/admin/source#accept", { name: "team", run_id: newId });
      await work(app);
      const done = await operator.read("/admin/source?name=team");
      match(done, /7 removed, 3 unchanged/);
      doesNotMatch(done, /The last import was refused/);
      const log = await operator.read("/admin/audit");
      match(log, /accepted once that an import removes items: 7 of team/);
    });
  },
);

testOnDatabases(
  "Products that a source lacks completely can be accepted as well",
  async (database) => {
    await withSource(database, async ({ app, operator, write }) => {
      await work(app);
      await write([]);
      await operator.post("/admin/source#import", { name: "team" });
      await work(app);
      const refused = await operator.read("/admin/source?name=team");
      match(refused, /The snapshot has no items.*may remove up to(<!-- -->)? ?10 items/s);
      const runId = /name="run_id" value="(\d+)"/.exec(refused)![1]!;
      await operator.post("/admin/source#accept", { name: "team", run_id: runId });
      await work(app);
      match(await operator.read("/admin/source?name=team"), /10 removed/);
    });
  },
);

testOnDatabases("An unscheduled source shows its imports only", async (database) => {
  await importItems(database, makeItems(4), { sourceName: "by hand" });
  await importItems(database, [makeItem(1)], { sourceName: "by hand" }).catch(() => {});
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  match(await operator.read("/admin/sources"), /by hand.*not scheduled.*upload/s);
  const page = await operator.read("/admin/source?name=by+hand");
  match(page, /Uploaded here/);
  match(page, /The last import was refused.*upload the file again and allow it to remove them/s);
  doesNotMatch(page, /name="do" value="(import|accept)"/);
  match(page, /href="\/admin\/uploads\?name=by\+hand">Upload the next file/);
  match(await operator.read("/admin/uploads?name=by+hand"), /name="source_name" value="by hand"/);
  doesNotMatch(page, /Download the mapping/);
  assertEquals((await operator.get("/admin/source/fields?name=by+hand")).status, 404);
  for (const path of ["/admin/source#import", "/admin/source#accept"]) {
    const response = await operator.post(path, { name: "by hand" });
    assertEquals([path, response.status], [path, 404]);
    match(await response.text(), /The source &quot;by hand&quot; is not scheduled/);
  }
  assertEquals((await operator.get("/admin/source?name=nothing")).status, 404);
  match(page, /<summary aria-label="Remove: by hand">Remove…<\/summary>/);
  const removed = await operator.submit("/admin/source#remove", { name: "by hand" });
  match(removed, /The source and its releases were removed\./);
  assertEquals((await app.json("/api/releases")).data, []);
  assertEquals((await operator.post("/admin/source#remove", { name: "by hand" })).status, 404);
});

testOnDatabases("Hostile names are escaped", async (database) => {
  const hostile = `"><script>alert(1)</script>${"x".repeat(60)}`;
  await withSource(database, async ({ app, operator, write }) => {
    await work(app);
    await write(makeItems(10).map((item) => ({ ...item, product_name: hostile })));
    await operator.post("/admin/source#import", { name: hostile });
    await work(app);
    await write([]);
    await operator.post("/admin/source#import", { name: hostile });
    await work(app);
    const query = new URLSearchParams({ name: hostile });
    for (const path of ["/admin", "/admin/sources", `/admin/source?${query}`, "/admin/audit"]) {
      const page = await operator.read(path);
      assertEquals([path, page.includes("<script>alert")], [path, false]);
      match(page, /&lt;script>alert\(1\)/);
    }
  }, hostile);
});

testOnDatabases("Nothing is served without signing in", async (database) => {
  await withSource(database, async ({ app }) => {
    for (const path of ["/admin", "/admin/sources", "/admin/source?name=team", "/admin/audit"]) {
      assertEquals([path, (await app.fetch(path)).status], [path, 303]);
    }
    for (
      const [path, action] of [["/admin", "check"], ["/admin/source?name=team", "import"], [
        "/admin/source?name=team",
        "accept",
      ]] as const
    ) {
      const body = new URLSearchParams({ do: action });
      const response = await app.fetch(path, { method: "POST", body });
      assertEquals([path, response.headers.get("location")], [path, "/admin/sign-in"]);
    }
    match(await (await app.fetch("/")).text(), /^(?!.*admin\.css)/s);
  });
});
