import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { runHere } from "../support/command.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startRefusingPostgres } from "../support/servers/refusing_postgres.ts";
import { openProxy, type TcpProxy } from "../support/servers/tcp_proxy.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";
import { waitFor } from "../support/wait_for.ts";

const NO_LOGIN = { code: "28000", message: 'role "roadcast" is not permitted to log in' };

/** What a PostgreSQL does that lets nobody in, by what it is called. */
const WAYS: Readonly<Record<string, (proxy: TcpProxy, port: number) => void>> = {
  "refuses every login": (proxy, port) => proxy.leadTo(port),
  "refuses every connection": (proxy) => proxy.refuse(),
};

if (TEST_DATABASE_URL) {
  for (const [name, begin] of Object.entries(WAYS)) {
    Deno.test(`A PostgreSQL that ${name} is an outage, which /ready names and a server survives`, async () => {
      await using stack = new AsyncDisposableStack();
      const { url, drop } = await createScratchDatabase();
      stack.defer(() => drop());
      const file = await Deno.makeTempFile({ suffix: ".json" });
      stack.defer(() => Deno.remove(file));
      await Deno.writeTextFile(file, makeSnapshot(20));
      assertEquals((await runHere(["import", file], { DATABASE_URL: url })).code, 0);
      const refusing = stack.use(await startRefusingPostgres(NO_LOGIN));
      const address = new URL(url);
      const target = { hostname: address.hostname, port: Number(address.port) };
      const proxy = stack.use(openProxy(target));
      address.host = `127.0.0.1:${proxy.port}`;
      const server = stack.use(await startServer({ DATABASE_URL: address.href }));
      assertEquals(await readReady(server), [200, "ok"]);
      const kept = await fetch(`${server.url}/`).then((response) => response.text());

      begin(proxy, Number(new URL(refusing.url).port));
      await waitFor("a refused question", async () => await ask(server) === 503);
      // From then on nobody can take it for a database that is merely busy.
      for (let times = 0; times < 20; times++) {
        assertEquals([await ask(server), await readReady(server)], [503, [503, "away"]]);
      }
      assertEquals(await fetch(`${server.url}/health`).then(({ status }) => status), 200);
      assertEquals(await fetch(`${server.url}/`).then((response) => response.text()), kept);
      const why = name.includes("login") ? "permitted" : "";
      match(server.output(), new RegExp(`The database cannot be reached: [^\\n]*${why}`));

      if (name.includes("login")) proxy.leadTo(target.port);
      else proxy.restore();
      await waitFor("an answer", async () => await ask(server) === 200);
      await waitFor("readiness", async () => (await readReady(server))[1] === "ok");

      begin(proxy, Number(new URL(refusing.url).port));
      await waitFor("the second outage", async () => await ask(server) === 503);
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0, server.output());
    });
  }
}

/** The status of an answer that no cache has. */
async function ask({ url }: TestServer): Promise<number> {
  const response = await fetch(`${url}/api/releases?q=${crypto.randomUUID()}`);
  await response.body?.cancel();
  return response.status;
}

async function readReady({ url }: TestServer): Promise<[status: number, database: string]> {
  const response = await fetch(`${url}/ready`);
  return [response.status, (await response.json()).database];
}
