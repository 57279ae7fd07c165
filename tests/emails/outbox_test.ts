import { type AddressInfo, connect, createServer } from "node:net";
import {
  deepStrictEqual as assertEquals,
  doesNotMatch,
  match,
  ok as assert,
} from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { claimMails, listMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { readConfig } from "../../lib/config/config.ts";
import { SERVICE_CHECKS } from "../../lib/doctor/service_checks.ts";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { linkOf, startMailServer } from "../support/servers/mail_server.ts";
import { request, START, startSender } from "../support/subjects/sender.ts";
import { startWithMail, subscribeAndRead } from "../support/subjects/subscribing.ts";
import { recordLog } from "../support/log.ts";
import { openProxy } from "../support/servers/tcp_proxy.ts";
import { findFreePort } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";
import { expireLeases } from "../support/subjects/clock.ts";
import { slowOnDatabases } from "../support/slow.ts";

interface Row {
  status: string;
  attempts: number;
  wait: number;
  last_error: string | null;
}

/** The only email in the outbox; `wait` is the minutes from its creation until it is due. */
async function readMail(database: Database): Promise<Row> {
  const [row] = await database.query<Row>(sql`
    select status, attempts, last_error,
      (extract(epoch from due_at - created_at) / 60)::int as wait
    from outbox
  `);
  return { ...row! };
}

testOnDatabases("An email has the expected parts and headers", async (database) => {
  await using server = await startMailServer();
  await using sender = await startSender(database, {
    url: server.url,
    SITE_NAME: "Ünïted <Road> & Map",
  });
  await request(database, "ann+x@xn--bcher-kva.example");
  await sender.send();
  const [mail] = await server.receive(1);
  assertEquals(mail!.envelopeFrom, "roadmap@example.com");
  assertEquals(mail!.envelopeTo, ["ann+x@bücher.example"]); // the server decodes A-labels
  match(mail!.raw, /^To: ann\+x@xn--bcher-kva\.example\r$/m);
  assertEquals(mail!.from, { name: "Ünïted <Road> & Map", address: "roadmap@example.com" });
  assertEquals(mail!.subject, "Confirm your subscription to Ünïted <Road> & Map");
  assertEquals(new Date(mail!.date!).getTime(), START);
  match(mail!.messageId!, /^<[0-9a-f-]{36}@example\.com>$/);
  const header = (name: string) => mail!.headers.find(({ key }) => key === name)?.value;
  assertEquals(header("auto-submitted"), "auto-generated");
  assertEquals(header("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  assertEquals(header("list-unsubscribe"), `<${linkOf(mail!, "/unsubscribe")}>`);
  const verify = linkOf(mail!, "/verify-email");
  match(verify, /^http:\/\/localhost:8000\/verify-email\?token=[\w-]{43}$/);
  match(mail!.text!, /within 24 hours \(by 21 July 2026, 12:00 UTC\)\./);
  match(mail!.text!, /If you didn’t request this, ignore this email/);
  match(
    mail!.html!,
    new RegExp(`<a href="${verify.replace("?", "\\?")}" class="[^"]+" style="[^"]+">`),
  );
  match(mail!.html!, /Ünïted &lt;Road&gt; &amp; Map/);
  match(mail!.html!, /within 24 hours \(by 21 July 2026, 12:00 UTC\)\./);
  // It was requested, so it belongs to no list.
  assertEquals([header("list-id"), header("list-post")], [undefined, undefined]);
  assertEquals(await readMail(database), {
    status: "sent",
    attempts: 1,
    wait: 0,
    last_error: null,
  });
  await sender.send();
  assertEquals(server.received.length, 1);
});

testOnDatabases("An email has its dark colours for Outlook.com as well", async (database) => {
  await using server = await startMailServer();
  await using sender = await startSender(database, { url: server.url });
  await request(database, "a@example.com");
  await sender.send();
  const { html } = (await server.receive(1))[0]!;
  const rules = (start: string) =>
    [...html!.matchAll(/(\[data-ogs[cb]\] )?\.([igb])-(\w+)\{([^}]*)\}/g)].filter((
      [, selector = ""],
    ) => selector.startsWith(start)).map(([, , part, name, rule]) => `${part}-${name} ${rule}`);
  const [texts, grounds] = [rules("[data-ogsc]"), rules("[data-ogsb]")];
  const dark = rules("").filter((rule) => rule.endsWith("!important"));
  assert(texts.length > 10);
  assert(texts.every((rule) => rule.startsWith("i-")));
  assert(grounds.every((rule) => /^[gb]-/.test(rule)));
  for (const rule of [...texts, ...grounds]) assert(dark.includes(rule), rule);
});

testOnDatabases("Settings cannot inject headers", async (database) => {
  await using server = await startMailServer();
  await using sender = await startSender(database, {
    url: server.url,
    SITE_NAME: "Road\r\nBcc: victim@example.com\r\n\r\nbody",
  });
  await request(database, "a@example.com");
  await sender.send();
  const [mail] = await server.receive(1);
  assertEquals(mail!.envelopeTo, ["a@example.com"]);
  assertEquals(mail!.bcc ?? [], []);
  assertEquals(mail!.subject, "Confirm your subscription to Road Bcc: victim@example.com body");
  const head = mail!.raw.slice(0, mail!.raw.indexOf("\r\n\r\n"));
  assert(!/^bcc:/im.test(head));
});

testOnDatabases("A temporary refusal is retried with growing delays", async (database) => {
  let refusals = 3;
  await using server = await startMailServer({
    onRcptTo(_address, _session, done) {
      if (refusals-- <= 0) return done();
      done(Object.assign(new Error("Greylisted, come back later"), { responseCode: 450 }));
    },
  });
  await using sender = await startSender(database, { url: server.url });
  await request(database, "a@example.com");
  for (const [attempts, wait] of [[1, 1], [2, 3], [3, 7]] as const) {
    await sender.send();
    const mail = await readMail(database);
    assertEquals([mail.status, mail.attempts, mail.wait], ["waiting", attempts, wait]);
    match(mail.last_error!, /450 Greylisted, come back later/);
    await sender.send(); // not due yet
    assertEquals((await readMail(database)).attempts, attempts);
    sender.advance(2 ** (attempts - 1));
  }
  await sender.send();
  assertEquals((await readMail(database)).status, "sent");
  const [mail] = await server.receive(1);
  match(linkOf(mail!, "/verify-email"), /token=/);
});

testOnDatabases("The name of a site that ends in a full stop ends a sentence", async (database) => {
  await using services = await startWithMail(database, { SITE_NAME: "R&D Inc." });
  const { text = "", html } = await subscribeAndRead(services, "ann@example.com");
  match(text, /this address was entered at R&D Inc\.\n/);
  match(String(html), /this address was entered at R&amp;D Inc\.</);
  doesNotMatch(text + html, /Inc\.\./);
});

slowOnDatabases("Emails go out at the rate that is set", async (database) => {
  const at: number[] = [];
  await using server = await startMailServer({
    onMailFrom(_address, _session, done) {
      at.push(performance.now());
      done();
    },
  });
  await using sender = await startSender(database, { url: server.url, MAIL_RATE: "60" });
  const addresses = ["a@example.com", "b@example.com", "c@example.com"];
  await request(database, ...addresses);
  const started = performance.now();
  await sender.send();
  await server.receive(addresses.length);
  // Never faster; how much slower depends on the machine.
  const span = at.at(-1)! - started;
  assert(span > 1_990, `three emails went out within ${span} ms`);
});

testOnDatabases("A mail server outage is logged once, then once an hour", async (database) => {
  await using log = await recordLog();
  await using server = await startMailServer();
  using proxy = openProxy({ hostname: "127.0.0.1", port: Number(new URL(server.url).port) });
  await using sender = await startSender(database, { url: `smtp://127.0.0.1:${proxy.port}` });
  const addresses = Array.from({ length: 8 }, (_, index) => `a${index}@example.com`);
  await request(database, ...addresses);
  const takeLines = () => log.lines.splice(0).filter((line) => !line.includes(" was sent "));
  proxy.refuse();
  await sender.send();
  const [line, ...more] = takeLines();
  match(
    line!,
    /^warning Cannot reach the mail server, emails wait .*no server answers at 127\.0\.0\.1/,
  );
  assertEquals(more, []);
  sender.advance(1);
  await sender.send();
  assertEquals(takeLines(), []);
  sender.advance(60);
  await sender.send();
  assertEquals(takeLines(), [line]);
  proxy.restore();
  sender.advance(60);
  await sender.send();
  await server.receive(addresses.length);
  assertEquals(takeLines(), ["info The mail server accepts emails again {}"]);
});

testOnDatabases("An email is given up after a day, and the reason is stored", async (database) => {
  await using sender = await startSender(database, { url: `smtp://127.0.0.1:${findFreePort()}` });
  await request(database, "a@example.com");
  let minutes = 0;
  for (; minutes <= 24 * 60 && (await readMail(database)).status === "waiting"; minutes += 10) {
    await sender.send();
    sender.advance(10);
  }
  const mail = await readMail(database);
  assertEquals(mail.status, "failed");
  match(mail.last_error!, /^no server answers at /);
  assert(minutes > 18 * 60, `the last attempt was at minute ${minutes}`);
});

for (
  const [where, options] of [["RCPT TO", {
    onRcptTo: (_address, _session, done) => done(refusal()),
  }], ["DATA", {
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => done(refusal()));
    },
  }]] as [string, Parameters<typeof startMailServer>[0]][]
) {
  testOnDatabases(`A permanent refusal at ${where} is final`, async (database) => {
    await using server = await startMailServer(options);
    await using sender = await startSender(database, { url: server.url });
    await request(database, "a@example.com");
    await sender.send();
    const mail = await readMail(database);
    assertEquals([mail.status, mail.attempts], ["failed", 1]);
    match(mail.last_error!, /550 No such user here/);
    sender.advance(24 * 60);
    await sender.send();
    assertEquals((await readMail(database)).attempts, 1);
  });
}

