import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { createServer } from "node:tls";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { inDatabase, testOnOneDatabase } from "../support/fault_databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import {
  hasDovecot,
  mailboxAt,
  PASSWORD,
  startDovecot,
  tokenMailboxAt,
} from "../support/servers/dovecot.ts";
import { oauthSettings, startTokenServer } from "../support/servers/token_server.ts";
import { recordLog } from "../support/log.ts";
import { makeCertificate } from "../support/servers/mail_server.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";
import { startServerByTask } from "../support/server.ts";
import { stateOf } from "../support/subjects/subscribing.ts";
import { waitFor } from "../support/wait_for.ts";
import { makeDue } from "../support/subjects/clock.ts";

const ANN = "ann@example.com";

/** A delivery status notification as mail servers write it (RFC 3464). */
function notification(
  messageId: string,
  {
    subject = "Undelivered Mail Returned to Sender",
    status = "5.1.1",
    action = "failed",
    recipient = ANN,
    returned = "text/rfc822-headers",
    type = "multipart/report; report-type=delivery-status",
    reason = "smtp; 550 5.1.1 <ann@example.com>: Recipient address rejected:\n    User unknown",
  } = {},
): string {
  return `Return-Path: <>
From: MAILER-DAEMON@mail.example.org (Mail Delivery System)
To: roadmap@example.com
Subject: ${subject}
MIME-Version: 1.0
Content-Type: ${type};
\tboundary="limit"

--limit
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--limit
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.org
Arrival-Date: Mon, 20 Jul 2026 12:00:00 +0000 (UTC)

Final-Recipient: rfc822; ${recipient}
Original-Recipient: rfc822;${recipient}
Action: ${action}
Status: ${status}
Diagnostic-Code: ${reason}

--limit
Content-Description: Undelivered Message Headers
Content-Type: ${returned}

Received: from localhost (localhost [127.0.0.1])
From: Roadcast <roadmap@example.com>
To: ${recipient}
Message-ID:
 ${messageId}
Subject: Something shipped

--limit--
`;
}

type Services = Awaited<ReturnType<typeof startDigests>>;

/** Imports a change to notify about, and returns the Message-ID of its email. */
async function send(database: Database, services: Services): Promise<string> {
  services.advance(60); // which of two emails is newer counts
  await importItems(database, [makeItem(1, { feature_name: crypto.randomUUID() })]);
  const [mail] = await services.digest();
  return mail!.messageId!;
}

