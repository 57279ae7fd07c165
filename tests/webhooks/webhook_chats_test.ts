import { deepStrictEqual as assertEquals, match, ok as assert, rejects } from "node:assert/strict";
import { z } from "zod";
import type { WebhookKind } from "../../lib/delivery/webhooks/webhook.ts";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { type Received, startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";
import { slowOnDatabases } from "../support/slow.ts";

const HOSTILE =
  "<!channel> <users/all> @all <@1> </b><a href='x'> [x](http://evil.example) **b** & `c` \\ _u_ | a /stop";
const SITE = "<!channel> <users/all> @all **b** `c` _u_ | [x](http://evil.example) \\ /stop";
const pageOf = (number: number) =>
  `http://localhost:8000/release/00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

// deno-lint-ignore no-explicit-any
type Body = any;

/** A service, and the messages that it accepts according to its documentation. */
interface Service {
  path: string;
  schema: z.ZodType;
  /** What it gets of a release that slipped, and of a new one. */
  expected: Body;
  /** All texts that people see, of which no sign may mean something to the service. */
  textsOf(body: Body): string[];
  /** What means something. */
  meant: RegExp;
}

const lengthOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const text = (most: number) => z.string().min(1).max(most);
const FACTS = ["Product · Q3 2026 → Q4 2026", "Status changed from “Planned” to “In development”"];
const NEW_FACTS = "Product · Q3 2026";

/** Markdown without what is escaped, and without links to our pages. */
const unescaped = (markdown: string) =>
  markdown.replace(/\\[^A-Za-z0-9\s]/g, "").replace(
    /(\*\*)?\[([^\]]*)\]\(http:\/\/localhost[^)]*\)(\*\*)?/g,
    "$2",
  ).replace(/^\*\*([^*]*)\*\*/, "$1");
const MARKDOWN_SIGNS = /[*_`[\]<|\\]|^#/;
const MENTION = /@(?!\u200b)|<!/;