testOnDatabases("A refused sender is about the settings: every email waits", async (database) => {
  let refuses = true;
  let senders = 0;
  await using log = await recordLog();
  await using server = await startMailServer({
    onMailFrom(_address, _session, done) {
      senders++;
      const words = "5.7.60 not permitted\u0007 to send as this sender";
      done(refuses ? Object.assign(new Error(words), { responseCode: 550 }) : undefined);
    },
  });
  await using sender = await startSender(database, { url: server.url });
  const addresses = Array.from({ length: 40 }, (_, index) => `a${index}@x${index}.example`);
  await request(database, ...addresses);
  for (let round = 0; round < 5; round++) await sender.send();
  assert(senders <= 5, `${senders} attempts for ${addresses.length} emails`);
  const lines = log.lines.filter((line) => line.startsWith("warning") || line.startsWith("error"));
  assertEquals(lines.length, 1);
  match(lines[0]!, /refuses this service.*550 5\.7\.60 not permitted to send as this sender/);
  const listed = await listMails(database, { which: "unsent", limit: 100 });
  const reasons = listed.map(({ last_error: reason }) => reason ?? "");
  assertEquals(reasons.length, addresses.length);
  for (const reason of reasons) match(reason, /^Emails are not being sent: .*550 5\.7\.60 not/);
  // What comes meanwhile waits, too, and each pause has one attempt.
  await request(database, "new@example.com");
  senders = 0;
  for (const minutes of [1, 2, 4]) {
    sender.advance(minutes);
    await sender.send();
    await sender.send();
  }
  assertEquals(senders, 3);
  const settings = { SMTP_URL: server.url, MAIL_FROM: "roadmap@example.com" };
  const [check] = SERVICE_CHECKS;
  const diagnose = () =>
    check!.run({ config: readConfig(settings), database: Promise.resolve(database) });
  const { state, text } = await diagnose();
  assertEquals(state, "fail");
  match(text, /^Emails are not being sent: .*550 5\.7\.60 .*MAIL_FROM to an address/);
  await using app = await startApp(database, { ADMIN_TOKEN });
  const overview = await (await startOperator(app)).read("/admin");
  match(overview, /Emails are not being sent<\/strong>: .*550 5\.7\.60 not permitted to send/);
  refuses = false;
  assertEquals(server.received.length, 0);
  sender.advance(8);
  await sender.send();
  const received = await server.receive(addresses.length + 1);
  assertEquals(new Set(received.flatMap(({ envelopeTo }) => envelopeTo)).size, 41);
  match((await diagnose()).text, /answers\. SMTP_URL names no user, so the first email shows/);
});

