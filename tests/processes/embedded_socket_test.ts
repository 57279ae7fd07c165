import { deepStrictEqual as assertEquals, match, ok as assert, rejects } from "node:assert/strict";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import type { Database } from "../../lib/database/database.ts";
import { openEmbedded, openEmbeddedOrShared } from "../../lib/database/embedded/embedded.ts";
import { createCluster } from "../../lib/database/embedded/create_cluster.ts";
import { EmbeddedServer } from "../../lib/database/embedded/embedded_server.ts";
import { findServer, prepareSocket } from "../../lib/database/embedded/socket_place.ts";
import { sql } from "../../lib/database/sql.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { waitFor } from "../support/wait_for.ts";

/** Runs a test with an embedded database as a server has it open. */
function withServer(test: (server: Database, folder: string) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    await copyMigrated(folder);
    const server = await openEmbedded(folder, { shares: true });
    try {
      await test(server, folder);
    } finally {
      await server.close();
    }
  });
}

/** A client of others, as `psql` is. */
function connect(folder: string, options: postgres.Options<Record<string, never>> = {}) {
  const client = postgres({
    host: resolve(folder, "server"),
    username: "somebody",
    max: 1,
    onnotice: () => {},
    ...options,
  });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end({ timeout: 1 }) });
}

Deno.test("Only the same user can open the socket or lock the folder, whatever the umask", () =>
  withFolder(async (parent) => {
    const umask = Deno.umask(0);
    const folder = join(parent, "new", "data");
    const modesOf = (...names: string[]) =>
      names.map((name) => Deno.statSync(join(folder, name)).mode! & 0o777);
    try {
      await (await openEmbedded(folder)).close();
      assertEquals(modesOf("..", ".", "roadcast.lock"), [0o700, 0o700, 0o600]);
      await Deno.chmod(join(folder, "roadcast.lock"), 0o644); // as earlier versions left it
      await Deno.mkdir(join(folder, "server"));
      await Deno.writeTextFile(join(folder, "server", ".s.PGSQL.5432"), "of a killed server");
      const server = await openEmbedded(folder, { shares: true });
      assertEquals(modesOf("roadcast.lock", "server", "server/.s.PGSQL.5432", "postgres"), [
        0o600,
        0o700,
        0o600,
        0o700,
      ]);
      assert(await findServer(folder) !== null);
      await server.close();
      assertEquals(await findServer(folder), null);
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
        "postgres",
        "roadcast.lock",
      ]);
    } finally {
      Deno.umask(umask);
    }
  }));

Deno.test("A folder that holds no sockets names one elsewhere", () =>
  withFolder(async (folder) => {
    const listen = Deno.listen;
    Deno.listen = (() => {
      throw new Deno.errors.NotSupported("no sockets here");
    }) as typeof Deno.listen;
    const place = await prepareSocket(folder, { isShared: true }).finally(() =>
      Deno.listen = listen
    );
    match(place.path, /\/roadcast-[^/]+\/\.s\.PGSQL\.5432$/);
    assertEquals(await Deno.readTextFile(join(folder, "server", "path")), place.path);
    const { path, user } = place;
    const server = await EmbeddedServer.open({ path, user, folder: join(folder, "postgres") });
    assertEquals(await findServer(folder), { path, user });
    await server.close();
    await place.remove();
    assertEquals(await findServer(folder), null);
  }));

Deno.test("Commands use the database of a server, one at a time without one", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    const alone = await openEmbedded(folder);
    await rejects(openEmbeddedOrShared(folder), { name: "DatabaseInUse" });
    await alone.close();
    const opening = openEmbedded(folder, { shares: true });
    await waitFor(
      "the lock",
      () => Deno.stat(join(folder, "server")).then(() => true, () => false),
    );
    const early = await openEmbeddedOrShared(folder); // waits until it is open
    assertEquals(await early.query(sql`select 1 as one`), [{ one: 1 }]);
    await early.close();
    await (await opening).close();
  }));

