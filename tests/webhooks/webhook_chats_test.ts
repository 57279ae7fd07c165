import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";

const CHATS = ["slack", "teams", "discord"] as const;
const HOSTILE = "<!channel> @everyone <@123> [x](http://evil.example) **bold** & `code` \\ _u_ | a";

/** The message that each chat received for an import. */
async function notifyChats(
  webhooks: ReturnType<typeof startWebhooks>,
  receiver: ReturnType<typeof startReceiver>,
  items: unknown,
) {
  await webhooks.import(items, { partial: true });
  await webhooks.send();
  const told = receiver.received.splice(0);
  assertEquals(told.length, 3);
  // deno-lint-ignore no-explicit-any
  return Object.fromEntries(told.map(({ path, body }) => [path.slice(1), JSON.parse(body)])) as any;
}

/** The elements of the blocks of a message for Slack. */
function slackElements(
  { blocks }: {
    blocks: { elements: { elements: { type: string; text: string; url?: string }[] }[] }[];
  },
) {
  return blocks.map(({ elements: [section] }) => section!.elements);
}

async function addChats(webhooks: ReturnType<typeof startWebhooks>, url: string) {
  for (const kind of CHATS) {
    const { secret } = await webhooks.add(`${url}/${kind}`, { kind, name: kind });
    assertEquals(secret, null, "its address is the secret");
  }
}

testOnDatabases("Chats get readable messages", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "R & D" } });
  await webhooks.import([makeItem(1), makeItem(2)]);
  await addChats(webhooks, receiver.url);
  const { slack, teams, discord } = await notifyChats(webhooks, receiver, [
    makeItem(1, { release_date: "Q4 2026", release_status: "In development" }),
    makeItem(3, { feature_name: "New <one>" }),
  ]);
  const page = (number: number) =>
    `http://localhost:8000/release/00000000-0000-4000-8000-00000000000${number}`;
  assertEquals(slack, {
    text: "R &amp; D: 1 slipped, 1 new",
    unfurl_links: false,
    blocks: [
      [{ type: "text", text: "R & D: 1 slipped, 1 new", style: { bold: true } }],
      [
        { type: "link", url: page(1), text: "Slipped: Feature 1", style: { bold: true } },
        {
          type: "text",
          text: "\nProduct · Q3 2026 → Q4 2026\n" +
            "Status changed from “Planned” to “In development”",
        },
      ],
      [
        { type: "link", url: page(3), text: "New: New <one>", style: { bold: true } },
        { type: "text", text: "\nProduct · Q3 2026" },
      ],
    ].map((elements) => ({
      type: "rich_text",
      elements: [{ type: "rich_text_section", elements }],
    })),
  });
  const [{ contentType, content }] = teams.attachments;
  assertEquals([teams.type, contentType], [
    "message",
    "application/vnd.microsoft.card.adaptive",
  ]);
  assertEquals([content.type, content.version], ["AdaptiveCard", "1.4"]);
  // deno-lint-ignore no-explicit-any
  assertEquals(content.body.map(({ type, text, wrap }: any) => [type, text, wrap]), [
    ["TextBlock", "R & D: 1 slipped, 1 new", true],
    [
      "TextBlock",
      `**[Slipped: Feature 1](${page(1)})**\n\n` +
      "Product · Q3 2026 → Q4 2026\n\n" +
      "Status changed from “Planned” to “In development”",
      true,
    ],
    [
      "TextBlock",
      `**[New: New \\<one>](${page(3)})**\n\nProduct · Q3 2026`,
      true,
    ],
  ]);
  assertEquals(discord, {
    content: "**R & D: 1 slipped, 1 new**",
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: "Slipped: Feature 1",
        url: page(1),
        description: "Product · Q3 2026 → Q4 2026\n" +
          "Status changed from “Planned” to “In development”",
      },
      {
        title: "New: New \\<one>",
        url: page(3),
        description: "Product · Q3 2026",
      },
    ],
  });
});

