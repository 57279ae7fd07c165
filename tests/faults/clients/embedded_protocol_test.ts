import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import type { Database } from "../../../lib/database/database.ts";
import { openEmbedded } from "../../../lib/database/embedded/embedded.ts";
import { sql } from "../../../lib/database/sql.ts";
import { copyMigrated } from "../../support/databases.ts";
import { withFolder } from "../../support/folder.ts";
import { recordLog } from "../../support/log.ts";
import { extended, message, PostgresClient, type Reply } from "../../support/postgres_client.ts";
import { runs } from "../../support/slow.ts";
import { waitFor } from "../../support/wait_for.ts";

const { parse, bind, execute, closeStatement, sync, flush } = extended;

/** A client of the embedded database, with what it may expect to find there. */
class Person {
  client!: PostgresClient;
  /** What it has set, and what it said about itself at its start. */
  zone!: string;
  /** What its prepared statements answer, by their names. */
  prepared!: Map<string, string>;
  listens!: boolean;
  heard!: string[];

  constructor(
    readonly name: string,
    readonly path: string,
    /** The time zone of a client that has set none. */
    readonly usualZone: string,
  ) {}

  async connect(parameters: Record<string, string> = {}, zone = this.usualZone): Promise<void> {
    this.client?.close();
    const { client, welcome } = await PostgresClient.connect(this.path, parameters);
    assertEquals(typesOf(welcome).at(-1), "Z");
    Object.assign(this, { client, zone, prepared: new Map(), listens: false, heard: [] });
  }

  /** The only value that a simple query answers. */
  async read(text: string): Promise<string | null> {
    return valueOf(await this.query(text));
  }

  /** A simple query, which also ends the statement without a name. */
  async query(text: string): Promise<Reply[]> {
    this.prepared.delete("");
    return await this.client.query(text);
  }

  async run(text: string): Promise<void> {
    assertEquals(errorOf(await this.query(text)), undefined, text);
  }
}

const typesOf = (replies: readonly Reply[]) => replies.map(({ type }) => type);
const errorOf = (replies: readonly Reply[]) => replies.find(({ type }) => type === "E")?.fields.C!;
const valueOf = (replies: readonly Reply[]) => replies.find(({ type }) => type === "D")?.fields[0]!;

/** What a client that has its connection ended for it has been told. */
function assertEnded(replies: readonly Reply[], code: string): void {
  assertEquals([errorOf(replies), typesOf(replies).at(-1)], [code, "end"]);
}

/** Copies in, wherever PostgreSQL takes one, and how many tables of rows the client sends. */
const COPIES: readonly [text: string, tables: number][] = [
  ["copy copied from stdin", 1],
  ["truncate other; copy copied from stdin", 1],
  ["select ';'; copy copied from stdin; select 1", 1],
  ["copy copied from stdin; copy copied from stdin", 2],
  ["copy copied from /* where ; */ stdin", 1],
  ["/* a /* nested */ one */ copy copied from stdin", 1],
  ['copy "a;b" from stdin', 1],
  ["copy copied from stdout", 1],
  ["begin; copy copied from stdin; commit", 1],
  ["do $x$ begin perform ';'; end $x$; copy public.copied (word) from stdin with (format csv)", 1],
  ["copy (select 'rows from stdin') to stdout", 0],
  ["select 'x'; copy (select 1) to stdin", 0],
  ["select 1 as copy, ' from stdin'", 0],
  ["-- copy copied from stdin\nselect 1", 0],
  ["select $a$; copy copied from stdin$a$", 0],
  ["select e'\\'; copy copied from stdin; --'", 0],
];

/** What anybody has ever listened to: whoever has listened to anything hears all of it. */
const CHANNELS = new Set<string>();