/** Runs the due jobs, and reads the mailbox even if it was read a moment ago. */
async function readBounces(database: Database, app: TestApp) {
  await database.query(sql`delete from schedules where name = 'bounces'`);
  const response = await app.fetch("/roadmap/api/work", {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  const body = await response.json();
  return { status: response.status, bounces: body.bounces, body };
}

/** Checks what work logs, and that this shows neither a token nor a password. */
async function expectLog(expected: RegExp, work: () => Promise<unknown>): Promise<void> {
  await using log = await recordLog();
  await work();
  const logged = log.lines.join("\n");
  match(logged, expected);
  doesNotMatch(logged, /token-\d|pass\/word/);
}

async function refusalsOf(database: Database): Promise<number> {
  const [row] = await database.query<{ refusals: number }>(sql`
    select refusals from subscriptions where email = ${ANN}
  `);
  return row!.refusals;
}

function start(database: Database, port: number, password = PASSWORD, folder = "INBOX") {
  const BOUNCE_MAILBOX = mailboxAt(port, password, folder);
  return startDigests(database, { BOUNCE_MAILBOX, ADMIN_TOKEN, DIGESTS: "off" });
}

if (hasDovecot()) {
  testOnDatabases("Emails returned to a mailbox mark the address as bounced", async (database) => {
    await using dovecot = await startDovecot();
    await using services = await start(database, dovecot.port);
    await services.verify(ANN);
    await dovecot.deliver("Subject: Hello\n\nA message of a person.\n");
    for (const [count, returned] of ["text/rfc822-headers", "message/rfc822"].entries()) {
      await dovecot.deliver(notification(await send(database, services), { returned }));
      const { bounces } = await readBounces(database, services.app);
      assertEquals(bounces, { read: 1, counted: 1 });
      assertEquals(await refusalsOf(database), count + 1);
    }
    assertEquals(await stateOf(database, ANN), "verified");
    await dovecot.deliver(notification(await send(database, services)));
    await readBounces(database, services.app);
    assertEquals(await stateOf(database, ANN), "bounced");
    const [stored] = await database.query<{ refusal_reason: string }>(sql`
      select refusal_reason from subscriptions
    `);
    match(stored!.refusal_reason, /Recipient address rejected: +User unknown/);
    const returned = await database.query(sql`
      select 1 from outbox where kind = 'digest' and status = 'sent' and last_error like '%User unknown'
    `);
    assertEquals(returned.length, 3, "the email itself says so too");
    const { read, unread } = dovecot.list();
    assertEquals([read.length, unread], [3, ["Hello"]]);
    assertEquals((await readBounces(database, services.app)).bounces, { read: 0, counted: 0 });
  });

  testOnDatabases("A forged bounce notification stops nobody's emails", async (database) => {
    await using dovecot = await startDovecot();
    await using services = await start(database, dovecot.port);
    await services.verify(ANN);
    await services.verify("eve@example.com");
    services.advance(60); // which of two emails is newer counts
    await importItems(database, [makeItem(1, { feature_name: "New" })]);
    const mails = await services.digest();
    const idOf = (email: string) =>
      mails.find(({ envelopeTo }) => envelopeTo.includes(email))!.messageId!;
    const [subscription] = await database.query<{ id: string }>(sql`
      select subscription_id as id from subscriptions where email = ${ANN}
    `);
    const forged = [
      `<${crypto.randomUUID()}@example.com>`,
      `<${subscription!.id}@example.com>`,
      "<1@example.com>",
      "<>",
      "",
      idOf("eve@example.com"), // with Ann as the recipient: it counts for Eve
    ];
    for (const messageId of forged) await dovecot.deliver(notification(messageId));
    const { bounces } = await readBounces(database, services.app);
    assertEquals(bounces, { read: forged.length, counted: 1 });
    assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 0]);

    // The same email cannot be returned twice.
    for (const _ of [1, 2, 3]) await dovecot.deliver(notification(idOf(ANN)));
    assertEquals((await readBounces(database, services.app)).bounces, { read: 3, counted: 1 });
    assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 1]);
  });

  testOnDatabases("Delays, full mailboxes and other messages do not count", async (database) => {
    await using dovecot = await startDovecot();
    await using services = await start(database, dovecot.port);
    await services.verify(ANN);
    const id = await send(database, services);
    const report = "multipart/report; report-type=delivery-status";
    const harmless = [
      { action: "delayed", status: "4.4.1" },
      { action: "failed", status: "4.4.7" },
      { action: "delayed", status: "5.1.1" },
      { action: "delivered", status: "2.0.0" },
      { status: "5.2.2" },
      { status: "5.7.1" },
      { status: "5.4.7" },
      { status: "" },
      { returned: "text/plain" },
      { type: "multipart/mixed; x=delivery-status" },
    ];
    for (const options of harmless) await dovecot.deliver(notification(id, options));
    await dovecot.deliver(`Subject: Nothing\nContent-Type: ${report}; boundary=x\n\n--x--\n`);
    await dovecot.deliver(`Subject: Long\nContent-Type: ${report}; boundary=x\n\n--x
Content-Type: message/delivery-status\n\n${"Reporting-MTA: x\n".repeat(100_000)}\n--x--\n`);
    const left = [
      notification(id, { subject: "Left", type: "multipart/report; report-type=x" }),
      `Subject: Left\n\n${notification(id)}`,
    ];
    for (const message of left) await dovecot.deliver(message);
    const { bounces } = await readBounces(database, services.app);
    assertEquals(bounces, { read: harmless.length + 2, counted: 0 });
    assertEquals([await stateOf(database, ANN), await refusalsOf(database)], ["verified", 0]);
    assertEquals(dovecot.list().unread, ["Left", "Left"]);
    await dovecot.deliver(notification(id, { status: "5.0.0", reason: "" }));
    assertEquals((await readBounces(database, services.app)).bounces.counted, 1);
  });

  testOnDatabases("A message that cannot be read holds no other up", async (database) => {
    await using dovecot = await startDovecot();
    await using services = await start(database, dovecot.port);
    await services.verify(ANN);
    // Its structure is longer than what the server may say in one response.
    const part = `--x\nContent-Type: text/plain; name="${"a".repeat(1_000)}"\n\n\n`;
    await dovecot.deliver(
      "Subject: Long\nContent-Type: multipart/report; report-type=delivery-status; boundary=x\n\n" +
        `${part.repeat(5_000)}--x--\n`,
    );
    assertEquals((await readBounces(database, services.app)).status, 503);
    await dovecot.deliver(notification(await send(database, services)));
    assertEquals(await refusalsOf(database), 0);
    await readBounces(database, services.app);
    assertEquals(await refusalsOf(database), 1);
  });

  testOnDatabases("A mailbox that takes access tokens only is read", async (database) => {
    await using tokens = startTokenServer();
    await using dovecot = await startDovecot({ tokenServer: tokens.url });
    const settings = { ADMIN_TOKEN, DIGESTS: "off" };
    {
      await using services = await startDigests(database, {
        ...settings,
        ...oauthSettings(tokens),
        BOUNCE_MAILBOX: tokenMailboxAt(dovecot.port),
      });
      await services.verify(ANN);
      await dovecot.deliver(notification(await send(database, services)));
      const { bounces } = await readBounces(database, services.app);
      assertEquals([bounces, await refusalsOf(database)], [{ read: 1, counted: 1 }, 1]);
      await readBounces(database, services.app);
      assertEquals(tokens.given.length, 1, "the token is kept from visit to visit");
      tokens.given.splice(0); // the server forgets it
      await expectLog(/access token was rej/, () => readBounces(database, services.app));
      assertEquals((await readBounces(database, services.app)).status, 200);
    }
    await using services = await startDigests(database, {
      ...settings,
      BOUNCE_MAILBOX: mailboxAt(dovecot.port),
    });
    await expectLog(
      /The server offers XOAUTH2 only: set MAIL_OAUTH_TOKEN_URL, .* leave the password out of BOUNCE_MAILBOX/,
      () => readBounces(database, services.app),
    );
  });

  testOnDatabases("A mailbox that cannot be read is logged without secrets", async (database) => {
    await using dovecot = await startDovecot();
    for (
      const [password, folder, reason] of [
        ["wrong-password", "INBOX", /the user or password was rejected/],
        [PASSWORD, "Elsewhere", /Mailbox doesn't exist: Elsewhere/],
      ] as const
    ) {
      await using log = await recordLog();
      await using services = await start(database, dovecot.port, password, folder);
      const { status, body } = await readBounces(database, services.app);
      assertEquals([status, body.errors.map(({ name }: { name: string }) => name)], [503, [
        "bounces",
      ]]);
      const logged = log.lines.join("\n");
      match(logged, /bounces failed: .*Cannot read BOUNCE_MAILBOX at 127\.0\.0\.1/);
      match(logged, reason);
      doesNotMatch(logged, /wrong-password|pass\/word|pass%2Fword/);
      await database.query(sql`delete from outbox`);
    }
  });

  testOnOneDatabase("A server reads its mailbox, and logs why it cannot", async (settings) => {
    await using dovecot = await startDovecot();
    await dovecot.deliver(notification("<1@example.com>", { subject: "Returned" }));
    {
      await using _server = await startServerByTask({
        ...settings,
        BOUNCE_MAILBOX: mailboxAt(dovecot.port),
      });
      await waitFor("the mailbox", () => dovecot.list().read.length === 1);
    }
    await inDatabase(
      settings,
      (database) => makeDue(database, "bounces"),
    );
    await using server = await startServerByTask({
      ...settings,
      BOUNCE_MAILBOX: mailboxAt(dovecot.port, "wrong-password"),
    });
    await waitFor(
      "the failure",
      () => server.output().includes("Cannot read BOUNCE_MAILBOX"),
    );
    match(server.output(), /the user or password was rejected/);
    doesNotMatch(server.output(), /wrong-password/);
    assertEquals((await fetch(`${server.url}/ready`)).status < 500, true);
  });
}

