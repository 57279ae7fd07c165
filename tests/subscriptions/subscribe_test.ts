import { recordStatements } from "../support/record_statements.ts";
import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  startWithMail,
  stateOf,
  STORED_LISTS,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";
import { watchDatabase } from "../support/watched_database.ts";

testOnDatabases("Every valid address gets the same response", async (database) => {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  await app.fetch(
    linkOf(await subscribeAndRead(services, "verified@example.com"), "/verify-email"),
  );
  const gone = await subscribeAndRead(services, "gone@example.com");
  await app.fetch(linkOf(gone, "/unsubscribe"));
  const pestered = await subscribeAndRead(services, "pestered@example.com");
  await app.fetch(linkOf(pestered, "/unsubscribe"));
  await subscribeAndRead(services, "pestered@example.com");
  await subscribeAndRead(services, "unverified@example.com");
  for (const alias of ["a", "b", "c"]) {
    await subscribeAndRead(services, `full+${alias}@example.com`);
  }
  const statements = new Set<string>();
  const answers = new Set<string>();
  const ask = async (name: string, settings: Record<string, string> = {}) => {
    const recorded = recordStatements(database);
    await using recording = await startApp(recorded.database, {
      SUBSCRIBE_LIMIT: "1000",
      ...settings,
    });
    recorded.texts.length = 0;
    const response = await subscribe(recording, { email: `${name}@example.com`, types: ["x"] });
    statements.add(recorded.texts.join("\n"));
    response.headers.delete("x-request-id");
    answers.add(JSON.stringify([response.status, [...response.headers], await response.text()]));
  };
  for (const name of ["new", "unverified", "verified", "gone", "pestered", "full+d", "full+a"]) {
    await ask(name);
  }
  await ask("late", { VERIFICATION_LIMIT: "1" });
  assertEquals(answers.size, 1);
  assertEquals(statements.size, 1, [...statements].join("\n\n"));
  mail.received.length = 0;
  await app.sendMails();
  assertEquals(mail.received.map(({ envelopeTo }) => envelopeTo[0]).sort(), [
    "gone@example.com",
    "new@example.com",
    "unverified@example.com",
    "verified@example.com", // requested something else: its email links to the preferences
  ]);
  assertEquals(await stateOf(database, "verified@example.com"), "verified");
});

