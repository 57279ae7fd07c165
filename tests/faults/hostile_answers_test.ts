import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { makeItem } from "../support/app.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { measureUse } from "../support/process_use.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";
import { waitFor } from "../support/wait_for.ts";

/** What the answers of one kind may take together, of eleven readers at once. */
const MOST_MEGABYTES = 130;
const MEGABYTE = 1024 * 1024;

/** Everybody over HTTP whose answers are read, by the path at which they answer. */
const PATHS = ["source", "refusing", "token", "feed", "embeddings", "webhook", "hub"];
/** The others, who speak first, by their greeting. */
const GREETINGS = { mail: "220-", mailbox: "* OK " };
const READ = [...PATHS, ...Object.keys(GREETINGS)].toSorted();

type Write = (text: string) => Promise<void>;

/** How an answer means harm. `write` writes a piece of it, which HTTP frames as a chunk. */
const ANSWERS: Readonly<Record<string, (write: Write, connection: Deno.Conn) => Promise<void>>> = {
  async "in pieces of one byte"(write) {
    for (let sent = 0; sent < 30_000; sent++) await write(" ");
  },
  async "of 300 MB"(write) {
    const piece = " ".repeat(MEGABYTE);
    for (let sent = 0; sent < 300; sent++) await write(piece);
  },
  async "of 300 MB in short lines"(write) {
    const piece = `${" ".repeat(62)}\r\n`.repeat(MEGABYTE / 64);
    for (let sent = 0; sent < 300; sent++) await write(piece);
  },
  async "without an end"(write, connection) {
    await write("[\r\n");
    // Until the reader has had enough.
    while (await connection.read(new Uint8Array(1024)) !== null);
  },
};

async function send(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Answers to everybody in one of these ways, and notes who asks. */
function serveAnswers() {
  const served = {
    kind: "in pieces of one byte",
    asked: new Set<string>(),
    open: 0,
    /** The ports, by who listens there. */
    ports: {} as Record<"http" | keyof typeof GREETINGS, number>,
    async [Symbol.asyncDispose]() {
      for (const { listener } of parts) listener.close();
      await Promise.all(parts.map(({ serving }) => serving));
    },
  };
  const answer = (connection: Deno.Conn, write: Write) => ANSWERS[served.kind]!(write, connection);
  const answerHttp = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(64 * 1024);
    const read = await connection.read(buffer);
    if (read === null) return;
    const [, path = ""] = /^\S+ \/(\w+)/.exec(new TextDecoder().decode(buffer)) ?? [];
    served.asked.add(path);
    const status = path === "refusing" ? "403 Forbidden" : "200 OK";
    const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n`;
    await send(connection, `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
    const write = (text: string) => send(connection, `${text.length.toString(16)}\r\n${text}\r\n`);
    await answer(connection, write);
    await send(connection, "0\r\n\r\n");
  };
  const greet = (name: keyof typeof GREETINGS) => async (connection: Deno.Conn) => {
    served.asked.add(name);
    await send(connection, GREETINGS[name]);
    await answer(connection, (text) => send(connection, text));
  };
  const listen = (
    name: keyof typeof served.ports,
    talk: (connection: Deno.Conn) => Promise<void>,
  ) => {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    served.ports[name] = listener.addr.port;
    const serving = (async () => {
      for await (const connection of listener) {
        served.open += 1;
        // A reader may leave at any time.
        talk(connection).catch(() => {}).finally(() => {
          served.open -= 1;
          connection.close();
        });
      }
    })();
    return { listener, serving };
  };
  const parts = [
    listen("http", answerHttp),
    listen("mail", greet("mail")),
    listen("mailbox", greet("mailbox")),
  ];
  return served;
}