const SERVICES: Record<Exclude<WebhookKind, "standard">, Service> = {
  // Block Kit: a section of rich text has at most 3,000 characters, its texts are plain.
  slack: {
    path: "/services/T0/B0/secret-of-slack",
    schema: z.strictObject({
      text: text(3_000),
      unfurl_links: z.literal(false),
      blocks: z.array(
        z.strictObject({
          type: z.literal("rich_text"),
          elements: z.tuple([
            z.strictObject({
              type: z.literal("rich_text_section"),
              elements: z.array(
                z.discriminatedUnion("type", [
                  z.strictObject({
                    type: z.literal("text"),
                    text: text(3_000),
                    style: z.object().optional(),
                  }),
                  z.strictObject({
                    type: z.literal("link"),
                    text: text(3_000),
                    url: z.url(),
                    style: z.object().optional(),
                  }),
                ]),
              ).refine((texts) => texts.map(({ text }) => text).join("").length <= 3_000),
            }),
          ]),
        }),
      ).min(1).max(50),
    }),
    expected: {
      text: "R &amp; D: 1 slipped, 1 new",
      unfurl_links: false,
      blocks: [[{ type: "text", text: "R & D: 1 slipped, 1 new", style: { bold: true } }], [{
        type: "link",
        url: pageOf(1),
        text: "Slipped: Feature 1",
        style: { bold: true },
      }, { type: "text", text: ["", ...FACTS].join("\n") }], [{
        type: "link",
        url: pageOf(3),
        text: "New: New <one>",
        style: { bold: true },
      }, { type: "text", text: `\n${NEW_FACTS}` }]].map((elements) => ({
        type: "rich_text",
        elements: [{ type: "rich_text_section", elements }],
      })),
    },
    textsOf: ({ text }) => [text],
    meant: /<[!@#]|<\/|&(?!amp;|lt;|gt;)/,
  },
  // An Adaptive Card; a message has at most 28 KB.
  teams: {
    path: "/workflows/secret-of-teams",
    schema: z.strictObject({
      type: z.literal("message"),
      attachments: z.tuple([
        z.strictObject({
          contentType: z.literal("application/vnd.microsoft.card.adaptive"),
          contentUrl: z.null(),
          content: z.strictObject({
            $schema: z.url(),
            type: z.literal("AdaptiveCard"),
            version: z.literal("1.4"),
            body: z.array(
              z.looseObject({
                type: z.literal("TextBlock"),
                text: z.string().min(1),
                wrap: z.literal(true),
              }),
            ).min(1),
            msteams: z.strictObject({ width: z.literal("Full") }),
          }),
        }),
      ]),
    }).refine((body) => lengthOf(body) <= 28 * 1024),
    expected: {
      type: "message",
      attachments: [{
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "TextBlock",
              text: "R & D: 1 slipped, 1 new",
              wrap: true,
              weight: "Bolder",
              size: "Medium",
            },
            ...[[`**[Slipped: Feature 1](${pageOf(1)})**`, ...FACTS], [
              `**[New: New \\<one>](${pageOf(3)})**`,
              NEW_FACTS,
            ]].map((lines) => ({
              type: "TextBlock",
              text: lines.join("\n\n"),
              wrap: true,
              separator: true,
              spacing: "Medium",
            })),
          ],
          msteams: { width: "Full" },
        },
      }],
    },
    textsOf: ({ attachments: [{ content }] }) =>
      content.body.flatMap(({ text }: Body) => text.split("\n\n").map(unescaped)),
    meant: MARKDOWN_SIGNS,
  },
  discord: {
    path: "/api/webhooks/1/secret-of-discord",
    schema: z.strictObject({
      content: text(2_000),
      allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
      embeds: z.array(
        z.strictObject({ title: text(256), url: z.url().optional(), description: text(4_096) }),
      ).max(10).refine((embeds) =>
        embeds.reduce((sum, one) => sum + one.title.length + one.description.length, 0) <= 6_000
      ),
    }),
    expected: {
      content: "**R & D: 1 slipped, 1 new**",
      allowed_mentions: { parse: [] },
      embeds: [{ title: "Slipped: Feature 1", url: pageOf(1), description: FACTS.join("\n") }, {
        title: "New: New \\<one>",
        url: pageOf(3),
        description: NEW_FACTS,
      }],
    },
    textsOf: ({ content, embeds }) =>
      [content, ...embeds.flatMap(({ title, description }: Body) => [title, description])].flatMap((
        text,
      ) => text.split("\n")).map(unescaped),
    meant: new RegExp(`${MARKDOWN_SIGNS.source}|${MENTION.source}`),
  },
  // Incoming webhooks, "Parameters"; a post has at most 16,383 characters.
  mattermost: {
    path: "/hooks/abcdefghij",
    schema: z.strictObject({ text: text(16_383) }),
    expected: {
      text: [
        "**R & D: 1 slipped, 1 new**",
        [`**[Slipped: Feature 1](${pageOf(1)})**`, ...FACTS].join("\n"),
        `**[New: New \\<one>](${pageOf(3)})**\n${NEW_FACTS}`,
      ].join("\n\n"),
    },
    textsOf: ({ text }) => text.split("\n").map(unescaped),
    // It replaces `<!channel>` before it reads Markdown.
    meant: new RegExp(`${MARKDOWN_SIGNS.source}|${MENTION.source}`),
  },
  // spaces.messages and cards v2; a message has at most 32,000 bytes.
  googlechat: {
    path: "/v1/spaces/AAAA/messages?key=key-key-key&token=token-token",
    schema: z.strictObject({
      fallbackText: z.string(),
      cardsV2: z.tuple([
        z.strictObject({
          cardId: z.string(),
          card: z.strictObject({
            header: z.strictObject({ title: z.string().min(1) }),
            sections: z.array(
              z.strictObject({
                widgets: z.array(
                  z.strictObject({ textParagraph: z.strictObject({ text: z.string().min(1) }) }),
                ).min(1).max(100),
              }),
            ).optional(),
          }),
        }),
      ]),
    }).refine((body) => lengthOf(body) <= 32_000),
    expected: {
      fallbackText: "R & D: 1 slipped, 1 new",
      cardsV2: [{
        cardId: "changes",
        card: {
          header: { title: "R & D: 1 slipped, 1 new" },
          sections: [{
            widgets: [[`<b><a href="${pageOf(1)}">Slipped: Feature 1</a></b>`, ...FACTS], [
              `<b><a href="${pageOf(3)}">New: New &lt;one&gt;</a></b>`,
              NEW_FACTS,
            ]].map((lines) => ({ textParagraph: { text: lines.join("<br>") } })),
          }],
        },
      }],
    },
    textsOf: (
      { fallbackText, cardsV2: [{ card }] },
    ) => [
      fallbackText.replaceAll(/<(?!users\/|!)/g, ""),
      ...card.sections[0].widgets.map(({ textParagraph: { text } }: Body) => text),
    ],
    meant: /<(?!b>|\/b>|a href="http:\/\/localhost:8000\/|\/a>|br>)/,
  },
  // Bot API, `sendMessage`.
  telegram: {
    path: "/bot123456:token-of-the-bot/sendMessage?chat_id=-1001234",
    schema: z.strictObject({
      text: z.string().min(1).refine((text) => readTelegramHtml(text).length <= 4_096),
      parse_mode: z.literal("HTML"),
      link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
    }),
    expected: {
      text: [
        "<b>R &amp; D: 1 slipped, 1 new</b>",
        [`<b><a href="${pageOf(1)}">Slipped: Feature 1</a></b>`, ...FACTS].join("\n"),
        `<b><a href="${pageOf(3)}">New: New &lt;one&gt;</a></b>\n${NEW_FACTS}`,
      ].join("\n\n"),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    },
    textsOf: ({ text }) => [text],
    meant: /(?<!\S)\/(?!\u200b)|@(?!\u200b)/,
  },
  // "Publish as JSON", plain text; longer messages become attachments.
  ntfy: {
    path: "/behind/my-roadmap?auth=secret-of-the-topic",
    schema: z.strictObject({
      topic: z.literal("my-roadmap"),
      title: z.string().min(1),
      message: z.string().min(1).refine((text) => new TextEncoder().encode(text).length <= 4_096),
      click: z.url().optional(),
    }),
    expected: {
      topic: "my-roadmap",
      title: "R & D: 1 slipped, 1 new",
      message: [["Slipped: Feature 1", ...FACTS].join("\n  "), `New: New <one>\n  ${NEW_FACTS}`]
        .join("\n"),
      click: "http://localhost:8000/changelog",
    },
    textsOf: () => [],
    meant: /^/,
  },
  // API, "Persistent (Stateful) Storage", `/notify/{KEY}`; it may pass its message on to Mattermost.
  apprise: {
    path: "/notify/roadmap",
    schema: z.strictObject({
      title: z.string(),
      body: z.string().min(1),
      type: z.literal("info"),
      format: z.literal("markdown"),
    }),
    expected: {
      title: "R & D: 1 slipped, 1 new",
      body: [
        [`**[Slipped: Feature 1](${pageOf(1)})**`, ...FACTS].join("\n"),
        `**[New: New \\<one>](${pageOf(3)})**\n${NEW_FACTS}`,
      ].join("\n\n"),
      type: "info",
      format: "markdown",
    },
    textsOf: (
      { title, body },
    ) => [title.replace(/[^@<!\u200b]/g, ""), ...body.split("\n").map(unescaped)],
    meant: new RegExp(`[*_\`[\\]|\\\\]|^#|${MENTION.source}`),
  },
};