testOnDatabases("A server that throttles has all emails wait a little", async (database) => {
  let throttles = true;
  await using log = await recordLog();
  await using server = await startMailServer({
    onData(stream, _session, done) {
      stream.resume();
      const words = "Throttling failure: Maximum sending rate exceeded";
      const error = Object.assign(new Error(words), { responseCode: 454 });
      stream.on("end", () => done(throttles ? error : null));
    },
  });
  await using sender = await startSender(database, { url: server.url });
  await request(database, ...Array.from({ length: 20 }, (_, index) => `a${index}@example.com`));
  const { failed } = await sender.send();
  assert(failed <= 5, `${failed} attempts`);
  assertEquals(await sender.send(), { sent: 0, failed: 0 });
  const [check] = SERVICE_CHECKS;
  const config = readConfig({ SMTP_URL: server.url, MAIL_FROM: "roadmap@example.com" });
  const { text } = await check!.run({ config, database: Promise.resolve(database) });
  match(text, /^The mail server asks to slow down.*454 Throttling failure.*Set MAIL_RATE/);
  match(log.lines.join("\n"), /^warning The mail server asks to slow down.*454 Throttling/m);
  throttles = false;
  sender.advance(0.1); // six seconds
  assertEquals((await sender.send()).sent, 20 - failed);
  sender.advance(1);
  assertEquals((await sender.send()).sent, failed);
});

