import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

testOnDatabases("Filter options are the values of active items, sorted", async (database) => {
  const kept = [
    makeItem(1, { product_name: "beta", release_type: "Preview" }),
    makeItem(2, { product_name: "Beta", release_status: "Shipped" }),
    makeItem(3, { product_name: "Émile", release_status: "Shipped" }),
    makeItem(4, { product_name: 'Zeta <&> "quoted"', release_type: "Preview" }),
    makeItem(5, { product_name: "Beta" }),
  ];
  await importItems(database, [
    ...kept,
    makeItem(6, { product_name: "Gone", release_type: "Gone" }),
  ]);
  await using app = await serve(database, kept, { ROADMAP_VARIANT: "both" });
  for (const path of ["/api/filter-options", "/b/api/filter-options?unknown=beta"]) {
    assertEquals(await app.json(path), {
      product_names: ["Beta", 'Zeta <&> "quoted"', "beta", "Émile"],
      release_types: ["General availability", "Preview"],
      release_statuses: ["Planned", "Shipped"],
    });
  }
});

testOnDatabases("Without items every list of filter options is empty", async (database) => {
  await using app = await startApp(database);
  assertEquals(await app.json("/api/filter-options"), {
    product_names: [],
    release_types: [],
    release_statuses: [],
  });
});