type Kind = keyof typeof SERVICES;
const KINDS = Object.keys(SERVICES) as Kind[];

/** The text of Telegram's HTML, which allows only these entities and these tags, closed. */
function readTelegramHtml(html: string): string {
  const open: string[] = [];
  const text = html.replace(/<(\/?)(b|a)( href="[^"<>]*")?>/g, (_tag, end, name) => {
    if (end) assertEquals(open.pop(), name);
    else open.push(name);
    return "";
  });
  assertEquals(open, []);
  assert(!/[<>]|&(?!amp;|lt;|gt;|quot;)/.test(text), text);
  return text.replace(/&(amp|lt|gt|quot);/g, "x");
}

/** Refuses messages of the wrong shape, as each service does. */
function answerAs(received: Received): Response {
  const kind = kindOf(received);
  const { success, error } = SERVICES[kind].schema.safeParse(JSON.parse(received.body));
  if (!success) {
    return Response.json({ ok: false, error: error.message }, { status: 400 });
  }
  if (kind === "ntfy" && received.path !== "/behind/?auth=secret-of-the-topic") {
    return new Response(null, { status: 404 });
  }
  return Response.json({ ok: true });
}

function kindOf({ path }: Received): Kind {
  return KINDS.find((kind) => path === SERVICES[kind].path) ?? "ntfy";
}

