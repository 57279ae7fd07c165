import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { listedIn, readStatuses, startDigests } from "../support/subjects/digests.ts";
import { slowOnDatabases } from "../support/slow.ts";

testOnDatabases("A digest is filtered by preferences", async (database) => {
  await using services = await startDigests(database);
  await services.verify("all@example.com", { products: [], types: [], statuses: [] });
  await services.verify("products@example.com", { products: ["P1", "P2"] });
  await services.verify("types@example.com", { types: ["Preview"] });
  await services.verify("statuses@example.com", { statuses: ["Launched"] });
  await services.verify("every@example.com", { products: ["P1"], statuses: ["Launched"] });
  await services.verify("none@example.com", { products: ["p1"] });
  await importItems(database, [
    makeItem(1, { product_name: "P1", release_status: "Launched" }),
    makeItem(2, { product_name: "P2", release_type: "Preview" }),
    makeItem(3, { product_name: "P1" }),
    makeItem(4, { product_name: "P0", last_modified: "2026-07-02" }),
  ]);
  const told = (await services.digest()).map((mail) => [mail.envelopeTo[0], listedIn(mail)]);
  assertEquals(told, [
    ["all@example.com", ["Feature 4", "Feature 1", "Feature 3", "Feature 2"]],
    ["every@example.com", ["Feature 1"]],
    ["products@example.com", ["Feature 1", "Feature 3", "Feature 2"]],
    ["statuses@example.com", ["Feature 1"]],
    ["types@example.com", ["Feature 2"]],
  ]);
  assertEquals(await services.queue(), { queued: 0, day: "2026-07-20" });
});

testOnDatabases("Only verified subscribers get a digest", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  assertEquals(await services.queue(), { queued: 0, day: null });
  await services.subscribe("unverified@example.com");
  await services.verify("gone@example.com");
  await app.fetch(linkOf(services.newestTo("gone@example.com"), "/unsubscribe"));
  await services.verify("leaving@example.com");
  const leave = linkOf(services.newestTo("leaving@example.com"), "/unsubscribe");
  await services.verify("staying@example.com");
  await importItems(database, [makeItem(1)]);
  assertEquals(await services.queue(), { queued: 2, day: "2026-07-20" });
  await app.fetch(leave);
  services.mail.received.length = 0;
  await app.sendMails();
  assertEquals(services.mail.received.map(({ envelopeTo }) => envelopeTo), [[
    "staying@example.com",
  ]]);
  assertEquals((await readStatuses(database)).sort(), ["sent", "superseded"]);

  // Returning subscribers get the changes from then on.
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.verify("leaving@example.com");
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  const told = (await services.digest()).map((mail) => [mail.envelopeTo[0], listedIn(mail)]);
  assertEquals(told, [["leaving@example.com", ["Feature 3"]], ["staying@example.com", [
    "Feature 2",
    "Feature 3",
  ]]]);
});

slowOnDatabases("Each variant's digest has its own wording and changes", async (database) => {
  await using services = await startDigests(database, { ROADMAP_VARIANT: "both" });
  const items = [1, 2, 3, 4].map((number) => makeItem(number));
  await importItems(database, items);
  await services.verify("a@example.com", {}, "/roadmap");
  await services.verify("b@example.com", {}, "/roadmap/b");
  const blog = makeItem(1, { blog_title: "News", last_modified: "2026-07-08" });
  const moved = makeItem(2, { release_date: "2026-11-05", last_modified: "2026-07-09" });
  await importItems(database, [blog, moved, items[3]]); // the third is removed
  const [a, b] = await services.digest();
  assertEquals(listedIn(a!), ["Feature 3", "Feature 2", "Feature 1"]);
  match(a!.text!, / · Q3 2026 → Q4 2026\n/);
  match(a!.text!, /Removed from the roadmap\n-+\n\n\* Feature 3\n/);
  match(a!.text!, /Blog post added: News/);
  assertEquals(listedIn(b!), ["Feature 2"]);
  match(b!.text!, / · 30 Sep 2026 → 5 Nov 2026\n/);
  match(b!.text!, / 5 Nov 2026\n {2}https:\/\/example.com\/roadmap\/b\/release\//);
  match(linkOf(b!, "/unsubscribe"), /^https:\/\/example\.com\/roadmap\/b\/unsubscribe\?/);

  const restored = makeItem(3, { feature_name: "Back", last_modified: "2026-07-10" });
  await importItems(database, [blog, moved, restored, items[3]]);
  const again = await services.digest();
  match(
    again[0]!.text!,
    /Restored to the roadmap\n-+\n\n\* Back\n.*\n {2}Name changed from “Feature 3” to “Back”/,
  );
  match(again[1]!.text!, /Edited\n-+\n\n\* Back\n.*\n {2}Name changed from “Feature 3” to “Back”/);

  // Removed and restored without other changes is nothing.
  await importItems(database, [moved, restored, items[3]], { asOf: "2026-07-21" });
  await importItems(database, [blog, moved, restored, items[3]], { asOf: "2026-07-22" });
  assertEquals(await services.digest(), []);
});

testOnDatabases("If a variant is no longer served, digests use the other one", async (database) => {
  await using both = await startDigests(database, { ROADMAP_VARIANT: "both" });
  await both.verify("b@example.com", {}, "/roadmap/b");
  await using onlyA = await startDigests(database, { ROADMAP_VARIANT: "a" });
  await importItems(database, [makeItem(1)]);
  const [mail] = await onlyA.digest();
  match(mail!.text!, /Q3 2026\n {2}A description\n {2}https:\/\/example.com\/roadmap\/release\//);
});
