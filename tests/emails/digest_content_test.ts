import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf, type ReceivedMail } from "../support/servers/mail_server.ts";
import { listedIn, startDigests } from "../support/subjects/digests.ts";
import { slowOnDatabases } from "../support/slow.ts";

function headerOf({ headers }: ReceivedMail, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

testOnDatabases("Each change is in one digest only, whatever its date", async (database) => {
  await using services = await startDigests(database, { SITE_NAME: "Road & Map" });
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.verify("ann@example.com");
  assertEquals(await services.queue(), { queued: 0, day: "2026-07-20" });

  const launched = makeItem(1, { release_status: "Launched", last_modified: "2026-07-03" });
  const added = makeItem(3, { last_modified: "2026-05-01", release_date: null });
  await importItems(database, [launched, makeItem(2), added]);
  const [mail] = await services.digest();
  assertEquals(services.mail.received.length, 1);
  assertEquals(mail!.envelopeTo, ["ann@example.com"]);
  assertEquals(mail!.subject, "1 shipped, 1 new: Feature 1 and 1 other");
  assertEquals(headerOf(mail!, "list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  const unsubscribe = linkOf(mail!, "/unsubscribe");
  const preferences = linkOf(mail!, "/preferences");
  const page = linkOf(mail!, "/digest");
  assertEquals(headerOf(mail!, "list-unsubscribe"), `<${unsubscribe}>`);
  assertEquals(headerOf(mail!, "auto-submitted"), "auto-generated");
  assertEquals(headerOf(mail!, "list-id"), "<changes.roadmap.example.com>");
  assertEquals(headerOf(mail!, "list-help"), `<${preferences}>`);
  assertEquals(headerOf(mail!, "list-subscribe"), "<https://example.com/roadmap/subscribe>");
  assertEquals(headerOf(mail!, "list-archive"), "<https://example.com/roadmap/>");
  assertEquals(headerOf(mail!, "list-post"), "NO");
  assertEquals(
    mail!.text!.trim(),
    `20 Jul 2026

Feature 1 shipped. Feature 3 is new on the roadmap.

3 Jul 2026 to 20 Jul 2026: 2 releases changed.

1 shipped, 1 new

View in your browser:
${page}

Shipped
-------

* Feature 1
  Product · Q3 2026
  A description
  https://example.com/roadmap/release/00000000-0000-4000-8000-000000000001

New on the roadmap
------------------

* Feature 3
  Product
  A description
  https://example.com/roadmap/release/00000000-0000-4000-8000-000000000003

Open the roadmap:
https://example.com/roadmap

You are receiving this email because you subscribed to Road & Map: changes to all releases.

Get it daily: ${preferences}&cadence=daily
Manage your preferences: ${preferences}
Unsubscribe: ${unsubscribe}
Road & Map: https://example.com/roadmap`,
  );
  assertEquals(
    `${wordsOf(mail!.html!)} Road & Map`,
    `Road & Map ${
      wordsOf(mail!.text!.replace(/https:\S+|^[-* ]+|:$/gm, "").replace("shipped, ", "shipped "))
    }`,
  );
  assertEquals(linksOf(mail!.html!), [
    "https://example.com/roadmap/",
    page,
    "https://example.com/roadmap/release/00000000-0000-4000-8000-000000000001",
    "https://example.com/roadmap/release/00000000-0000-4000-8000-000000000003",
    "https://example.com/roadmap/",
    `${preferences}&amp;cadence=daily`,
    preferences,
    unsubscribe,
  ]);

  assertEquals((await services.digest()).length, 0);
  await importItems(database, [launched, makeItem(2, { release_date: "Q4 2026" }), added]);
  const [second] = await services.digest();
  assertEquals(listedIn(second!), ["Feature 2"]);
  assertEquals(second!.subject, "Feature 2 moved to Q4 2026");
  match(second!.text!, /Slipped\n-+\n\n\* Feature 2\n {2}Product · Q3 2026 → Q4 2026\n/);
  assertEquals((await services.digest()).length, 0);
  assertEquals((await services.app.fetch(unsubscribe, { method: "POST" })).status, 200);
});

testOnDatabases("Several changes of a field are merged into one", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await services.verify("ann@example.com");
  const change = (fields: Record<string, unknown>, others: Record<string, unknown> = {}) =>
    importItems(database, [makeItem(1, fields), makeItem(2, others), makeItem(3)]);
  await change({ release_status: "Preview", release_date: "Q4 2026" }, { release_type: "Beta" });
  await change({ release_status: "Beta", release_date: "Q1 2027" });
  await importItems(database, [makeItem(1, { release_date: "Q2 2026" }), makeItem(2)]);
  const [mail] = await services.digest();
  match(
    mail!.text!,
    new RegExp(
      "Removed from the roadmap\n-+\n\n[*] Feature 3\n.*\n  https.*\n\n" +
        "Moved earlier\n-+\n\n[*] Feature 1\n  Product · Q3 2026 → Q2 2026\n" +
        "  https.*\n\nOverdue",
    ),
  );
});

testOnDatabases("A new release is listed in its current state", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  await importItems(database, [makeItem(1, { release_status: "Launched", feature_name: "New" })]);
  const [mail] = await services.digest();
  match(
    mail!.text!,
    /New on the roadmap\n-+\n\n\* New\n {2}Product · Launched · Q3 2026\n {2}A description\n {2}https/,
  );
});

testOnDatabases("Hostile text is escaped", async (database) => {
  await using services = await startDigests(database);
  const hostile = "\u001b[2J<img src=x onerror=alert(1)>\r\nBcc: eve@example.com\r\n\r\n.\r\n";
  await importItems(database, [
    makeItem(1, {
      feature_name: `${hostile}{x}\u202e&lt;script&gt;`,
      product_name: hostile,
      release_type: hostile,
      release_status: `"'&</a>`,
    }),
  ]);
  await services.verify("ann@example.com");
  await importItems(database, [
    makeItem(1, {
      feature_name: `${hostile}{x}\u202e&lt;script&gt;`,
      product_name: hostile,
      release_type: hostile,
      release_status: hostile,
    }),
  ]);
  const [mail, ...others] = await services.digest();
  assertEquals(others, []);
  assertEquals(mail!.envelopeTo, ["ann@example.com"]);
  assertEquals([mail!.to!.length, mail!.bcc, mail!.cc], [1, undefined, undefined]);
  // One line, without terminal control characters.
  assertEquals(
    mail!.subject,
    "[2J<img src=x onerror=alert(1)> Bcc: eve@example.com . … was edited",
  );
  const head = mail!.raw.slice(0, mail!.raw.indexOf("\r\n\r\n"));
  assert(!/^Bcc:/im.test(head)); // in the body a line may wrap before it
  // deno-lint-ignore no-control-regex
  assert(!/[\u001b\u202e]/.test(mail!.text! + mail!.html!));
  assertEquals(listedIn(mail!), [
    "[2J<img src=x onerror=alert(1)> Bcc: eve@example.com . {x}<script>",
  ]);
  assert(!/<img|<script|<\/a>\s*<\/a>/.test(mail!.html!));
  match(mail!.html!, />\[2J&lt;img src=x onerror=alert\(1\)&gt; Bcc/);
  match(
    mail!.text!,
    / {2}Status changed from “"'&<\/a>” to “\[2J<img src=x onerror=alert\(1\)> Bcc: eve/,
  );
});

slowOnDatabases("A rewritten description has its changed words marked", async (database) => {
  await using services = await startDigests(database);
  const describe = (words: string) =>
    importItems(database, [
      makeItem(1, {
        feature_description: `**Overview**It is &quot;${words}&quot;. ${
          "More words. ".repeat(9_000)
        }`,
      }),
    ]);
  await describe("on by default");
  await services.verify("ann@example.com");
  await describe("off, __for__ now");
  const [mail] = await services.digest();
  match(
    mail!.text!,
    new RegExp(
      '  New description\n    Before: Overview It is "on by default". More words[^]{20,60} …\n' +
        '    Now: Overview It is "off, for now". More words[^]{20,60} …\n  https:',
    ),
  );
  match(
    mail!.html!.replace(/ (class|style)="[^"]*"/g, ""),
    /It is &quot;<del>on by default<\/del> <ins>off, for now<\/ins>&quot;\. More/,
  );
  assert(!mail!.text!.includes("**"));
});

testOnDatabases(
  "The subject sums up the changes, and a new release has a one-sentence description",
  async (database) => {
    await using services = await startDigests(database);
    const plan = (number: number, fields: Record<string, unknown> = {}) =>
      makeItem(number, { feature_name: `Feature ${number}`, ...fields });
    const five = [1, 2, 3, 4, 5].map((number) => plan(number));
    await importItems(database, five);
    await services.verify("ann@example.com");
    const after = async (...items: Record<string, unknown>[]) => {
      await importItems(database, items);
      const [mail] = await services.digest();
      const [, , heading] = mail!.text!.split("\n", 3);
      return [mail!.subject, heading];
    };
    const [, second, third, fourth, fifth] = five;
    const news = {
      feature_description: "**Feature 1**\n\nFinds releases by what they mean. And much more.",
    };
    const shipped = plan(1, { release_status: "Shipped", ...news });
    assertEquals(await after(shipped, second!, third!, fourth!, fifth!), [
      "Feature 1 shipped",
      "Feature 1 shipped",
    ]);
    const moved = plan(2, { release_date: "Q2 2026" });
    assertEquals(await after(shipped, moved, third!, fourth!, fifth!), [
      "Feature 2 brought forward to Q2 2026",
      "Feature 2 brought forward to Q2 2026",
    ]);
    const cancelled = plan(3, { release_status: "Cancelled" });
    assertEquals(
      await after(shipped, moved, cancelled, plan(4, { release_date: null }), plan(6, news)),
      [
        "1 cancelled, 1 removed, 1 new, 1 lost its date: Feature 3 and others",
        "Feature 3 was cancelled. Feature 5 was removed from the roadmap.",
      ],
    );
    const mail = services.mail.received.at(-1);
    match(mail!.text!, /\* Feature 6\n.*\n {2}Finds releases by what they mean\.\n {2}https/);
    match(mail!.html!, /<span class="i-red g-redsoft"[^>]*>1 cancelled<\/span>/);
  },
);

testOnDatabases("A digest of more than 50 items links to its page", async (database) => {
  await using services = await startDigests(database, { ROADMAP_VARIANT: "both" });
  await services.verify("a@example.com", {}, "/roadmap");
  await services.verify("b@example.com", {}, "/roadmap/b");
  await importItems(
    database,
    Array.from(
      { length: 162 },
      (_, number) => makeItem(number + 1, { product_name: `Product ${number}` }),
    ),
  );
  const mails = await services.digest();
  for (const [mail, site] of [[mails[0]!, "/roadmap"], [mails[1]!, "/roadmap/b"]] as const) {
    assertEquals(listedIn(mail).length, 50);
    assertEquals(mail.subject, "162 new: Feature 1 and others");
    const page = linkOf(mail, "/digest");
    assert(page.startsWith(`https://example.com${site}/digest?token=`));
    match(mail.text!, /\n\nand 112 more releases\.\n\nSee 100 of 162 changes:\nhttps/);
    assertEquals(linksOf(mail.html!).filter((link) => link === page).length, 2);
    const html = await (await services.app.fetch(page)).text();
    assertEquals(html.match(/<a href="[^"]*\/release\//g)!.length, 100);
    match(html, /and 62 more releases\./);
    const changes = `https://example.com${site}${site === "/roadmap" ? "/changelog" : "/"}`;
    assert(html.includes(`<a href="${changes}"`));
  }
  assertEquals((await services.digest()).length, 0);
});

testOnDatabases("The link of an email says how many releases its page lists", async (database) => {
  await using services = await startDigests(database);
  await services.verify("a@example.com");
  const items: ReturnType<typeof makeItem>[] = [];
  for (const [count, says] of [[51, "all 51"], [100, "all 100"], [101, "100 of 101"]] as const) {
    for (let added = 0; added < count; added++) {
      items.push(makeItem(items.length + 1, { product_name: `Product ${items.length}` }));
    }
    await services.import(items);
    const [mail] = await services.digest();
    const [, label] = /\nSee (.+) changes:\n/.exec(mail!.text!.replaceAll("\r\n", "\n"))!;
    const html = await (await services.app.fetch(linkOf(mail!, "/digest"))).text();
    const listed = html.match(/<a href="[^"]*\/release\//g)!.length;
    assertEquals([label, Number(/\d+/.exec(says)![0])], [says, listed]);
  }
});

slowOnDatabases("An email with 50 long releases is under 90 KB", async (database) => {
  await using services = await startDigests(database);
  const long = (words: string) => `${words} `.repeat(400).trim();
  const items = (words: string) =>
    Array.from(
      { length: 60 },
      (_, number) =>
        makeItem(number + 1, {
          feature_name: `${number} ${long("A long name").slice(0, 1_900)}`,
          product_name: long("A product").slice(0, 500),
          release_type: long("Type").slice(0, 500),
          feature_description: Array.from(
            { length: 40 },
            (_, place) => `${long("word").slice(0, 200)} ${words}${place}.`,
          ).join(" "),
        }),
    );
  await importItems(database, items("one"));
  await services.verify("ann@example.com");
  await importItems(database, items("other"));
  const [mail] = await services.digest();
  const bytes = new TextEncoder().encode(mail!.raw).length;
  const listed = listedIn(mail!).length;
  assert(bytes < 90_000, `${bytes} bytes`);
  assertEquals(listed, 50, `${listed} releases in ${bytes} bytes`);
  // There is no room for all rewritten words, so it has none of them; its page has all.
  assert(!mail!.html!.includes("<del"));
  match(await (await services.app.fetch(linkOf(mail!, "/digest"))).text(), /<del/);

  // Characters that take many bytes once they are encoded.
  const wide = (words: string) =>
    Array.from(
      { length: 60 },
      (_, number) =>
        makeItem(number + 1, {
          feature_name: `${number} ${words.repeat(80)}`,
          product_name: words.repeat(60),
        }),
    );
  await importItems(database, wide("路線"));
  const [second] = await services.digest();
  assert(new TextEncoder().encode(second!.raw).length < 90_000);
});

/** The visible words of an email, without its head, hidden text and comments. */
function wordsOf(text: string): string {
  return text.replace(/^[^]*<\/head>|<div style="display:none[^]*?<\/div>|<!--.*?-->/g, "").replace(
    /<[^>]*>/g,
    " ",
  ).replaceAll("&amp;", "&").replace(/[\s·:]+/g, " ").trim();
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link!);
}

testOnDatabases("Releases with the same change share one entry", async (database) => {
  await using services = await startDigests(database);
  const items = (release_date: string, count: number) =>
    Array.from({ length: count }, (_, number) => makeItem(number + 1, { release_date }));
  await importItems(database, items("Q3 2026", 30));
  await services.verify("ann@example.com");
  await importItems(database, items("Q1 2027", 30));
  const [mail] = await services.digest();
  assertEquals(mail!.subject, "30 releases of Product slipped from Q3 2026 to Q1 2027");
  const urlOf = (number: number) =>
    `https://example.com/roadmap/release/${makeItem(number).release_item_id}`;
  match(
    mail!.text!,
    new RegExp(
      "Slipped\\n-+\\n\\n[*] 30 releases of Product slipped from Q3 2026 to Q1 2027\\n" +
        `  - Feature 1\\n    ${
          urlOf(1)
        }\\n  - Feature 10\\n[^]*\\n  and 10 more\\n\\nOpen the roadmap:`,
    ),
  );
  assert(linksOf(mail!.html!).includes(urlOf(1)));
  const html = await (await services.app.fetch(linkOf(mail!, "/digest"))).text();
  match(
    html,
    /<div dir="auto" [^>]*>30 releases of Product slipped from Q3 2026 to Q1 2027<\/div>/,
  );
  assertEquals(html.match(/>Feature \d+<\/a>/g)!.length, 30);
});