async function addChats(webhooks: ReturnType<typeof startWebhooks>, url: string) {
  for (const kind of KINDS) {
    const { secret, shownUrl } = await webhooks.add(url + SERVICES[kind].path, {
      kind,
      name: kind,
    });
    assertEquals([secret, shownUrl], [null, `${url}/…`], "its address is the secret");
  }
}

/** The message that each chat accepted for an import. */
async function notifyChats(
  webhooks: ReturnType<typeof startWebhooks>,
  receiver: ReturnType<typeof startReceiver>,
  items: unknown,
): Promise<Record<Kind, Body>> {
  await webhooks.import(items, { partial: true });
  await webhooks.send();
  const received = receiver.received.splice(0);
  const failed = (await webhooks.deliveries()).filter(({ status }) => status !== "sent");
  assertEquals(failed, []);
  const bodies = received.map((one) => [kindOf(one), JSON.parse(one.body)] as const);
  assertEquals(bodies.map(([kind]) => kind).sort(), KINDS.toSorted());
  return Object.fromEntries(bodies) as Record<Kind, Body>;
}

testOnDatabases("Each chat gets a readable message in its own format", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "R & D" } });
  await webhooks.import([makeItem(1), makeItem(2)]);
  await addChats(webhooks, receiver.url);
  const sent = await notifyChats(webhooks, receiver, [
    makeItem(1, { release_date: "Q4 2026", release_status: "In development" }),
    makeItem(3, { feature_name: "New <one>" }),
  ]);
  for (const kind of KINDS) {
    assertEquals([kind, sent[kind]], [kind, SERVICES[kind].expected]);
  }
});

testOnDatabases("Texts are escaped for each chat, and nobody is pinged", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: SITE } });
  await addChats(webhooks, receiver.url);
  const sent = await notifyChats(webhooks, receiver, [
    makeItem(1, {
      feature_name: HOSTILE,
      product_name: HOSTILE,
      release_type: "# a",
      blog_title: `&lt;!here&gt; ${HOSTILE}`,
    }),
  ]);
  for (const kind of KINDS) {
    const { textsOf, meant } = SERVICES[kind];
    for (const text of textsOf(sent[kind])) {
      assert(!meant.test(text), `${kind}: ${text}`);
    }
  }
  // All other texts of Slack are plain: they say what the release is called, sign by sign.
  const [, { elements: [{ elements: [head] }] }] = sent.slack.blocks;
  assertEquals([head.type, head.text, head.url], ["link", `New: ${HOSTILE}`, pageOf(1)]);
});

slowOnDatabases(
  "Each chat stays within its limits, says how many releases it leaves out, and leads to all",
  async (database) => {
    await using receiver = startReceiver(answerAs);
    await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "&".repeat(100) } });
    await addChats(webhooks, receiver.url);
    const everything = "http://localhost:8000/changelog";
    const texts: Readonly<Record<string, (number: number) => Record<string, unknown>>> = {
      short: (number) => ({ feature_name: `Name ${number};` }),
      long: (number) => ({
        feature_name: `Name ${number}; ${"long ".repeat(20)}`,
        release_status: "status ".repeat(30),
      }),
      Japanese: (number) => ({
        feature_name: `Name ${number}; ${"長い名前".repeat(25)}`,
        release_status: "状態".repeat(100),
      }),
      signs: (number) => ({
        feature_name: `Name ${number}; ${'&<*_[ä😀"'.repeat(60)}`,
        release_type: "&<*_[ä😀".repeat(12),
        release_status: "<".repeat(100),
        blog_title: "&<*_[ä😀".repeat(25),
        blog_url: "https://example.com/b",
      }),
    };
    let id = 1;
    for (const [kind, textsOf] of Object.entries(texts)) {
      for (const count of [1, 2, 10, 25]) {
        const items = Array.from(
          { length: count },
          (_, number) => makeItem(id++, { product_name: `Product ${number}`, ...textsOf(number) }),
        );
        const sent = await notifyChats(webhooks, receiver, items);
        for (const one of KINDS) {
          const text = JSON.stringify(sent[one]);
          assert(!/\\ud[89ab]..(?!\\ud)|\ufffd/i.test(text), "a character was cut");
          const shown = new Set(text.match(/Name \d+;/g)).size;
          const left = /and (\d+) more/.exec(text)?.[1] ?? "0";
          assertEquals([kind, one, shown + Number(left)], [kind, one, count]);
          assert(shown > 0);
          if (left !== "0" && one !== "ntfy") {
            assert(text.includes(everything), text);
          }
        }
        const page = `http://localhost:8000/release/${items[0]!.release_item_id}`;
        assertEquals(sent.ntfy.click, count === 1 ? page : everything);
      }
    }
  },
);

