import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { readConfig } from "../lib/config.ts";
import type { Database } from "../lib/database/database.ts";
import { retryMails } from "../lib/delivery/listed_mails_sql.ts";
import { sql } from "../lib/database/sql.ts";
import { queueDigests } from "../lib/delivery/queue_digests.ts";
import { loadSample } from "../lib/import/sample.ts";
import { siteFor } from "../lib/roadmap/sites.ts";
import { importItems, makeItem, startApp, TODAY } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { linkOf, type ReceivedMail, startMailServer } from "./support/mail_server.ts";
import { subscribe } from "./support/subscribing.ts";

const NOW = new Date(`${TODAY}T12:00:00Z`);

/** A service that sends its mails to a server of its own. */
async function startWithMail(
  database: Database,
  { mailServer = {}, ...settings }: {
    mailServer?: Parameters<typeof startMailServer>[0];
    [setting: string]: unknown;
  } = {},
) {
  const mail = await startMailServer(mailServer);
  const environment = {
    SMTP_URL: mail.url,
    MAIL_FROM: "roadmap@example.com",
    SUBSCRIBE_LIMIT: "1000000",
    BASE_URL: "https://example.com/roadmap",
    ...settings,
  };
  const app = await startApp(database, environment);
  const config = readConfig(environment);
  const newestTo = (email: string) =>
    mail.received.findLast(({ envelopeTo }) => envelopeTo.includes(email))!;
  return {
    mail,
    app,
    newestTo,
    async subscribe(email: string, preferences: Record<string, string[]> = {}, path = "/roadmap") {
      assertEquals((await subscribe(app, { email, ...preferences }, {}, path)).status, 202);
      await app.sendMails();
      return newestTo(email);
    },
    async verify(email: string, preferences: Record<string, string[]> = {}, path = "/roadmap") {
      const mail = await this.subscribe(email, preferences, path);
      assertEquals((await app.fetch(linkOf(mail, "/verify-email"))).status, 200);
    },
    queue: () =>
      queueDigests(database, { now: NOW, variantFor: (name) => siteFor(name, config).variant }),
    /** Queues digests and sends them; returns what was received, sorted by receiver. */
    async digest(): Promise<ReceivedMail[]> {
      mail.received.length = 0;
      await this.queue();
      await app.sendMails();
      return mail.received.toSorted((a, b) => a.envelopeTo[0]! < b.envelopeTo[0]! ? -1 : 1);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    },
  };
}

