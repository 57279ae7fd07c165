import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { fillSecrets } from "../../lib/import/sources/source_secrets.ts";
import { parseSources } from "../../lib/import/sources/source_config.ts";
import { CLIENT, startTokenServer } from "../support/servers/token_server.ts";

Deno.test("A source's token is fetched once and kept from import to import", async () => {
  await using server = startTokenServer();
  Deno.env.set("TEST_CLIENT_SECRET", CLIENT.secret);
  try {
    const auth = {
      client_credentials: {
        token_url: server.url,
        client_id: CLIENT.id,
        client_secret: "env:TEST_CLIENT_SECRET",
      },
    };
    const source = { from: "https://api.example.com/", auth };
    const first = await fillSecrets(source);
    const second = await fillSecrets(source);
    assertEquals(first.headers, { Authorization: `Bearer ${server.given[0]}` });
    assertEquals([second.headers, server.given.length], [first.headers, 1]);
    assertEquals(first.secrets!.includes(server.given[0]!), true);
  } finally {
    Deno.env.delete("TEST_CLIENT_SECRET");
  }
});

Deno.test("A token server that fails, or a secret that is not set, is named without secrets", async () => {
  await using server = startTokenServer();
  const messageOf = async (variable: string, token_url = server.url) => {
    const credentials = { token_url, client_id: "other", client_secret: `env:${variable}` };
    return await fillSecrets({
      from: "https://api.example.com/",
      auth: { client_credentials: credentials },
    }).then(() => "", (error: Error) => error.message);
  };
  match(
    await messageOf("TEST_NO_SECRET"),
    /^Cannot read https:\/\/api\.example\.com\/: TEST_NO_SECRET, for its auth, is not set/,
  );
  Deno.env.set("TEST_CLIENT_SECRET", "hidden-secret");
  try {
    const refused = await messageOf("TEST_CLIENT_SECRET");
    match(refused, /^Cannot get an access token from 127\.0\.0\.1:\d+: invalid_client/);
    doesNotMatch(refused, /hidden-secret/);
    match(
      await messageOf("TEST_CLIENT_SECRET", "http://127.0.0.1:9/"),
      /^Cannot get an access token/,
    );
  } finally {
    Deno.env.delete("TEST_CLIENT_SECRET");
  }
});

Deno.test("Mistakes of auth and of counted pages are named", () => {
  const mistakesOf = (source: object) =>
    parseSources({
      sources: [{ name: "a", from: "https://example.com/", kind: "json", ...source }],
    }).mistakes.join("\n");
  const client = { token_url: "https://example.com/t", client_id: "a", client_secret: "env:B" };
  assertEquals(mistakesOf({ auth: { client_credentials: client } }), "");
  match(
    mistakesOf({ auth: { client_credentials: { ...client, client_secret: "plain" } } }),
    /auth\.client_credentials\.client_secret: must be env:NAME, as it holds a secret/,
  );
  match(
    mistakesOf({ auth: { client_credentials: { ...client, token_url: "http://example.com/t" } } }),
    /token_url: must be an https address/,
  );
  match(mistakesOf({ auth: { password: "x" } }), /auth/);
  match(mistakesOf({ pages: { by: "weeks", parameter: "p" } }), /must be "pages" or "items"/);
  match(
    mistakesOf({ pages: { by: "items", next: "/next", parameter: "p" } }),
    /pages\.by: cannot be combined with "next"/,
  );
  match(
    mistakesOf({
      from: "https://example.com/?start=now",
      pages: { by: "items", parameter: "start" },
    }),
    /pages\.parameter: counts from "now", which is not a whole number/,
  );
  match(
    mistakesOf({ body: { skip: "x" }, pages: { by: "items", parameter: "/skip" } }),
    /counts from "x"/,
  );
});
