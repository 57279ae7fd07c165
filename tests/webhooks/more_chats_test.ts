import { deepStrictEqual as assertEquals, match, ok as assert, rejects } from "node:assert/strict";
import { z } from "zod";
import type { WebhookKind } from "../../lib/delivery/webhooks/webhook.ts";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { type Received, startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";
import { slowOnDatabases } from "../support/slow.ts";

const HOSTILE =
  "<users/all> @channel @here @everyone </b><a href='x'> [x](http://evil.example) **b** & `c` /stop";
const PINGS = "<!channel> <!here> <!all> <!everyone|x> &lt;!channel&gt; <users/all> @all";
const PAGE = "http://localhost:8000/release/00000000-0000-4000-8000-000000000001";

/** The path of each service, and the messages it accepts according to its documentation. */
const SERVICES = {
  // Incoming webhooks, "Parameters"; a post has at most 16,383 characters.
  mattermost: {
    path: "/hooks/abcdefghij",
    schema: z.strictObject({ text: z.string().min(1).max(16_383) }),
  },
  // spaces.messages and cards v2.
  googlechat: {
    path: "/v1/spaces/AAAA/messages?key=key-key-key&token=token-token",
    schema: z.strictObject({
      fallbackText: z.string(),
      cardsV2: z.tuple([z.strictObject({
        cardId: z.string(),
        card: z.strictObject({
          header: z.strictObject({ title: z.string().min(1) }),
          sections: z.array(z.strictObject({
            widgets: z.array(z.strictObject({
              textParagraph: z.strictObject({ text: z.string().min(1) }),
            })).min(1).max(100),
          })).optional(),
        }),
      })]),
    }),
  },
  // Bot API, `sendMessage`.
  telegram: {
    path: "/bot123456:token-of-the-bot/sendMessage?chat_id=-1001234",
    schema: z.strictObject({
      text: z.string().min(1).refine((text) => readTelegramHtml(text).length <= 4_096),
      parse_mode: z.literal("HTML"),
      link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
    }),
  },
  // "Publish as JSON"; longer messages become attachments.
  ntfy: {
    path: "/behind/my-roadmap?auth=secret-of-the-topic",
    schema: z.strictObject({
      topic: z.literal("my-roadmap"),
      title: z.string().min(1),
      message: z.string().min(1).refine((text) => new TextEncoder().encode(text).length <= 4_096),
      click: z.url().optional(),
    }),
  },
  // API, "Persistent (Stateful) Storage", `/notify/{KEY}`.
  apprise: {
    path: "/notify/roadmap",
    schema: z.strictObject({
      title: z.string(),
      body: z.string().min(1),
      type: z.literal("info"),
      format: z.literal("markdown"),
    }),
  },
} as const satisfies Partial<Record<WebhookKind, { path: string; schema: z.ZodType }>>;

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
  if (!success) return Response.json({ ok: false, error: error.message }, { status: 400 });
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
    assertEquals([secret, shownUrl], [null, `${url}/…`]);
  }
}

// deno-lint-ignore no-explicit-any
type Bodies = Record<Kind, any>;

async function notifyChats(
  webhooks: ReturnType<typeof startWebhooks>,
  receiver: ReturnType<typeof startReceiver>,
  items: unknown,
): Promise<Bodies> {
  await webhooks.import(items, { partial: true });
  await webhooks.send();
  const received = receiver.received.splice(0);
  const failed = (await webhooks.deliveries()).filter(({ status }) => status !== "sent");
  assertEquals(failed, []);
  return Object.fromEntries(received.map((one) => [kindOf(one), JSON.parse(one.body)])) as Bodies;
}

testOnDatabases("More chats get changes in their own formats", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "R & D" } });
  await webhooks.import([makeItem(1, { feature_name: "One <b>" })]);
  await addChats(webhooks, receiver.url);
  const sent = await notifyChats(webhooks, receiver, [
    makeItem(1, { release_date: "Q4 2026", feature_name: "One <b>" }),
  ]);
  const facts = "Product · Q3 2026 → Q4 2026";
  assertEquals(Object.keys(sent).sort(), [...KINDS].sort());
  const markdown = `**[Slipped: One \\<b>](${PAGE})**\n${facts}`;
  assert(
    sent.mattermost.text.startsWith(`**R & D: 1 slipped**\n\n${markdown}`),
    sent.mattermost.text,
  );
  assertEquals(sent.apprise.title, "R & D: 1 slipped");
  assert(sent.apprise.body.startsWith(markdown), sent.apprise.body);
  assertEquals(sent.googlechat.fallbackText, "R & D: 1 slipped");
  const [{ card }] = sent.googlechat.cardsV2;
  match(
    card.sections[0].widgets[0].textParagraph.text,
    new RegExp(`^<b><a href="${PAGE}">Slipped: One &lt;b&gt;</a></b><br>${facts}`),
  );
  assert(
    sent.telegram.text.startsWith(
      `<b>R &amp; D: 1 slipped</b>\n\n<a href="${PAGE}"><b>Slipped: One &lt;b&gt;</b></a>\n${facts}`,
    ),
    sent.telegram.text,
  );
  assertEquals([sent.ntfy.title, sent.ntfy.click], ["R & D: 1 slipped", PAGE]);
  assert(
    sent.ntfy.message.startsWith(`Slipped: One <b>\n  ${facts}`),
    sent.ntfy.message,
  );
});