function headerOf({ headers }: ReceivedMail, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

/** The names of the features that a digest lists, in its order. */
function listedIn({ text = "" }: ReceivedMail): string[] {
  return [...text.matchAll(/^\* (.*)$/gm)].map(([, name]) => name!);
}

async function readStatuses(database: Database): Promise<string[]> {
  const rows = await database.query<{ status: string }>(sql`
    select status from outbox where kind = 'digest' order by created_at
  `);
  return rows.map(({ status }) => status);
}

testOnDatabases("Each change is told once, whatever day it is of", async (database) => {
  await using services = await startWithMail(database, { SITE_NAME: "Road & Map" });
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.verify("ann@example.com");
  assertEquals(await services.queue(), { queued: 0, quiet: 1, day: "2026-07-01" });

  const launched = makeItem(1, { release_status: "Launched", last_modified: "2026-07-03" });
  const added = makeItem(3, { last_modified: "2026-05-01", release_date: null });
  await importItems(database, [launched, makeItem(2), added]);
  const [mail] = await services.digest();
  assertEquals(services.mail.received.length, 1);
  assertEquals(mail!.envelopeTo, ["ann@example.com"]);
  assertEquals(mail!.subject, "Road & Map: 2 releases have changed");
  assertEquals(headerOf(mail!, "list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  const unsubscribe = linkOf(mail!, "/unsubscribe");
  assertEquals(headerOf(mail!, "list-unsubscribe"), `<${unsubscribe}>`);
  assertEquals(headerOf(mail!, "auto-submitted"), "auto-generated");
  assertEquals(
    mail!.text!.trim(),
    `What has changed on the roadmap of Road & Map:

3 Jul 2026

* Feature 1
  Product · Launched · General availability · Q3 2026
  Release Status Planned -> Launched
  https://example.com/roadmap/release/00000000-0000-4000-8000-000000000001

1 May 2026

* Feature 3
  Product · Planned · General availability
  Roadmap Item Added
  https://example.com/roadmap/release/00000000-0000-4000-8000-000000000003

To hear nothing more from Road & Map: ${unsubscribe}

Road & Map: https://example.com/roadmap/`,
  );
  match(mail!.html!, /<h2>3 Jul 2026<\/h2>/);
  match(
    mail!.html!,
    /<a href="https:\/\/example.com\/roadmap\/release\/[\d-]+3"><strong>Feature 3<\/strong><\/a>/,
  );
  match(mail!.html!, /<br\/>Release Status Planned -> Launched<\/p>/);
  assert(
    mail!.html!.includes(`<a href="${unsubscribe}">Hear nothing more from Road &amp; Map</a>`),
  );

  assertEquals((await services.digest()).length, 0);
  await importItems(database, [launched, makeItem(2, { release_date: "Q4 2026" }), added]);
  const [second] = await services.digest();
  assertEquals(listedIn(second!), ["Feature 2"]);
  assertEquals(second!.subject, "Road & Map: 1 release has changed");
  match(second!.text!, /Release Date 2026-09-30 -> 2026-12-31/);
  assertEquals((await services.digest()).length, 0);
  assertEquals((await services.app.fetch(unsubscribe, { method: "POST" })).status, 200);
});

testOnDatabases("Several changes of an item stand together", async (database) => {
  await using services = await startWithMail(database);
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.verify("ann@example.com");
  const changed = (release_status: string, last_modified: string) =>
    importItems(database, [makeItem(1, { release_status, last_modified }), makeItem(2)]);
  await changed("Preview", "2026-07-10");
  await changed("Launched", "2026-07-12");
  const [mail] = await services.digest();
  assertEquals(listedIn(mail!), ["Feature 1"]);
  match(mail!.text!, /12 Jul 2026[^]*Planned -> Preview\n {2}Release Status Preview -> Launched\n/);
});

testOnDatabases("A digest is narrowed by preferences", async (database) => {
  await using services = await startWithMail(database);
  await services.verify("all@example.com", { products: [], types: [], statuses: [] });
  await services.verify("products@example.com", { products: ["P1", "P2"] });
  await services.verify("types@example.com", { types: ["Preview"] });
  await services.verify("statuses@example.com", { statuses: ["Launched"] });
  await services.verify("every@example.com", { products: ["P1"], statuses: ["Launched"] });
  await services.verify("none@example.com", { products: ["p1"] });
  await importItems(database, [
    makeItem(1, { product_name: "P1", release_status: "Launched" }),
    makeItem(2, { product_name: "P2", release_type: "Preview" }),
    makeItem(3, { product_name: "P1" }),
    makeItem(4, { product_name: "P0", last_modified: "2026-07-02" }),
  ]);
  const told = (await services.digest()).map((mail) => [mail.envelopeTo[0], listedIn(mail)]);
  assertEquals(told, [
    ["all@example.com", ["Feature 4", "Feature 1", "Feature 3", "Feature 2"]],
    ["every@example.com", ["Feature 1"]],
    ["products@example.com", ["Feature 1", "Feature 3", "Feature 2"]],
    ["statuses@example.com", ["Feature 1"]],
    ["types@example.com", ["Feature 2"]],
  ]);
  assertEquals(await services.queue(), { queued: 0, quiet: 6, day: "2026-07-02" });
});

testOnDatabases("Nobody but the verified gets a digest", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  assertEquals(await services.queue(), { queued: 0, quiet: 0, day: null });
  await services.subscribe("unverified@example.com");
  await services.verify("gone@example.com");
  await app.fetch(linkOf(services.newestTo("gone@example.com"), "/unsubscribe"));
  await services.verify("leaving@example.com");
  const leave = linkOf(services.newestTo("leaving@example.com"), "/unsubscribe");
  await services.verify("staying@example.com");
  await importItems(database, [makeItem(1)]);
  assertEquals(await services.queue(), { queued: 2, quiet: 0, day: "2026-07-01" });
  await app.fetch(leave);
  services.mail.received.length = 0;
  await app.sendMails();
  assertEquals(services.mail.received.map(({ envelopeTo }) => envelopeTo), [[
    "staying@example.com",
  ]]);
  assertEquals((await readStatuses(database)).sort(), ["sent", "superseded"]);

  // Who comes back is told what changes from then on.
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.verify("leaving@example.com");
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  const told = (await services.digest()).map((mail) => [mail.envelopeTo[0], listedIn(mail)]);
  assertEquals(told, [
    ["leaving@example.com", ["Feature 3"]],
    ["staying@example.com", ["Feature 2", "Feature 3"]],
  ]);
});

testOnDatabases("Each variant is told in its words, and of what it shows", async (database) => {
  await using services = await startWithMail(database, { ROADMAP_VARIANT: "both" });
  const items = [1, 2, 3, 4].map((number) => makeItem(number));
  await importItems(database, items);
  await services.verify("a@example.com", {}, "/roadmap");
  await services.verify("b@example.com", {}, "/roadmap/b");
  const blog = makeItem(1, { blog_title: "News", last_modified: "2026-07-08" });
  const moved = makeItem(2, { release_date: "2026-11-05", last_modified: "2026-07-09" });
  await importItems(database, [blog, moved, items[3]]); // the third is removed
  const [a, b] = await services.digest();
  assertEquals(listedIn(a!), ["Feature 3", "Feature 2", "Feature 1"]);
  match(a!.text!, /Removed from Roadmap/);
  match(a!.text!, /Q4 2026\n {2}Release Date 2026-09-30 -> 2026-11-05\n/);
  match(a!.text!, /Blog Title \(none\) -> News/);
  assertEquals(listedIn(b!), ["Feature 2"]);
  match(b!.text!, /2026-11-05\n {2}ReleaseDate\n {2}https:\/\/example.com\/roadmap\/b\/release\//);
  match(linkOf(b!, "/unsubscribe"), /^https:\/\/example\.com\/roadmap\/b\/unsubscribe\?/);

  const restored = makeItem(3, { feature_name: "Back", last_modified: "2026-07-10" });
  await importItems(database, [blog, moved, restored, items[3]]);
  const again = await services.digest();
  match(
    again[0]!.text!,
    /\* Back\n.*\n {2}Restored to Roadmap\n {2}Feature Name Feature 3 -> Back/,
  );
  match(again[1]!.text!, /\* Back\n.*\n {2}FeatureName\n/);

  // A restored item without another change is no news in variant B.
  await importItems(database, [moved, restored, items[3]], { asOf: "2026-07-21" });
  await importItems(database, [blog, moved, restored, items[3]], { asOf: "2026-07-22" });
  assertEquals((await services.digest()).map(({ envelopeTo }) => envelopeTo[0]), ["a@example.com"]);
});

testOnDatabases("Where a variant is served no longer, the other one tells", async (database) => {
  await using both = await startWithMail(database, { ROADMAP_VARIANT: "both" });
  await both.verify("b@example.com", {}, "/roadmap/b");
  await using onlyA = await startWithMail(database, { ROADMAP_VARIANT: "a" });
  await importItems(database, [makeItem(1)]);
  const [mail] = await onlyA.digest();
  match(
    mail!.text!,
    /Q3 2026\n {2}Roadmap Item Added\n {2}https:\/\/example.com\/roadmap\/release\//,
  );
});

testOnDatabases("Hostile text stays text", async (database) => {
  await using services = await startWithMail(database);
  await services.verify("ann@example.com");
  const hostile = "\u001b[2J<img src=x onerror=alert(1)>\r\nBcc: eve@example.com\r\n\r\n.\r\n";
  await importItems(database, [makeItem(1, {
    feature_name: `${hostile}{x}\u202e&lt;script&gt;`,
    product_name: hostile,
    release_type: hostile,
    release_status: `"'&</a>`,
  })]);
  await importItems(database, [makeItem(1, {
    feature_name: `${hostile}{x}\u202e&lt;script&gt;`,
    product_name: hostile,
    release_type: hostile,
    release_status: hostile,
  })]);
  const [mail, ...others] = await services.digest();
  assertEquals(others, []);
  assertEquals(mail!.envelopeTo, ["ann@example.com"]);
  assertEquals([mail!.to!.length, mail!.bcc, mail!.cc], [1, undefined, undefined]);
  assertEquals(mail!.subject, "Roadcast: 1 release has changed");
  assert(!/^Bcc:/im.test(mail!.raw));
  // deno-lint-ignore no-control-regex
  assert(!/[\u001b\u202e]/.test(mail!.text! + mail!.html!));
  assertEquals(listedIn(mail!), [
    "[2J<img src=x onerror=alert(1)> Bcc: eve@example.com . {x} <script>",
  ]);
  assert(!/<img|<script|<\/a>\s*<\/a>/.test(mail!.html!));
  match(mail!.html!, /<strong>\[2J&lt;img src=x onerror=alert\(1\)>/);
  match(mail!.text!, / {2}Release Status "'&<\/a> -> \[2J<img src=x onerror=alert\(1\)> Bcc: eve/);
});

testOnDatabases("A long description is shortened", async (database) => {
  await using services = await startWithMail(database);
  await importItems(database, [makeItem(1)]);
  await services.verify("ann@example.com");
  const feature_description = `<p>First &amp; foremost</p> ${"word ".repeat(50_000)}`;
  await importItems(database, [makeItem(1, { feature_description })]);
  const [mail] = await services.digest();
  match(
    mail!.text!.replace(/\s+/g, " "),
    /Feature Description A description -> First & foremost word [word ]{50,150} … https:/,
  );
});

testOnDatabases("Past 50 items a digest says where the others are", async (database) => {
  await using services = await startWithMail(database, { ROADMAP_VARIANT: "both" });
  await services.verify("a@example.com", {}, "/roadmap");
  await services.verify("b@example.com", {}, "/roadmap/b");
  await importItems(database, Array.from({ length: 62 }, (_, number) => makeItem(number + 1)));
  const [a, b] = await services.digest();
  assertEquals([listedIn(a!).length, listedIn(b!).length], [50, 50]);
  assertEquals(a!.subject, "Roadcast: 62 releases have changed");
  match(a!.text!, /\n\nand 12 more: https:\/\/example\.com\/roadmap\/changelog\n/);
  match(a!.html!, /<a href="https:\/\/example\.com\/roadmap\/changelog">and 12 more<\/a>/);
  match(b!.text!, /\n\nand 12 more: https:\/\/example\.com\/roadmap\/b\/\n/);
  assertEquals((await services.digest()).length, 0);
});

testOnDatabases("Runs at once queue each mail once", async (database) => {
  await using services = await startWithMail(database);
  const emails = Array.from({ length: 8 }, (_, number) => `a${number}@example.com`);
  for (const email of emails) await services.verify(email);
  await importItems(database, [makeItem(1)]);
  const runs = await Promise.all([services.queue(), services.queue(), services.queue()]);
  assertEquals(runs.reduce((sum, { queued }) => sum + queued, 0), emails.length);
  assertEquals((await readStatuses(database)).length, emails.length);
  services.mail.received.length = 0;
  await Promise.all([services.app.sendMails(), services.app.sendMails()]);
  assertEquals(services.mail.received.map(({ envelopeTo }) => envelopeTo[0]).sort(), emails);
});

testOnDatabases("A mail tells what was queued, the next one what came after", async (database) => {
  await using services = await startWithMail(database);
  await services.verify("ann@example.com", { statuses: ["Planned"] });
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.queue();
  await importItems(database, [
    makeItem(1, { release_status: "Launched" }),
    makeItem(2, { feature_name: "New name" }),
  ]);
  await services.app.sendMails();
  assertEquals(listedIn(services.newestTo("ann@example.com")), ["Feature 1", "Feature 2"]);
  const [mail] = await services.digest();
  assertEquals(listedIn(mail!), ["New name"]);
  assert(!mail!.text!.includes("Roadmap Item Added"));
  const [{ kept } = { kept: -1 }] = await database.query<{ kept: number }>(sql`
    select count(digest)::int as kept from outbox
  `);
  assertEquals(kept, 0); // what is out needs no room
});

testOnDatabases("The first real import after the sample is news", async (database) => {
  await using services = await startWithMail(database);
  await loadSample(database, TODAY);
  await services.verify("ann@example.com");
  assertEquals((await services.queue()).queued, 0);
  await importItems(database, [makeItem(1)]);
  const [mail] = await services.digest();
  assertEquals(listedIn(mail!), ["Feature 1"]);
});

testOnDatabases("A digest is retried, and one that failed is pending again", async (database) => {
  let answer: { code: number } | null = null;
  await using services = await startWithMail(database, {
    mailServer: {
      onRcptTo: (_address, _session, done) =>
        done(answer && Object.assign(new Error("not now"), { responseCode: answer.code })),
    },
  });
  const { app } = services;
  const retry = () => retryMails(database, { mailId: null, now: NOW });
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  answer = { code: 451 };
  assertEquals((await services.digest()).length, 0);
  assertEquals(await readStatuses(database), ["waiting"]);
  answer = null;
  assertEquals(await retry(), 1);
  await app.sendMails();
  assertEquals(listedIn(services.newestTo("ann@example.com")), ["Feature 1"]);
  assertEquals(await readStatuses(database), ["sent"]);

  answer = { code: 550 };
  await importItems(database, [makeItem(1), makeItem(2)]);
  assertEquals((await services.digest()).length, 0);
  assertEquals(await retry(), 0);
  answer = null;
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  const [mail, ...others] = await services.digest();
  assertEquals(listedIn(mail!), ["Feature 2", "Feature 3"]);
  assertEquals(others, []);
  assertEquals((await services.digest()).length, 0);
});

testOnDatabases("A digest that fails after a newer one is not told again", async (database) => {
  let answer: { code: number } | null = null;
  await using services = await startWithMail(database, {
    mailServer: {
      onRcptTo: (_address, _session, done) =>
        done(answer && Object.assign(new Error("not now"), { responseCode: answer.code })),
    },
  });
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  answer = { code: 451 };
  await services.digest();
  await importItems(database, [makeItem(1), makeItem(2)]);
  answer = null;
  assertEquals((await services.digest()).map(listedIn), [["Feature 2"]]);
  answer = { code: 550 };
  services.app.advance(60);
  await services.app.sendMails();
  assertEquals((await readStatuses(database)).sort(), ["failed", "sent"]);
  answer = null;
  assertEquals(await services.digest(), []);
});

testOnDatabases("Verification mails go before digests", async (database) => {
  await using services = await startWithMail(database);
  for (let number = 0; number < 15; number++) await services.verify(`a${number}@example.com`);
  await importItems(database, [makeItem(1)]);
  await services.queue();
  services.mail.received.length = 0;
  services.app.advance(60);
  await services.subscribe("new@example.com");
  const order = services.mail.received.map(({ envelopeTo }) => envelopeTo[0]!);
  assertEquals(order.length, 16);
  assert(order.indexOf("new@example.com") < 5, `it came after ${order.indexOf("new@example.com")}`);
});

testOnDatabases("What a digest told is forgotten when it is over", async (database) => {
  let answer: { code: number } | null = null;
  await using services = await startWithMail(database, {
    mailServer: {
      onRcptTo: (_address, _session, done) =>
        done(answer && Object.assign(new Error("not now"), { responseCode: answer.code })),
    },
  });
  const keptOf = async () => {
    const rows = await database.query<{ status: string; kept: boolean }>(sql`
      select status, digest is not null as kept from outbox where kind = 'digest'
    `);
    return rows.map(({ status, kept }) => [status, kept]);
  };
  await services.verify("ann@example.com");
  const leave = linkOf(services.newestTo("ann@example.com"), "/unsubscribe");
  await importItems(database, [makeItem(1)]);
  answer = { code: 451 };
  await services.digest();
  assertEquals(await keptOf(), [["waiting", true]]);
  answer = { code: 550 };
  services.app.advance(60);
  await services.app.sendMails();
  assertEquals(await keptOf(), [["failed", false]]);

  await database.query(sql`delete from outbox where kind = 'digest'`);
  await services.queue();
  assertEquals(await keptOf(), [["waiting", true]]);
  await services.app.fetch(leave);
  assertEquals(await keptOf(), [["superseded", false]]);
});

testOnDatabases("Digests do not use up an address's verification mails", async (database) => {
  await using services = await startWithMail(database);
  await services.verify("ann@example.com");
  const leave = linkOf(services.newestTo("ann@example.com"), "/unsubscribe");
  const items: Record<string, unknown>[] = [];
  for (const number of [1, 2, 3]) {
    items.push(makeItem(number));
    await importItems(database, items);
    assertEquals((await services.digest()).length, 1);
  }
  await services.app.fetch(leave);
  services.mail.received.length = 0;
  await services.subscribe("ann@example.com");
  assertEquals(services.mail.received.length, 1);
  const [{ tokens } = { tokens: -1 }] = await database.query<{ tokens: number }>(sql`
    select count(*)::int as tokens from verification_tokens
  `);
  assertEquals(tokens, 2); // no digest made a link
});
