import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { v5 as uuidV5 } from "uuid";
import { linkedReleases } from "../../lib/import/announcements/posts_in.ts";
import { indexPosts, type Post, postKey } from "../../lib/import/announcements/match_posts.ts";

function releaseOf(feature_name: string, release_type = "General availability") {
  return { release_item_id: feature_name, feature_name, release_type };
}

function postOf(title: string, more: Partial<Post> = {}): Post {
  const usual = { headings: [], published: null, linked: [], rejected: false };
  return { post_key: title, url: `https://example.com/${title}`, title, ...usual, ...more };
}

/** The post of one release. */
async function find(
  name: string,
  posts: readonly Post[],
  set?: ReadonlyMap<string, string>,
): Promise<string | null> {
  const [match] = await (await indexPosts(posts, set))([releaseOf(name)]);
  return match?.post.post_key ?? null;
}

Deno.test("A post that only has words of a name announces nothing", async () => {
  const titles = [
    "Announcing lifecycle policies in Data Warehouse (Generally Available)",
    "Lifecycle policies for everything",
    "Lifecycle policy",
    "Policies, lifecycle",
  ];
  for (const title of titles) assertEquals(await find("Lifecycle policies", [postOf(title)]), null);
});

Deno.test("A name without a blank is the whole title of one post, or announces nothing", async () => {
  for (const name of ["Passkeys", "新しいダッシュボード", "Übersichten"]) {
    assertEquals(await find(name, [postOf("Other"), postOf(name)]), name);
    assertEquals(await find(name, [postOf(`${name} (GA)`)]), `${name} (GA)`);
    const preview = postOf(`${name} (Preview)`);
    assertEquals(await find(name, [preview, postOf(`${name} (GA)`)]), `${name} (GA)`);
    assertEquals(await find(name, [preview]), null);
    assertEquals(await find(name, [postOf(`${name}!`), postOf(`${name} and more`)]), null);
    assertEquals(await find(name, [postOf("July", { headings: [name] })]), null);
    // It stands above many posts.
    assertEquals(await find(name, [postOf(name), postOf(name, { post_key: "other" })]), null);
  }
  assertEquals(await find("(GA)", [postOf("Preview")]), null);
});

Deno.test("A name matches whatever its case, punctuation, entities and phase", async () => {
  for (
    const title of ["LIFECYCLE policies", "Lifecycle-policies!", "Lifecycle&nbsp;policies (GA)"]
  ) {
    assertEquals(await find("Lifecycle policies", [postOf(title)]), title);
  }
  const month = postOf("All of July", { headings: ["Other", "Lifecycle policies"] });
  assertEquals(await find("Lifecycle policies", [month]), month.title);
});

Deno.test("A link outranks a name", async () => {
  const posts = [
    postOf("Lifecycle policies"),
    postOf("Everything in July", { linked: ["Lifecycle policies"] }),
  ];
  assertEquals(await find("Lifecycle policies", posts), "Everything in July");
});

Deno.test("The best post counts, unless another one was set", async () => {
  const name = "Lifecycle policies";
  const [first, second] = [postOf(`${name} (GA)`), postOf(`${name}!`)];
  assertEquals(await find(name, [first, second]), first.title);
  assertEquals(await find(name, [{ ...first, rejected: true }, second]), second.title);
  const linking = postOf("July", { linked: [name] });
  assertEquals(await find(name, [first, second, linking]), "July");
  const set = new Map([[name, second.post_key]]);
  assertEquals(
    await find(name, [first, { ...second, rejected: true }, linking], set),
    second.title,
  );
  assertEquals(await find(name, [first], new Map([[name, "gone"]])), first.title);
});

Deno.test("Matching many releases and headings lets other work have its turn", async () => {
  const releases = Array.from(
    { length: 9_300 },
    (_, number) => releaseOf(`Feature number ${number}`),
  );
  const posts = Array.from({ length: 2_000 }, (_, number) =>
    postOf(`Post ${number}`, {
      headings: Array.from({ length: 20 }, (_, place) => `Feature number ${number * 20 + place}`),
    }));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const matches = await (await indexPosts(posts))(releases);
  clearInterval(timer);
  assertEquals(matches.length, 9_300);
  assert(turns >= 2, `${turns} turns of other work`);
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

Deno.test("A year, a month or a day at the end of an address is no number of a post", () => {
  for (const day of ["2026", "202603", "20260331"]) {
    const keys = ["release-notes", "security-notes"].map((place) =>
      postKey(`https://example.com/${place}/${day}`)
    );
    assertEquals(keys, [`example.com/release-notes/${day}`, `example.com/security-notes/${day}`]);
  }
  assertEquals(
    ["a/10001", "b/2199", "b/202613"].map((path) => postKey(`https://example.com/${path}`)),
    ["example.com:10001", "example.com:2199", "example.com:202613"],
  );
});