testOnDatabases("A link to what is left out has the filter", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database);
  const filter = { release_type: ["R&D (x)"] };
  await webhooks.add(`${receiver.url}/hooks/abcdefghij`, { kind: "mattermost", filter });
  await webhooks.import(
    Array.from(
      { length: 11 },
      (_, number) =>
        makeItem(number, { product_name: `Product ${number}`, release_type: "R&D (x)" }),
    ),
  );
  await webhooks.send();
  const { text } = JSON.parse(receiver.received[0]!.body);
  match(text, /\]\(http:\/\/localhost:8000\/changelog\?release_type=R%26D%20%28x%29\)$/);
});

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
    const [, removed, changed] = told.slack.blocks.map(({ elements: [section] }: Body) =>
      section.elements.map(({ text }: Body) => text).join("")
    );
    assertEquals(changed!.split("\n").at(-1), "Product · 30 Sep 2026 → 31 Dec 2026");
    assertEquals(removed!.split("\n")[0], "Removed: Feature 3");
    assertEquals(removed!.split("\n").at(-1), "Product · 30 Sep 2026");
    const { changes } = told.standard.data;
    assertEquals(changes.map(({ kind }: { kind: string }) => kind), ["changed", "removed"]);
    assertEquals(changes[1].release, null);
  },
);

testOnDatabases("A filter that is too long for a message leads to everything", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database);
  const product_name = Array.from({ length: 90 }, (_, number) => `${number} ${"x".repeat(150)}`);
  for (const kind of KINDS) {
    await webhooks.add(receiver.url + SERVICES[kind].path, {
      kind,
      name: kind,
      filter: { product_name: [...product_name, "Product"] },
    });
  }
  const items = Array.from({ length: 12 }, (_, number) => makeItem(number + 1));
  const sent = await notifyChats(webhooks, receiver, items);
  assertEquals(sent.ntfy.click, "http://localhost:8000/changelog");
});

testOnDatabases(
  "Telegram's retry_after is honoured, and a 204 from Apprise is a failure",
  async (database) => {
    let waits = true;
    await using receiver = startReceiver(({ path }) => {
      if (path.startsWith("/notify")) {
        return new Response(null, { status: 204 });
      }
      if (!waits) return Response.json({ ok: true });
      return Response.json({
        ok: false,
        error_code: 429,
        description: "Too Many Requests: retry after 600",
        parameters: { retry_after: 600 },
      }, { status: 429 });
    });
    await using webhooks = startWebhooks(database);
    for (const kind of ["telegram", "apprise"] as const) {
      await webhooks.add(receiver.url + SERVICES[kind].path, { kind, name: kind });
    }
    await webhooks.import([makeItem(1)]);
    await webhooks.send();
    const reasons = (await webhooks.deliveries()).map((
      { name, status, last_error },
    ) => [name, status, last_error]);
    assertEquals(reasons.length, 2);
    const text = JSON.stringify(reasons);
    match(text, /429/);
    match(text, /204 No Content/);
    assert(!text.includes("token-of-the-bot"), text);
    waits = false;
    const asked = () => receiver.received.filter(({ path }) => path.startsWith("/bot")).length;
    webhooks.advance(9);
    await webhooks.send();
    assertEquals(asked(), 1);
    webhooks.advance(2);
    await webhooks.send();
    assertEquals(asked(), 2);
  },
);

