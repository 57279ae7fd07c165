import {
  deepStrictEqual as assertEquals,
  match as assertMatch,
  ok as assert,
} from "node:assert/strict";
import { testOnOneDatabase } from "../../support/fault_databases.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";

/** The number of further files that the server may open, and of the connections to it. */
const FREE_FILES = 60;
const CONNECTIONS = 200;
/** A client that retries every 20 ms is refused fewer times until even a busy machine listens. */
const MAX_REFUSED = 200;

testOnOneDatabase(
  "More connections than the open-file limit do not crash a process",
  async (settings) => {
    await using server = await startServer({ ...settings });
    let hasEnded = false;
    server.ended.then(() => hasEnded = true);
    await limitFiles(server, FREE_FILES);
    const connections: Deno.Conn[] = [];
    try {
      for (let round = 0; round < 2; round++) {
        for (let count = 0; count < CONNECTIONS; count++) {
          const connection = await connect(server);
          if (connection) connections.push(connection);
          if (count % 2 === 0) {
            // The server may have closed it already, to accept others.
            await connection?.write(new TextEncoder().encode("GET / HTTP/1.1\r\nX")).catch(
              () => {},
            );
          }
        }
        await waitFor("the log", () => /Cannot accept connections/.test(server.output()));
        assert(await countRefusals(server) < MAX_REFUSED);
        await waitFor("an answer while all of them are held", () => answers(server));
      }
    } finally {
      for (const connection of connections) connection.close();
    }
    assertEquals(hasEnded, false, server.output());
    assertEquals(server.output().match(/Cannot accept connections/g)!.length, 1);
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0, server.output());
    assertMatch(server.output(), /Stopped/);
  },
);

/** Limits how many further files a running process may open (util-linux). */
async function limitFiles({ pid }: TestServer, more: number): Promise<void> {
  const open = [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  const { success } = await new Deno.Command("prlimit", {
    args: [`--pid=${pid}`, `--nofile=${open + more}`],
  }).output();
  assertEquals(success, true);
}

async function connect({ port }: TestServer): Promise<Deno.Conn | null> {
  return await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
}

async function countRefusals(server: TestServer): Promise<number> {
  let count = 0;
  await waitFor("a server that listens", async () => {
    const connection = await connect(server);
    connection?.close();
    if (connection === null) count++;
    return connection !== null;
  });
  return count;
}

async function answers({ url }: TestServer): Promise<boolean> {
  const answer = fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
  return await answer.then(async (response) => {
    await response.body?.cancel();
    return response.ok;
  }, () => false);
}
