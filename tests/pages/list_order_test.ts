import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

testOnDatabases("A list of a form is sorted as its language sorts", async (database) => {
  const names = ["Zebra", "apple", "Écran", "Łódź", "Lima", "Mail"];
  await importItems(
    database,
    names.map((product_name, place) => makeItem(place + 1, { product_name })),
  );
  for (
    const [LANGUAGE, ordered] of [["en", ["apple", "Écran", "Lima", "Łódź", "Mail", "Zebra"]], [
      "pl",
      ["apple", "Écran", "Lima", "Łódź", "Mail", "Zebra"],
    ]] as const
  ) {
    await using app = await startApp(database, { LANGUAGE });
    const page = await (await app.fetch("/subscribe")).text();
    const shown = [...page.matchAll(/type="checkbox" name="products" value="([^"]+)"/g)].map((
      [, name],
    ) => name);
    assertEquals(shown, ordered, LANGUAGE);
    // Programs get them by code unit.
    const { product_names } = await app.json("/api/filter-options");
    assertEquals(product_names, names.toSorted());
  }
});
