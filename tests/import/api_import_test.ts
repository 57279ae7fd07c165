import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Caller } from "../../lib/work/async.ts";
import { sql } from "../../lib/database/sql.ts";
import { makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { keepMapping } from "../../lib/admin/uploads/uploads_sql.ts";
import { verifyAll } from "../support/subjects/clock.ts";
import { slowOnDatabases } from "../support/slow.ts";
import { readHealth } from "../support/wait_for.ts";

const TOKEN = "an-admin-token-of-31-characters";
const SETTINGS = { ADMIN_TOKEN: TOKEN, ROADMAP_MAX_MB: "1" };
const HEADERS = { "Authorization": `Bearer ${TOKEN}`, "Content-Type": "application/json" };
const CSV = "release_item_id,feature_name,release_type,release_status,product_name\n" +
  "00000000-0000-4000-8000-000000000009,Nine,Preview,Planned,Product\n";

function post(
  app: TestApp,
  body: BodyInit | null,
  { query = "", ...headers }: Record<string, string> & { query?: string } = {},
): Promise<Response> {
  const init = { method: "POST", headers: { ...HEADERS, ...headers }, body };
  return app.fetch(`/api/import${query}`, init);
}

async function pack(text: string): Promise<ArrayBuffer> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(packed).arrayBuffer();
}

async function refuse(response: Response) {
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  const { status, detail, errors } = await response.json();
  assertEquals(response.status, status);
  return { status, detail, errors };
}

async function namesOf(app: TestApp): Promise<string[]> {
  const { data } = await app.json("/api/releases");
  return data.map(({ feature_name }: { feature_name: string }) => feature_name).sort();
}

testOnDatabases("A snapshot can be sent, and the response lists what changed", async (database) => {
  await using app = await startApp(database, SETTINGS);
  // Of several lists the only one that holds something is the roadmap.
  const lists = { data: [], items: [], issues: [makeItem(1), makeItem(2)] };
  const first = await post(app, JSON.stringify(lists));
  assertEquals(first.status, 200);
  assertEquals(first.headers.get("content-type"), "application/json");
  assertEquals(first.headers.get("cache-control"), "no-store");
  const counts = { added: 0, changed: 0, removed: 0, restored: 0, unchanged: 0 };
  assertEquals(await first.json(), { ...counts, added: 2 });
  assertEquals(await namesOf(app), ["Feature 1", "Feature 2"]);

  const lines = [makeItem(1, { release_status: "Shipped" }), makeItem(3)];
  const next = await post(app, await pack(lines.map((item) => JSON.stringify(item)).join("\n")), {
    "Content-Type": "application/x-ndjson",
    "Content-Encoding": "gzip",
    query: "?as_of=2026-07-19",
  });
  const later_snapshot = "2026-07-20";
  assertEquals(await next.json(), { ...counts, added: 1, changed: 1, removed: 1, later_snapshot });
  assertEquals(await namesOf(app), ["Feature 1", "Feature 3"]);
  const { data } = await app.json("/api/releases?q=Feature%201");
  assertEquals([data[0].release_status, data[0].last_modified], ["Shipped", "2026-07-19"]);

  const csv = { "Content-Type": "text/csv; charset=utf-8" };
  const partial = await post(app, CSV, { ...csv, query: "?partial=true" });
  assertEquals(await partial.json(), { ...counts, added: 1 });
  const whole = await post(app, CSV, { ...csv, query: "?allow_mass_removal=1&kind=csv" });
  assertEquals(await whole.json(), { ...counts, removed: 2, unchanged: 1 });
  const dry = await post(app, "Key,Title,Product,Status\nA-1,One,Widgets,open\n", {
    ...csv,
    query: "?dry_run=true&source_name=ours&allow_mass_removal=true",
  });
  const preview = await dry.json();
  assertEquals(preview.counts, { ...counts, added: 1 });
  assertEquals(preview.items[0].feature_name, "One");
  assertEquals(await namesOf(app), ["Nine"]);
  const [run] = await database.query(sql`
    select source, error from import_runs order by run_id desc limit 1
  `);
  assertEquals(run, { source: "the body of POST /api/import", error: null });
});