testOnDatabases("A server is greeted with the name of the site", async (database) => {
  const names: string[] = [];
  await using server = await startMailServer({
    onMailFrom(_address, { hostNameAppearsAs }, done) {
      names.push(String(hostNameAppearsAs));
      done();
    },
  });
  const named = `${server.url}?name=mta.example.net`;
  const base = "https://roadmap.example.org/x";
  for (const [url, BASE_URL] of [[server.url, base], [server.url, ""], [named, base]] as const) {
    await using sender = await startSender(database, { url, ...BASE_URL && { BASE_URL } });
    await request(database, `a${names.length}@example.com`);
    await sender.send();
  }
  assertEquals(names, ["roadmap.example.org", "example.com", "mta.example.net"]);
});

testOnDatabases("A refused password is tried once for all emails", async (database) => {
  let logins = 0;
  await using log = await recordLog();
  await using server = await startMailServer({
    authOptional: false,
    onAuth({ username, password }, _session, done) {
      logins++;
      const repeated = btoa(`\0${username}\0${password}`);
      done(password === "right" ? null : new Error(`No: ${password} ${repeated}`), {
        user: username,
      });
    },
  });
  await request(database, ...Array.from({ length: 60 }, (_, index) => `a${index}@example.com`));
  const at = (password: string) => server.url.replace("//", `//user:${password}@`);
  {
    await using sender = await startSender(database, { url: at("s3cret%21") });
    await sender.send();
    assert(logins <= 5, `${logins} logins`);
    for (const minutes of [1, 2, 4]) {
      sender.advance(minutes);
      await sender.send();
    }
    assert(logins <= 8, `${logins} logins`);
  }
  const [check] = SERVICE_CHECKS;
  const finding = await check!.run({
    config: readConfig({ SMTP_URL: at("s3cret%21"), MAIL_FROM: "a@example.com" }),
    database: Promise.resolve(null),
  });
  const stored = [await database.query(sql`select last_error from outbox`), finding];
  for (const text of [JSON.stringify(stored), log.lines.join("\n")]) {
    match(text, /Invalid login/);
    for (const secret of ["s3cret!", "s3cret%21", btoa("\0user\0s3cret!")]) {
      assert(!text.includes(secret), text.slice(0, 500));
    }
  }
  // Another process, with other settings, tries at once.
  await using sender = await startSender(database, { url: at("right") });
  await sender.send();
  await server.receive(60);
});

