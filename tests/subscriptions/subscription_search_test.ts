import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { linkOf } from "../support/servers/mail_server.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { json, sql } from "../../lib/database/sql.ts";

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
  assertEquals(told, [["both@example.com", ["Dark theme", "Signing of keys"]], [
    "sign@example.com",
    ["Charts", "Signing of keys"],
  ]]);
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

testOnDatabases(
  "A subscription with more searches of an older version works on",
  async (database) => {
    await using services = await startDigests(database);
    await services.verify("ann@example.com", { q: ["sign", "word1"] });
    const stored = Array.from({ length: 12 }, (_, number) => `word${number}`).concat("sign");
    await database.query(sql`update subscriptions set filter = ${json({ q: stored })}`);
    await importItems(database, ITEMS);
    assertEquals((await services.digest()).map((mail) => listedIn(mail).sort()), [[
      "Charts",
      "Signing of keys",
    ]]);
    const link = linkOf(services.newestTo("ann@example.com"), "/preferences");
    const save = (searches: readonly string[]) => {
      const form = new URLSearchParams([["scope", "chosen"], ["cadence", "daily"]]);
      form.append("token", new URL(link).searchParams.get("token")!);
      for (const name of ["products", "types", "statuses", "due", "kinds"]) {
        form.append("every", name);
      }
      for (const word of searches) form.append("searches", word);
      return services.app.fetch("/roadmap/preferences", { method: "POST", body: form });
    };
    assertEquals((await save(stored)).status, 200);
    const refused = await save([...stored, "another"]);
    match(await refused.text(), /Choose at most 10 searches\./);
    const [{ count, cadence } = { count: 0, cadence: "" }] = await database.query<
      { count: number; cadence: string }
    >(sql`select jsonb_array_length(filter -> 'q') as count, cadence from subscriptions`);
    assertEquals([count, cadence], [13, "daily"]);
  },
);

testOnDatabases("The page to follow a search has that search selected", async (database) => {
  await using services = await startDigests(database);
  const page = await (await services.app.fetch("/subscribe?q=dark+theme&match=words")).text();
  match(page, /<input type="checkbox" name="searches" value="dark theme" checked/);
});

testOnDatabases("A subscription can be narrowed by sources", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [makeItem(1)], { sourceName: "apps" });
  await importItems(database, [makeItem(2)], { sourceName: "core" });
  for (
    const [name, fields] of Object.entries({
      api: { source: "core" },
      lists: { sources: ["core"] },
    })
  ) {
    await services.verify(`${name}@example.com`, { ...fields, cadence: "immediate" });
  }
  const link = linkOf(services.newestTo("api@example.com"), "/preferences");
  const page = await (await services.app.fetch(link)).text();
  match(page, /changes to releases from core\./);
  match(page, /<input type="checkbox" name="sources" value="core" checked/);
  match(page, /<input type="checkbox" name="sources" value="apps"(?! checked)/);
  await importItems(database, [makeItem(1, { feature_name: "App" })], { sourceName: "apps" });
  await importItems(database, [makeItem(2, { feature_name: "Core" })], { sourceName: "core" });
  assertEquals((await services.digest()).map(listedIn), [["Core"], ["Core"]]);
  const follow = await (await services.app.fetch("/subscribe?source=apps")).text();
  match(follow, /<input type="checkbox" name="sources" value="apps" checked/);
  const unknown = await services.app.fetch("/api/subscribe", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "a@example.com", source: ["core", "moon"] }),
  });
  assertEquals((await unknown.json()).unknown, { sources: ["moon"] });
});