Deno.test("Values reach the server and return unchanged, and transactions do not mix", () =>
  withServer(async (server, folder) => {
    const command = await openEmbeddedOrShared(folder);
    await command.script("create table words (word text, bytes bytea)");
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251);
    await command.query(sql`insert into words values (${"größer ≥"}, ${bytes})`);
    for (const database of [server, command]) {
      const [row] = await database.query<{ word: string; bytes: Uint8Array }>(sql`
        select word, bytes from words
      `);
      assertEquals([row!.word, new Uint8Array(row!.bytes)], ["größer ≥", bytes]);
    }
    await rejects(command.query(sql`select 1 / 0`), { code: "22012" });

    await command.transaction(async (connection) => {
      for (let round = 0; round < 20; round++) {
        const asked = [1, 2, 3].map((number) =>
          connection.query(sql`select ${number}::int as number, repeat('x', 5000) as text`)
        );
        // The answers arrive together.
        for (const end = performance.now() + round % 5 * 3; performance.now() < end;);
        const text = "x".repeat(5_000);
        const rows = [1, 2, 3].map((number) => ({ number, text }));
        assertEquals((await Promise.all(asked)).flat(), rows);
      }
    });

    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const slow = command.transaction(async (connection) => {
      await connection.query(sql`insert into words values ('command', null)`);
      order.push("command");
      begun.resolve();
      await asked.promise;
      await connection.query(sql`select 1`);
      order.push("command");
      throw new Error("no");
    });
    await begun.promise;
    const quick = server.transaction(async (connection) => {
      order.push("server");
      await connection.query(sql`insert into words values ('server', null)`);
    });
    asked.resolve();
    await rejects(slow, { message: "no" });
    await quick;
    assertEquals(order, ["command", "command", "server"]);
    const words = await command.query(sql`select word from words where bytes is null`);
    assertEquals([...words], [{ word: "server" }]);
    await command.close();
  }));

Deno.test("A command notices that the server stops, which rolls back its transaction", () =>
  withFolder(async (folder) => {
    await copyMigrated(folder);
    const server = await openEmbedded(folder, { shares: true });
    await server.script("create table words (word text)");
    const command = await openEmbeddedOrShared(folder);
    const cut = command.transaction(async (connection) => {
      await connection.query(sql`insert into words values ('cut')`);
      await server.close();
      await connection.query(sql`insert into words values ('rest')`);
    });
    await rejects(cut, { name: "DatabaseAway", message: /^The server that had the database in / });
    await rejects(command.query(sql`select 1`), { name: "DatabaseAway" });
    await command.close();
    const after = await openEmbeddedOrShared(folder);
    assertEquals(await after.query(sql`select word from words`), []);
    await after.close();
  }));

Deno.test("A client that keeps a transaction open but sends nothing is disconnected", () =>
  withFolder(async (folder) => {
    const { path, user, remove } = await prepareSocket(folder, { isShared: true });
    const cluster = join(folder, "postgres");
    await createCluster(cluster);
    const server = await EmbeddedServer.open({ path, user, folder: cluster, silenceMs: 300 });
    {
      await using idle = connect(folder);
      await using other = connect(folder);
      await idle`create table words (word text)`;
      await delay(900); // without a transaction it may be silent indefinitely
      const held = idle.begin(async (transaction) => {
        await transaction`insert into words values ('held')`;
        assertEquals([...await other`select word from words`], []);
        await new Promise(() => {}); // until its connection ends
      });
      await rejects(held, /CONNECTION_CLOSED/);
      assertEquals([...await other`select word from words`], []);
    }
    await server.close();
    await remove();
  }));

Deno.test("A client that dies in its transaction gives the session back", () =>
  withServer(async (server, folder) => {
    await server.script("create table words (word text)");
    const conn = await Deno.connect({
      transport: "unix",
      path: join(folder, "server", ".s.PGSQL.5432"),
    });
    const message = (type: string, text: string) => {
      const bytes = new TextEncoder().encode(`${type}\0\0\0\0${text}\0`);
      new DataView(bytes.buffer).setInt32(type.length, bytes.length - type.length);
      return bytes;
    };
    await conn.write(message("", "\0\x03\0\0user\0somebody\0"));
    await conn.write(message("Q", "begin; insert into words values ('lost')"));
    // It has the session as soon as the answer to the second message arrives.
    let text = "";
    for await (const chunk of conn.readable) {
      text += new TextDecoder().decode(chunk);
      if (text.includes("INSERT 0 1")) break;
    }
    assertEquals(await server.query(sql`select word from words`), []);
  }));

Deno.test("What waits for the session can be cancelled, what runs cannot", () =>
  withServer(async (server, folder) => {
    await using client = connect(folder);
    await client`select 1`;
    for (const values of [[], ["a value"]]) {
      let isCancelled: Promise<unknown> | undefined;
      await server.transaction(async (connection) => {
        const waiting = values.length
          ? client`select ${values[0]!}::text as never`.execute()
          : client.unsafe("select 'never'").execute();
        isCancelled = rejects(waiting, { code: "57014" });
        await connection.query(sql`select 1`);
        await delay(50);
        waiting.cancel();
        await isCancelled;
      });
    }
    assertEquals([...await client`select ${"still"}::text as word`], [{ word: "still" }]);
  }));

