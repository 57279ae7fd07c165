import { deepStrictEqual as assertEquals, doesNotMatch, match, ok } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readAtom, readJsonFeed, readRss } from "../support/subjects/feeds.ts";
import { slowOnDatabases } from "../support/slow.ts";

const { release_item_id: ID } = makeItem(1);

async function readText(app: TestApp, path: string): Promise<string> {
  const response = await app.fetch(path);
  assertEquals(response.status, 200, path);
  return await response.text();
}

/** Everything that shows a description to people. */
const SHOWN = [
  `/release/${ID}`,
  `/release/${ID}.md`,
  "/",
  "/search.json",
  "/rss.xml",
  "/atom.xml",
  "/feed.json",
];

testOnDatabases(
  "Titles of Atom and JSON Feed say what happened, RSS its text",
  async (database) => {
    const before = [
      makeItem(1),
      makeItem(2),
      makeItem(3),
      makeItem(4, { release_status: "In progress" }),
      makeItem(5),
    ];
    await importItems(database, before, { asOf: "2026-07-01" });
    const now = { last_modified: "2026-07-10" };
    await importItems(database, [
      { ...before[0], release_status: "Shipped", release_date: "Q4 2026", ...now },
      { ...before[1], release_date: "Q4 2026", ...now },
      { ...before[2], feature_name: "Feature three", ...now },
      { ...before[3], release_status: "Cancelled", ...now },
      makeItem(6, now),
    ], { asOf: "2026-07-10" });
    await using app = await startApp(database);
    const titles = {
      "Feature 1": "Shipped: Feature 1",
      "Feature 2": "Slipped: Feature 2",
      "Feature three": "Edited: Feature three",
      "Feature 4": "Cancelled: Feature 4",
      "Feature 5": "Removed: Feature 5",
      "Feature 6": "New: Feature 6",
    };
    const query = "?include_inactive=true";
    for (
      const feed of [
        await readAtom(app, `/atom.xml${query}`),
        await readJsonFeed(app, `/feed.json${query}`),
      ]
    ) {
      assertEquals(feed.entries.map(({ title }) => title).sort(), Object.values(titles).sort());
    }
    const rss = await readRss(app, `/rss.xml${query}`);
    assertEquals(rss.entries.map(({ title }) => title).sort(), Object.keys(titles).sort());
    for (const { title, content } of rss.entries) {
      const kind = titles[title as keyof typeof titles].split(":")[0];
      match(content, new RegExp(`^<p><strong>${kind}</strong></p><p>`), title);
    }
  },
);

testOnDatabases(
  "A second change on one day has the moment of its import, and the id of the first",
  async (database) => {
    const item = makeItem(1, { last_modified: null });
    await importItems(database, [item, makeItem(2)], { asOf: "2026-07-01" });
    const slipped = { ...item, release_date: "Q4 2026" };
    await importItems(database, [slipped, makeItem(2)], { asOf: "2026-07-10" });
    await using app = await startApp(database);
    const read = async () => {
      const atom = await readText(app, "/atom.xml?limit=1");
      const { items: [entry] } = await app.json("/feed.json?limit=1");
      return {
        id: /<entry>\s*<id>(.*?)<\/id>/.exec(atom)![1],
        updated: [...atom.matchAll(/<updated>(.*?)<\/updated>/g)].map(([, moment]) => moment!),
        published: /<published>(.*?)<\/published>/.exec(atom)![1],
        modified: entry.date_modified,
      };
    };
    const first = await read();
    const midnight = "2026-07-10T00:00:00Z";
    assertEquals([first.updated, first.modified], [[midnight, midnight], midnight]);
    await importItems(database, [{ ...slipped, release_status: "Shipped" }, makeItem(2)], {
      asOf: "2026-07-10",
    });
    const second = await read();
    assertEquals([second.id, second.published], [first.id, midnight]);
    assertEquals(second.updated, [second.modified, second.modified]);
    ok(Date.parse(second.modified) > Date.parse(midnight), second.modified);
  },
);

slowOnDatabases("Comments of templates are shown nowhere", async (database) => {
  const comments = [
    "Text <!-- secret --> more",
    "<!-- secret\n\nsecret -->\n\nText",
    "Text &lt;!-- secret --&gt; more",
    "Text<!---->&nbsp;more <!-- secret --><!-- secret --> end",
    "Text\n\n<!-- secret without an end",
    `<!-- secret -->${"*-* ".repeat(600)}<!-- secret --> made of marks`,
    `${"word ".repeat(5_000)}<!-- secret -->`,
  ];
  for (const feature_description of comments) {
    await using app = await serve(database, [
      makeItem(1, { feature_description, last_modified: null }),
    ]);
    for (const path of [...SHOWN, "/search.json?q=text", "/changelog"]) {
      doesNotMatch(
        await readText(app, path),
        /secret/,
        `${path}: ${feature_description.slice(0, 40)}`,
      );
    }
    const { total } = await app.json("/search.json?q=secret");
    assertEquals(total, 0, feature_description.slice(0, 40));
  }
  const plain = makeItem(1, { feature_description: "Write <!-- to begin a comment" });
  await using app = await serve(database, [plain]);
  for (const path of SHOWN) match(await readText(app, path), /to begin a comment/, path);
});

