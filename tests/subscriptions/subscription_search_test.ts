import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { linkOf } from "../support/servers/mail_server.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const ITEMS = [
  makeItem(1, { feature_name: "Signing of keys", product_name: "Vault" }),
  makeItem(2, { feature_name: "Dark theme", product_name: "Vault" }),
  makeItem(3, {
    feature_name: "Charts",
    feature_description: "Signed exports",
    product_name: "Lens",
  }),
];

testOnDatabases("A subscription can be narrowed by searches", async (database) => {
  await using services = await startDigests(database);
  await services.verify("sign@example.com", { q: "sign", match: "words" });
  await services.verify("both@example.com", { q: ["sign", "theme"], products: ["Vault"] });
  await services.verify("none@example.com", { searches: ["pineapple"] });
  const link = linkOf(services.newestTo("both@example.com"), "/preferences");
  const page = await (await services.app.fetch(link)).text();
  match(page, /changes to Vault releases that match “sign” or “theme”\./);
  match(page, /<input type="checkbox" name="searches" value="theme" checked/);
  await importItems(database, ITEMS);
  const told = (await services.digest()).map((mail) => [mail.envelopeTo[0], listedIn(mail).sort()]);
  assertEquals(told, [
    ["both@example.com", ["Dark theme", "Signing of keys"]],
    ["sign@example.com", ["Charts", "Signing of keys"]],
  ]);
});

testOnDatabases("A subscribe request accepts only searches by words", async (database) => {
  await using services = await startDigests(database);
  const response = await services.app.fetch("/api/subscribe", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "a@example.com", q: "sign", match: "letters" }),
  });
  assertEquals(response.status, 400);
  match((await response.json()).detail, /match must be `words`/);
});

testOnDatabases("The page to follow a search has that search selected", async (database) => {
  await using services = await startDigests(database);
  const page = await (await services.app.fetch("/subscribe?q=dark+theme&match=words")).text();
  match(page, /<input type="checkbox" name="searches" value="dark theme" checked/);
});
