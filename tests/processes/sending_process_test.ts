import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { listMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { copyStarted } from "../support/databases.ts";
import { linkOf, makeCertificate, startMailServer } from "../support/servers/mail_server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

const ADDRESS = "ann@example.com";

async function subscribe({ url }: TestServer): Promise<void> {
  const response = await fetch(`${url}/api/subscribe`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: ADDRESS }),
  });
  assertEquals(response.status, 202);
  await response.body?.cancel();
}

/** Waits until the process has logged the expected text. */
async function outputOf(serving: TestServer, expected: RegExp): Promise<RegExpExecArray> {
  await waitFor(`${expected} in the log`, () => expected.test(serving.output()));
  return expected.exec(serving.output())!;
}

/** Stops a process with a signal, and returns its exit code. */
function end(serving: TestServer, signal: Deno.Signal): Promise<number> {
  serving.kill(signal);
  return serving.ended;
}

/** A data folder that has the sample. */
async function temporaryFolder() {
  const path = await Deno.makeTempDir();
  await copyStarted(path);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** The emails of an embedded database that no process has open. */
async function readOutbox(folder: string) {
  const database = await openEmbedded(folder);
  try {
    return await listMails(database, { which: "all", limit: 10 });
  } finally {
    await database.close();
  }
}

Deno.test("Without SMTP_URL the email is logged, and its link works", async () => {
  await using folder = await temporaryFolder();
  await using serving = await startServer({ DATA_DIR: folder.path });
  await subscribe(serving);
  const [, link] = await outputOf(serving, /(http:\S+?\/verify-email\?token=[\w-]{43})/);
  const page = await fetch(link!);
  assertEquals(page.status, 200);
  match(await page.text(), /You’re subscribed/);
  match(serving.output(), /To: ann@example\.com/);
  assertEquals(await end(serving, "SIGTERM"), 0);
  const [mail] = await readOutbox(folder.path);
  assertEquals([mail!.status, mail!.email, mail!.attempts], ["logged", ADDRESS, 1]);
});

Deno.test("With SMTP_URL the log contains no token and no address", async () => {
  await using server = await startMailServer();
  await using folder = await temporaryFolder();
  await using serving = await startServer({
    DATA_DIR: folder.path,
    SMTP_URL: server.url,
    MAIL_FROM: "Roadmap <roadmap@example.com>",
  });
  await subscribe(serving);
  const [mail] = await server.receive(1);
  assertEquals(mail!.from, { name: "Roadmap", address: "roadmap@example.com" });
  const links = [linkOf(mail!, "/verify-email"), linkOf(mail!, "/unsubscribe")];
  for (const link of links) {
    const page = await fetch(link);
    assertEquals(page.status, 200);
    await page.body?.cancel();
  }
  await outputOf(serving, /was .*sent/);
  assertEquals(await end(serving, "SIGTERM"), 0);
  for (const link of links) {
    assert(!serving.output().includes(new URL(link).searchParams.get("token")!));
  }
  assert(!serving.output().includes(ADDRESS));
});

Deno.test("A process that gets SIGTERM finishes sending the current email", async () => {
  const arrived = Promise.withResolvers<() => void>();
  await using server = await startMailServer({
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => arrived.resolve(() => done()));
    },
  });
  await using folder = await temporaryFolder();
  await using serving = await startServer({
    DATA_DIR: folder.path,
    SMTP_URL: server.url,
    MAIL_FROM: "roadmap@example.com",
  });
  await subscribe(serving);
  const accept = await arrived.promise;
  const ended = end(serving, "SIGTERM");
  await waitFor(
    "the server to refuse",
    () => fetch(serving.url).then((r) => r.body?.cancel()).then(() => false, () => true),
  );
  accept();
  assertEquals(await ended, 0);
  const [mail] = await readOutbox(folder.path);
  assertEquals([mail!.status, mail!.attempts], ["sent", 1]);
});

for (const secure of [true, false]) {
  const kind = secure ? "TLS from the start" : "STARTTLS";
  Deno.test(`An email is sent over ${kind} to a server with a trusted certificate`, async () => {
    const certificate = await makeCertificate();
    await using server = await startMailServer({
      ...certificate,
      secure,
      authOptional: false,
      allowInsecureAuth: false,
      onAuth: ({ username, password }, _session, done) =>
        password === "secret" ? done(null, { user: username }) : done(new Error("Wrong password")),
    });
    await using folder = await temporaryFolder();
    await using other = await temporaryFolder();
    const file = `${folder.path}/authority.pem`;
    await Deno.writeTextFile(file, certificate.cert);
    const settings = {
      DATA_DIR: folder.path,
      SMTP_URL: server.url.replace("//", "//ann:secret@"),
      MAIL_FROM: "roadmap@example.com",
    };
    {
      await using trusting = await startServer({ ...settings, DENO_CERT: file });
      await subscribe(trusting);
      const [mail] = await server.receive(1);
      assertEquals([mail!.secure, mail!.user], [true, "ann"]);
    }
    settings.DATA_DIR = other.path;
    await using doubting = await startServer(settings);
    await subscribe(doubting);
    await outputOf(doubting, /Cannot reach the mail server/);
    assert(!doubting.output().includes("secret"));
    await end(doubting, "SIGTERM");
    const [mail] = await readOutbox(settings.DATA_DIR);
    assertEquals(mail!.status, "waiting");
    match(mail!.last_error!, /self-signed certificate/);
    assertEquals(server.received.length, 1);
  });
}