testOnDatabases("Lists of tasks show what is done", async (database) => {
  const feature_description = "- [ ] One\n- [x] Two\n* [X] Three\n\n1. [ ] Four\n\nNot [x] five";
  await using app = await serve(database, [makeItem(1, { feature_description })]);
  for (const path of SHOWN) {
    const text = (await readText(app, path)).replaceAll("&lt;", "<").replaceAll("&gt;", ">");
    for (const task of ["☐ One", "☑ Two", "☑ Three", "☐ Four", "Not \\[x\\] five"]) {
      match(text, new RegExp(task), `${path}: ${task}`);
    }
    doesNotMatch(text, /<input disabled|checkbox"? ?\/>? One|\[ \]/, path);
  }
});

testOnDatabases("Relative links lead to where they were written, or are text", async (database) => {
  const links: [href: string, target: string | null][] = [
    ["../blob/main/x.md", "https://code.example/a/b/blob/main/x.md"],
    ["/group/p/-/wikis/x", "https://code.example/group/p/-/wikis/x"],
    ["#note_7", "https://code.example/a/b/issues/5#note_7"],
    ["//other.example/x", "https://other.example/x"],
    ["?tab=1", "https://code.example/a/b/issues/5?tab=1"],
    ["https://other.example/as?it=is#x", "https://other.example/as?it=is#x"],
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["javascript:alert(1)", null],
    ["data:text/html,x", null],
    ["ftp://other.example/x", null],
  ];
  const feature_description = links.map(([href], place) => `[link ${place}](${href})`).join(" ") +
    " <a href='wiki'>link 10</a> [ref][1]\n\n[1]: ../ref";
  for (const blog_url of ["https://code.example/a/b/issues/5", null, "not an address"]) {
    const item = makeItem(1, { feature_description, blog_url, last_modified: null });
    await using app = await serve(database, [item]);
    for (const path of [`/release/${ID}`, "/rss.xml"]) {
      const text = (await readText(app, path)).replaceAll("&lt;", "<").replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"').replaceAll("&amp;", "&");
      const found = new Map(
        [...text.matchAll(/<a href="([^"]*)" rel="nofollow[^>]*>(link \d+|ref)<\/a>/g)]
          .map(([, href, name]) => [name!, href!]),
      );
      const wanted: [string, string | null][] = links.map(([href, target], place) =>
        [`link ${place}`, blog_url?.startsWith("http") || href === target ? target : null] as const
      );
      if (blog_url?.startsWith("http")) {
        wanted.push(["link 10", "https://code.example/a/b/issues/wiki"]);
        wanted.push(["ref", "https://code.example/a/b/ref"]);
      }
      assertEquals(
        [...found].sort(),
        wanted.filter(([, target]) => target !== null).sort(),
        `${path} ${blog_url}`,
      );
      for (let place = 0; place <= 10; place++) match(text, new RegExp(`link ${place}<`));
    }
  }
});

testOnDatabases("Footnotes are text", async (database) => {
  const feature_description =
    "As agreed[^1] and `[^a-z]` here[^note].\n\n[^1]: https://a.example/x\n" +
    "[^note]: A remark";
  await using app = await serve(database, [
    makeItem(1, { feature_description, blog_url: "https://b.example" }),
  ]);
  const html = await readText(app, `/release/${ID}`);
  const [, description] = /<div class="description prose"[^>]*>(.*?)<\/div>/s.exec(html)!;
  match(description!, /As agreed\[\^1\] and <code>\[\^a-z\]<\/code> here\[\^note\]/);
  match(description!, /\[\^1\]: <a href="https:\/\/a\.example\/x"/);
  match(description!, /\[\^note\]: A remark/);
});

testOnDatabases("No text of a source runs backwards", async (database) => {
  const feature_description = "Pay \u202eevil\u202c now \u2066x\u2069 &#8238;a &amp;#8238;b " +
    "&#x202e;c [link\u202e](https://a.example/\u202ex)";
  await importItems(database, [
    makeItem(1, {
      feature_description,
      feature_name: "Name\u202e",
      tags: { "A\u202e": ["b\u202e"] },
    }),
  ]);
  await using app = await serve(database, [
    makeItem(1, {
      feature_description: feature_description.replace("now", "later"),
      feature_name: "Name \u202e",
      release_status: "Shipped\u202e",
      last_modified: null,
    }),
  ]);
  for (
    const path of [
      ...SHOWN.filter((path) => path !== "/search.json"),
      "/changelog",
      "/calendar.ics",
    ]
  ) {
    // Values of filters are those of the source, byte for byte.
    const text = (await readText(app, path)).replaceAll(/ value="[^"]*"/g, "")
      .replaceAll(/<script[^>]*application\/json.*?<\/script>/gs, "");
    doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069]/, path);
    doesNotMatch(text.replaceAll(/<script.*?<\/script>/gs, ""), /&#(8238|x202e);/i, path);
  }
});
