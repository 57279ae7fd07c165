import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import postgres from "postgres";
import { makeItem } from "../support/app.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { startMailServer } from "../support/servers/mail_server.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { runHere } from "../support/command.ts";
import { waitFor } from "../support/wait_for.ts";
import { serveSource } from "../support/servers/source_server.ts";

/** Two processes of one database: each sees what the other did, and does not repeat it. */
function testOnTwoProcesses(name: string, test: (databaseUrl: string) => Promise<void>): void {
  if (!TEST_DATABASE_URL) return;
  Deno.test(name, async () => {
    const { url, drop } = await createScratchDatabase();
    try {
      await test(url);
    } finally {
      await drop();
    }
  });
}

async function namesAt(server: TestServer): Promise<string[]> {
  const response = await fetch(`${server.url}/api/releases`);
  const { data } = await response.json();
  return data.map((item: { feature_name: string }) => item.feature_name);
}

testOnTwoProcesses("Two servers with one source import it once", async (DATABASE_URL) => {
  const held = Promise.withResolvers<void>();
  await using source = serveSource(async () => {
    await held.promise;
    return Response.json([makeItem(1)]);
  });
  const settings = { DATABASE_URL, ROADMAP_SOURCE: `${source.url}/items` };
  await migrateFirst(DATABASE_URL);
  const starting = [startServer(settings), startServer(settings)];
  await Promise.race(starting); // the server that does not wait, because the other one imports
  held.resolve();
  const [first, second] = await Promise.all(starting);
  await using _first = first!;
  await using _second = second!;
  for (const server of [first!, second!]) {
    await waitFor("the import", async () => (await namesAt(server)).length === 1);
  }
  assertEquals(source.asked, ["/items 200"]);
});

testOnTwoProcesses("All servers see a command's import", async (DATABASE_URL) => {
  await using first = await startServer({ DATABASE_URL });
  await using second = await startServer({ DATABASE_URL });
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, JSON.stringify([makeItem(1), makeItem(2)]));
  assertEquals([await namesAt(first), await namesAt(second)], [[], []]);
  assertEquals((await runHere(["import", file], { DATABASE_URL })).code, 0);
  for (const server of [first, second]) {
    await waitFor("the import", async () => (await namesAt(server)).length === 2);
  }
  await Deno.remove(file);
});

testOnTwoProcesses("Only one process refreshes a stale copy", async (DATABASE_URL) => {
  const settings = {
    DATABASE_URL,
    // Cached copies belong to a public address, which both servers share.
    BASE_URL: "http://roadmap.example.com",
    ROADMAP_VARIANT: "b",
    CACHE_FRESH_SECONDS: "1",
  };
  await using first = await startServer(settings);
  await using second = await startServer(settings);
  const database = postgres(DATABASE_URL, { max: 1, onnotice: () => {} });
  // Records every replaced copy, and makes replacing slow, so that others could interfere.
  await database.unsafe(`
    create table refreshes (replaced_built_at timestamptz);
    create function note_refresh() returns trigger language plpgsql as $$
    begin
      if new.built_at <> old.built_at then
        perform pg_sleep(0.3);
        insert into refreshes values (old.built_at);
      end if;
      return new;
    end $$;
    create trigger note_refresh before update on cached_responses
      for each row execute function note_refresh();
  `);
  const counts = { fresh: 0, stale: 0 };
  const ask = async (server: TestServer) => {
    const response = await fetch(`${server.url}/api/releases`);
    await response.body?.cancel();
    assertEquals(response.status, 200);
    counts[response.headers.get("x-cache") === "STALE" ? "stale" : "fresh"]++;
  };
  await waitFor("four refreshes", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 2 ? first : second)));
    return (await database.unsafe("select from refreshes")).length >= 4;
  }, 60_000);
  assert(counts.fresh > 0 && counts.stale > 0, JSON.stringify(counts));
  const twice = await database.unsafe(`
    select replaced_built_at from refreshes group by replaced_built_at having count(*) > 1
  `);
  assertEquals(twice.length, 0);
  assertEquals((await database.unsafe("select from cached_responses")).length, 1);
  await database.end();
});

testOnTwoProcesses("Each email is sent once, by either server", async (DATABASE_URL) => {
  const senders = new Set<string>();
  const bothSend = Promise.withResolvers<void>();
  await using mail = await startMailServer({
    // A server claims 50 emails at most while these wait, so that the other one finds some as well.
    async onMailFrom({ address }, _session, done) {
      if (senders.add(address).size === 2) bothSend.resolve();
      await bothSend.promise;
      done();
    },
  });
  const settings = { DATABASE_URL, SMTP_URL: mail.url, SUBSCRIBE_LIMIT: "120" };
  await using first = await startServer({ ...settings, MAIL_FROM: "first@example.com" });
  await using second = await startServer({ ...settings, MAIL_FROM: "second@example.com" });
  const addresses = Array.from({ length: 120 }, (_, number) => `a${number}@example.com`);
  const asked = addresses.map((address, place) => subscribe(place % 2 ? first : second, address));
  assertEquals(await Promise.all(asked), addresses.map(() => [202, null]));
  await mail.receive(addresses.length);
  for (const server of [first, second]) {
    server.kill("SIGTERM");
    assertEquals(await server.ended, 0, server.output());
  }
  const reached = mail.received.flatMap(({ envelopeTo }) => envelopeTo);
  assertEquals(reached.toSorted(), addresses.toSorted());
  assertEquals(senders, new Set(mail.received.map(({ envelopeFrom }) => envelopeFrom)));
  const database = postgres(DATABASE_URL, { max: 1, onnotice: () => {} });
  const counts = await database.unsafe(`
    select status, attempts, count(*)::int as count from outbox group by status, attempts
  `);
  await database.end();
  assertEquals([...counts], [{ status: "sent", attempts: 1, count: 120 }]);
});

testOnTwoProcesses("Servers share a client's rate limit", async (DATABASE_URL) => {
  const settings = { DATABASE_URL, SUBSCRIBE_LIMIT: "6" };
  await using first = await startServer(settings);
  await using second = await startServer(settings);
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      (_, number) => subscribe(number % 2 ? first : second, `a${number}@example.com`),
    ),
  );
  const [accepted, refused] = [202, 429].map((status) =>
    answers.filter(([answered]) => answered === status)
  );
  assertEquals([accepted!.length, refused!.length], [6, 14]);
  const waits = refused!.map(([, wait]) => wait!);
  assertEquals(waits.filter((wait) => !(wait > 3_500 && wait <= 3_600)), []);
  for (const server of [first, second]) {
    assertEquals((await subscribe(server, "late@example.com"))[0], 429);
  }
});

/** Requests a subscription; returns the status and Retry-After in seconds, null without it. */
async function subscribe(
  server: TestServer,
  email: string,
): Promise<[status: number, wait: number | null]> {
  const response = await fetch(`${server.url}/api/subscribe`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email }),
  });
  await response.body?.cancel();
  const wait = response.headers.get("Retry-After");
  return [response.status, wait === null ? null : Number(wait)];
}

async function migrateFirst(DATABASE_URL: string): Promise<void> {
  assertEquals((await runHere(["migrate"], { DATABASE_URL })).code, 0);
}
