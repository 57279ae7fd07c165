import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const FIRST = [
  makeItem(1, { product_name: "Maps", feature_name: "Offline maps", release_date: "2026-03-31" }),
  makeItem(2, { product_name: "Mail", feature_name: "Snooze", release_date: "2026-03-31" }),
];

testOnDatabases("The form leads to a preview of the email for its choices", async (database) => {
  await importItems(database, FIRST);
  await importItems(database, [{ ...FIRST[0]!, release_date: "2026-06-30" }, FIRST[1]!]);
  await using app = await startApp(database, { BASE_URL: "https://example.com/road" });
  const body = new URLSearchParams([["email", "ann@example.com"], ["products", "Maps"], [
    "cadence",
    "daily",
  ]]);
  const sent = await app.fetch("/road/subscribe/preview", { method: "POST", body });
  assertEquals(sent.status, 303);
  assertEquals(sent.headers.get("location"), "/road/subscribe/preview?products=Maps&cadence=daily");
  const shown = await app.fetch(sent.headers.get("location")!);
  assertEquals(shown.status, 200);
  assert(shown.headers.get("content-security-policy")!.endsWith("sandbox"));
  assertEquals(shown.headers.get("x-robots-tag"), "noindex");
  const mail = await shown.text();
  match(mail, /<title>Offline maps [^<]*<\/title>/);
  assert(!mail.includes("Snooze") && !mail.includes("token="));
  const back = "https://example.com/road/subscribe?products=Maps&amp;cadence=daily";
  assert(mail.includes(`href="${back}"`), mail);
});

testOnDatabases("A preview of choices without any changes says so", async (database) => {
  await using app = await serve(database, FIRST);
  const none = await app.fetch("/subscribe/preview?products=Nothing");
  assertEquals(none.status, 200);
  match(await none.text(), /Nothing you chose has changed lately/);
});

testOnDatabases("Previews of invalid choices are refused", async (database) => {
  await using app = await startApp(database);
  for (const query of ["products=%00", `searches=${"x".repeat(201)}`, "tags=Platform"]) {
    const refused = await app.fetch(`/subscribe/preview?${query}`);
    assertEquals([query, refused.status], [query, 400]);
  }
  const body = new URLSearchParams({ tags: "Platform", email: "ann@example.com" });
  const refused = await app.fetch("/subscribe/preview", { method: "POST", body });
  assertEquals(refused.status, 400);
  const page = await refused.text();
  match(page, /<p class="mistake" id="tags-mistake">“Tags” must have tags as Group:Value\.<\/p>/);
  match(page, /name="email"[^>]* value="ann@example\.com"/);
});