/** What two clients do in any order. The number is one of chance. */
const ACTIONS: Record<string, (one: Person, number: number, other: Person) => Promise<void>> = {
  async "changes a setting"(one, number) {
    one.zone = ["Asia/Tokyo", "Europe/Berlin", "GMT"][number % 3]!;
    await one.run(`set timezone = '${one.zone}'`);
  },
  async "reads its settings"(one) {
    assertEquals(await one.read("show timezone"), one.zone);
    assertEquals(await one.read("select session_user"), "postgres");
  },
  async "becomes another role"(one, number) {
    const text = ["set session authorization reader", "set role reader"][number % 2]!;
    assertEquals(await one.read(`begin; ${text}; select current_user; commit`), "reader");
    assertEquals(await one.read("select current_user"), "postgres");
  },
  async "prepares by the protocol"(one, number) {
    const name = ["", "a", "B b"][number % 3]!;
    if (one.prepared.has(name) && name !== "") {
      assertEquals(errorOf(await one.client.ask(parse("select 1", name), sync())), "42P05");
      return;
    }
    const value = `${number} of ${one.name}`;
    const replies = await one.client.ask(parse(`select '${value}'`, name), sync());
    assertEquals(typesOf(replies), ["1", "Z"]);
    one.prepared.set(name, value);
  },
  async "prepares by SQL"(one, number) {
    const value = `${number} of ${one.name}`;
    assertEquals(await one.read(`prepare "a" as select '${value}'; execute "a"`), value);
    assertEquals(errorOf(await one.query('execute "a"')), "26000");
  },
  async "runs what it has prepared"(one, number) {
    const name = ["", "a", "B b"][number % 3]!;
    const replies = await one.client.ask(bind(name), execute(), sync());
    assertEquals(errorOf(replies), one.prepared.has(name) ? undefined : "26000");
    assertEquals(valueOf(replies), one.prepared.get(name));
  },
  async "removes what it has prepared"(one, number) {
    const name = ["a", "B b"][number % 2]!;
    assertEquals(errorOf(await one.client.ask(closeStatement(name), sync())), undefined);
    one.prepared.delete(name);
  },
  async "removes everything"(one, number) {
    const text = ["discard all", "deallocate all", "reset all", "unlisten *"][number % 4]!;
    await one.run(text);
    if (number % 4 < 2) one.prepared.clear();
    if (number % 2 === 0) one.zone = one.usualZone;
  },
  async "listens"(one, number) {
    const channel = ["a", "b", "news"][number % 3]!;
    const isKept = number % 4 > 0;
    await one.run(`begin; listen ${channel}; ${isKept ? "commit" : "rollback"}`);
    if (isKept) CHANNELS.add(channel);
    one.listens = true;
  },
  async "ends listening, which is for all"(one, number) {
    const channel = ["a", "b", "news"][number % 3]!;
    await one.run(`unlisten ${channel}`);
  },
  async "notifies"(one, number, other) {
    const channel = ["a", "b"][number % 2]!;
    const payload = crypto.randomUUID();
    await one.run(`notify ${channel}, '${payload}'`);
    for (const person of [one, other]) {
      await person.run("select 1"); // what came before is read with it
      if (person.listens && CHANNELS.has(channel)) {
        person.heard.push(`${channel} ${payload}`);
      }
      assertEquals(person.client.heard.filter((text) => !text.startsWith("news")), person.heard);
    }
  },
  async "leaves something behind"(one, number) {
    await one.run(
      [
        "create temp table if not exists own (word text)",
        "select pg_advisory_lock(1)",
        "begin; declare own cursor with hold for select 1; commit",
        "set search_path = ''",
        "set role reader; set statement_timeout = 12345",
      ][number % 5]!,
    );
    await one.run("reset search_path; reset role; reset statement_timeout");
  },
  async "copies rows in"(one, number) {
    const [text, tables] = COPIES[number % COPIES.length]!;
    const before = Number(
      await one.read('select count(*) from (table copied union all table "a;b")'),
    );
    one.prepared.delete("");
    await one.client.send(message("Q", text));
    let replies: Reply[] = [];
    for (let asked = 0; typesOf(replies).at(-1) !== "Z"; asked++) {
      const more = await one.client.until((type) => "ZG".includes(type));
      replies = [...replies, ...more];
      assert(typesOf(more).at(-1) !== "end" && asked <= tables, text);
      if (typesOf(more).at(-1) === "G") {
        const row = new TextEncoder().encode("a row\n");
        await one.client.send(message("d", row), message("d", row), message("c"));
      }
    }
    assertEquals(errorOf(replies), undefined, text);
    const after = await one.read('select count(*) from (table copied union all table "a;b")');
    assertEquals(Number(after), before + 2 * tables, text);
  },
  async "copies rows in by the extended protocol"(one, number) {
    const row = message("d", new TextEncoder().encode("a row\n"));
    const rows = number % 2 ? [row, message("c")] : [];
    const replies = await one.client.ask(parse(COPIES[0]![0]), bind(), execute(), ...rows, sync());
    one.prepared.set("", "of a copy");
    assertEquals([errorOf(replies), replies.at(-1)!.text], ["0A000", "I"]);
    await ACTIONS["prepares by the protocol"]!(one, 0, one);
  },
  async "goes on after an error before its Sync"(one, number) {
    const name = number % 2 ? "c" : "";
    await one.client.send(parse("selec 1", name), flush());
    const refused = await one.client.until((type) => type === "E");
    assertEquals([typesOf(refused), errorOf(refused)], [["E"], "42601"]);
    await one.client.send(
      parse("select 1", name),
      bind(name),
      flush(),
      message("Q", "select 2"),
      flush(),
    );
    assertEquals(typesOf(await one.client.ask(sync())), ["Z"]);
    if (name === "") one.prepared.delete("");
  },
  async "fails in its transaction"(one, number) {
    await one.run("begin; savepoint one");
    assertEquals(errorOf(await one.query("select 1 / 0")), "22012");
    if (number % 2) await one.run("rollback to one; select 1");
    assertEquals((await one.query("commit")).at(-1)!.text, "I");
  },
  async "sends what is no message"(one, number) {
    const bytes = [
      message(["y", "p", "R", "\0", "q"][Math.floor(number / 4) % 5]!, "abc"), // of no client
      message("D", new TextEncoder().encode("S"), "x".repeat(20_000)), // longer than PostgreSQL takes
      Uint8Array.of(81, 0, 0, 0, 3), // with an impossible length
      message("S", "x".repeat(20_000)),
    ][number % 4]!;
    assertEnded(await one.client.ask(bytes, sync(), message("Q", "select 1")), "08P01");
    await one.connect();
  },
  async "sends messages without sense"(one, number) {
    const type = "PBDEC"[number % 5]!;
    const bytes = Uint8Array.from(
      { length: number % 23 },
      (_, index) => number * (index + 7) % 256,
    );
    const replies = await one.client.ask(message(type, bytes), sync());
    assertEquals(typesOf(replies).at(-1), "Z");
    const asked = await one.client.ask(message("Q", bytes));
    assertEquals(typesOf(asked).at(-1), "Z");
    await one.connect();
  },
  async "ends itself"(one, number) {
    if (number % 2) {
      await one.client.ask(message("Q", "begin; lock table copied"));
    }
    await one.client.send(number % 4 < 2 ? message("X") : Uint8Array.of(81, 0, 0));
    await one.connect();
  },
  async "says at its start what it is"(one, number) {
    const zone = number % 2 ? "Asia/Tokyo" : "Europe/Berlin";
    await one.connect({ TimeZone: zone, application_name: "a test" }, zone);
    assertEquals(await one.read("show application_name"), "a test");
    await one.run("reset timezone"); // to what it was at the start
    assertEquals(await one.read("show timezone"), zone);
    await one.connect();
  },
  async "calls itself one of the product's own clients"(one, number) {
    const name = ["roadcast", "roadcast requests"][number % 2]!;
    await one.connect({ user: "roadcast", application_name: name });
    await one.run("set search_path = pg_catalog; set timezone = 'Asia/Tokyo'");
    await one.run("prepare own as select 1");
    await one.connect();
  },
  async "asks at its start for what is unknown"(one, number, other) {
    const wrong: Record<string, string>[] = [{ timezon: "GMT" }, { options: "-c search_pat=x" }, {
      TimeZone: "nowhere",
    }];
    const { client, welcome } = await PostgresClient.connect(one.path, wrong[number % 3]!);
    client.close();
    assertEnded(welcome, ["42704", "0A000", "22023"][number % 3]!);
    assertEquals(await other.read("show timezone"), other.zone);
  },
};

