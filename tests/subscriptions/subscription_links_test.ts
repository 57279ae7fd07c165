import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { makeLinkToken, readLinkTokenFor } from "../../lib/delivery/tokens.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  postForm,
  startWithMail,
  stateOf,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";
import { slowOnDatabases } from "../support/slow.ts";

testOnDatabases("JSON verification works like the page", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const mail = await subscribeAndRead(services, "a@example.com");
  const { search } = new URL(linkOf(mail, "/verify-email"));
  const head = await app.fetch(`/api/verify-email${search}`, { method: "HEAD" });
  assertEquals(head.status, 200);
  assertEquals(await stateOf(database, "a@example.com"), "unverified");
  for (const _ of [1, 2]) {
    const response = await app.fetch(`/api/verify-email${search}`);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals(response.headers.get("referrer-policy"), "no-referrer");
    assertEquals(await response.json(), {
      status: "verified",
      message: "The address is verified",
      unsubscribe_url: linkOf(mail, "/unsubscribe"),
    });
  }
  assertEquals(await stateOf(database, "a@example.com"), "verified");
  for (
    const [query, status, reason] of [["", 400, "is missing"], ["?token=", 400, "is missing"], [
      "?token=unknown",
      404,
      "is unknown or has expired",
    ]] as const
  ) {
    const response = await app.fetch(`/api/verify-email${query}`);
    assertEquals(response.status, status);
    assertEquals(response.headers.get("content-type"), "application/problem+json");
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals(response.headers.get("referrer-policy"), "no-referrer");
    assertEquals((await response.json()).errors, [{ name: "token", reason }]);
  }
});

testOnDatabases("A used verification link offers further links for an hour", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const link = linkOf(await subscribeAndRead(services, "a@example.com"), "/verify-email");
  const json = link.replace("/verify-email", "/api/verify-email");
  await app.fetch(link);
  app.advance(3599);
  match(await (await app.fetch(link)).text(), /\/preferences\?token=/);
  assertEquals("unsubscribe_url" in await (await app.fetch(json)).json(), true);
  app.advance(1);
  const page = await app.fetch(link);
  const html = await page.text();
  assertEquals(page.status, 200);
  match(html, /<h1>You’re subscribed<\/h1>/);
  match(html, /unsubscribe at any time from any email\./);
  assert(!html.includes("token="), html);
  const answer = await app.fetch(json);
  assertEquals([answer.status, await answer.json()], [200, {
    status: "verified",
    message: "The address is verified",
  }]);
  assertEquals(await stateOf(database, "a@example.com"), "verified");
});

testOnDatabases("The form of an expired link preserves the preferences", async (database) => {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  await subscribe(app, { email: "a@example.com", products: ["Mine"] });
  const response = await postForm(app, "/new-link", { email: "A@example.com" });
  assertEquals(response.status, 202);
  assertEquals(response.headers.get("cache-control"), "no-store");
  match(await response.text(), /<h1>Check your inbox<\/h1>/);
  await app.sendMails();
  await app.fetch(linkOf(mail.received[0]!, "/verify-email"));
  const [stored] = await database.query(
    sql`select state, filter -> 'product_name' as products from subscriptions`,
  );
  assertEquals(stored, { state: "verified", products: ["Mine"] });
  const wrong = await postForm(app, "/new-link", { email: "nobody" });
  assertEquals(wrong.status, 400);
  match(await wrong.text(), /The address must have an @/);
});

