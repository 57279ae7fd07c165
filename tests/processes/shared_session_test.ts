import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { join } from "node:path";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { PGliteThread } from "../../lib/database/embedded/pglite_thread.ts";
import { Pool } from "../../lib/database/pool.ts";
import { connectToFolder, listenInFolder } from "../../lib/database/embedded/server_socket.ts";
import { openEmbeddedOrShared } from "../../lib/database/embedded/shared_embedded.ts";
import { SharedSession } from "../../lib/database/embedded/shared_session.ts";
import { sql } from "../../lib/database/sql.ts";
import { withFolder } from "../support/folder.ts";

Deno.test("Only the same user can open the socket, whatever the umask", () =>
  withFolder(async (folder) => {
    const umask = Deno.umask(0);
    try {
      const socket = await listenInFolder(folder);
      const modes = ["server", "server/socket"].map((name) =>
        Deno.statSync(join(folder, name)).mode! & 0o777
      );
      assertEquals(modes, [0o700, 0o600]);
      // A socket left by a killed server is replaced.
      const again = await listenInFolder(folder);
      (await connectToFolder(folder))!.close();
      await again.close();
      await socket.close();
      assertEquals(await connectToFolder(folder), null);
    } finally {
      Deno.umask(umask);
    }
  }));

Deno.test("Values reach the server and return unchanged, and transactions do not mix", () =>
  withFolder(async (folder) => {
    const server = await openEmbedded(folder, { shares: true });
    const command = await openEmbeddedOrShared(folder);
    await command.script("create table words (word text, bytes bytea)");
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251);
    await command.query(sql`insert into words values (${"größer ≥"}, ${bytes})`);
    const [row] = await server.query<{ word: string; bytes: Uint8Array }>(sql`
      select word, bytes from words
    `);
    assertEquals(row, { word: "größer ≥", bytes });
    const [back] = await command.query<{ bytes: Uint8Array }>(sql`select bytes from words`);
    assertEquals(back!.bytes, bytes);
    await rejects(command.query(sql`select 1 / 0`), { code: "22012" });

    await command.transaction(async (connection) => {
      for (let round = 0; round < 20; round++) {
        const asked = [1, 2, 3].map((number) =>
          connection.query(sql`select ${number}::int as number, repeat('x', 5000) as text`)
        );
        // The answers arrive together.
        for (const end = performance.now() + round % 5 * 3; performance.now() < end;);
        const text = "x".repeat(5_000);
        assertEquals(
          (await Promise.all(asked)).flat(),
          [1, 2, 3].map((number) => ({ number, text })),
        );
      }
    });

    const order: string[] = [];
    const slow = command.transaction(async (connection) => {
      await connection.query(sql`insert into words values ('command', null)`);
      order.push("command");
      await new Promise((resolve) => setTimeout(resolve, 200));
      order.push("command");
      throw new Error("no");
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const quick = server.transaction(async (connection) => {
      order.push("server");
      await connection.query(sql`insert into words values ('server', null)`);
    });
    await rejects(slow, { message: "no" });
    await quick;
    assertEquals(order, ["command", "command", "server"]);
    const words = await command.query(sql`select word from words where bytes is null`);
    assertEquals(words, [{ word: "server" }]);

    // Only one of them at a time does the same work.
    const outcome = await command.exclusively("work", async () => {
      const other = await server.exclusively("work", () => Promise.resolve("both"));
      return [other, await server.exclusively("other", () => Promise.resolve("other"))];
    });
    assertEquals(outcome, [null, "other"]);
    assertEquals(await server.exclusively("work", () => Promise.resolve("free")), "free");

    // The server stops in the middle of a command's transaction.
    const cut = command.transaction(async (connection) => {
      await connection.query(sql`insert into words values ('cut', null)`);
      await server.close();
      await connection.query(sql`select 1`);
    });
    await rejects(cut, { name: "DatabaseAway", message: /^The server that had the database in / });
    await command.close();
    const after = await openEmbeddedOrShared(folder);
    assertEquals(await after.query(sql`select word from words where word = 'cut'`), []);
    await after.close();
  }));

Deno.test("A process that holds the database but sends nothing is disconnected", () =>
  withFolder(async (folder) => {
    const thread = await PGliteThread.open({});
    const pool = new Pool([thread], 10);
    const socket = await listenInFolder(folder);
    const shared = new SharedSession(socket, {
      pool,
      names: new Set(),
      silenceMs: 300,
    });
    const frames = (await connectToFolder(folder))!;
    const ask = async (method: string, ...args: unknown[]) => {
      await frames.write({ method, args });
      return await frames.read();
    };
    await ask("script", "create table words (word text)");
    // A process that holds nothing may be silent indefinitely.
    await new Promise((resolve) => setTimeout(resolve, 900));
    await ask("hold");
    await ask("script", "begin");
    await ask("query", "insert into words values ('held')", []);
    const member = await pool.take();
    assertEquals(await member.query("select word from words", []), []);
    pool.give(member);
    assertEquals(await frames.read(), null);
    frames.close();
    await shared.stop();
    await thread.close();
  }));