testOnDatabases(
  "A Telegram group that has grown is followed, and its new id is kept",
  async (database) => {
    const { path } = SERVICES.telegram;
    const grown = path.replace("-1001234", "-1009876543210");
    await using receiver = startReceiver((received) => {
      if (received.path === grown) return Response.json({ ok: true });
      return Response.json({
        ok: false,
        error_code: 400,
        description: "Bad Request: group chat was upgraded to a supergroup chat",
        parameters: { migrate_to_chat_id: -1009876543210 },
      }, { status: 400 });
    });
    await using webhooks = startWebhooks(database);
    await webhooks.add(receiver.url + path, { kind: "telegram", name: "grown" });
    for (const number of [1, 2]) {
      await webhooks.import([makeItem(number)], { partial: true });
      await webhooks.send();
    }
    assertEquals(receiver.received.map(({ path }) => path), [path, grown, grown]);
    assertEquals((await webhooks.deliveries()).map(({ status }) => status), ["sent", "sent"]);

    // A receiver of another kind says what it likes.
    receiver.received.length = 0;
    await webhooks.add(receiver.url + path.replace("bot", "rob"), { name: "other" });
    await webhooks.import([makeItem(3)], { partial: true });
    await webhooks.send();
    assertEquals(receiver.received.length, 2);
    const [waiting] = (await webhooks.deliveries()).filter(({ status }) => status === "waiting");
    match(waiting!.last_error!, /"parameters":\{"migrate_to_chat_id":-1009876543210\}/);
  },
);

testOnDatabases("A chat that refuses its address says what to do", async (database) => {
  await using receiver = startReceiver(({ path }) =>
    new Response("no_service", { status: Number(path.slice(-3)) })
  );
  await using webhooks = startWebhooks(database);
  const statuses = [400, 401, 403, 404, 410, 429, 500];
  for (const kind of ["slack", "standard"] as const) {
    for (const status of statuses) {
      await webhooks.add(`${receiver.url}/s3cret/${status}`, { kind, name: `${kind} ${status}` });
    }
  }
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  const advised = (await webhooks.deliveries()).filter(({ last_error }) =>
    /: no_service\. If the chat or its webhook was removed, change the address/.test(last_error!)
  );
  assertEquals(
    advised.map(({ name, status }) => [name, status]).sort(),
    [401, 403, 404, 410].map((
      status,
    ) => [`slack ${status}`, status === 410 ? "failed" : "waiting"]),
  );
  const disabled = (await webhooks.list()).filter(({ disabled_at }) => disabled_at !== null);
  assertEquals(disabled.map(({ name }) => name), ["slack 410", "standard 410"]);
});

testOnDatabases(
  "An address of the wrong kind is refused with an example of a valid one",
  async (database) => {
    await using webhooks = startWebhooks(database);
    const wrong = [
      ["telegram", "https://api.telegram.org/bot1:a/sendMessage", /sendMessage\?chat_id=<chat>$/],
      [
        "telegram",
        "https://api.telegram.org/bot1:a/getMe?chat_id=1",
        /sendMessage\?chat_id=<chat>$/,
      ],
      ["ntfy", "https://ntfy.sh/", /kind ntfy is that of a topic, such as/],
      ["apprise", "https://apprise.example.com/notify/", /kind apprise is that of a configuration/],
    ] as const;
    for (const [kind, address, reason] of wrong) {
      await rejects(webhooks.add(address, { kind }), ({ message }: Error) => {
        match(message, reason);
        return !message.includes("bot1:a");
      });
    }
  },
);

testOnDatabases("A webhook may go by a named date", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  const filter = { due: ["next90" as const], date_name: ["Preview"] };
  await webhooks.add(`${receiver.url}/services/T/B/x`, { kind: "slack", name: "chat", filter });
  await webhooks.add(`${receiver.url}/standard`, { name: "standard", filter });
  const items = (
    release_status: string,
  ) => [
    makeItem(1, { dates: { Preview: "2026-09-30" }, release_date: null, release_status }),
    makeItem(2, { release_date: "2026-09-30", release_status }),
  ];
  await webhooks.import(items("Planned"));
  await webhooks.send();
  receiver.received.splice(0);
  await webhooks.import(items("In development"));
  await webhooks.send();
  const bodyOf = (path: string) => receiver.received.find((one) => one.path.startsWith(path))!.body;
  match(bodyOf("/services"), /Feature 1.*Product · Preview Q3 2026/);
  const { changes, changes_url } = JSON.parse(bodyOf("/standard")).data;
  assertEquals(changes.map(({ release_item_id }: { release_item_id: string }) => release_item_id), [
    makeItem(1).release_item_id,
  ]);
  match(changes_url, /due=next90.*date_name=Preview/);
});
