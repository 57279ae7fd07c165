import {
  deepStrictEqual as assertEquals,
  doesNotMatch as assertNoMatch,
  rejects as assertRejects,
} from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { fillSecrets } from "../../lib/import/sources/source_secrets.ts";
import { readSource } from "../../lib/import/read_source.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { VERSION } from "../../lib/version.ts";
import { makeItem, TODAY } from "../support/app.ts";
import { serveSource } from "../support/servers/source_server.ts";

async function readAll(location: string, options: Partial<ImportOptions>): Promise<number> {
  const all = { asOf: TODAY, pausesMs: [], ...options };
  return (await readSource(location, all))!.rowCount;
}

/** A server of two pages that keeps the headers of each request. */
function serveHeaders(answer: (url: URL) => Response | undefined = () => undefined) {
  const seen: Headers[] = [];
  const server = serveSource((request, url) => {
    seen.push(request.headers);
    const next = url.search ? null : "/?page=2";
    return answer(url) ?? Response.json({ data: [makeItem(url.search ? 2 : 1)], links: { next } });
  });
  return Object.assign(server, { seen });
}

Deno.test("Requests to a source have a User-Agent, which a setting or its headers can change", async () => {
  const base = { BASE_URL: "https://example.com/roadmap" };
  const own = readConfig(base).SOURCE_USER_AGENT;
  assertEquals(own, `Roadcast/${VERSION} (+https://example.com/roadmap)`);
  const set = readConfig({ ...base, SOURCE_USER_AGENT: "Mozilla/5.0 (X11)" }).SOURCE_USER_AGENT;
  await using server = serveHeaders();
  const agents: [Partial<ImportOptions>, string][] = [
    [{}, `Roadcast/${VERSION}`],
    [{ userAgent: own }, own],
    [{ userAgent: set }, "Mozilla/5.0 (X11)"],
    [{ userAgent: own, headers: { "USER-AGENT": "Ours/1" } }, "Ours/1"],
  ];
  for (const [options, agent] of agents) {
    server.seen.length = 0;
    assertEquals(await readAll(server.url, options), 2);
    assertEquals(server.seen.map((headers) => headers.get("user-agent")), [agent, agent]);
  }
});

Deno.test("The headers of a source are sent only to its own origin", async () => {
  const headers = { "x-api-key": "sesame-1", "user-agent": "Ours/sesame-2" };
  await using other = serveHeaders();
  await using server = serveHeaders((url) =>
    url.pathname === "/away" ? Response.redirect(other.url) : undefined
  );
  const sentBy = ({ seen }: { seen: Headers[] }) =>
    seen.map((sent) => [sent.get("x-api-key"), sent.get("user-agent")]);
  const own = [headers["x-api-key"], headers["user-agent"]];
  assertEquals(await readAll(server.url, { headers }), 2);
  assertEquals(sentBy(server), [own, own]);
  const isPublic = () => Promise.resolve([{ address: "9.9.9.9", family: 4 as const }]);
  assertEquals(await readAll(`${server.url}/away`, { headers, resolve: isPublic }), 2);
  const general = [null, `Roadcast/${VERSION}`];
  assertEquals([server.seen.length, ...sentBy(other)], [3, general, general]);
  await assertRejects(readAll(`${server.url}/away`, { headers }), (error: Error) => {
    assertNoMatch(error.message, /sesame/);
    return true;
  });
});

Deno.test("A 403 names the setting that helps", async () => {
  await using server = serveHeaders(() => new Response(null, { status: 403 }));
  await assertRejects(readAll(server.url, {}), {
    message: /responded 403 Forbidden; .*unknown User-Agent, SOURCE_USER_AGENT sets another$/,
  });
});

Deno.test("A header has the value of the environment variable that it names", async () => {
  Deno.env.set("TEST_SOURCE_TOKEN", "sesame");
  Deno.env.set("TEST_SOURCE_BROKEN", "sesame\r\nhost: x");
  try {
    const from = "https://example.com/?key=sesame";
    const headers = { "x-token": "env:TEST_SOURCE_TOKEN", "x-version": "2" };
    assertEquals((await fillSecrets({ from, headers })).headers, {
      "x-token": "sesame",
      "x-version": "2",
    });
    const messageOf = (name: string) =>
      fillSecrets({ from, headers: { "x-token": `env:${name}` } })
        .catch((error: Error) => error.message);
    const start = "Cannot read https://example.com/?key=…:";
    const messages = [await messageOf("TEST_SOURCE_NONE"), await messageOf("TEST_SOURCE_BROKEN")];
    assertEquals(messages, [
      `${start} TEST_SOURCE_NONE, for its header x-token, is not set: set it, and restart`,
      `${start} TEST_SOURCE_BROKEN, for its header x-token, has characters that cannot be sent`,
    ]);
  } finally {
    Deno.env.delete("TEST_SOURCE_TOKEN");
    Deno.env.delete("TEST_SOURCE_BROKEN");
  }
});