const ADDRESSES: readonly [unknown, RegExp | string][] = [
  ["o'neil+tag@sub.example.com", "o'neil+tag@sub.example.com"],
  ["Ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
  ["a@例え.jp", "a@xn--r8jz45g.jp"],
  ["a@xn--bcher-kva.example", "a@xn--bcher-kva.example"],
  ["\ta@example.com\r\n", "a@example.com"],
  ["", /must not be empty/],
  ["   ", /must not be empty/],
  ["example.com", /must have an @/],
  ["@example.com", /must have a name before the @/],
  ["a@", /must end with the name of a domain/],
  ["a@localhost", /must end with the name of a domain/],
  ["a@127.0.0.1", /must end with the name of a domain/],
  ["a@[127.0.0.1]", /must end with the name of a domain/],
  ["a@exa mple.com", /must end with the name of a domain/],
  ["a@-a.example", /must end with the name of a domain/],
  ["a@example..com", /must end with the name of a domain/],
  ["a@example.com.", /must end with the name of a domain/],
  ["a@exa%2Emple.com", /must end with the name of a domain/],
  ["a@b@example.com", /must be one plain address/],
  ["a.@example.com", /must be one plain address/],
  ["a b@example.com", /must be one plain address/],
  ["Ann <a@example.com>", /must be one plain address|must end with/],
  ["a@example.com, b@example.com", /must be one plain address|must end with/],
  ["a@example.com\r\nBcc: b@example.com", /must be one plain address/],
  ["a\0@example.com", /must be one plain address/],
  ['"a b"@example.com', /quoted names are not supported/],
  ["ä@example.com", /only ASCII characters before the @/],
  [`${"a".repeat(65)}@example.com`, /at most 64 characters before the @/],
  [`a@${"b".repeat(64)}.example`, /must end with the name of a domain/],
  [`a@${"b.".repeat(125)}example`, /must end with|at most 254/],
  [7, /must be text/],
  [null, /must be text/],
  [undefined, /must be text/],
];

testOnDatabases("Addresses are normalised, or refused with a reason", async (database) => {
  await using app = await startApp(database, { SUBSCRIBE_LIMIT: "1000" });
  for (const [email, expected] of ADDRESSES) {
    const response = await subscribe(app, { email });
    const body = await response.text();
    if (typeof expected === "string") {
      assertEquals(response.status, 202, `${email}: ${body}`);
      assert(await stateOf(database, expected), `${email} is not stored as ${expected}`);
    } else {
      assertEquals(response.status, 400, `${email}: ${body}`);
      assertEquals(response.headers.get("content-type"), "application/problem+json");
      const [error] = JSON.parse(body).errors;
      assertEquals(error.name, "email");
      match(error.reason, expected, `${email}: ${body}`);
    }
  }
});

testOnDatabases("Invalid requests are reported by field, and store nothing", async (database) => {
  await using app = await startApp(database, { SUBSCRIBE_LIMIT: "1" });
  const email = "a@example.com";
  const bad: [unknown, string, RegExp][] = [
    [{ email, products: "A" }, "products", /must be a list/],
    [{ email, types: [1] }, "types.0", /must be text/],
    [{ email, statuses: [""] }, "statuses.0", /must not be empty/],
    [{ email, products: ["a", "b".repeat(201)] }, "products.1", /at most 200 characters/],
    [{ email, products: Array(101).fill("a") }, "products", /at most 100 values/],
    [{ email, types: ["a\0"] }, "types.0", /NUL/],
    [[], "body", /must be an object/],
    ["null", "body", /must be an object/],
    ["{", "body", /is not JSON/],
    ["", "body", /is not JSON/],
  ];
  for (const [body, name, reason] of bad) {
    const response = await subscribe(app, body);
    assertEquals(response.status, 400, JSON.stringify(body));
    assertEquals(response.headers.get("cache-control"), "no-store");
    const [error] = (await response.json()).errors;
    assertEquals(error.name, name);
    match(error.reason, reason);
  }
  const post = (headers: Record<string, string>, body: BodyInit) =>
    app.fetch("/api/subscribe", { method: "POST", headers, body });
  const text = JSON.stringify({ email });
  assertEquals((await post({}, text)).status, 415);
  assertEquals((await post({}, new URLSearchParams({ email }))).status, 415);
  assertEquals((await post({ "Content-Type": "text/json" }, text)).status, 415);
  const json = { "Content-Type": "application/json; charset=utf-8" };
  const padded = (length: number) => text.replace("}", `,"x":"${"x".repeat(length)}"}`);
  assertEquals((await post(json, padded(32 * 1024))).status, 413);
  const streamed = new Blob([padded(33 * 1024)]).stream();
  assertEquals((await post(json, streamed)).status, 413);
  assertEquals((await post(json, new Uint8Array([0x22, 0xff, 0x22]))).status, 400);
  assertEquals((await app.fetch("/api/subscribe")).status, 405);
  assertEquals((await database.query(sql`select 1 from subscriptions`)).length, 0);
  // None of these counted toward the limit.
  assertEquals((await post(json, padded(1024))).status, 202);
});

testOnDatabases("Accepted requests are limited per client and hour", async (database) => {
  const settings = { SUBSCRIBE_LIMIT: "2", TRUSTED_PROXIES: "1" };
  await using app = await startApp(database, settings);
  await using other = await startApp(database, settings); // another process on this database
  const from = (client: string, number: number, at = app) =>
    subscribe(at, { email: `a${number}@example.com` }, { "X-Forwarded-For": `1.1.1.1, ${client}` });
  assertEquals((await from("203.0.113.1", 1)).status, 202);
  assertEquals((await from("203.0.113.1", 2, other)).status, 202);
  const refused = await from("203.0.113.1", 3);
  assertEquals(refused.status, 429);
  assertEquals(refused.headers.get("content-type"), "application/problem+json");
  const wait = Number(refused.headers.get("retry-after"));
  assert(wait > 3000 && wait <= 3600, `Retry-After is ${wait}`);
  match(
    (await refused.json()).detail,
    /Too many requests to subscribe .* try again in \d+ minutes/,
  );
  assertEquals(await stateOf(database, "a3@example.com"), undefined);
  assertEquals((await from("203.0.113.2", 4)).status, 202);
  assertEquals((await from("2001:db8::1", 5)).status, 202);
  assertEquals((await from("2001:db8::2", 6)).status, 202);
  assertEquals((await from("2001:db8::3", 7)).status, 429); // the same /64 network
  app.advance(3600);
  assertEquals((await from("203.0.113.1", 3)).status, 202);
});

testOnDatabases(
  "All IPv6 networks of a site together have three times the limit of one",
  async (database) => {
    await using app = await startApp(database, { SUBSCRIBE_LIMIT: "2", TRUSTED_PROXIES: "1" });
    const from = async (client: string, number: number) =>
      (await subscribe(app, { email: `a${number}@example.com` }, { "X-Forwarded-For": client }))
        .status;
    const statuses: number[] = [];
    for (let network = 0; network < 8; network++) {
      statuses.push(await from(`2001:db8:1:${network}::1`, network));
    }
    assertEquals(statuses, [202, 202, 202, 202, 202, 202, 429, 429]);
    assertEquals(await from("2001:db8:2:0::1", 8), 202); // another site
    // A network over its limit does not use up the limit of its site.
    for (let request = 0; request < 9; request++) {
      await from("2001:db8:3:0::1", 20 + request);
    }
    assertEquals(await from("2001:db8:3:1::1", 30), 202);
  },
);

testOnDatabases("Invalid tokens are limited per site as well", async (database) => {
  await using app = await startApp(database, { TRUSTED_PROXIES: "1" });
  const guess = async (client: string) =>
    (await app.fetch("/verify-email?token=wrong", { headers: { "X-Forwarded-For": client } }))
      .status;
  for (let visit = 0; visit < 90; visit++) {
    assertEquals(await guess(`2001:db8:1:${visit.toString(16)}::1`), 404);
  }
  assertEquals(await guess("2001:db8:1:ffff::1"), 429);
  assertEquals(await guess("2001:db8:2::1"), 404);
});

testOnDatabases("Invalid tokens are limited per client and hour", async (database) => {
  await using app = await startApp(database);
  const statuses: number[] = [];
  for (let visit = 0; visit < 32; visit++) {
    const path = ["/verify-email", "/api/verify-email", "/unsubscribe"][visit % 3];
    statuses.push((await app.fetch(`${path}?token=wrong${visit}`)).status);
  }
  assertEquals(statuses, [...Array(30).fill(404), 429, 429]);
  const refused = await app.fetch("/verify-email?token=wrong");
  assertEquals(refused.status, 429);
  assertEquals(refused.headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals(refused.headers.get("cache-control"), "no-store");
  assert(Number(refused.headers.get("retry-after")) > 3000);
});

testOnDatabases("A refused subscribe request does not query the roadmap", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2, { product_name: "Other" })]);
  const watched = watchDatabase(database);
  await using app = await startApp(watched, { SUBSCRIBE_LIMIT: "2" });
  const body = {
    email: "a@example.com",
    products: ["Product", "Nothing"],
    types: ["Unheard of"],
    statuses: ["Planned"],
  };
  const unknown = { products: ["Nothing"], types: ["Unheard of"] };
  assertEquals((await (await subscribe(app, body)).json()).unknown, unknown);
  watched.takeCount();
  assertEquals((await (await subscribe(app, body)).json()).unknown, unknown);
  assertEquals(watched.takeCount(), 1, "one statement compares the values");
  const watching = { ...body, releases: [makeItem(1).release_item_id] };
  for (let request = 0; request < 3; request++) {
    assertEquals((await subscribe(app, watching)).status, 429);
  }
  assertEquals(watched.takeCount(), 0);
  app.advance(3600);
  assertEquals((await subscribe(app, watching)).status, 202);
  assertEquals(watched.takeCount(), 2, "and whether there is the release");
});