function refusal(): Error {
  return Object.assign(new Error("No such user here"), { responseCode: 550 });
}

slowOnDatabases("A mail server that hangs times out", async (database) => {
  for (
    const options of [{ onConnect: () => {} }, { onRcptTo: () => {} }, {
      onData: (stream) => stream.resume(),
    }] satisfies Parameters<typeof startMailServer>[0][]
  ) {
    await database.query(sql`delete from subscriptions`);
    await using server = await startMailServer(options);
    await using sender = await startSender(database, { url: server.url, timeoutMs: 300 });
    await request(database, "a@example.com");
    await sender.send();
    const [mail] = await listMails(database, { which: "unsent", limit: 1 });
    assertEquals(mail!.due_at, "2026-07-20T12:01:00Z");
    match(mail!.last_error!, /timeout|Greeting never received/i);
  }
});

testOnDatabases("An email is retried when the connection breaks during DATA", async (database) => {
  let breaks = true;
  await using server = await startMailServer({
    onConnect(_session, done) {
      done();
    },
  });
  await using breaking = await startBreakingServer(() => breaks, server.port);
  await using sender = await startSender(database, { url: `smtp://127.0.0.1:${breaking.port}` });
  await request(database, "a@example.com");
  await sender.send();
  const mail = await readMail(database);
  assertEquals([mail.status, mail.attempts], ["waiting", 1]);
  match(mail.last_error!, /close|reset|ended|ECONN|EPIPE/i);
  assertEquals(server.received.length, 0);
  breaks = false;
  sender.advance(1);
  await sender.send();
  assertEquals((await readMail(database)).status, "sent");
  await server.receive(1);
});

slowOnDatabases("A server that was down for an hour gets each email once", async (database) => {
  const port = findFreePort();
  await using sender = await startSender(database, { url: `smtp://127.0.0.1:${port}` });
  const addresses = ["a@example.com", "b@example.com", "c@example.com"];
  await request(database, ...addresses);
  for (let minute = 0; minute < 60; minute++) {
    await sender.send();
    sender.advance(1);
  }
  const [mail] = await listMails(database, { which: "unsent", limit: 1 });
  assertEquals([mail!.attempts, mail!.due_at], [0, "2026-07-20T13:03:00Z"]);
  match(
    mail!.last_error!,
    /^Emails are not being sent: no server answers at .+: check the address/,
  );
  await using server = await startMailServer({ port });
  await request(database, "new@example.com");
  for (let minute = 60; minute < 90; minute++) {
    await sender.send();
    sender.advance(1);
  }
  const reached = server.received.flatMap(({ envelopeTo }) => envelopeTo);
  assertEquals(reached.toSorted(), [...addresses, "new@example.com"]);
  const left = await database.query(sql`select 1 from outbox where status <> 'sent'`);
  assertEquals(left.length, 0);
});

