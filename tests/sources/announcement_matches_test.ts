import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { v5 as uuidV5 } from "uuid";
import { scorePairs } from "../../bench/announcements.ts";
import { linkedReleases } from "../../lib/import/announcements/linked_releases.ts";
import { matchPosts, type Post } from "../../lib/import/announcements/match_posts.ts";

function releaseOf(feature_name: string, more: Record<string, unknown> = {}) {
  const ids = { release_item_id: feature_name, feature_name };
  const usual = { release_type: "General availability", release_date: null };
  return { ...ids, ...usual, product_names: ["Data Warehouse"], ...more };
}

function postOf(title: string, more: Partial<Post> = {}): Post {
  const usual = { headings: [], published: null, linked: [], rejected: false };
  return { post_key: title, url: `https://example.com/${title}`, title, ...usual, ...more };
}

/** Other releases and posts, so that words are frequent or rare. */
const OTHERS = {
  releases: ["Data clustering", "Data agents", "Warehouse audit", "Custom live pools"].map((name) =>
    releaseOf(name, { release_type: "Other" })
  ),
  posts: ["Data wrangling", "Data sharing", "Agents for data", "Warehouse alerts"].map((title) =>
    postOf(title)
  ),
};

/** The post of one release among others. */
function find(
  name: string,
  posts: readonly Post[],
  more: Record<string, unknown> = {},
): string | null {
  const release = releaseOf(name, more);
  const all = matchPosts([release, ...OTHERS.releases], [...posts, ...OTHERS.posts]);
  return all.matches.find(({ release_item_id }) => release_item_id === name)?.post_key ?? null;
}

Deno.test("At least 95 % of the matches among judged pairs are right", () => {
  const scores = (["judged.json", "held_out.json"] as const).map(scorePairs);
  for (const { precision, wrong } of scores) {
    assertEquals(wrong, []);
    assert(precision >= 0.95);
  }
  assert(scores[0]!.recall >= 0.35 && scores[1]!.recall >= 0.25);
  assertEquals(scores.map(({ pairs }) => pairs), [138, 59]);
});

Deno.test("A title matches by its words if the rest of it is the product", () => {
  const title = "Announcing lifecycle policies in Data Warehouse (Generally Available)";
  assertEquals(find("Lifecycle policy", [postOf(title)]), title);
  assertEquals(find("Lifecycle policy", [postOf(title)], { product_names: ["Shortcuts"] }), title);
  const other = "Lifecycle policies, branching, orchestration and observability for Spark (GA)";
  assertEquals(find("Lifecycle policy", [postOf(other)]), null);
});

Deno.test("A title by its words must state the phase of the release", () => {
  const titles = ["(Preview)", "(Public preview)", "now in preview", ""]
    .map((phase) => `Lifecycle policies for warehouses ${phase}`.trim());
  for (const title of titles) assertEquals(find("Lifecycle policies", [postOf(title)]), null);
  const preview = { release_type: "Public preview" };
  const found = titles.map((title) => find("Lifecycle policies", [postOf(title)], preview));
  assertEquals(found, [...titles.slice(0, 3), null]);
  // A roadmap without phases has none to state.
  const other = { release_type: "Feature" };
  assertEquals(find("Lifecycle policies", [postOf(titles[3]!)], other), titles[3]);
});

Deno.test("Names of frequent words only, and names of different things, do not match", () => {
  const [agents, spark] = ["Routing in data agents (GA)", "Outbound protection for Spark (GA)"];
  assertEquals(find("Data agents in general", [postOf(agents!)]), null);
  assertEquals(find("Outbound protection for Graph", [postOf(spark!)]), null);
});

Deno.test("A post does not announce by its words what is due long after it", () => {
  const posts = [postOf("Lifecycle policies now (GA)", { published: "2026-01-10" })];
  const dates = ["2026-03-31", "2026-12-31", null];
  assertEquals(
    dates.map((release_date) => find("Lifecycle policies", posts, { release_date }) !== null),
    [true, false, true],
  );
});

Deno.test("A link outranks a name, and a name outranks words", () => {
  const posts = [
    postOf("Lifecycle policies in Data Warehouse (GA)"),
    postOf("Lifecycle policies"),
    postOf("Everything in July", { linked: ["Lifecycle policies"] }),
  ];
  const found = [posts, posts.slice(0, 2), posts.slice(0, 1)]
    .map((some) => find("Lifecycle policies", some));
  assertEquals(found, [posts[2]!.title, posts[1]!.title, posts[0]!.title]);
});

Deno.test("A match stays until a better one is found, or its reason is gone", () => {
  const release = releaseOf("Lifecycle policies");
  const first = postOf("Lifecycle policies of warehouses (GA)");
  const named = postOf("Lifecycle policies (GA)");
  const find = (posts: readonly Post[], earlier = first) => {
    const match = { release_item_id: release.release_item_id, post_key: earlier.title };
    const found = matchPosts([release, ...OTHERS.releases], [...OTHERS.posts, ...posts], [
      { ...match, reason: "words", score: 1 },
    ]);
    return found.matches.find(({ release_item_id }) => release_item_id === match.release_item_id)
      ?.post_key;
  };
  const alike = postOf("Policies for the lifecycle (GA)");
  assertEquals(find([alike, first]), first.title);
  assertEquals(find([alike, first], OTHERS.posts[0]), alike.title);
  assertEquals(find([named, first]), named.title);
  assertEquals(find([alike, { ...first, rejected: true }]), alike.title);
  assertEquals(find([{ ...first, title: "Warehouses (GA)" }]), undefined);
});

Deno.test("Links to Microsoft releases match by their IDs", () => {
  const text = [
    "[One](https://www.microsoft.com/en-us/microsoft-365/roadmap?featureid=88888)",
    "<https://azure.microsoft.com/en-us/updates/?id=499999>",
    "https://learn.microsoft.com/fabric?id=12345 https://example.com/roadmap?id=12345",
  ].join("\n");
  const ids = [
    "www.microsoft.com/microsoft-365/roadmap?id=88888",
    "azure.microsoft.com/updates?id=499999",
  ]
    .map((address) => uuidV5(`https://${address}`, uuidV5.URL));
  assertEquals(linkedReleases(text), ids);
});
