import { deepStrictEqual as assertEquals, doesNotMatch, match, rejects } from "node:assert/strict";
import type { SMTPServerOptions } from "smtp-server";
import { readConfig } from "../../lib/config/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { listMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { SERVICE_CHECKS } from "../../lib/doctor/service_checks.ts";
import { AccessTokens } from "../../lib/http/outgoing/access_tokens.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { startMailServer } from "../support/servers/mail_server.ts";
import { CLIENT, oauthSettings, startTokenServer } from "../support/servers/token_server.ts";
import { request, startSender } from "../support/subjects/sender.ts";
import { slowOnDatabases } from "../support/slow.ts";

const USER = "roadmap@example.com";

/** A mail server that lets in those with a token, and offers no other way. */
function takeTokens(isGood: (token: string) => boolean): SMTPServerOptions {
  return {
    authOptional: false,
    authMethods: ["XOAUTH2"],
    allowInsecureAuth: true,
    onAuth({ username, accessToken }, _session, done) {
      return username === USER && isGood(accessToken ?? "")
        ? done(null, { user: username })
        : done(null, { data: { status: "401", schemes: "bearer", scope: accessToken! } });
    },
  };
}

/** SMTP_URL with a user, and a password where one is given. */
function addressOf(port: number, password = ""): string {
  const secret = password && `:${encodeURIComponent(password)}`;
  return `smtp://${encodeURIComponent(USER)}${secret}@127.0.0.1:${port}`;
}

async function readMails(database: Database) {
  return await database.query<{ status: string; last_error: string | null }>(sql`
    select status, last_error from outbox order by created_at
  `);
}

testOnDatabases("Emails are sent to a server that takes access tokens only", async (database) => {
  await using log = await recordLog();
  await using tokens = startTokenServer();
  await using server = await startMailServer(takeTokens((token) => tokens.given.includes(token)));
  await using sender = await startSender(database, {
    url: addressOf(server.port),
    ...oauthSettings(tokens),
  });
  await request(database, "ann@example.com", "bo@example.com");
  await sender.send();
  const failures = (await readMails(database)).filter(({ status }) => status !== "sent");
  assertEquals(failures, []);
  const mails = await server.receive(2);
  assertEquals(mails.map(({ user }) => user), [USER, USER]);
  assertEquals(tokens.asked.map(({ form }) => form), [{
    grant_type: "client_credentials",
    scope: "https://outlook.example.com/.default",
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
  }], "one token serves every connection");
  doesNotMatch(log.lines.join("\n"), /token-1|s&cret/);
});

testOnDatabases("A rejected token is replaced at once", async (database) => {
  await using tokens = startTokenServer();
  const revoked = new Set<string>();
  await using server = await startMailServer(takeTokens((token) => {
    if (revoked.size === 0) revoked.add(token);
    return !revoked.has(token);
  }));
  await using sender = await startSender(database, {
    url: addressOf(server.port),
    ...oauthSettings(tokens),
  });
  await request(database, "ann@example.com");
  await sender.send();
  await server.receive(1);
  assertEquals(tokens.given.length, 2);
});

slowOnDatabases("Emails wait for a token server that fails, and say why", async (database) => {
  const failures = [
    [() =>
      Response.json({ error: "unauthorized_client", error_description: CLIENT.secret }, {
        status: 400,
      }), /Cannot get an access token from 127\.0\.0\.1:\d+: unauthorized_client \(…\)/],
    [() => new Response("<html>", { status: 503 }), /it answered with status 503/],
    [() => new Response("<html>"), /its answer has no bearer token/],
    [() => Response.json({ access_token: "", token_type: "Bearer" }), /has no bearer token/],
    [() => Response.json({ access_token: "a b", token_type: "Bearer" }), /has no bearer token/],
    [() => Response.json({ access_token: "a", token_type: "mac" }), /has no bearer token/],
    [() => new Response("x".repeat(70_000)), /its answer is longer than 64 KB/],
    [() => Response.redirect("http://127.0.0.1:9/token"), /redirect/],
  ] as const;
  for (const [answer, reason] of failures) {
    await using tokens = startTokenServer({ answer });
    await using server = await startMailServer(takeTokens(() => true));
    await using sender = await startSender(database, {
      url: addressOf(server.port),
      ...oauthSettings(tokens),
    });
    await request(database, `${crypto.randomUUID()}@example.com`);
    await sender.send();
    const [mail] = await readMails(database);
    assertEquals([mail!.status, server.received], ["waiting", []]);
    const [listed] = await listMails(database, { which: "unsent", limit: 1 });
    match(listed!.last_error!, reason);
    doesNotMatch(listed!.last_error!, /s&cret/);
    await database.query(sql`delete from outbox`);
  }
});