/** What the server itself sees, and must go on seeing. */
async function lookAround(server: Database, heard: readonly string[]): Promise<unknown> {
  const payload = crypto.randomUUID();
  const seen = await server.transaction(async (connection) => {
    await connection.query(sql`select pg_notify('news', ${payload})`);
    return await connection.query(sql`
      select session_user, current_user, current_setting('TimeZone') as zone,
        current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
        to_regclass('own') is null as has_no_table,
        (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
        (select count(*)::int from pg_cursors where is_holdable) as cursors
    `);
  });
  await waitFor("its notification", () => heard.includes(payload), 15_000);
  return [...seen];
}

Deno.test("What two clients of the embedded database do reaches neither each other nor the server", () =>
  withFolder(async (folder) => {
    await using log = await recordLog();
    await copyMigrated(folder);
    const server = await openEmbedded(folder, { shares: true });
    const path = join(folder, "server", ".s.PGSQL.5432");
    await server.script(
      'create role reader; create table copied (word text); create table other (); create table "a;b" (word text)',
    );
    const heard: string[] = [];
    await server.listen("news", (payload) => heard.push(payload), () => {});
    const [{ zone }] = await server.query<{ zone: string }>(
      sql`select current_setting('timezone') as zone`,
    ) as [{ zone: string }];
    const before = await lookAround(server, heard);
    const people = [new Person("one", path, zone), new Person("two", path, zone)] as const;
    const names = Object.keys(ACTIONS);
    const only = Deno.env.get("ONLY_ACTION");
    const action = fc.record({
      what: fc.constantFrom(...only ? only.split(",") : names),
      isFirst: fc.boolean(),
      number: fc.nat(999),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 15 }), async (sequence) => {
        for (const person of people) await person.connect();
        for (const { what, isFirst, number } of sequence) {
          const [one, other] = isFirst ? people : [people[1], people[0]];
          await ACTIONS[what]!(one, number, other);
          assertEquals(await lookAround(server, heard), before, `${one.name} ${what}`);
        }
        assertEquals(log.lines.filter((line) => line.includes("has ended")), []);
      }),
      { numRuns: runs(100), ...only && { endOnFailure: true } },
    );
    for (const { client } of people) client.close();
    await server.close();
  }));