testOnDatabases("Texts are escaped in more chats, and nobody is pinged", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: PINGS } });
  await addChats(webhooks, receiver.url);
  const sent = await notifyChats(webhooks, receiver, [
    makeItem(1, { feature_name: HOSTILE, product_name: HOSTILE, blog_title: HOSTILE }),
    makeItem(2, { feature_name: PINGS, product_name: PINGS }),
  ]);
  for (const text of [sent.mattermost.text, sent.apprise.body, sent.telegram.text]) {
    assert(!/@(?!\u200b)/.test(text), text);
  }
  // Mattermost replaces these before it reads Markdown, and Apprise may pass its message on to it.
  for (const text of [sent.mattermost.text, sent.apprise.body, sent.apprise.title]) {
    assert(!/<!|@(?!\u200b)/.test(text), text);
  }
  assert(!/<!|<users/.test(sent.googlechat.fallbackText), sent.googlechat.fallbackText);
  assert(!/(^|[^\\])\[x\]/.test(sent.mattermost.text));
  const [{ card }] = sent.googlechat.cardsV2;
  for (const { textParagraph: { text } } of card.sections[0].widgets) {
    assert(!/<(?!b>|\/b>|a href="http:\/\/localhost:8000\/|\/a>|br>)/.test(text), text);
  }
  assert(!/(?<!\S)\/(?!\u200b)/.test(sent.telegram.text), sent.telegram.text);
});

testOnDatabases("Long messages fit the limits of more chats", async (database) => {
  await using receiver = startReceiver(answerAs);
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME: "&".repeat(100) } });
  await addChats(webhooks, receiver.url);
  const items = Array.from({ length: 30 }, (_, index) =>
    makeItem(index + 1, {
      feature_name: `${'&<😀"'.repeat(60)}${index}`,
      product_name: `${"é&".repeat(80)}${index}`,
      release_status: "<".repeat(100),
    }));
  const sent = await notifyChats(webhooks, receiver, items);
  for (const text of [sent.mattermost.text, sent.apprise.body]) match(text, /and 20 more/);
  match(sent.telegram.text, /and 2\d more/);
  assert(JSON.stringify(sent.googlechat).length < 32_000);
  match(JSON.stringify(sent.googlechat), /and 20 more/);
  assertEquals(sent.ntfy.click, "http://localhost:8000/changelog");
});

slowOnDatabases(
  "Each chat says how many releases it leaves out, and leads to all of them",
  async (database) => {
    await using receiver = startReceiver(answerAs);
    await using webhooks = startWebhooks(database);
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
      signs: (number) => ({ feature_name: `Name ${number}; ${"&<".repeat(60)}` }),
    };
    let id = 1;
    for (const [kind, textsOf] of Object.entries(texts)) {
      for (const count of [1, 2, 10, 15]) {
        const items = Array.from(
          { length: count },
          (_, number) => makeItem(id++, { product_name: `Product ${number}`, ...textsOf(number) }),
        );
        const sent = await notifyChats(webhooks, receiver, items);
        for (const one of KINDS) {
          const text = JSON.stringify(sent[one]);
          const shown = new Set(text.match(/Name \d+;/g)).size;
          const left = /and (\d+) more/.exec(text)?.[1] ?? "0";
          assertEquals([kind, one, shown + Number(left)], [kind, one, count]);
          assert(shown > 0);
          if (left !== "0" && one !== "ntfy") assert(text.includes(everything), text);
        }
        const page = `http://localhost:8000/release/${items[0]!.release_item_id}`;
        assertEquals(sent.ntfy.click, count === 1 ? page : everything);
      }
    }
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
      if (path.startsWith("/notify")) return new Response(null, { status: 204 });
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
