import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { SETTING_NAMES, type SettingName, SETTINGS } from "../../lib/config/settings.ts";
import { ROUTES } from "../../routes/table.ts";
import { makeItem } from "../support/app.ts";
import { runCommand } from "../support/command.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { addressOf } from "../support/hostile_requests.ts";
import { startServer } from "../support/server.ts";
import { startMailServer } from "../support/servers/mail_server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { startOperatorAt } from "../support/subjects/operator.ts";
import { startReceiver } from "../support/subjects/webhooks.ts";
import { waitFor } from "../support/wait_for.ts";

/** How programs write what they were sent. */
const ENCODINGS: ReadonlyMap<string, (text: string) => string> = new Map([
  ["as it is", (text) => text],
  ["in an address", encodeURIComponent],
  ["in lower case", (text) => encodeURIComponent(text).toLowerCase()],
  ["in base64", btoa],
  ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
]);

/** Every secret by its place, each with signs that the encodings write in their ways. */
const SECRETS = new Map<string, string>();

function secretOf(place: string): string {
  const known = SECRETS.get(place);
  if (known !== undefined) return known;
  const digits = createHash("sha256").update(place).digest("hex");
  const [a, b, c, d] = digits.match(/.{8}/g)!;
  const secret = `${a}/+${b}=~${c}&_-${d}"9!`;
  SECRETS.set(place, secret);
  return secret;
}

/** Names of parameters whose values are secret. */
const NAMES = [
  "pwd",
  "pw",
  "x-sas",
  "jwt",
  "sid",
  "session_id",
  "cred",
  "bearer",
  "hash",
  "api-key",
];

/** What others say of a request: a secret in each encoding, or in each but one. */
function sayAll(place: string, without?: string): string {
  const said = [...ENCODINGS].filter(([name]) => name !== without)
    .map(([, encode]) => encode(secretOf(place)));
  return `no access: ${said.join(" ; ")}`;
}

/** INDEXNOW_KEY is published, as its protocol demands. */
const IS_SECRET = /(?<!INDEXNOW_)(?:TOKEN|SECRET|KEY|PASSWORD|CREDENTIALS?)$/;

/** The settings that are a secret, from the table of settings. */
function secretSettings(): Record<string, string> {
  const names = SETTING_NAMES.filter((name) => IS_SECRET.test(name));
  return Object.fromEntries(names.map((name) => {
    assert(takes(name, secretOf(name)), `${name} does not take a secret with odd signs`);
    return [name, secretOf(name)];
  }));
}

/** The settings that take an address with a password, which stands in no form of theirs. */
function addressSettings(): Record<string, string> {
  const names = SETTING_NAMES.filter((name) => /_(?:URL|MAILBOX|HUB|SOURCE)$/.test(name));
  return Object.fromEntries(names.flatMap((name) => {
    const password = encodeURIComponent(secretOf(name));
    const address = ["http", "smtp", "imap", "postgres"]
      .map((scheme) => `${scheme}://me:${password}@127.0.0.1:1/a`)
      .find((address) => takes(name, address));
    return address === undefined ? [] : [[name, address]];
  }));
}

function takes(name: SettingName, text: string): boolean {
  return SETTINGS[name].schema.safeParse(text).success;
}

