import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { SAMPLE_KINDS, writeSample } from "../../lib/delivery/sample_mail.ts";
import { readMailBody } from "../../lib/delivery/mail/mail_body.ts";
import { formatBody, formatTest } from "../../lib/delivery/webhooks/format_message.ts";
import { readChatNews } from "../../lib/delivery/webhooks/chat_message.ts";
import { readConfig } from "../../lib/config/config.ts";
import { CHANGE_KINDS } from "../../lib/roadmap/changes/kinds.ts";
import { siteFor } from "../../lib/roadmap/sites.ts";
import { makeLanguage, readLanguage, speak } from "../../lib/text/messages.ts";
import { ROUTES } from "../../routes/table.ts";
import { importItems, makeItem, TODAY } from "../support/app.ts";
import { disguise, PSEUDO_LANGUAGES } from "../support/pseudo_languages.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { slowOnOne } from "../support/slow.ts";

/** Days and plurals are those of Greek. */
function speakMadeUp(): void {
  speak(makeLanguage("el", disguise(PSEUDO_LANGUAGES.long)));
}

/** What is no word of the service: its own name, and what formats and other services are called. */
const NAMES = new Set(
  ("Roadcast UTC RSS Atom JSON Feed CSV API OPML OpenAPI Slack Microsoft Teams " + // Of the content.
    "Launched Canceled").split(" "),
);
/** Texts that are the same everywhere: addresses, and what programs type. */
const NOT_WORDS = [
  // Methods, and the values that a tampered form may have.
  /\b(?:GET|POST|HEAD|OPTIONS)\b/g,
  /(?<=: |, )(?:immediate|daily|weekly|all|chosen|watched|next\d+|unknown)\b|\bimmediate\b/g,
  /https?:\/\/\S+|webcal:\/\/\S+/g,
  /\S+@\S+/g,
  /\/(?:release|changelog|roadmap\/nothing|nothing)\/?\S*/g,
  /\bexample\.com\b|\bopenapi\.json\b/g,
  /[\da-f]{8}-[\da-f-]+/g,
  /\b[TZ]?\d[\dTZ:.-]*[TZ]?\b/g,
];