testOnDatabases("Values beyond those listed in forms are still known", async (database) => {
  const items = Array.from(
    { length: 502 },
    (_, number) => makeItem(number, { product_name: `Product ${number}` }),
  );
  await using app = await serve(database, items);
  const products = [...items.map(({ product_name }) => product_name).slice(-99), "Nothing"];
  const answer = await subscribe(app, { email: "a@example.com", products, types: ["None"] });
  assertEquals((await answer.json()).unknown, { products: ["Nothing"], types: ["None"] });
});

testOnDatabases(
  "Lists may have the names of filters, and other fields are reported",
  async (database) => {
    await using app = await serve(database, [makeItem(1), makeItem(2, { product_name: "Other" })], {
      SUBSCRIBE_LIMIT: "1000",
    });
    const readLists = async (email: string) => {
      const [row] = await database.query(
        sql`select ${STORED_LISTS} from subscriptions where email = ${email}`,
      );
      return row;
    };
    const plain = await subscribe(app, { email: "plain@example.com", products: ["Product"] });
    const text = await plain.text();
    assertEquals(
      text,
      '{"status":"accepted","message":"If this address is not subscribed yet, an email with a link ' +
        "is on its way: the subscription begins when the link is opened. If it is and you " +
        'asked for something else, an email links to its preferences."}',
    );
    const named = await subscribe(app, {
      email: "named@example.com",
      products: ["Product"],
      product_name: "Other",
      release_type: ["General availability", "Preview"],
      release_status: "Planned",
      color: "red",
      constructor: null,
    });
    assertEquals([named.status, await named.json()], [202, {
      ...JSON.parse(text),
      unknown: { types: ["Preview"] },
      ignored: ["color", "constructor"],
    }]);
    const lists = {
      products: ["Other", "Product"],
      types: ["General availability", "Preview"],
      statuses: ["Planned"],
    };
    assertEquals(await readLists("named@example.com"), lists);
    const form = new URLSearchParams([
      ["email", "form@example.com"],
      ["product_name", "Product"],
      ["product_name", "Other"],
      ["types", "General availability"],
      ["release_type", "Preview"],
      ["release_status", "Planned"],
      ["cadence", ""],
      ["shade", "dark"],
    ]);
    const page = await app.fetch("/subscribe", { method: "POST", body: form });
    assertEquals(page.status, 202);
    match(await page.text(), /Unknown fields ignored: shade\./);
    assertEquals(await readLists("form@example.com"), lists);
    const email = "wrong@example.com";
    for (
      const [fields, name, reason] of [
        [{ product_name: 1 }, "product_name", /must be a string or a list of strings/],
        [{ product_name: ["A", 1] }, "product_name", /must be a string or a list of strings/],
        [{ release_type: "" }, "release_type", /must not be empty/],
        [{ release_status: ["x".repeat(201)] }, "release_status.0", /at most 200 characters/],
        [
          { product_name: Array(101).fill("").map((_, n) => `${n}`) },
          "products",
          /at most 100/,
        ],
      ] as const
    ) {
      const response = await subscribe(app, { email, ...fields });
      assertEquals(response.status, 400, JSON.stringify(fields));
      const [error] = (await response.json()).errors;
      assertEquals(error.name, name);
      match(error.reason, reason);
    }
    assertEquals(await readLists(email), undefined);
  },
);