testOnDatabases("HEAD requests and prefetches have no effect", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const mail = await subscribeAndRead(services, "a@example.com");
  const links = [linkOf(mail, "/verify-email"), linkOf(mail, "/unsubscribe")];
  for (const link of [...links, links[0]!.replace("/verify-email", "/api/verify-email")]) {
    const head = await app.fetch(link, { method: "HEAD" });
    assertEquals(head.status, 200);
    assertEquals(await head.text(), "");
    for (
      const [name, value] of [["Sec-Purpose", "prefetch"], ["Sec-Purpose", "prefetch;prerender"], [
        "Purpose",
        "prefetch",
      ]] as const
    ) {
      const response = await app.fetch(link, { headers: { [name]: value } });
      assertEquals(response.status, 503);
      assertEquals(response.headers.get("cache-control"), "no-store");
    }
  }
  assertEquals(await stateOf(database, "a@example.com"), "unverified");
  const unknown = await app.fetch("/verify-email?token=unknown", { method: "HEAD" });
  assertEquals(unknown.status, 404);
});

testOnDatabases("LINK_ACTION=confirm shows a button first", async (database) => {
  await using services = await startWithMail(database, { LINK_ACTION: "confirm" });
  const { app } = services;
  const mail = await subscribeAndRead(services, "a@example.com");
  for (
    const [path, state, before] of [["/verify-email", "verified", "unverified"], [
      "/unsubscribe",
      "unsubscribed",
      "verified",
    ]] as const
  ) {
    const asking = await app.fetch(linkOf(mail, path));
    assertEquals(asking.status, 200);
    assertEquals(asking.headers.get("cache-control"), "no-store");
    const page = await asking.text();
    assertEquals(await stateOf(database, "a@example.com"), before);
    const token = /name="token" value="([^"]+)"/.exec(page)![1]!;
    match(page, new RegExp(`<form method="post" action="${path}">`));
    const done = await postForm(app, path, { token });
    assertEquals(done.status, 200);
    assertEquals(done.headers.get("referrer-policy"), "no-referrer");
    const donePage = await done.text();
    assertEquals(await stateOf(database, "a@example.com"), state);
    assertEquals(await (await app.fetch(linkOf(mail, path))).text(), donePage);
  }
});

testOnDatabases("The confirm button is below the watched releases", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using services = await startWithMail(database, { LINK_ACTION: "confirm" });
  const id = makeItem(1).release_item_id;
  const mail = await subscribeAndRead(services, "a@example.com", { releases: [id] });
  const page = await (await services.app.fetch(linkOf(mail, "/verify-email"))).text();
  match(page, new RegExp(`<a href="/release/${id}"><bdi>Feature 1</bdi></a>.*Confirm my address`));
});

testOnDatabases("POST /unsubscribe supports one-click unsubscribe (RFC 8058)", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const mail = await subscribeAndRead(services, "a@example.com");
  await app.fetch(linkOf(mail, "/verify-email"));
  const header = mail.headers.find(({ key }) => key === "list-unsubscribe")!.value;
  const link = /^<(.*)>$/.exec(header)![1]!;
  const response = await app.fetch(link, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("set-cookie"), null);
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals(await stateOf(database, "a@example.com"), "unsubscribed");
  const form = new FormData();
  form.set("List-Unsubscribe", "One-Click");
  assertEquals((await app.fetch(link, { method: "POST", body: form })).status, 200);
  assertEquals((await postForm(app, "/unsubscribe", {})).status, 400);
  for (let visit = 0; visit < 40; visit++) {
    assertEquals((await postForm(app, "/unsubscribe", { token: "wrong" })).status, 404);
  }
});

