import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { fillSecrets } from "../../lib/import/sources/source_secrets.ts";
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
