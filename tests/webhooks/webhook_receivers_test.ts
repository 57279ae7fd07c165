import {
  deepStrictEqual as assertEquals,
  match,
  ok as assert,
  rejects,
  throws,
} from "node:assert/strict";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { sql } from "../../lib/database/sql.ts";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { makeCertificate } from "../support/servers/mail_server.ts";
import { findFreePort } from "../support/server.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

const SECRET_PATH = "/services/T000/B000/s3cretw0rd?token=%C3%A4nother-s3cret";

slowOnDatabases("Receivers that hang do not delay others", async (database) => {
  const released = Promise.withResolvers<void>();
  await using hanging = startReceiver(() => released.promise.then(() => new Response()));
  await using receiver = startReceiver();
  // On a busy machine the others take longer than the default timeout.
  await using webhooks = startWebhooks(database, { timeoutMs: 300_000 });
  for (let number = 0; number < 10; number++) await webhooks.add(`${hanging.url}/${number}`);
  for (let number = 0; number < 100; number++) await webhooks.add(`${receiver.url}/${number}`);
  await webhooks.import([makeItem(1)]);
  await webhooks.import([makeItem(1), makeItem(2)]);
  const sending = webhooks.send();
  await waitFor("the others", () => receiver.received.length === 200);
  assertEquals(hanging.received.length, 10, "each is told one thing after another");
  released.resolve();
  await sending;
  assertEquals(hanging.received.length, 20);
});

slowOnDatabases("A receiver that does not respond in time has failed", async (database) => {
  using silent = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = silent.addr as Deno.NetAddr;
  await using slow = startReceiver(() => new Promise(() => {}));
  await using webhooks = startWebhooks(database, { timeoutMs: 2_000 });
  await webhooks.add(`http://127.0.0.1:${port}/`, { name: "silent" });
  await webhooks.add(slow.url, { name: "slow" });
  await webhooks.add(`http://127.0.0.1:${findFreePort()}/`, { name: "closed" });
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  const reasons = Object.fromEntries(
    (await webhooks.deliveries()).map(({ name, last_error }) => [name, last_error]),
  );
  match(reasons.closed!, /^No server answers at 127\.0\.0\.1:\d+: check the address and the port$/);
  assertEquals([reasons.silent, reasons.slow], Array(2).fill("It did not answer within 2 s"));
});

testOnDatabases("A delivery that cannot be written fails like any other", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url, { name: "broken", kind: "slack" });
  await webhooks.import([makeItem(1)]);
  await database.query(sql`update webhook_payloads set content = '{"entries": null}'`);
  await using log = await recordLog();
  await webhooks.send();
  const [delivery] = await webhooks.deliveries();
  assertEquals([delivery!.status, delivery!.attempts, delivery!.last_error], [
    "waiting",
    1,
    "Its message cannot be written: the log of the server says why",
  ]);
  match(log.lines.join("\n"), /Delivery \S+ cannot be written: TypeError: /);
  assertEquals(receiver.received, []);
});

slowOnDatabases("An endless response is read only as far as needed", async (database) => {
  let sent = 0;
  let isCancelled = false;
  const chunk = new TextEncoder().encode("no ".repeat(10_000));
  const endless = (status: number) =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          controller.enqueue(chunk);
          sent += chunk.length;
        },
        cancel: () => void (isCancelled = true),
      }),
      { status },
    );
  await using failing = startReceiver(() => endless(500));
  await using taking = startReceiver(() => endless(200));
  // One byte, and then nothing.
  await using dripping = startReceiver(() =>
    new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([120])) }), {
      status: 500,
    })
  );
  await using webhooks = startWebhooks(database, { timeoutMs: 5_000 });
  await webhooks.add(failing.url, { name: "failing" });
  await webhooks.add(taking.url, { name: "taking" });
  await webhooks.add(dripping.url, { name: "dripping" });
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  const found = Object.fromEntries(
    (await webhooks.deliveries()).map((
      { name, status, last_error },
    ) => [name, { status, last_error }]),
  );
  assertEquals([found.failing!.status, found.taking!.status], ["waiting", "sent"]);
  match(found.failing!.last_error!, /^It answered 500 Internal Server Error: no( no)+…$/);
  assert(found.failing!.last_error!.length < 500);
  match(found.dripping!.last_error!, /^It answered 500 Internal Server Error: x$/);
  await waitFor("the end of the stream", () => isCancelled);
  assert(sent < 10_000_000, `${sent} bytes were sent`);
});

