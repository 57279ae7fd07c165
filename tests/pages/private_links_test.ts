import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { MAPPING } from "../../lib/import/mapping/fields.ts";
import { PrivateLinks } from "../../lib/import/mapping/private_links.ts";
import { parseSources } from "../../lib/import/sources/source_config.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { emptyDatabase, testOnDatabases } from "../support/databases.ts";

const HOSTS = ["wiki.acme.internal", "*.Corp.example"];

/** Texts, and what remains of them. */
const TEXTS: readonly (readonly [text: string, left: string])[] = [
  ['See [the doc](https://wiki.acme.internal/x_(1) "title").', "See the doc."],
  ["[a](<http://WIKI.acme.internal:8080/x>) [b](//wiki.acme.internal.)", "a b"],
  ["[a](https://me:x@a.b.corp.example) [b](https://corp.example)", "a [b](https://corp.example)"],
  ["[![pic](https://wiki.acme.internal/p.png)](https://wiki.acme.internal)", "pic"],
  ["[https://wiki.acme.internal/x](https://wiki.acme.internal/x) it", " it"],
  ["At https://wiki.acme.internal/x?y=1, <https://a.corp.example/>.", "At , ."],
  [
    "<a href=\"https://a.corp.example/x\">text</a> <img src='http:\\\\wiki.acme.internal/a'>",
    "<a>text</a> <img>",
  ],
  [
    '<a href="https://acme.com">x</a> https://acme.com/wiki.acme.internal',
    '<a href="https://acme.com">x</a> https://acme.com/wiki.acme.internal',
  ],
  ["[1]: https://wiki.acme.internal/x\nplain wiki", "[1]: \nplain wiki"],
  ["// wiki.acme.internal", "// wiki.acme.internal"],
];

Deno.test("Links to private hosts are reduced to their text", () => {
  const links = new PrivateLinks(HOSTS);
  assertEquals(TEXTS.map(([text]) => links.hideIn(text)), TEXTS.map(([, left]) => left));
  assertEquals(new PrivateLinks([]).hideIn(TEXTS[0]![0]), TEXTS[0]![0]);
});

Deno.test("A megabyte of links is processed, however repetitive", () => {
  const links = new PrivateLinks(HOSTS);
  for (const piece of ["[a](", "[", "![a](b(", "<a ", "https://", "//a.corp.example/", "[a](b "]) {
    links.hideIn(piece.repeat(Math.ceil(1_000_000 / piece.length)));
  }
});

testOnDatabases("No private URL is stored, whatever the source format", async (database) => {
  const address = "https://wiki.acme.internal/x";
  const item = makeItem(1, { feature_description: `[doc](${address})`, blog_url: address });
  const fabric = {
    results: [{
      ReleaseItemID: item.release_item_id,
      FeatureName: "One",
      ReleaseType: "Type",
      ReleaseStatus: "Planned",
      ProductName: "Product",
      FeatureDescription: item.feature_description,
      BlogURL: address,
    }],
  };
  const csv = `Key,Title,Product,Status,Description,Blog,Issue key,Issue id\n` +
    `1,One,Product,Planned,[doc|${address}],${address},A-1,1\n`;
  for (const source of [[item], fabric, csv]) {
    await emptyDatabase(database);
    const fields = { release_item_id: null, private_hosts: HOSTS };
    await importItems(database, source, {
      fields: source === csv ? fields : { private_hosts: HOSTS },
    });
    await using app = await startApp(database);
    const { data: [release] } = await app.json("/api/releases");
    assertEquals([release.feature_description, release.blog_url], ["doc", null]);
  }
});

Deno.test("An invalid host is reported", () => {
  for (const hosts of [["https://wiki.example"], ["*"], [""], "wiki", [1]]) {
    assertEquals(MAPPING.safeParse({ private_hosts: hosts }).success, false);
  }
  const source = { name: "Ours", from: "a.csv", private_hosts: ["wiki/x"] };
  assertEquals(parseSources({ sources: [source] }).mistakes, [
    "sources[0].private_hosts[0]: must be a host such as wiki.example.com, or *.example.com for all below one",
  ]);
});