testOnDatabases("Tokens open their own subscription only", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const mail = await subscribeAndRead(services, "a@example.com");
  await subscribeAndRead(services, "b@example.com");
  const token = new URL(linkOf(mail, "/unsubscribe")).searchParams.get("token")!;
  const [other] = await database.query<{ id: string }>(sql`
    select replace(subscription_id::text, '-', '') as id from subscriptions
    where email = 'b@example.com'
  `);
  const bytes = Buffer.from(token, "base64url");
  Buffer.from(other!.id, "hex").copy(bytes);
  for (const forged of [bytes.toString("base64url"), "", "x", token.slice(1), `${token}AAAA`]) {
    const response = await app.fetch(`/unsubscribe?token=${forged}`);
    assertEquals(response.status, forged === "" ? 400 : 404);
    assertEquals(response.headers.get("referrer-policy"), "no-referrer");
    match(await response.text(), forged === "" ? /incomplete/ : /no longer works/);
  }
  assertEquals(await stateOf(database, "b@example.com"), "unverified");
  const verify = new URL(linkOf(mail, "/verify-email")).searchParams.get("token")!;
  assertEquals(Buffer.from(verify, "base64url").length, 32);
  const [{ stored } = { stored: "" }] = await database.query<{ stored: string }>(sql`
    select (select jsonb_agg(verification_tokens)::text from verification_tokens)
      || (select jsonb_agg(outbox)::text from outbox)
      || (select jsonb_agg(subscriptions)::text from subscriptions) as stored
  `);
  assert(stored.includes("a@example.com") && !stored.includes(verify));
});

testOnDatabases("TOKEN_SECRET signs the unsubscribe links of all processes", async (database) => {
  const secret = "0123456789abcdef0123456789abcdef";
  await using services = await startWithMail(database, { TOKEN_SECRET: secret });
  const link = linkOf(await subscribeAndRead(services, "a@example.com"), "/unsubscribe");
  await using stranger = await startApp(database, { TOKEN_SECRET: secret.replace("0", "1") });
  assertEquals((await stranger.fetch(link)).status, 404);
  await using second = await startApp(database, { TOKEN_SECRET: secret });
  assertEquals((await second.fetch(link)).status, 200);
});

testOnDatabases("With both variants links lead to the site of the request", async (database) => {
  await using services = await startWithMail(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/roadmap",
  });
  const { app, mail } = services;
  await subscribe(app, { email: "a@example.com" }, {}, "/roadmap");
  await app.sendMails();
  await subscribe(app, { email: "b@example.com" }, {}, "/roadmap/b");
  await app.sendMails();
  const [a, b] = mail.received;
  match(linkOf(a!, "/verify-email"), /^https:\/\/example\.com\/roadmap\/verify-email\?/);
  match(linkOf(b!, "/verify-email"), /^https:\/\/example\.com\/roadmap\/b\/verify-email\?/);
  match(linkOf(b!, "/unsubscribe"), /^https:\/\/example\.com\/roadmap\/b\/unsubscribe\?/);
  const page = await (await app.fetch(linkOf(b!, "/verify-email"))).text();
  match(page, /href="\/roadmap\/b\/unsubscribe\?token=/);
});

slowOnDatabases("A link is read with what mail programs put around its token", async (database) => {
  await using services = await startDigests(database, { SUBSCRIBE_LIMIT: "1000000" });
  const { app } = services;
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  await services.queue();
  await services.send();
  const digest = linkOf(services.newestTo("ann@example.com"), "/digest");
  const mail = await services.subscribe("bob@example.com");
  const links = [
    linkOf(mail, "/verify-email"),
    linkOf(mail, "/verify-email").replace("/verify-email", "/api/verify-email"),
    linkOf(mail, "/preferences"),
    digest,
    linkOf(mail, "/unsubscribe"),
  ];
  for (const link of links) {
    const { pathname, searchParams } = new URL(link);
    const token = searchParams.get("token")!;
    const queries = [
      ...[
        ".",
        ",",
        ";",
        ")",
        "]",
        "}",
        ">",
        "'",
        '"',
        "!",
        "?",
        "…",
        "*",
        "=",
        "=20",
        "%3E",
        " ",
        ".",
      ].map((end) => `token=${token}${end}`),
      ...["(", "<", "3D", "%20", "%22", "3D("].map((start) => `token=${start}${token}`),
      `amp;token=${token}`,
      `x=1&amp;token=${token}`,
      `x=1&amp;amp;token=3D${token}.`,
      `Token=${token}`,
      `token%3D${token}`,
      `token=${token}&utm_source=mail`,
    ];
    for (const query of queries) {
      const { status } = await app.fetch(`${pathname}?${query}`);
      assertEquals([pathname, query, status], [pathname, query, 200]);
    }
    for (
      const query of [`token=${token.slice(1)}`, `token=${token}${token}`, "token=.", "amp;token=x"]
    ) {
      const { status } = await app.fetch(`${pathname}?${query}`);
      assertEquals([pathname, query, status], [pathname, query, 404]);
    }
  }
});

