import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { whereFilter } from "../../lib/roadmap/items_sql.ts";
import { sql } from "../../lib/database/sql.ts";
import { fold } from "../../lib/text/match_words.ts";
import { makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { slowOnDatabases, slowTest } from "../support/slow.ts";

/** What one item is called, and the searches that find it. */
const FOUND: readonly [name: string, searches: string[]][] = [
  ["Sign-in with PASSKEYS", ["passkeys", "SIGN-IN", "n-in w", "  passkeys  "]],
  ["Évènement à l'été", ["ÉVÈNEMENT", "ÉTÉ", "e\u0301te\u0301"]],
  ["Straße", ["STRASSE", "STRAẞE", "straße", "ß", "ss"]],
  ["ΟΔΥΣΣΕΥΣ", ["οδυσσευς", "ΕΥΣ", "σσευσ"]],
  ["Привет, МИР", ["ПРИВЕТ", "мир"]],
  ["İSTANBUL Iğdır", ["istanbul", "İstanbul", "IĞDIR", "iğdır"]],
  ["ﬁle Ǆ 😀 ⅷ", ["FILE", "ǆ", "ǅ", "😀", "Ⅷ"]],
  ["100% of A_B C:\\path", ["100%", "a_b", "c:\\p", "\\", "%", "_"]],
  ["日本語のリリース", ["日本", "リリース"]],
  ["'; drop table items; --", ["'; DROP", "--"]],
];

testOnDatabases("A search finds text in any case, in every script", async (database) => {
  await using app = await serve(
    database,
    FOUND.map(([feature_name], n) => makeItem(n, { feature_name })),
    { ROADMAP_VARIANT: "both" },
  );
  for (const site of ["", "/b"]) {
    for (const [name, searches] of FOUND) {
      for (const search of searches) {
        const response = await app.fetch(`${site}/api/releases?q=${encodeURIComponent(search)}`);
        assertEquals(response.status, 200);
        assertEquals(response.headers.get("x-search-mode"), "substring");
        const { data } = await response.json();
        const names = data.map((item: { feature_name: string }) => item.feature_name);
        assert(names.includes(name), `${search} finds ${names}, not ${name}`);
      }
    }
  }
});

testOnDatabases("A search matches %, _ and \\ literally", async (database) => {
  const names = ["100% sure", "100 sure", "a_b", "axb", "c\\d", "cd", "\\% both"];
  await using app = await serve(
    database,
    names.map((feature_name, n) => makeItem(n, { feature_name })),
  );
  const namesFor = async (q: string) => {
    const { data } = await app.json(`/api/releases?q=${encodeURIComponent(q)}`);
    return data.map((item: { feature_name: string }) => item.feature_name).reverse();
  };
  assertEquals(await namesFor("%"), ["100% sure", "\\% both"]);
  assertEquals(await namesFor("100% s"), ["100% sure"]);
  assertEquals(await namesFor("_"), ["a_b"]);
  assertEquals(await namesFor("\\"), ["c\\d", "\\% both"]);
  assertEquals(await namesFor("\\%"), ["\\% both"]);
  assertEquals(await namesFor("a%b"), []);
  assertEquals(await namesFor("c\\\\d"), []);
});

testOnDatabases("A search covers name, description and product separately", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "one apple", feature_description: null, product_name: "pear" }),
    makeItem(2, { feature_description: "an Apple a day" }),
    makeItem(3, { product_name: "APPLE" }),
    makeItem(4, { blog_title: "apple", blog_url: "https://apple.example", release_type: "apple" }),
  ]);
  const count = async (q: string) =>
    (await app.json(`/api/releases?q=${encodeURIComponent(q)}`)).pagination.total_items;
  assertEquals(await count("apple"), 3);
  assertEquals(await count("applepear"), 0);
  assertEquals(await count("apple pear"), 0);
  assertEquals(await count("one apple\u001f\u001fpear"), 0);
  assertEquals(await count("apple&product_name=x"), 0);
  assertEquals(
    (await app.json("/api/releases?q=apple&product_name=APPLE")).pagination.total_items,
    1,
  );
});

testOnDatabases("An empty search is none", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2)]);
  for (const q of ["", "%20", "%09%0A%C2%A0", "+"]) {
    const response = await app.fetch(`/api/releases?q=${q}`);
    assertEquals(response.headers.get("x-search-mode"), null);
    assertEquals((await response.json()).pagination.total_items, 2);
  }
});

slowOnDatabases("A search reads the trigram index, not the whole table", async (database) => {
  // Texts that do not compress, as in a real table.
  const describe = (n: number) =>
    Array.from({ length: 50 }, (_, k) => ((n * 7919 + k) ** 2).toString(36)).join(" ");
  const items = Array.from(
    { length: 2_000 },
    (_, n) =>
      makeItem(n, {
        feature_name: `Item ${n * 7919} ${n === 1234 ? "ÉLÉPHANT БЕГЕМОТ" : "other"}`,
        feature_description: `${describe(n)}${n % 5 === 0 ? " gateway" : ""}`,
      }),
  );
  await using app = await serve(database, items);
  for (const [word, count] of [["éléphant", 1], ["бегемот", 1], ["gateway", 400]] as const) {
    const { pagination } = await app.json(`/api/releases?q=${encodeURIComponent(word)}`);
    assertEquals(pagination.total_items, count);
    const plan = await database.query<{ "QUERY PLAN": string }>(sql`
      explain select release_item_id from items
      where ${whereFilter({ q: word, include_inactive: false })}
    `);
    const text = plan.map((line) => line["QUERY PLAN"]).join("\n");
    assert(text.includes("items_by_substring"), text);
    assert(!text.includes("Seq Scan on item_texts"), text);
  }
});

slowTest("Folding is the same for all cases of a character, and idempotent", () => {
  const unequal: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const folded = fold(character);
    const others = [character.toUpperCase(), character.toLowerCase(), character.normalize("NFD")];
    const unlike = [folded, ...others].filter((other) => other !== character);
    if (unlike.some((other) => fold(other) !== folded)) unequal.push(character);
  }
  assertEquals(unequal, []);
});