testOnDatabases(
  "A calendar can be sent, and what is none is refused in words",
  async (database) => {
    await using app = await startApp(database, SETTINGS);
    const headers = { "Content-Type": "text/calendar; charset=utf-8" };
    const calendar = (...lines: string[]) =>
      ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
    const event = (uid: string, ...lines: string[]) => [
      ...["BEGIN:VEVENT", `UID:${uid}`, `SUMMARY:Event ${uid}`, "DTSTART;VALUE=DATE:20261001"],
      ...[...lines, "END:VEVENT"],
    ];
    const text = calendar(...event("a"), ...event("b", "CLASS:PRIVATE"));
    const sent = await (await post(app, text, headers)).json();
    assertEquals([sent.added, sent.left_out_because], [1, { private: 1 }]);
    const { data } = await app.json("/api/releases");
    assertEquals(
      data.map((item: Record<string, unknown>) => [item.feature_name, item.release_date]),
      [["Event a", "Q4 2026"]],
    );
    const packed = await post(app, await pack(text), { ...headers, "Content-Encoding": "gzip" });
    assertEquals((await packed.json()).unchanged, 1);

    const REFUSED: [body: string, reason: RegExp][] = [
      ["", /: it is not a calendar: it has no VCALENDAR$/],
      ["Key,Title\n1,One\n", /: it is not a calendar/],
      [JSON.stringify([makeItem(1)]), /: it is not a calendar/],
      ["<!DOCTYPE html><html><body>Sign in</body></html>", /: it is not a calendar/],
      [calendar(), /: the calendar has no events and no to-dos$/],
      [calendar(...event("a", "RRULE:FREQ=DAILY;COUNT=6000")), /has more than 5000 events/],
    ];
    for (const [body, reason] of REFUSED) {
      const { status, detail } = await refuse(await post(app, body, headers));
      assertEquals([body, status], [body, 422]);
      match(detail, reason);
    }
    assertEquals(await namesOf(app), ["Event a"]);
    const { content } = (await app.json("/openapi.json")).paths["/api/import"].post.requestBody;
    assert("text/calendar" in content);
    const other = await refuse(await post(app, text, { "Content-Type": "text/x-vcalendar" }));
    assertEquals(other.status, 415);
    match(other.detail, /^The Content-Type must be one of .*text\/calendar/);
  },
);

testOnDatabases("Imports are refused without the token, and when none is set", async (database) => {
  const body = JSON.stringify([makeItem(1)]);
  {
    await using app = await startApp(database);
    assertEquals((await refuse(await post(app, body))).status, 404);
    assertEquals((await app.json("/openapi.json")).paths["/api/import"], undefined);
  }
  await using app = await startApp(database, SETTINGS);
  const missing = await post(app, body, { Authorization: "" });
  assertEquals(missing.headers.get("www-authenticate"), 'Bearer realm="roadcast"');
  assertEquals((await refuse(missing)).status, 401);
  for (const wrong of [`Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`]) {
    const response = await post(app, body, { Authorization: wrong });
    match(response.headers.get("www-authenticate")!, /^Bearer .*error="invalid_token"$/);
    assertEquals((await refuse(response)).detail, "The token is wrong");
  }
  for (const other of [`Basic ${btoa(`admin:${TOKEN}`)}`, TOKEN, "Bearer"]) {
    assertEquals((await post(app, body, { Authorization: other })).status, 401);
  }
  assertEquals(await namesOf(app), []);
  const elsewhere = await post(app, body, { "Sec-Fetch-Site": "cross-site" });
  assertEquals((await refuse(elsewhere)).status, 403);
  const preflight = await app.fetch("/api/import", { method: "OPTIONS" });
  assertEquals(preflight.headers.get("access-control-allow-origin"), null);
  assertEquals((await app.fetch("/api/import")).status, 405);

  // Ten wrong tokens an hour; then the right one must wait as well.
  for (let tries = 2; tries < 10; tries++) {
    assertEquals((await post(app, body, { Authorization: "Bearer wrong" })).status, 401);
  }
  const late = await post(app, body);
  assert(Number(late.headers.get("retry-after")) > 3_000);
  assertEquals((await refuse(late)).status, 429);
  assertEquals(await namesOf(app), []);
});

/** The status that a right or a wrong token gets, sent by a client. */
async function tryToken(app: TestApp, client: string, isRight: boolean): Promise<number> {
  const headers = { "X-Forwarded-For": client, ...!isRight && { Authorization: "Bearer wrong" } };
  return (await post(app, "[]", { ...headers, query: "?dry_run=true" })).status;
}

