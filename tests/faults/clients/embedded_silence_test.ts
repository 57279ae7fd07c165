import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createCluster } from "../../../lib/database/embedded/create_cluster.ts";
import { EmbeddedServer } from "../../../lib/database/embedded/embedded_server.ts";
import { prepareSocket } from "../../../lib/database/embedded/socket_place.ts";
import { withFolder } from "../../support/folder.ts";
import { message, PostgresClient } from "../../support/postgres_client.ts";

const SILENCE_MS = 2_500;
const PAUSE_MS = 250;

Deno.test("A client that is slow in its transaction is not silent", () =>
  withFolder(async (folder) => {
    const { path, user, remove } = await prepareSocket(folder, { isShared: true });
    const cluster = join(folder, "postgres");
    await createCluster(cluster);
    const server = await EmbeddedServer.open({
      path,
      user,
      folder: cluster,
      silenceMs: SILENCE_MS,
    });
    const { client } = await PostgresClient.connect(path);
    const isOpen = async (text: string) => (await client.query(text)).at(-1)!.text === "T";
    assertEquals(await isOpen("begin; create table slow (word text)"), true);

    // One that sends a row at a time, in two pieces.
    await client.send(message("Q", "copy slow from stdin"));
    await client.until((type) => type === "G");
    const row = message("d", new TextEncoder().encode("a row\n"));
    for (let sent = 0; sent < 10; sent++) {
      await client.send(row.subarray(0, 6));
      await delay(PAUSE_MS);
      await client.send(row.subarray(6));
      await delay(PAUSE_MS);
    }
    assertEquals((await client.ask(message("c"))).at(-1)!.text, "T");

    // One that reads a part at a time of what is more than the buffers of its socket.
    await client.send(
      message(
        "Q",
        "copy (select repeat('x', 100000) from generate_series(1, 60)) to stdout",
      ),
    );
    for (let read = 0; read < 60; read++) {
      await client.until((type) => type === "d");
      if (read % 3 === 0) await delay(PAUSE_MS);
    }
    assertEquals((await client.untilReady()).at(-1)!.text, "T");
    const counted = await client.query("commit; select count(*) from slow");
    assertEquals(counted.find(({ type }) => type === "D")!.fields[0], "10");

    // One that stops reading for a while: others get the session, and it gets its whole answer.
    await client.send(
      message(
        "Q",
        "begin; insert into slow values ('one more'); " +
          "copy (select repeat('x', 100000) from generate_series(1, 60)) to stdout",
      ),
    );
    const { client: other } = await PostgresClient.connect(path);
    assertEquals(
      (await other.query("select count(*) from slow")).find(({ type }) => type === "D")!.fields[0],
      "10",
    );
    const replies = await client.untilReady().then(async (rows) => [
      ...rows,
      ...await client.untilReady(),
    ]);
    assertEquals(replies.filter(({ type }) => type === "d").length, 60);
    assertEquals(replies.find(({ type }) => type === "E")!.fields.C, "25P03");
    assertEquals(replies.at(-1)!.type, "end");
    client.close();
    other.close();
    await server.close();
    await remove();
  }));