Deno.test("Every link token ends in a letter or digit, and is read without the digit", () => {
  const secret = "secret";
  let odd = 0;
  for (let number = 0; number < 400; number++) {
    const id = crypto.randomUUID();
    for (const purpose of ["unsubscribe", "preferences", "digest"] as const) {
      const token = makeLinkToken(purpose, id, secret);
      match(token, /^[\w-]+[A-Za-z0-9]$/);
      assertEquals(readLinkTokenFor(purpose, token, secret), id);
      const older = token.slice(0, 64);
      assertEquals(readLinkTokenFor(purpose, older, secret), id);
      if (older === token) continue;
      odd++;
      assertEquals(readLinkTokenFor(purpose, older.slice(0, -1), secret), null);
    }
  }
  assert(odd > 0);
});

slowOnDatabases(
  "Every link in the text of an email ends in a letter or digit",
  async (database) => {
    await using services = await startDigests(database, { BASE_URL: "https://example.com" });
    const items = Array.from(
      { length: 120 },
      (_, number) => makeItem(number + 1, { product_name: `Node.js ${number % 40}.` }),
    );
    await services.verify("ann@example.com", { product_name: "Node.js 1." }, "");
    await services.verify("bob@example.com", {}, "");
    await importItems(database, items);
    await services.digest();
    assertEquals(services.mail.received.length, 2);
    await services.subscribe("ann@example.com", {}, "");
    const texts = services.mail.received.map(({ text }) => text!);
    for (const text of [...texts, services.newestTo("bob@example.com").text!]) {
      const links = text.match(/https?:\S+/g)!;
      assert(links.length > 2);
      for (const link of links) match(link, /[A-Za-z0-9]$/);
    }
  },
);

testOnDatabases("A link to unsubscribe opens nothing else", async (database) => {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  const link = linkOf(await subscribeAndRead(services, "velma@example.com"), "/unsubscribe");
  const token = new URL(link).searchParams.get("token")!;
  const pages = [await app.fetch(link), await postForm(app, "/unsubscribe", { token })];
  pages.push(
    await app.fetch(link, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    }),
  );
  for (const page of pages) {
    const html = await page.text();
    assertEquals(page.status, 200);
    match(html, /<strong>v…a@example\.com<\/strong>/);
    assert(!html.includes("velma@"), html);
    const tokens = [...html.matchAll(/(?:name="token" value="|token=)([\w-]+)/g)].map(([, one]) =>
      one
    );
    assertEquals(new Set(tokens), new Set([token]));
  }
  for (const action of ["export", "delete", "save"]) {
    const fields = { token, action, sure: "yes" };
    assertEquals((await postForm(app, "/preferences", fields)).status, 404);
  }
  assertEquals((await app.fetch(`/preferences?token=${token}`)).status, 404);

  const before = mail.received.length;
  const again = await postForm(app, "/unsubscribe", { token, action: "subscribe-again" });
  const html = await again.text();
  assertEquals(again.status, 202);
  match(html, /We sent a link to v…a@example\.com\./);
  await app.sendMails();
  assertEquals(mail.received.length, before + 1);
  assertEquals((await app.fetch(linkOf(mail.received.at(-1)!, "/verify-email"))).status, 200);
  assertEquals(await stateOf(database, "velma@example.com"), "verified");
  const unknown = { token: "x", action: "subscribe-again" };
  assertEquals((await postForm(app, "/unsubscribe", unknown)).status, 404);
});