testOnDatabases("The sender logs in, and retries when the login is refused", async (database) => {
  await using server = await startMailServer({
    authOptional: false,
    onAuth({ username, password }, _session, done) {
      if (username === "us er" && password === "p:ss") return done(null, { user: username });
      done(new Error("Wrong password"));
    },
  });
  const at = (user: string) => server.url.replace("//", `//${user}@`);
  await request(database, "a@example.com");
  {
    await using sender = await startSender(database, { url: at("us%20er:guessed") });
    await sender.send();
  }
  const [mail] = await listMails(database, { which: "unsent", limit: 1 });
  assertEquals(mail!.attempts, 0, "it is no fault of the email");
  match(mail!.last_error!, /Invalid login.*Wrong password/);
  await using sender = await startSender(database, { url: at("us%20er:p%3Ass") });
  sender.advance(1);
  await sender.send();
  assertEquals((await server.receive(1))[0]!.user, "us er");
});

testOnDatabases(
  "Emails go out by what they are for, then by when they are due",
  async (database) => {
    await database.query(sql`
    insert into subscriptions (email, variant, requested_at) values ('a@example.com', 'A', now())
  `);
    const kinds = ["digest", "reminder", "preferences", "verification", "reminder"];
    for (const [minutes, kind] of kinds.entries()) {
      await database.query(sql`
      insert into outbox (subscription_id, kind, created_at, due_at, give_up_at)
      select subscription_id, ${kind}, now(), now() - make_interval(mins => ${
        60 - minutes
      }::int), now()
      from subscriptions
    `);
    }
    const claimed: string[] = [];
    for (const limit of [1, 3, 3]) {
      const mails = await claimMails(database, {
        now: new Date(),
        day: "2026-07-20",
        leaseSeconds: 60,
        limit,
        except: [],
      });
      claimed.push(...mails.map(({ kind }) => kind));
    }
    assertEquals(claimed, ["verification", "preferences", "reminder", "reminder", "digest"]);
  },
);

slowOnDatabases("Two senders send each email once", async (database) => {
  await using server = await startMailServer();
  await using first = await startSender(database, { url: server.url });
  await using second = await startSender(database, { url: server.url });
  const addresses = Array.from({ length: 30 }, (_, number) => `a${number}@example.com`);
  await request(database, ...addresses);
  await Promise.all([first.send(), second.send()]);
  const reached = server.received.map(({ envelopeTo }) => envelopeTo[0]!);
  assertEquals(reached.toSorted(), addresses.toSorted());
});

testOnDatabases("An email whose sender died is sent once its lease expires", async (database) => {
  await using server = await startMailServer({ onData: (stream) => stream.resume() });
  await using dying = await startSender(database, { url: server.url });
  await request(database, "a@example.com");
  const neverEnds = dying.send(); // the server does not respond: as good as dead
  await waitFor("the attempt", async () => (await readMail(database)).attempts > 0);
  await using healthy = await startMailServer();
  await using other = await startSender(database, { url: healthy.url });
  await other.send();
  assertEquals(healthy.received.length, 0);
  other.advance(5); // the clock of a process does not matter
  await other.send();
  assertEquals(healthy.received.length, 0);
  await expireLeases(database);
  await other.send();
  assertEquals(healthy.received.length, 1);
  assertEquals((await readMail(database)).status, "sent");
  await server[Symbol.asyncDispose]();
  await neverEnds;
  assertEquals((await readMail(database)).status, "sent"); // the stale failure changed nothing
});

/** Forwards bytes to a server, and cuts the connection at the headers of an email. */
async function startBreakingServer(breaks: () => boolean, port: number) {
  const listener = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    const cut = () => [client, server].forEach((socket) => socket.destroy());
    client.on("data", (bytes) => {
      if (breaks() && /^Subject:/m.test(bytes.toString())) cut();
      else server.write(bytes);
    });
    server.on("data", (bytes) => client.write(bytes));
    for (const socket of [client, server]) socket.on("close", cut).on("error", cut);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (listener.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => listener.close(() => resolve())),
  };
}
