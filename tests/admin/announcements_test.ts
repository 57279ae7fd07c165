import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match,
  ok as assert,
} from "node:assert/strict";
import { follow, postAddress, serveAnnounced } from "../support/subjects/announcements.ts";
import { makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { slowOnDatabases } from "../support/slow.ts";

const HOSTILE = "Identity columns <script>alert(1)</script>";

slowOnDatabases("An announcement is rejected, and another one set", async (database) => {
  await using source = serveAnnounced([
    makeItem(1, { feature_name: "Custom pools" }),
    makeItem(2, { feature_name: HOSTILE }),
  ], [{ id: 10001, title: "Custom pools" }, {
    id: 10002,
    title: "IDENTITY columns script alert in warehouses (Preview)",
  }]);
  await using app = await follow(database, source);
  await app.work();
  const operator = await startOperator(app);
  const first = await operator.read("/admin/announcements");
  match(first, /2 posts.*1 announced release.*<td>Custom pools<\/td>.*same name/s);
  doesNotMatch(first, /Near misses|Identity columns/);
  assertEquals(first.includes("<script>alert"), false);
  const release = "00000000-0000-4000-8000-000000000002";
  match(
    await operator.submit("/admin/announcements#set", { release, post: postAddress(10002) }),
    /The post is set.*2 announced releases.*set by you/s,
  );
  const rejected = await operator.submit("/admin/announcements#reject", {
    post: postAddress(10001),
  });
  match(rejected, /The post is rejected.*1 announced release/s);
  doesNotMatch(rejected, /<td>Custom pools<\/td>/);
  for (
    const [path, fields] of [["reject", { post: "nothing" }], ["reject", {
      post: postAddress(1),
    }]] as [string, Record<string, string>][]
  ) {
    const response = await operator.post(`/admin/announcements#${path}`, fields);
    assertEquals([path, fields, response.status], [path, fields, 404]);
  }
  const [, source_name] = /name="source" value="([^"]*)"/.exec(first)!;
  for (
    const [field, fields] of [
      ["release", { post: postAddress(10002), release: "nothing" }],
      ["post", { post: postAddress(1), release: "Identity columns" }],
    ] as const
  ) {
    const form = { source: source_name!, ...fields };
    const response = await operator.post("/admin/announcements#set", form);
    const html = await response.text();
    assertEquals(response.status, 422);
    for (const value of Object.values(fields)) assert(html.includes(`value="${value}"`), value);
    const problem = new RegExp(
      `aria-describedby="(${field}-[^"]*)".*id="\\1" role="alert">There is no `,
      "s",
    );
    match(html, problem);
  }
  const log = await operator.read("/admin/audit");
  match(log, /rejected an announcement: https:.*confirmed an announcement: https:/s);
});

testOnDatabases("Without announcements the page says how to set them up", async (database) => {
  await using app = await startApp(database, { ADMIN_TOKEN });
  const operator = await startOperator(app);
  match(
    await operator.read("/admin/announcements"),
    /To match blog posts, add a feed of announcements to a source/,
  );
});