/** A TCP server that handles each connection with the given function. */
function serve(answer: (connection: Deno.Conn) => Promise<void>) {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const connections = new Set<Deno.Conn>();
  const serving = (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      void answer(connection).catch(() => {});
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of connections) {
        try {
          connection.close();
        } catch { /* it is closed */ }
      }
      await serving.catch(() => {});
    },
  };
}

testOnDatabases(
  "A silent, misbehaving or disconnected mail server blocks nothing",
  async (database) => {
    const write = (connection: Deno.Conn, text: string) =>
      connection.write(new TextEncoder().encode(text)).then(() => {});
    const answers: [string, (connection: Deno.Conn) => Promise<void>][] = [
      ["silent", () => Promise.resolve()],
      ["gone", (connection) => Promise.resolve(connection.close())],
      ["wrong", (connection) => write(connection, "HTTP/1.1 400 Bad Request\r\n\r\n")],
      ["echoing", async (connection) => {
        await write(connection, "* OK IMAP4rev1 ready\r\n");
        const bytes = new Uint8Array(1_000);
        for (let length; (length = await connection.read(bytes)) !== null;) {
          const sent = new TextDecoder().decode(bytes.subarray(0, length)).trim();
          await write(connection, `${sent.split(" ")[0]} NO you sent ${sent}\r\n`);
        }
      }],
      ["endless", async (connection) => {
        await write(connection, "* OK IMAP4rev1 ready\r\n");
        for (;;) await write(connection, "x".repeat(100_000));
      }],
    ];
    for (const [name, answer] of answers) {
      await using log = await recordLog();
      await using server = await serve(answer);
      await using services = await start(database, server.port);
      const { status, body } = await readBounces(database, services.app);
      assertEquals([name, status], [name, 503]);
      assertEquals(body.errors.map(({ name }: { name: string }) => name), ["bounces"]);
      const logged = log.lines.join("\n");
      match(logged, /Cannot read BOUNCE_MAILBOX at 127\.0\.0\.1/, name);
      doesNotMatch(logged, /pass\/word|pass%2Fword/, name);
      assertEquals((await services.app.fetch("/roadmap/health")).status, 200);
    }
  },
);

testOnDatabases("No password goes to a server with an untrusted certificate", async (database) => {
  const certificate = await makeCertificate();
  const received: string[] = [];
  const server = createServer(certificate, (socket) => {
    socket.write("* OK IMAP4rev1 ready\r\n");
    socket.on("data", (chunk) => received.push(chunk.toString()));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await using services = await startDigests(database, {
    BOUNCE_MAILBOX: `imaps://me:s3cret-word@127.0.0.1:${port}/INBOX`,
    ADMIN_TOKEN,
    DIGESTS: "off",
  });
  await using log = await recordLog();
  assertEquals((await readBounces(database, services.app)).status, 503);
  match(log.lines.join("\n"), /Cannot read BOUNCE_MAILBOX at 127\.0\.0\.1: .*certificate/i);
  assertEquals(received, []);
  await new Promise((resolve) => server.close(resolve));
});