slowOnDatabases(
  "Ten of many concurrent tokens are tried, and valid ones do not count",
  async (database) => {
    await using app = await startApp(database, { ...SETTINGS, TRUSTED_PROXIES: "1" });
    const many = Array.from(
      { length: 200 },
      (_, number) => tryToken(app, "203.0.113.1", number === 199),
    );
    const statuses = await Promise.all(many);
    assertEquals(statuses.filter((status) => status === 401).length, 10);
    assertEquals(statuses.filter((status) => status === 429).length, 190);
    assertEquals(statuses[199], 429);
    // Somebody else is not kept waiting, however often they come.
    const others = await Promise.all(
      Array.from({ length: 30 }, () => tryToken(app, "203.0.113.2", true)),
    );
    assertEquals(new Set(others), new Set([200]));
    for (let wrong = 0; wrong < 9; wrong++) {
      assertEquals(await tryToken(app, "203.0.113.2", false), 401);
    }
    assertEquals(await tryToken(app, "203.0.113.2", true), 200);
    app.advance(3600);
    assertEquals(await tryToken(app, "203.0.113.1", true), 200);
  },
);

testOnDatabases("Invalid tokens from many networks delay no other client", async (database) => {
  await using app = await startApp(database, { ...SETTINGS, TRUSTED_PROXIES: "1" });
  for (let client = 0; client < 110; client++) {
    assertEquals(await tryToken(app, `203.0.113.${client}`, false), 401);
  }
  assertEquals(await tryToken(app, "198.51.100.1", true), 200);
  assertEquals(await tryToken(app, "198.51.100.1", false), 401);
});

testOnDatabases(
  "Data that cannot be imported is reported, and nothing is stored",
  async (database) => {
    await using app = await serve(database, [makeItem(1), makeItem(2)], SETTINGS);
    const wrong = [makeItem(1, { feature_name: "" }), makeItem(2, { release_date: "soon" })];
    const bad = await refuse(await post(app, JSON.stringify(wrong)));
    assertEquals(bad.status, 422);
    assertEquals(bad.detail, "Cannot read the body of POST /api/import, it has 2 problems");
    const [nameless, undated] = bad.errors;
    assertEquals([nameless.name, nameless.item], ["feature_name", 1]);
    assertEquals([undated.name, undated.item], ["release_date", 2]);
    match(undated.reason, /"soon"/);
    const few = await refuse(await post(app, "[]"));
    match(
      few.detail,
      /has no items: nothing was stored\. allow_mass_removal=true accepts it anyway/,
    );
    assertEquals((await refuse(await post(app, "{"))).status, 422);
    assertEquals((await refuse(await post(app, null))).status, 422);

    const day = await refuse(await post(app, "[]", { query: "?as_of=2026-02-30&kind=xls" }));
    assertEquals([day.status, day.errors.map(({ name }: { name: string }) => name)], [
      400,
      ["as_of", "kind"],
    ]);
    const form = await post(app, "a=b", { "Content-Type": "application/x-www-form-urlencoded" });
    match(form.headers.get("accept")!, /^application\/json, .*text\/csv$/);
    assertEquals((await refuse(form)).status, 415);
    const packed = await post(app, "[]", { "Content-Encoding": "br" });
    assertEquals(packed.headers.get("accept-encoding"), "gzip");
    assertEquals((await refuse(packed)).status, 415);
    const notPacked = await refuse(await post(app, "[]", { "Content-Encoding": "gzip" }));
    assertEquals([notPacked.status, notPacked.errors[0].name], [400, "body"]);
    assertEquals(await namesOf(app), ["Feature 1", "Feature 2"]);
  },
);