function wordsIn(text: string): string[] {
  const plain = NOT_WORDS.reduce((rest, pattern) => rest.replace(pattern, " "), text);
  return (plain.match(/[A-Za-z][A-Za-z']*[A-Za-z]/g) ?? []).filter((word) => !NAMES.has(word));
}

/** What people read of a page: its texts, and the attributes that are said or shown. */
function readableOf(html: string): string[] {
  const visible = html.replace(/<!--.*?-->/gs, "")
    .replace(/<(script|style|code|pre|kbd)\b.*?<\/\1>/gs, " ")
    // Operations are described in English, as OpenAPI has them.
    .replace(/<div class="reference">.*?<\/main>/gs, " ");
  const attributes = [
    ...visible.matchAll(/ (?:title|aria-label|placeholder|alt|label)="([^"]*)"/g),
    ...visible.matchAll(
      /<meta (?:name="description"|property="og:[a-z:]*(?:title|description|alt)") content="([^"]*)"/g,
    ),
  ].map(([, text]) => text!);
  return [...attributes, ...visible.split(/<[^>]*>/)].map((text) =>
    text.replace(/&(?:amp|lt|gt|quot|#\d+|#x[\da-f]+);/gi, " ")
  );
}

function foundIn(place: string, texts: readonly string[]): string[] {
  return [
    ...new Set(
      texts.filter((text) => wordsIn(text).length > 0)
        .map((text) => `${place}: ${text.trim().replace(/\s+/g, " ").slice(0, 160)}`),
    ),
  ];
}

/** A roadmap without a Latin letter but those of statuses, with every kind of change. */
async function fill(database: Database, followed: { import(items: unknown): Promise<unknown> }) {
  const item = (number: number, fields: Record<string, unknown> = {}) =>
    makeItem(number, {
      feature_name: `Дело ${number}`,
      product_name: number % 2 ? "Почта" : "Карты",
      product_id: `11111111-1111-4111-8111-${String(number % 2).padStart(12, "0")}`,
      release_type: "Вид",
      release_status: "Начато",
      release_date: "Q3 2026",
      feature_description: "Слова о деле.",
      tags: { "Место": ["Сеть"] },
      ...fields,
    });
  const many = Array.from(
    { length: 60 },
    (_, place) => item(100 + place, { release_date: `Q${place % 4 + 1} ${2025 + place % 3}` }),
  );
  const before = [
    ...Array.from({ length: 14 }, (_, place) => item(place + 1)),
    item(20, { release_date: "Q1 2026" }),
    item(21, { release_date: null }),
    item(22, { release_status: "Launched", release_date: "Q2 2026" }),
    item(23, { release_status: "Canceled" }),
    item(24, { release_date: "Q4 2025" }),
    item(25, { release_date: "Q4 2025" }),
    ...many,
  ];
  await importItems(database, before, { asOf: "2025-09-01" });
  const changed = [
    item(1, { release_status: "Launched" }),
    item(2, { release_status: "Canceled" }),
    item(4, { release_date: "Q1 2027" }),
    item(5, { release_date: "Q2 2026" }),
    item(6, { release_date: null }),
    item(7, { feature_name: "Новое дело", feature_description: "Другие слова о деле." }),
    item(8, {
      product_name: "Почта",
      release_type: "Другой вид",
      tags: { "Место": ["Сеть", "Дом"] },
    }),
    item(9, { blog_title: "Весть", blog_url: "https://example.com/весть" }),
    item(10, { feature_description: null }),
    item(11, { release_date: "Q1 2027" }),
    item(13, { release_date: "Q1 2027" }),
    item(15, { release_date: "Q1 2027" }),
    item(20, { release_date: "Q1 2026" }),
    item(21, { release_date: "Q4 2026" }),
    item(22, { release_status: "Начато", release_date: "Q2 2026" }),
    item(23, { release_status: "Canceled" }),
    item(24, { release_date: "Q4 2025", release_status: "Launched" }),
    item(25, { release_date: "Q4 2025" }),
    item(30),
    item(31),
    item(33),
    item(35),
    ...many,
  ];
  await followed.import(changed);
  return changed;
}

const ID = (number: number) => makeItem(number).release_item_id as string;

/** Views of a page that say something of their own. */
const VIEWS: Readonly<Record<string, readonly string[]>> = {
  "/": [
    "",
    "?view=board",
    "?view=board&group=status",
    "?view=board&from=Q1 2025",
    "?page=2",
    "?page=99",
    "?q=Дело",
    "?q=Дела",
    "?q=Дело Карты чужое",
    "?q=нет",
    "?due=overdue",
    "?due=next30",
    "?as_of=2025-10-01",
    "?as_of=2020-10-01",
    "?sort=last_modified",
    "?sort=last_modified&order=asc",
    "?sort=release_date",
    "?include_inactive=true",
    "?product_name=Почта&product_name=Карты&product_name=Чужое&product_name=Другое&release_status=Launched",
    "?release_date_from=Q3 2026&release_date_to=Q3 2026",
    "?release_date_from=2026-10-01&release_date_to=2026-10-31",
    "?release_date_from=2026-10-05",
    "?release_date_to=2026-10-05",
    "?modified_within_days=1",
    "?modified_within_days=9",
    "?modified_since=2026-07-01",
    "?tag=Место:Сеть",
    "?q=нет&product_name=Почта&release_date_from=Q3 2026",
    "?source=а",
  ],
  "/changelog": [
    "",
    "?days=30",
    "?month=2026-07",
    "?kind=shipped",
    "?kind=added&kind=slipped",
    "?q=нет",
    "?include_inactive=false",
  ],
  "/compare": [
    "",
    "?from=2025-10-01&to=2026-07-20",
    "?from=2026-07-20&to=2025-10-01",
    "?from=2020-01-01",
  ],
  "/copy": [
    "",
    "?of=changelog",
    "?of=changelog&days=30&kind=shipped",
    `?release_item_id=${ID(1)}`,
    `?release_item_id=${ID(4)}`,
    "?q=нет",
    "?as_of=2025-10-01",
  ],
  "/embed": ["", "?q=нет", "?product_name=Почта"],
  "/insights": ["", "?product_name=Почта", "?q=нет"],
  "/subscribe": [
    "",
    "?by=feed",
    "?by=feed&product_name=Почта&kind=shipped",
    "?product_name=Почта&kind=slipped&cadence=immediate",
    "?release_type=Вид&release_status=Launched&tag=Место:Сеть&q=слова&due=overdue",
    "?product_name=Почта&release_date_from=Q3 2026&modified_within_days=7",
    "?cadence=daily",
  ],
  "/subscribe/preview": ["", "?products=Почта", "?products=Чужое", "?cadence=daily"],
  "/feed.json": ["", "?product_name=Почта"],
  "/rss.xml": ["", "?due=overdue"],
  "/calendar.ics": ["", "?include_inactive=true"],
  "/badge.svg": ["", "?product_name=Почта", "?q=нет"],
};

/** Links that are wrong, and pages that are not there. */
const WRONG = [
  "/nothing",
  "/?page=x",
  "/?due=x",
  "/?release_date_from=x",
  "/?as_of=x",
  "/?tag=x",
  `/?q=${"я".repeat(1001)}`,
  "/changelog?month=x",
  "/changelog?kind=x",
  "/changelog?after=x",
  "/changelog/x",
  "/changelog/2026-07-21",
  "/compare?from=x",
  "/release/x",
  `/release/${ID(99)}`,
  "/api?operation=x",
  "/copy?of=x",
  "/unsubscribe",
  "/unsubscribe?token=x",
  "/verify-email",
  "/verify-email?token=x",
  "/preferences?token=x",
  "/digest?token=x",
  "/embed?theme=x",
  "/insights?quarters=x",
  "/insights?tag=x",
];

/** Pages for programs and for operators. */
const NOT_FOR_READERS =
  /^\/(?:api\/|admin|assets|health|ready|metrics|mcp|openapi|llms|robots|favicon|sitemap|search\.json|changes\.csv|releases\.csv|:key_file|release\/:release_item_id\/picture)/;

slowOnOne(
  "Nothing that readers see is left in English in a made-up language",
  async (database) => {
    await using followed = await startDigests(database, {
      SITE_NAME: "Пример",
      EMBED_ORIGINS: "https://example.org",
      TOKEN_SECRET: "a secret that is long enough for a test",
    });
    const { app } = followed;
    const found: string[] = [];
    const see = async (place: string, response: Response) => {
      const type = response.headers.get("content-type") ?? "";
      const text = await response.text();
      if (/html|svg/.test(type)) {
        found.push(...foundIn(place, readableOf(text)));
      } else if (/xml|opml/.test(type)) {
        const texts = [
          ...text.matchAll(
            /<(title|description|subtitle|content|category)\b[^>]*>(.*?)<\/\1>|(?:text|title)="([^"]*)"/gs,
          ),
        ].map(([, , inner, attribute]) => inner ?? attribute ?? "");
        found.push(...foundIn(
          place,
          texts.flatMap((one) => readableOf(one.replaceAll("&lt;", "<").replaceAll("&gt;", ">"))),
        ));
      } else if (/feed\+json/.test(type)) {
        const { title, description, items } = JSON.parse(text);
        found.push(
          ...foundIn(place, [
            title,
            description,
            ...items.flatMap((
              item: { title: string; content_html: string },
            ) => [item.title, ...readableOf(item.content_html)]),
          ]),
        );
      } else if (/calendar/.test(type)) {
        const lines = text.replaceAll("\r\n ", "").split("\r\n").filter((
          line,
        ) => /^(NAME|X-WR-CALNAME|DESCRIPTION|SUMMARY):/.test(line));
        found.push(...foundIn(
          place,
          lines.map((line) => line.replace(/^[A-Z-]+:/, "").replaceAll("\\n", " ")),
        ));
      } else if (/markdown/.test(type)) {
        found.push(...foundIn(place, [text]));
      } else if (/javascript/.test(type)) {
        const { changed } = JSON.parse(/\}\)\((\{.*\})\);/s.exec(text)![1]!);
        found.push(...foundIn(place, Object.values(changed)));
      }
    };
    const at = (path: string) => `/roadmap${path}`;
    const form = (fields: [string, string][]) => ({
      method: "POST",
      body: new URLSearchParams(fields),
    });
    try {
      speakMadeUp();
      const items = await fill(database, followed);

      // Every page that the table of routes has, each in its views.
      const pages = ROUTES.filter(({ method, path }) =>
        method === "GET" && !NOT_FOR_READERS.test(path)
      );
      for (const { path } of pages) {
        const ids = path.includes(":") ? [1, 2, 3, 4, 6, 7, 8, 9, 20, 24, 14] : [0];
        for (const id of ids) {
          const filled = path.replace(/:markdown_file\{.*\}/, `${ID(id)}.md`).replace(
            ":release_item_id",
            ID(id),
          ).replace(":day", TODAY);
          for (const view of VIEWS[path] ?? [""]) {
            const response = await app.fetch(at(filled + view));
            if (!["/verify-email", "/unsubscribe", "/preferences", "/digest"].includes(path)) {
              assert(
                response.status < 400 || view.startsWith("?from=2026") ||
                  view.startsWith("?page=99"),
                `${filled}${view}: ${response.status}`,
              );
            }
            await see(filled + view, response);
          }
        }
      }
      for (const path of WRONG) {
        await see(path, await app.fetch(at(path)));
      }
      await see("POST /", await app.fetch(at("/"), { method: "POST" }));

      // Forms, and what is wrong with them.
      for (
        const email of [
          "",
          "a",
          "@b.c",
          "a@b",
          `${"a".repeat(70)}@b.cd`,
          "a b@c.de",
          '"a"@b.cd',
          "я@b.cd",
        ]
      ) {
        for (const path of ["/subscribe", "/new-link", "/send-preferences-link"]) {
          await see(`${path} ${email}`, await app.fetch(at(path), form([["email", email]])));
        }
      }
      for (
        const [name, value] of [
          ["cadence", "x"],
          ["releases", "x"],
          ["releases", ID(99)],
          ["tags", "x"],
          ["products", ""],
          ["products", "Чужое"],
          ["searches", "я".repeat(2000)],
          ["unknown", "x"],
        ] as const
      ) {
        await see(
          `/subscribe ${name}`,
          await app.fetch(at("/subscribe"), form([["email", "a@b.cd"], [name, value]])),
        );
      }
      await see(
        "/subscribe as JSON",
        await app.fetch(at("/subscribe"), { method: "POST", body: "{}" }),
      );

      // A subscription from its first email to its end.
      const email = "reader@example.com";
      const mails: string[] = [];
      const sent = async () => {
        for (const { subject = "", text = "", html } of await followed.send()) {
          found.push(...foundIn(`mail “${subject}”`, [subject, text, ...readableOf(String(html))]));
          mails.push(text);
        }
      };
      await app.fetch(at("/api/subscribe"), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email, releases: [ID(3)], cadence: "immediate" }),
      });
      await app.sendMails();
      const verification = followed.newestTo(email);
      found.push(
        ...foundIn("verification", [
          verification.subject!,
          verification.text!,
          ...readableOf(String(verification.html)),
        ]),
      );
      await see("verified", await app.fetch(linkOf(verification, "/verify-email")));
      await followed.import([
        ...items,
        makeItem(3, {
          feature_name: "Дело 3",
          product_name: "Почта",
          release_date: "Q1 2027",
          release_status: "Начато",
          release_type: "Вид",
          feature_description: "Слова.",
        }),
      ]);
      await sent();
      await followed.queue();
      await sent();
      assert(mails.length > 0, "no digest was sent");
      const preferences = new URL(/\S+\/preferences\?token=\S+/.exec(mails.at(-1)!)![0]);
      const token = preferences.searchParams.get("token")!;
      await see("preferences", await app.fetch(preferences.pathname + preferences.search));
      const saved: [string, string][] = [["token", token], ["action", "save"], [
        "cadence",
        "weekly",
      ]];
      for (
        const more of [
          [["scope", "watched"]],
          [["scope", "chosen"], ["products", "Почта"], ["kinds", "shipped"]],
          [["scope", "chosen"]],
          [["paused_until", "2027-01-01"]],
          [["paused_until", "x"]],
          [["action", "x"]],
        ] as [string, string][][]
      ) {
        await see(
          `saved ${more}`,
          await app.fetch(
            at("/preferences"),
            form([...saved.filter(([name]) => !more.some(([one]) => one === name)), ...more]),
          ),
        );
      }
      await see(
        "delete",
        await app.fetch(at("/preferences"), form([["token", token], ["action", "delete"]])),
      );
      await see("again", await app.fetch(at("/send-preferences-link"), form([["email", email]])));
      await sent();
      const end = new URL(/\S+\/unsubscribe\?token=\S+/.exec(mails.at(-1)!)![0]);
      await see("unsubscribed", await app.fetch(end.pathname + end.search));
      await see("preferences after", await app.fetch(preferences.pathname + preferences.search));
      await see(
        "deleted",
        await app.fetch(
          at("/preferences"),
          form([["token", token], ["action", "delete"], ["sure", "yes"]]),
        ),
      );

      // The emails that an operator can send as a test, and a chat of each kind.
      const config = readConfig({ SITE_NAME: "Пример", BASE_URL: "https://example.com/roadmap" });
      const site = siteFor("A", config);
      for (const kind of SAMPLE_KINDS) {
        const words = await writeSample(kind, {
          database,
          config,
          site,
          now: new Date(`${TODAY}T12:00:00Z`),
        });
        if (words) {
          found.push(
            ...foundIn(`sample ${kind}`, [
              words.subject,
              readMailBody(words.text),
              ...readableOf(readMailBody(words.html)),
            ]),
          );
        }
      }
      const news = await readChatNews(database, {}, {
        after: "0",
        upTo: "99999999",
        variant: site.variant,
        today: TODAY,
      });
      const context = { siteName: "Пример", site };
      for (
        const kind of [
          "slack",
          "teams",
          "discord",
          "mattermost",
          "googlechat",
          "telegram",
          "ntfy",
          "apprise",
        ] as const
      ) {
        for (
          const body of [
            formatBody(kind, { news, filter: {} } as never, context as never),
            formatTest(kind, context as never, new Date()),
          ]
        ) {
          const texts: string[] = [];
          JSON.parse(body, (key, value) => {
            if (
              typeof value === "string" &&
              /^(text|title|body|message|description|content|fallbackText)$/
                .test(key)
            ) texts.push(value);
            return value;
          });
          found.push(...foundIn(kind, texts.flatMap(readableOf)));
        }
      }
      assert(CHANGE_KINDS.length > 0);
    } finally {
      speak(readLanguage("en"));
    }
    assertEquals([...new Set(found)], []);
  },
);
