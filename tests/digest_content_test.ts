import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { importItems, makeItem } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { linkOf, type ReceivedMail } from "./support/mail_server.ts";
import { listedIn, startDigests } from "./support/digests.ts";

function headerOf({ headers }: ReceivedMail, name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

testOnDatabases("Each change is told once, whatever day it is of", async (database) => {
  await using services = await startDigests(database, { SITE_NAME: "Road & Map" });
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
  await using services = await startDigests(database);
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

testOnDatabases("Hostile text stays text", async (database) => {
  await using services = await startDigests(database);
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
  await using services = await startDigests(database);
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
  await using services = await startDigests(database, { ROADMAP_VARIANT: "both" });
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