testOnDatabases("Texts are escaped for each chat, and nobody is pinged", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: HOSTILE } });
  await addChats(webhooks, receiver.url);
  const { slack, teams, discord } = await notifyChats(webhooks, receiver, [
    makeItem(1, {
      feature_name: HOSTILE,
      product_name: HOSTILE,
      release_type: "# a",
      blog_title: "x",
    }),
  ]);
  assert(!/<[!@#]|<\/|&(?!amp;|lt;|gt;)/.test(slack.text), slack.text);
  // All other texts are plain: they say what the release is called, sign by sign.
  const elements = slackElements(slack).flat();
  assertEquals(elements.map(({ type }) => type), ["text", "link", "text"]);
  assertEquals(elements[1]!.text, `New: ${HOSTILE}`);
  assertEquals(
    elements[1]!.url,
    "http://localhost:8000/release/00000000-0000-4000-8000-000000000001",
  );
  assertEquals(discord.allowed_mentions, { parse: [] });
  const texts = [
    discord.content.slice(2, -2),
    discord.embeds[0].title,
    discord.embeds[0].description,
    // deno-lint-ignore no-explicit-any
    ...teams.attachments[0].content.body.flatMap(({ text }: any) =>
      text.replace(/^\*\*\[(.*)\]\(http:\/\/localhost[^)]*\)\*\*/, "$1").split("\n\n")
    ),
  ];
  for (const text of texts) {
    // Apart from escaped characters, no Markdown is left.
    const signs = text.replace(/\\[^A-Za-z0-9\s]/g, "");
    assert(!/[*_`[\]<|\\]|^#/.test(signs), text);
  }
  assert(!/@(?!\u200b)/.test(JSON.stringify(discord)));
  assert(!JSON.stringify(teams).includes('msteams":{"entities'));
});

testOnDatabases(
  "A message has ten releases, the number of others, and stays within limits",
  async (database) => {
    await using receiver = startReceiver();
    await using webhooks = startWebhooks(database);
    const filter = { product_name: ["R&D (x)"] };
    for (const kind of CHATS) await webhooks.add(`${receiver.url}/${kind}`, { kind, filter });
    const wide = "&<>*_[ä😀".repeat(60);
    const fields = {
      feature_name: wide,
      product_name: "R&D (x)",
      release_type: wide.slice(0, 100),
      release_status: wide.slice(0, 100),
      blog_title: wide.slice(0, 200),
    };
    const items = (more: Record<string, unknown>) =>
      Array.from({ length: 25 }, (_, number) => makeItem(number, { ...fields, ...more }));
    await notifyChats(webhooks, receiver, items({}));
    const { slack, teams, discord } = await notifyChats(
      webhooks,
      receiver,
      items({
        feature_name: `b${wide}`,
        release_type: `b${wide.slice(0, 90)}`,
        release_status: `b${wide.slice(0, 90)}`,
        blog_title: `b${wide.slice(0, 200)}`,
        blog_url: "https://example.com/b",
      }),
    );
    const more = "http://localhost:8000/changelog?product_name=R%26D%20%28x%29";
    assertEquals(slack.blocks.length, 12);
    const sections = slackElements(slack);
    for (const elements of sections) {
      assert(elements.map(({ text }) => text).join("").length <= 3_000);
    }
    assertEquals(sections[11], [{ type: "link", text: "and 15 more", url: more }]);
    assertEquals(discord.embeds.length, 10);
    let length = 0;
    for (const { title, description } of discord.embeds) {
      assert(title.length <= 256 && description.length > 0);
      length += title.length + description.length;
    }
    assert(length <= 6_000 && discord.content.length <= 2_000, String(length));
    assert(discord.content.endsWith(`\n[and 15 more](${more})`));
    const bytes = new TextEncoder().encode(JSON.stringify(teams)).length;
    assert(bytes <= 28 * 1024, String(bytes));
    assertEquals(teams.attachments[0].content.body.length, 12);
    assertEquals(teams.attachments[0].content.body[11].text, `[and 15 more](${more})`);
    for (const text of [JSON.stringify(slack), JSON.stringify(discord), JSON.stringify(teams)]) {
      assert(!/\\ud[89ab]..(?!\\ud)|\ufffd/i.test(text), "a character was cut");
    }
  },
);

testOnDatabases(
  "Variant B also gets removals, without links to pages that do not exist",
  async (database) => {
    await using receiver = startReceiver();
    await using webhooks = startWebhooks(database, { settings: { ROADMAP_VARIANT: "b" } });
    await webhooks.import([makeItem(1), makeItem(2), makeItem(3)]);
    await webhooks.add(`${receiver.url}/slack`, { kind: "slack" });
    await webhooks.add(`${receiver.url}/standard`);
    await webhooks.import([makeItem(1), makeItem(2, { release_date: "Q4 2026" })]);
    await webhooks.send();
    const told = Object.fromEntries(
      receiver.received.map(({ path, body }) => [path.slice(1), JSON.parse(body)]),
    );
    const [, removed, changed] = slackElements(told.slack).map((elements) =>
      elements.map(({ text }) => text).join("")
    );
    assertEquals(
      changed!.split("\n").at(-1),
      "Product · 30 Sep 2026 → 31 Dec 2026",
    );
    assertEquals(removed!.split("\n")[0], "Removed: Feature 3");
    assertEquals(
      removed!.split("\n").at(-1),
      "Product · 30 Sep 2026",
    );
    const { changes } = told.standard.data;
    assertEquals(changes.map(({ kind }: { kind: string }) => kind), ["changed", "removed"]);
    assertEquals(changes[1].release, null);
  },
);