Deno.test("The statements of two clients may have one name, and leave the session with them", () =>
  withServer(async (server, folder) => {
    const one = connect(folder);
    await using other = connect(folder);
    const countStatements = async () =>
      (await server.query<{ count: number }>(sql`
        select count(*)::int as count from pg_prepared_statements
        where statement like '%* of' || ' others%'
      `))[0]!.count;
    const ask = async (client: postgres.Sql, number: number) =>
      (await client`select ${number}::int as number /* of others */`)[0]!.number;
    for (let round = 0; round < 3; round++) {
      assertEquals(await Promise.all([ask(one, round), ask(other, 9)]), [round, 9]);
    }
    await one.end();
    await ask(other, 9);
    assertEquals(await countStatements(), 1); // that of `other`
  }));

Deno.test("Notifications of every client reach those that listen", () =>
  withServer(async (server, folder) => {
    const heard: string[] = [];
    await server.listen("news", (payload) => heard.push(payload), () => {});
    await using client = connect(folder);
    await client.notify("news", "of a client");
    await server.transaction(async (connection) => {
      await connection.query(sql`select pg_notify('news', 'of the server')`);
      await connection.query(sql`select 1`);
    });
    await server.transaction(async (connection) => {
      await connection.query(sql`select pg_notify('news', 'rolled back')`);
      throw new Error("no");
    }).catch(() => {});
    await client.notify("news", "last");
    await waitFor("the notifications", () => heard.length === 3);
    assertEquals(heard, ["of a client", "of the server", "last"]);
  }));

Deno.test("Rows are copied in", () =>
  withServer(async (server, folder) => {
    await using client = connect(folder);
    await client`create table words (number int primary key, word text)`;
    const copyIn = async (rows: string) => {
      const into = await client.unsafe("copy words (number, word) from stdin").writable();
      await new Promise<void>((done, fail) => {
        into.on("error", fail).on("finish", done);
        into.end(rows);
      });
    };
    await copyIn(Array.from({ length: 5_000 }, (_, index) => `${index}\tword ${index}\n`).join(""));
    assertEquals(await server.query(sql`select count(*)::int as count from words`), [{
      count: 5000,
    }]);
    assertEquals([...await client`select 1 as one`], [{ one: 1 }]);
  }));

Deno.test("Bytes that are no messages end a connection, and nothing else", () =>
  withServer(async (server, folder) => {
    const path = join(folder, "server", ".s.PGSQL.5432");
    const starts = [
      new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n"),
      new Uint8Array(8),
      Uint8Array.of(0, 0, 0, 8, 0, 2, 0, 0), // version 2 of the protocol
    ];
    for (const start of starts) {
      const conn = await Deno.connect({ transport: "unix", path });
      await conn.write(start);
      for await (const _ of conn.readable); // until it is closed
    }
    assertEquals(await server.query(sql`select 1 as one`), [{ one: 1 }]);
  }));

const psql = await new Deno.Command("psql", { args: ["--version"] }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "psql works on the database of a running server",
  ignore: !psql,
  fn: () =>
    withServer(async (server, folder) => {
      const run = async (input: string, ...args: string[]) => {
        const child = new Deno.Command("psql", {
          args: ["-X", "-q", "-h", resolve(folder, "server"), ...args],
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const writer = child.stdin.getWriter();
        await writer.write(new TextEncoder().encode(input));
        await writer.close();
        const { code, stdout, stderr } = await child.output();
        const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
        return { code, out: out!, err: err! };
      };
      const script = [
        "create table words (number int, word text);",
        "-- rows\n/* of psql; */ copy words from stdin;",
        "1\tone",
        "2\ttwo",
        "\\.",
        "begin; insert into words values (3, 'three'); rollback;",
        "select word from words order by number;",
        "\\copy (select number from words) to stdout",
        "set search_path = pg_catalog;",
        "show search_path;",
      ].join("\n");
      const ran = await run(script, "-At", "-v", "ON_ERROR_STOP=1");
      assertEquals(ran, { code: 0, out: "one\ntwo\n1\n2\npg_catalog\n", err: "" });
      const listed = await run("\\d words\n\\dt\n", "-At");
      assertEquals([listed.code, listed.err], [0, ""]);
      match(listed.out, /number\|integer/);
      const refused = await run(
        "copy words from stdin;\nx\tno number\n\\.\ncopy nothing from stdin;\n1\n\\.\nselect 'after';\n",
        "-At",
      );
      assertEquals([refused.code, refused.out], [0, "after\n"]);
      match(
        refused.err,
        /invalid input syntax for type integer: "x"[^]*relation "nothing" does not exist/,
      );
      const failed = await run("select 1 / 0;\nselect 'after';\n", "-At");
      assertEquals([failed.out, failed.err], ["after\n", "ERROR:  division by zero\n"]);
      assertEquals(await server.query(sql`select count(*)::int as count from words`), [{
        count: 2,
      }]);
    }),
});
