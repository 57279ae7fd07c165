import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { recordLog } from "../support/log.ts";
import { linkOf } from "../support/servers/mail_server.ts";

const DAY = 24 * 60 * 60;

testOnDatabases("A digest can be viewed as a page, as it was sent", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  await importItems(database, [makeItem(1), makeItem(2)]);
  await services.verify("ann@example.com");
  await services.verify("bob@example.com");
  const rewritten = { feature_description: "Another description", release_date: "Q4 2026" };
  await importItems(database, [makeItem(1, rewritten)]);
  const [ann, bob] = await services.digest();
  const link = linkOf(ann!, "/digest");
  assertEquals(linkOf(bob!, "/digest"), link); // it is the same for everyone
  await importItems(database, [makeItem(1, { ...rewritten, feature_name: "Renamed since" })]);

  await using recorded = await recordLog();
  const response = await app.fetch(link);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals(response.headers.get("referrer-policy"), "no-referrer");
  const html = await response.text();
  assertEquals(response.headers.get("x-robots-tag"), "noindex");
  match(response.headers.get("content-security-policy")!, /default-src 'none'.*sandbox/);
  // It is the mail itself, but for the links to the page and of its receiver.
  const parts = (html: string) =>
    html.replace(/<p [^>]*><a [^>]*>View in your browser<\/a><\/p>\s*/, "").split(
      'class="i-quiet" style="font-family',
    )[0];
  assertEquals(parts(html), parts(ann!.html!.replaceAll("\r\n", "\n")));
  match(html, /Roadcast sent this email to its subscribers: changes to all releases\./);
  match(html, />Removed from the roadmap<[^]*>Slipped</);
  match(html, /· Q3 2026 → Q4 2026/);
  match(html, /<del [^>]*>A<\/del> <ins [^>]*>Another<\/ins> description/);
  assert(!/Renamed|ann@|unsubscribe\?|preferences\?/.test(html));
  const token = link.split("token=")[1]!;
  assert(recorded.lines.some((line) => line.includes("/roadmap/digest")));
  assert(!recorded.lines.join("\n").includes(token));

  const head = await app.fetch(link, { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
});

testOnDatabases("A digest page expires after 30 days", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  const link = linkOf((await services.digest())[0]!, "/digest");
  const count = async () => (await database.query(sql`select 1 from digests`)).length;
  app.advance(30 * DAY - 60);
  await app.prune();
  assertEquals([(await app.fetch(link)).status, await count()], [200, 1]);
  app.advance(120);
  const ended = await app.fetch(link);
  assertEquals(ended.status, 404);
  const html = await ended.text();
  match(html, /<h1>This link no longer works<\/h1>/);
  match(html, /Digests can be viewed here for 30 days\. .*<a href="\/roadmap\/changelog">/);
  await app.prune();
  assertEquals([(await app.fetch(link)).status, await count()], [404, 0]);
});

testOnDatabases("An invalid token opens no digest, and guessing is limited", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  const [mail] = await services.digest();
  const [page, preferences] = [linkOf(mail!, "/digest"), linkOf(mail!, "/preferences")];
  const preferencesToken = preferences.split("token=")[1]!;
  const digestToken = page.split("token=")[1]!;
  assertEquals((await app.fetch("/roadmap/digest")).status, 400);
  assertEquals((await app.fetch(`/roadmap/digest?token=${preferencesToken}`)).status, 404);
  assertEquals((await app.fetch(`/roadmap/preferences?token=${digestToken}`)).status, 404);
  assertEquals((await app.fetch(`/roadmap/unsubscribe?token=${digestToken}`)).status, 404);
  for (let guess = 0; guess < 27; guess++) {
    assertEquals((await app.fetch(`/roadmap/digest?token=${guess}`)).status, 404);
  }
  assertEquals((await app.fetch("/roadmap/digest?token=x")).status, 429);
});

testOnDatabases("Invalid tokens do not block valid links of the same client", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  const [digest] = await services.digest();
  const [verification, late] = [
    await services.subscribe("new@example.com"),
    await services.subscribe("late@example.com"),
  ];
  const paths = ["/verify-email", "/api/verify-email", "/unsubscribe", "/preferences", "/digest"];
  const guess = (path: string, number: number) =>
    app.fetch(`/roadmap${path}?token=${"A".repeat(41)}${10 + number}`); // well-formed
  for (let number = 0; number < 31; number++) {
    const { status } = await guess(paths[number % paths.length]!, number);
    assertEquals(status, number < 30 ? 404 : 429);
  }
  const readJson = linkOf(late, "/verify-email").replace("/verify-email", "/api/verify-email");
  const right = [
    linkOf(verification, "/verify-email"),
    readJson,
    linkOf(digest!, "/preferences"),
    linkOf(digest!, "/digest"),
    linkOf(digest!, "/unsubscribe"),
  ];
  for (const link of right) {
    assertEquals([link, (await app.fetch(link)).status], [link, 200]);
  }
  const token = new URL(linkOf(digest!, "/preferences")).searchParams.get("token")!;
  const posted = await app.fetch("/roadmap/preferences", {
    method: "POST",
    body: new URLSearchParams({ token, action: "export" }),
  });
  assertEquals(posted.status, 200);
  for (const path of paths) {
    const refused = await guess(path, 50);
    assertEquals([path, refused.status], [path, 429]);
    assertEquals(Number(refused.headers.get("retry-after")) > 3000, true);
  }
});