testOnDatabases("Endless informational responses are a failure", async (database) => {
  const hints = new TextEncoder().encode("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_000));
  let sent = 0;
  await using webhooks = startWebhooks(database);
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  const receiving = (async () => {
    using connection = await listener.accept();
    try {
      while (true) sent += await connection.write(hints);
    } catch {
      // closed by the sender
    }
  })();
  await webhooks.add(`http://127.0.0.1:${port}/`);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  await receiving;
  const [delivery] = await webhooks.deliveries();
  assertEquals([delivery!.status, delivery!.last_error], [
    "waiting",
    "It sent 5 informational responses and no final response",
  ]);
  assert(sent < 50_000_000, `${sent} bytes were sent`);
});

testOnDatabases("A few informational responses are skipped", async (database) => {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  const receiving = (async () => {
    using connection = await listener.accept();
    await connection.read(new Uint8Array(64 * 1024));
    const hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(4);
    const answer = `${hints}HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(answer));
  })();
  await using webhooks = startWebhooks(database);
  await webhooks.add(`http://127.0.0.1:${port}/`);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  await receiving;
  assertEquals((await webhooks.deliveries())[0]!.status, "sent");
});

testOnDatabases("A redirect is a failure, and its target is not requested", async (database) => {
  await using target = startReceiver();
  await using receiver = startReceiver((_, count) =>
    new Response(null, {
      status: [301, 302, 307, 308][count - 1],
      headers: { location: `${target.url}/elsewhere` },
    })
  );
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  for (const minutes of [1, 2, 4, 8]) {
    await webhooks.send();
    const reason = (await webhooks.deliveries())[0]!.last_error!;
    match(reason, /^It answered 30\d .*: redirects are not followed \(it leads to http:\S+\)/);
    assertEquals(/, change the address$/.test(reason), /30[18] /.test(reason), reason);
    assert(!reason.includes("elsewhere"), reason);
    webhooks.advance(minutes);
  }
  assertEquals([receiver.received.length, target.received.length], [4, 0]);
});

testOnDatabases("A name that later resolves to a private address is refused", async (database) => {
  await using receiver = startReceiver();
  const answers = ["93.184.215.14", "127.0.0.1"];
  let asked = 0;
  await using webhooks = startWebhooks(database, {
    allowsPrivate: false,
    resolve: (name) => {
      assertEquals(name, "receiver.example");
      return Promise.resolve([{ address: answers[asked++]!, family: 4 }]);
    },
  });
  await webhooks.add(`http://receiver.example:${receiver.port}/`);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  const [delivery] = await webhooks.deliveries();
  assertEquals([asked, receiver.received.length, delivery!.status], [2, 0, "waiting"]);
  assertEquals(
    delivery!.last_error,
    "receiver.example resolves to 127.0.0.1, which is not a public address: " +
      "WEBHOOK_ALLOW_PRIVATE=true allows it",
  );
});

testOnDatabases("An address that is not public is refused in any notation", async (database) => {
  await using webhooks = startWebhooks(database, { allowsPrivate: false });
  const hosts = [
    ...["127.0.0.1", "127.1", "0x7f000001", "2130706433", "localhost", "0.0.0.0", "10.1.2.3"],
    ...[
      "172.16.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "224.0.0.1",
      "198.51.100.1",
      "168.63.129.16",
    ],
    ...["[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[ff02::1]", "[::ffff:10.0.0.1]"],
    ...["[::ffff:7f00:1]", "[64:ff9b::a00:1]", "[2002:a00:1::]", "[::127.0.0.1]"],
  ];
  for (const host of hosts) {
    await rejects(
      webhooks.add(`https://${host}/${SECRET_PATH}`),
      (error: Error) =>
        /is not a public address/.test(error.message) && !/s3cret/.test(error.message),
      host,
    );
  }
  await rejects(
    webhooks.add("https://receiver.invalid/s3cret"),
    /^FieldError: There is no server at receiver\.invalid: check the address$/,
  );
  for (const url of ["ftp://example.com/s3cret", "s3cret", "file:///s3cret"]) {
    throws(() => webhooks.add(url), /^FieldError: A webhook has an http or https address, such as/);
  }
  throws(() => webhooks.add("https://a:s3cret@example.com/"), /has no user and password/);
  assertEquals(await webhooks.list(), []);
});

testOnDatabases("One private address among several is refused", async (database) => {
  const addresses = [{ address: "93.184.215.14", family: 4 }, { address: "fd00::1", family: 6 }];
  await using webhooks = startWebhooks(database, {
    allowsPrivate: false,
    resolve: () => Promise.resolve(addresses),
  });
  await rejects(webhooks.add("https://receiver.example/"), /resolves to fd00::1, which is not/);
  assertEquals(await webhooks.list(), []);
});

testOnDatabases("A connection goes to the checked address, resolved once", async (database) => {
  await using receiver = startReceiver();
  let asked = 0;
  await using webhooks = startWebhooks(database, {
    // No real resolver knows this name (RFC 2606).
    resolve: () => {
      asked++;
      return Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    },
  });
  await webhooks.add(`http://receiver.invalid:${receiver.port}/x`);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  assertEquals(asked, 1);
  assertEquals(receiver.received.map(({ headers }) => headers.host), [
    `receiver.invalid:${receiver.port}`,
  ]);
});

slowOnDatabases("A self-signed certificate is refused", async (database) => {
  const server = createTlsServer(await makeCertificate(), (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  await using webhooks = startWebhooks(database);
  await webhooks.add(`https://127.0.0.1:${port}/`);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  match((await webhooks.deliveries())[0]!.last_error!, /self-signed certificate/);
  await new Promise((resolve) => server.close(resolve));
});

testOnDatabases("No response, error or table exposes an address or a secret", async (database) => {
  await using receiver = startReceiver(({ path, headers }) =>
    new Response(`Cannot POST ${path} ${decodeURIComponent(path)} ${headers.host}\u001b[2J\u202e`, {
      status: 404,
    })
  );
  await using webhooks = startWebhooks(database);
  const { secret, shownUrl } = await webhooks.add(`${receiver.url}${SECRET_PATH}`);
  assertEquals(shownUrl, `${receiver.url}/…`);
  match(secret!, /^whsec_[A-Za-z0-9+/]{43}=$/);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  const [delivery] = await webhooks.deliveries();
  match(
    delivery!.last_error!,
    /^It answered 404 Not Found: Cannot POST … … 127\.0\.0\.1:\d+ \[2J$/,
  );
  const rows = await database.query(sql`
    select row_to_json(webhooks)::text as text from webhooks
    union all select row_to_json(outbox)::text from outbox
  `);
  const shown = JSON.stringify([rows, await webhooks.list(), delivery]);
  for (const word of [secret!, "s3cret", "T000/B000", btoa(secret!)]) {
    assert(!shown.includes(word), `${word} in ${shown}`);
  }
});

testOnDatabases("A changed server secret is reported as the failure reason", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  await database.query(sql`
    update webhooks set target = set_byte(target, 20, (get_byte(target, 20) + 1) % 256)
  `);
  await webhooks.send();
  const [delivery] = await webhooks.deliveries();
  assertEquals([delivery!.status, receiver.received.length], ["waiting", 0]);
  match(delivery!.last_error!, /^Its address cannot be decrypted: TOKEN_SECRET has changed/);
});