Deno.test("A token is fetched ahead and kept until it ends", async () => {
  await using server = startTokenServer({ lifeSeconds: "3600" });
  let now = 0;
  const { MAIL_OAUTH_TOKEN_URL: tokenUrl } = oauthSettings(server);
  const client = { tokenUrl, clientId: CLIENT.id, clientSecret: CLIENT.secret, scope: null };
  const tokens = new AccessTokens(client, () => now);
  const [first, same] = await Promise.all([tokens.get(), tokens.get()]);
  assertEquals([first, same], [server.given[0], server.given[0]]);
  now = 54 * 60_000;
  assertEquals(await tokens.get(), first);
  assertEquals(server.given.length, 1);
  now = 56 * 60_000;
  assertEquals(await tokens.get(), first, "nobody waits for the next one");
  while (await tokens.get() === first) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assertEquals(server.given.length, 2);
  now = 3 * 3600_000;
  assertEquals(await tokens.get(), server.given[2]);
  tokens.drop(first);
  assertEquals(await tokens.get(), server.given[2]);
});

Deno.test("A token server that wants the secret in a header gets it there", async () => {
  await using server = startTokenServer({ takesBody: false, lifeSeconds: undefined });
  const { url: tokenUrl } = server;
  const client = { tokenUrl, clientId: CLIENT.id, clientSecret: CLIENT.secret, scope: null };
  assertEquals(await new AccessTokens(client).get(), server.given[0]);
  const wrong = new AccessTokens({ ...client, clientSecret: "wrong-secret" });
  await rejects(() => wrong.get(), (error: Error) => {
    match(error.message, /: invalid_client \(no client has the secret /);
    doesNotMatch(error.message, /wrong-secret/);
    return true;
  });
});

Deno.test("Settings of OAuth2 are complete or refused", () => {
  const all = {
    MAIL_OAUTH_TOKEN_URL: "https://login.example.com/token",
    MAIL_OAUTH_CLIENT_ID: "a",
    MAIL_OAUTH_CLIENT_SECRET: "b",
  };
  assertEquals(readConfig(all).mailOauth?.scope, null);
  const refused = (settings: Record<string, string>) => {
    try {
      readConfig(settings);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const name of Object.keys(all)) {
    match(refused({ ...all, [name]: "" }), new RegExp(`^${name} is required with MAIL_OAUTH_`));
  }
  match(
    refused({ MAIL_OAUTH_SCOPE: "x" }),
    /^MAIL_OAUTH_TOKEN_URL is required with MAIL_OAUTH_SCO/,
  );
  match(
    refused({ ...all, MAIL_OAUTH_TOKEN_URL: "http://login.example.com" }),
    /^MAIL_OAUTH_TOKEN_URL takes an https address/,
  );
  const BOUNCE_MAILBOX = "imaps://me@mail.example.com/INBOX";
  match(refused({ BOUNCE_MAILBOX }), /^BOUNCE_MAILBOX needs a password, or MAIL_OAUTH_TOKEN_URL/);
  assertEquals(readConfig({ ...all, BOUNCE_MAILBOX }).BOUNCE_MAILBOX?.password, "");
});

Deno.test("The doctor says what to set where a mail server refuses a login", async () => {
  await using tokens = startTokenServer();
  const [mail] = SERVICE_CHECKS;
  const check = async (settings: Record<string, string>) => {
    const config = readConfig({ MAIL_FROM: USER, ...settings });
    const { state, text } = await mail!.run({ config, database: Promise.resolve(null) });
    return `${state} ${text}`;
  };
  await using tokensOnly = await startMailServer(
    takeTokens((token) => tokens.given.includes(token)),
  );
  match(
    await check({ SMTP_URL: addressOf(tokensOnly.port, "password") }),
    /^fail .*\. Check the user and password in SMTP_URL, or set MAIL_OAUTH_TOKEN_URL, MAIL_OAUTH_CLIENT_ID and MAIL_OAUTH_CLIENT_SECRET where it takes access tokens only$/,
  );
  match(
    await check({ SMTP_URL: addressOf(tokensOnly.port), ...oauthSettings(tokens) }),
    /^ok 127\.0\.0\.1:\d+ accepts the access token\. Some mail servers open every link to scan it, which confirms and unsubscribes people: LINK_ACTION=confirm asks them first$/,
  );
  match(
    await check({
      SMTP_URL: addressOf(tokensOnly.port),
      LINK_ACTION: "confirm",
      ...oauthSettings(tokens),
    }),
    /^ok 127\.0\.0\.1:\d+ accepts the access token$/,
  );
  match(
    await check({ SMTP_URL: addressOf(tokensOnly.port), ...oauthSettings(tokens, "wrong") }),
    /^fail .*Cannot get an access token from 127\.0\.0\.1:\d+: invalid_client/,
  );
  await using passwordsOnly = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    authMethods: ["PLAIN", "LOGIN"],
    onAuth: (_auth, _session, done) => done(new Error("no")),
  });
  match(
    await check({ SMTP_URL: addressOf(passwordsOnly.port), ...oauthSettings(tokens) }),
    /^fail .*\. Check MAIL_OAUTH_CLIENT_ID and its scope, or set a password in SMTP_URL$/,
  );
  match(
    await check({ SMTP_URL: addressOf(passwordsOnly.port, "wrong-one") }),
    /^fail (?!.*wrong-one).*\. Check the user and password in SMTP_URL, or set/,
  );
});