slowOnDatabases("More than ROADMAP_MAX_MB is refused, compressed or not", async (database) => {
  await using app = await startApp(database, SETTINGS);
  const large = `[${" ".repeat(1024 * 1024)}]`;
  const plain = await refuse(await post(app, large));
  assertEquals([plain.status, plain.detail], [413, "The body must be at most 1 MB long, unpacked"]);
  const told = await post(app, "[]", { "Content-Length": "99999999" });
  assertEquals((await refuse(told)).status, 413);

  // Some kilobytes that would become 256 MB: no more of them is unpacked than may be.
  let sent = 0;
  const bomb = new Uint8Array(await pack("[" + " ".repeat(256 * 1024 * 1024)));
  const counted = ReadableStream.from(async function* () {
    for (let start = 0; start < bomb.length; start += 1024) {
      sent += 1024;
      yield bomb.subarray(start, start + 1024);
    }
  }());
  const exploded = await post(app, counted, { "Content-Encoding": "gzip" });
  assertEquals((await refuse(exploded)).status, 413);
  assert(bomb.length < 1024 * 1024 && sent < bomb.length / 4, `${sent} of ${bomb.length}`);
});

testOnDatabases("A dry run that waits for its body blocks no other import", async (database) => {
  await using app = await startApp(database, SETTINGS);
  const rest = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const text = JSON.stringify([makeItem(1), makeItem(2)]);
      controller.enqueue(new TextEncoder().encode(text.slice(0, -20)));
      await rest.promise;
      controller.enqueue(new TextEncoder().encode(text.slice(-20)));
      controller.close();
    },
  });
  const answer = app.fetch("/api/import?dry_run=true", {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    body,
  });
  assertEquals(await namesOf(app), []);
  assertEquals((await readHealth(() => app.json("/health"))).last_import, null);
  rest.resolve();
  assertEquals((await (await answer).json()).counts.added, 2);
  assertEquals(await database.query(sql`select from import_runs`), []);
});

testOnDatabases("Immediate subscribers get the changes of a sent snapshot", async (database) => {
  await using app = await startApp(database, SETTINGS);
  await database.query(sql`
    insert into subscriptions (email, variant, requested_at, cadence)
    values ('ann@example.com', 'A', now(), 'immediate')
  `);
  await verifyAll(database);
  // The job that follows an import queues them.
  const countQueued = async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    await (await app.fetch("/api/work", { method: "POST", headers })).body?.cancel();
    return (await database.query(sql`select 1 from outbox`)).length;
  };
  const snapshot = JSON.stringify([makeItem(1)]);
  await (await post(app, snapshot, { query: "?dry_run=true" })).body?.cancel();
  assertEquals(await countQueued(), 0);
  assertEquals((await post(app, snapshot, { query: "?announce=true" })).status, 200);
  assertEquals(await countQueued(), 1);
  assertEquals((await post(app, snapshot)).status, 200);
  assertEquals(await countQueued(), 1);
});

testOnDatabases("Importing a sent snapshot has no request time limit", async (database) => {
  const limited: string[] = [];
  const note = (what: string, caller?: Caller) => caller?.signal && limited.push(what);
  await using app = await startApp({
    ...database,
    query: (statement, caller) => (
      note(statement.compile().text.trim().split(/\s/, 1)[0]!, caller),
        database.query(statement, caller)
    ),
    transaction: (work, caller) => (
      note("transaction", caller), database.transaction(work, caller)
    ),
  }, SETTINGS);
  assertEquals(await namesOf(app), []);
  assert(limited.includes("select"), "A read is a request's");
  const before = limited.length;
  assertEquals((await post(app, JSON.stringify([makeItem(1)]))).status, 200);
  // The request itself looks up wrong tokens.
  assertEquals(limited.slice(before), ["select"]);
});

testOnDatabases(
  "A sent table is read by the mapping of the request or of its source",
  async (database) => {
    await using app = await startApp(database, SETTINGS);
    const table = "Eins,Zwei\nDark mode,Planned\n";
    const fields = { feature_name: "Eins", release_status: "Zwei" };
    const send = (query: string) => post(app, table, { query, "Content-Type": "text/csv" });
    const given = new URLSearchParams({ fields: JSON.stringify(fields), source_name: "ours" });
    assertEquals((await (await send(`?${given}`)).json()).added, 1);
    for (const wrong of ["{", '{"title": "Vorhaben"}', '{"feature_name": ""}']) {
      const response = await send(`?${new URLSearchParams({ fields: wrong })}`);
      assertEquals(response.status, 400);
      match((await response.json()).detail, /^fields /);
    }
    assertEquals((await send("?source_name=kept")).status, 422);
    await keepMapping(database, { sourceName: "kept", fields });
    assertEquals((await (await send("?source_name=kept")).json()).added, 1);
    assertEquals((await send("?encoding=nothing")).status, 400);
  },
);