/** A session of the operator, with what makes the server read the answers of everybody. */
async function startReading(server: TestServer, webhook: string) {
  const signedIn = await fetch(`${server.url}/admin/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ token: ADMIN_TOKEN }),
    redirect: "manual",
  });
  await signedIn.body?.cancel();
  const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
  const ask = async (path: string, fields?: Record<string, string>): Promise<string> => {
    const response = await fetch(server.url + path, {
      headers: { cookie },
      redirect: "manual",
      ...fields && { method: "POST", body: new URLSearchParams(fields) },
    });
    const text = await response.text();
    assert(response.status < 400, `${path}: ${response.status} ${text}`);
    return text;
  };
  const post = async (path: string, json?: unknown) => {
    const headers = {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      "content-type": "application/json",
    };
    const body = json ? { body: JSON.stringify(json) } : {};
    await (await fetch(server.url + path, { method: "POST", headers, ...body })).text();
  };
  const check = async () => {
    await ask("/admin", { do: "check" });
    // A page every now and then: it is not what is measured.
    while (/The checks are running/.test(await ask("/admin"))) await delay(200);
  };
  await ask("/admin/webhooks", { do: "add", url: webhook, kind: "standard", name: "hook" });
  let version = 0;
  /** Reads the answer of each, and says what the pages say of the webhook and of the mail server. */
  const readAll = async () => {
    const item = makeItem(1, { feature_name: `Version ${version++}`, last_modified: null });
    await post("/api/import?source=more", [item]);
    const [webhook, mail] = await Promise.all([
      ask("/admin/webhook?name=hook", { do: "test" }),
      ask("/admin/email?kind=verification", { do: "send", to: "ops@example.com" }),
      check(),
      post("/api/work"),
    ]);
    return { webhook, mail };
  };
  // What is loaded once, and the first moment that a hub counts from, is nobody's answer.
  await post("/api/work");
  await readAll();
  return readAll;
}

Deno.test({
  name: "No answer that is read of others takes much memory, holds others up, or has no end",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withFolder(async (folder) => {
      await using others = serveAnswers();
      const url = `http://127.0.0.1:${others.ports.http}`;
      const client = { token_url: `${url}/token`, client_id: "me", client_secret: "env:CLIENT" };
      const sources = [
        { name: "source", from: `${url}/source`, kind: "json", announcements: `${url}/feed` },
        { name: "refusing", from: `${url}/refusing`, kind: "json" },
        { name: "token", from: `${url}/with`, auth: { client_credentials: client } },
      ];
      await Deno.writeTextFile(`${folder}/sources.json`, JSON.stringify({ sources }));
      await copyMigrated(`${folder}/data`);
      await using server = await startServer({
        ADMIN_TOKEN,
        CLIENT: "the secret of a client",
        DATA_DIR: `${folder}/data`,
        ROADMAP_CONFIG: `${folder}/sources.json`,
        ROADMAP_MAX_MB: "2",
        BACKGROUND_JOBS: "off",
        WEBHOOK_ALLOW_PRIVATE: "true",
        WEBSUB_HUB: `${url}/hub`,
        OPENAI_BASE_URL: `${url}/embeddings`,
        SMTP_URL: `smtp://127.0.0.1:${others.ports.mail}`,
        MAIL_FROM: "roadmap@example.com",
        BOUNCE_MAILBOX: `imap://me:geheim@127.0.0.1:${others.ports.mailbox}/INBOX`,
      });
      const readAll = await startReading(server, `${url}/webhook`);
      for (const kind of Object.keys(ANSWERS)) {
        others.kind = kind;
        others.asked.clear();
        let answered = 0;
        const use = await measureUse(server.pid, async () => {
          const done = new AbortController();
          const reading = readAll().finally(() => done.abort());
          const asking = (async () => {
            while (!done.signal.aborted) {
              assertEquals((await fetch(`${server.url}/health`)).status, 200);
              answered += 1;
              await delay(50);
            }
          })();
          const [said] = await Promise.all([reading, asking]);
          assert(/The test (succeeded|failed)/.test(said.webhook), said.webhook);
          assert(/The email was not sent: /.test(said.mail), said.mail);
        });
        await waitFor("the end of each wait", () => others.open === 0);
        assertEquals([...others.asked].filter((name) => READ.includes(name)).toSorted(), READ);
        const { megabytes, seconds } = use;
        console.log(`An answer ${kind}: ${Math.round(megabytes)} MB, ${seconds.toFixed(1)} s`);
        assert(megabytes < MOST_MEGABYTES, `an answer ${kind} took ${Math.round(megabytes)} MB`);
        assert(answered > 0);
      }
    }),
});