/** A mailbox that refuses everybody, and says so. */
function serveMailbox(said: () => string): { port: number } & AsyncDisposable {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const talk = async (connection: Deno.Conn) => {
    using _ = connection;
    const write = (text: string) => connection.write(new TextEncoder().encode(`${text}\r\n`));
    await write("* OK ready");
    const lines = connection.readable.pipeThrough(new TextDecoderStream());
    for await (const text of lines) {
      for (const line of text.split("\r\n").filter(Boolean)) {
        const [tag, command = ""] = line.split(" ");
        if (/^CAPABILITY/i.test(command)) {
          await write(`* CAPABILITY IMAP4rev1\r\n${tag} OK done`);
        } else await write(`${tag} NO [AUTHENTICATIONFAILED] ${said()}`);
      }
    }
  };
  const serving = (async () => {
    for await (const connection of listener) void talk(connection).catch(() => {});
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

Deno.test("No secret is shown, in whatever encoding others repeat it", async () => {
  await withFolder(async (folder) => {
    // The place of the secret that an answer repeats stands in the path: /say/PLACE.
    const placeIn = (path: string) => /\/say(?:\/|%2F)(\w+)/i.exec(path)?.[1] ?? "JIRA_TOKEN";
    await using others = serveSource(async (request, { pathname }) => {
      await request.body?.cancel();
      if (pathname === "/good") return Response.json([makeItem(1)]);
      if (pathname === "/given") {
        return Response.json({ access_token: secretOf("token"), token_type: "bearer" });
      }
      const place = placeIn(pathname);
      const message = place === "names"
        ? `no access: ${NAMES.map(secretOf).join(" ; ")}`
        // It is said in JSON below.
        : sayAll(place, "in JSON");
      if (pathname.startsWith("/read/")) {
        return Response.json([makeItem(2, { release_date: message, release_item_id: message })]);
      }
      const body = { error: message, error_description: message, message };
      return Response.json(body, { status: 403, statusText: message.slice(0, 400) });
    });
    await using receiver = startReceiver(({ path }) =>
      new Response(sayAll(placeIn(path)), { status: 400 })
    );
    await using mail = await startMailServer({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(new Error(sayAll("SMTP_URL"))),
    });
    await using mailbox = serveMailbox(() => sayAll("BOUNCE_MAILBOX"));
    const say = (place: string) => `${others.url}/say/${place}`;
    const keyed = (place: string) => `${say(place)}?key=${encodeURIComponent(secretOf(place))}`;
    const named = new URLSearchParams(NAMES.map((name) => [name, secretOf(name)]));
    const withPassword = (address: string, place: string) =>
      address.replace("//", `//me:${encodeURIComponent(secretOf(place))}@`);
    const auth = (token_url: string) => ({
      client_credentials: { token_url, client_id: "me", client_secret: "env:CANARY_client" },
    });
    const sources = [
      { name: "good", from: `${others.url}/good`, announcements: keyed("feed") },
      { name: "header", from: say("header"), headers: { Authorization: "env:CANARY_header" } },
      { name: "query", from: keyed("query") },
      { name: "names", from: `${say("names")}?${named}` },
      {
        name: "read",
        from: `${others.url}/read${new URL(keyed("read")).pathname}${
          new URL(keyed("read")).search
        }`,
      },
      { name: "password", from: withPassword(say("password"), "password") },
      {
        name: "body",
        from: say("body"),
        kind: "json",
        method: "POST",
        body: { key: "env:CANARY_body", token: secretOf("written") },
      },
      { name: "client", from: say("client"), auth: auth(say("client")) },
      { name: "token", from: say("token"), auth: auth(`${others.url}/given`) },
      { name: "github", kind: "github", from: "github:say/GITHUB_TOKEN" },
      { name: "gitlab", kind: "gitlab", from: "gitlab:say/GITLAB_TOKEN" },
      { name: "jira", kind: "jira", from: `jira:${others.url}/WID` },
    ];
    await Deno.writeTextFile(`${folder}/sources.json`, JSON.stringify({ sources }));
    const settings: Record<string, string> = {
      ...secretSettings(),
      ...Object.fromEntries(
        ["header", "body", "client"].map((place) => [`CANARY_${place}`, secretOf(place)]),
      ),
      DATA_DIR: `${folder}/data`,
      ROADMAP_CONFIG: `${folder}/sources.json`,
      BACKGROUND_JOBS: "off",
      WEBHOOK_ALLOW_PRIVATE: "true",
      SMTP_URL: withPassword(mail.url, "SMTP_URL"),
      MAIL_FROM: "roadmap@example.com",
      // The mailbox is signed in to by a token, which its server refuses.
      BOUNCE_MAILBOX: `imap://me@127.0.0.1:${mailbox.port}/INBOX`,
      MAIL_OAUTH_TOKEN_URL: say("MAIL_OAUTH_CLIENT_SECRET"),
      MAIL_OAUTH_CLIENT_ID: "me",
      OPENAI_BASE_URL: keyed("OPENAI_API_KEY"),
      GITHUB_API_URL: `${others.url}/api/repos`,
      GITLAB_URL: others.url,
      JIRA_URL: others.url,
      WEBSUB_HUB: say("ADMIN_TOKEN"),
    };
    const otherMailbox = {
      ...settings,
      MAIL_OAUTH_TOKEN_URL: "",
      MAIL_OAUTH_CLIENT_ID: "",
      MAIL_OAUTH_CLIENT_SECRET: "",
      BOUNCE_MAILBOX: withPassword(`imap://127.0.0.1:${mailbox.port}/INBOX`, "BOUNCE_MAILBOX"),
    };
    const shown = new Map<string, string>();
    await copyMigrated(settings.DATA_DIR!);
    await using server = await startServer(settings);
    const { cookie = "" } = await startOperatorAt(server, secretOf("ADMIN_TOKEN"));
    const ask = async (path: string, fields?: Record<string, string>) => {
      const body = fields && new URLSearchParams(fields);
      const response = await fetch(server.url + path, {
        method: body ? "POST" : "GET",
        headers: { cookie },
        redirect: "manual",
        ...body && { body },
      });
      const text = `${response.status} ${[...response.headers].join("\n")} ${await response
        .text()}`;
      shown.set(path, `${shown.get(path) ?? ""}${text}`);
      return text;
    };
    const asOperator = async (path: string, body?: string) => {
      const headers = {
        authorization: `Bearer ${settings.ADMIN_TOKEN}`,
        "content-type": "application/json",
      };
      const response = await fetch(server.url + path, {
        method: "POST",
        headers,
        ...body && { body },
      });
      shown.set(`POST ${path}`, await response.text());
    };
    const hook = `${receiver.url}/say/hook?key=${encodeURIComponent(secretOf("hook"))}`;
    await ask("/admin/webhooks", { do: "add", url: hook, kind: "standard", name: "hook" });
    await ask("/admin/webhook?name=hook", { do: "test" });
    await ask("/subscribe", { email: "ann@example.com" });
    await asOperator("/api/work");
    for (const feature_name of ["Before", "After"]) {
      const item = makeItem(3, { feature_name, last_modified: null });
      await asOperator("/api/import?source=more", JSON.stringify([item]));
    }
    await asOperator("/api/work");
    while (/The checks are running/.test(await ask("/admin"))) await delay(200);
    for (const { method, path } of ROUTES) if (method === "GET") await ask(addressOf(path));
    for (const { name } of sources) await ask(`/admin/source?name=${name}`);
    await ask("/admin/webhook?name=hook");
    const { DATABASE_URL = "" } = addressSettings();
    const run = async (command: string, given: Record<string, string>, more = "") => {
      const { out, err } = await runCommand([command], { PORT: "0", ...given });
      shown.set(`the command ${command}${more}`, out + err);
      return out + err;
    };
    for (const command of ["sources", "imports", "outbox"]) await run(command, settings);
    // On a busy machine the time for a check may be over before others have answered.
    const doctor = (given: Record<string, string>, more?: string) =>
      waitFor("what others say to the doctor", async () => {
        return SAID.test(await run("doctor", given, more));
      }, 120_000);
    await doctor(settings);
    await doctor({ ...otherMailbox, DATABASE_URL }, " with other settings");
    shown.set("the log", server.output());

    // Something of it is shown: the net is not empty.
    match(shown.get("/health")!, /403/);
    for (const surface of ["the log", "/admin", "/admin/webhook?name=hook"]) {
      match(shown.get(surface)!, SAID, surface);
    }
    assert(shown.get("/metrics")!.startsWith("200"), shown.get("/metrics"));
    const parts = listParts();
    const found = [...shown].flatMap(([surface, text]) =>
      findSecrets(text, parts).map((what) => `${surface}: ${what}`)
    );
    assertEquals(found, []);
  });
});

/** What others say, as it is shown. */
const SAID = /no access: /;
/** So much of a secret is one. */
const PART = 12;

/** Every part of every secret in every encoding, and whose it is. */
function listParts(): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [place, secret] of SECRETS) {
    for (const [encoding, encode] of ENCODINGS) {
      const spelled = encode(secret).toLowerCase();
      for (let at = 0; at + PART <= spelled.length; at++) {
        parts.set(spelled.slice(at, at + PART), `${place} ${encoding}`);
      }
    }
  }
  return parts;
}

/** The secrets in a text, whole or in part, also where it is HTML. */
function findSecrets(text: string, parts: ReadonlyMap<string, string>): string[] {
  const plain = text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
  const found = new Set<string>();
  for (const shown of [text, plain].map((text) => text.toLowerCase())) {
    for (let at = 0; at + PART <= shown.length; at++) {
      const what = parts.get(shown.slice(at, at + PART));
      if (what !== undefined) found.add(`${what}: ${shown.slice(Math.max(0, at - 60), at + 60)}`);
    }
  }
  return [...found].slice(0, 3);
}
