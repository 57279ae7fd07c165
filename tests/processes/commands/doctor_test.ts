import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { migrate, readMigrations } from "../../../lib/database/migrate.ts";
import { loadDatabaseOf030 } from "../../support/release_0_3_0.ts";
import { openPostgres } from "../../../lib/database/postgres/postgres.ts";
import { sql } from "../../../lib/database/sql.ts";
import { makeItem } from "../../support/app.ts";
import { writeRss } from "../../support/subjects/announcements.ts";
import { runHere, runTask } from "../../support/command.ts";
import { copyMigrated, createScratchDatabase, TEST_DATABASE_URL } from "../../support/databases.ts";
import { startEmbeddingServer } from "../../support/servers/embedding_server.ts";
import { withFolder } from "../../support/folder.ts";
import { makeCertificate, startMailServer } from "../../support/servers/mail_server.ts";
import { startServerByTask } from "../../support/server.ts";
import { makeSpreadsheet } from "../../support/subjects/spreadsheet.ts";
import { serveSource } from "../../support/servers/source_server.ts";

type Settings = Record<string, string>;

/** The findings by the name of their check, as the command prints them. */
async function diagnose(settings: Settings, run = runHere) {
  // The usual port may be taken on the machine that runs the tests.
  const { code, out, err } = await run(["doctor"], { PORT: "0", ...settings });
  const lines = out.split("\n").map((line) => /^(\w+) +(\w+(?: \w+)?)  +(.*)$/.exec(line)!);
  return {
    code,
    err,
    out,
    findings: Object.fromEntries(lines.map(([, state, name, text]) => [name!, `${state} ${text}`])),
  };
}

const CHECKS = [
  ...["settings", "pages", "server", "port", "database", "extensions", "migrations"],
  ...["mail server", "bounce mailbox", "embeddings", "sources", "disk", "clock"],
];

Deno.test("Doctor finds no problem alongside a server on the embedded database", async () => {
  await withFolder(async (folder) => {
    await using source = serveSource(() => Response.json([makeItem(1)]));
    await using mail = await startMailServer();
    await using embedding = startEmbeddingServer();
    const settings = {
      DATA_DIR: join(folder, "data"),
      BASE_URL: "https://roadmap.example.com",
      ROADMAP_SOURCE: `${source.url}/items?token=secret-of-the-source`,
      SMTP_URL: mail.url,
      MAIL_FROM: "roadmap@example.com",
      OPENAI_BASE_URL: embedding.url,
      OPENAI_API_KEY: "secret-of-the-service",
      EMBEDDING_DIMENSIONS: "16",
    };
    await copyMigrated(settings.DATA_DIR);
    await using server = await startServerByTask(settings);
    const { code, err, out, findings } = await diagnose(settings, runTask);
    assertEquals([code, err], [0, ""], out);
    assertEquals(Object.keys(findings), CHECKS);
    const expected = {
      settings:
        /^ok Roadcast [\d.]+, "Roadcast" at https:\/\/roadmap\.example\.com; behind a proxy set TRUSTED_PROXIES, /,
      server: /^ok the running server has the same settings$/,
      database: /^ok embedded PostgreSQL 18/,
      extensions: /^ok pg_trgm [\d.]+, vector [\d.]+$/,
      migrations: /^ok up to date, the last is \d{4}_\w+\.sql$/,
      "mail server": /^ok 127\.0\.0\.1:\d+ answers\. /,
      embeddings:
        /^ok text-embedding-3-small at http:.*, 16 dimensions, minimum similarity -?[\d.]+ \((measured|not measured yet)\)$/,
      sources: /^ok 1 source can be read: default \(json, 1 item\)$/,
      disk: /^ok \d+ MB are free for /,
      clock: /^ok agrees with 127\.0\.0\.1:\d+$/,
    };
    for (const [name, finding] of Object.entries(expected)) match(findings[name]!, finding);
    assert(!out.includes("secret"));
    assertEquals(mail.received, []);

    const { out: json } = await runHere(["doctor", "--json"], settings);
    const [first] = JSON.parse(json);
    assertEquals(Object.keys(first), ["name", "state", "text"]);

    // As in another terminal, where nothing is set but the place of the data.
    const other = await diagnose({ DATA_DIR: settings.DATA_DIR });
    assertEquals(other.code, 1);
    const names = ["BASE_URL", "ROADMAP_SOURCE", "SMTP_URL", "MAIL_FROM", "OPENAI_API_KEY"];
    for (const name of names) match(other.findings.server!, new RegExp(`^fail .*\\b${name}\\b`));
    const noted = await Deno.readTextFile(join(settings.DATA_DIR, "roadcast.settings"));
    assert(!noted.includes("secret"), noted);
    for (const words of [["sources"], ["digest"]]) {
      // A schedule's environment that has none of them is no other value.
      const { DATA_DIR } = settings;
      assertEquals((await runHere(words, { DATA_DIR })).err, "");
      const { code, err } = await runHere(words, { DATA_DIR, BASE_URL: "https://b.example" });
      assertEquals(code, 0);
      match(
        err,
        /^The running server has other values of BASE_URL than this.*: write settings into \.env/,
      );
      assertEquals((await runHere(words, settings)).err, "");
    }

    server.kill("SIGTERM");
    assertEquals(await server.ended, 0);
    const alone = await diagnose({ DATA_DIR: settings.DATA_DIR });
    match(alone.findings.server!, /^off no server of this machine has the database open$/);
    assertEquals((await runHere(["sources"], { DATA_DIR: settings.DATA_DIR })).err, "");
  });
});

Deno.test("Doctor names a text that the embedding service refuses, and why", async () => {
  await withFolder(async (folder) => {
    await using service = startEmbeddingServer();
    service.judge = ({ input }) =>
      input.some((text) => text.includes("Poison"))
        ? { kind: "status", status: 400, message: "This text is too long" }
        : null;
    const settings = {
      DATA_DIR: join(folder, "data"),
      OPENAI_BASE_URL: service.url,
      EMBEDDING_DIMENSIONS: "16",
    };
    await copyMigrated(settings.DATA_DIR);
    const file = join(folder, "items.json");
    const items = [makeItem(1), makeItem(2, { feature_name: "Poison" }), makeItem(3)];
    await Deno.writeTextFile(file, JSON.stringify(items));
    assertEquals((await runHere(["import", file], settings)).code, 0);
    const before = await diagnose(settings);
    assert(!before.findings.embeddings!.includes("no vector"), before.out);
    match((await runHere(["embed"], settings)).out, /Embedded 2 texts, 1 refused/);
    const { findings } = await diagnose(settings);
    match(findings.embeddings!, /; 1 text has no vector: “Poison”, .*400 This text is too long$/);
    service.judge = () => null;
    const later = await diagnose(settings);
    match(later.findings.embeddings!, /; 1 text has no vector: “Poison”, .*not embedded yet$/);
  });
});

Deno.test("Doctor creates no database, and reports what is not configured", async () => {
  await withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data"), SMTP_URI: "smtp://a:secret@b" };
    const { code, err, findings } = await diagnose(settings);
    assertEquals(err, "SMTP_URI is not a setting of Roadcast; did you mean SMTP_URL?");
    assertEquals(code, 0);
    match(findings.database!, /^ok embedded, in .*: created at the first start$/);
    const states = CHECKS.slice(5).map((name) => findings[name]!.split(" ")[0]);
    assertEquals(new Set(states), new Set(["off"]));
    assertEquals([...Deno.readDirSync(folder)], []);

    await Deno.writeTextFile(join(folder, "file"), "");
    await Deno.symlink(join(folder, "nowhere"), join(folder, "link"));
    for (const place of ["file", "file/data", "file/a/b/data", "link", "link/data"]) {
      const DATA_DIR = join(folder, place);
      const { code, findings } = await diagnose({ DATA_DIR });
      assertEquals([place, code, findings.database!.split(":")[0]], [
        place,
        1,
        `fail Cannot use the embedded database in ${DATA_DIR}`,
      ]);
    }
    const deep = await diagnose({ DATA_DIR: join(folder, "a/b/data") });
    match(deep.findings.database!, /created at the first start$/);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["file", "link"]);
  });
});

Deno.test("Doctor says how to fix every problem, without revealing secrets", async () => {
  await withFolder(async (folder) => {
    const config = join(folder, "sources.json");
    const sources = [
      { name: "gone", from: "gone.csv" },
      { name: "away", from: "http://me:secret@127.0.0.1:9/items" },
    ];
    await Deno.writeTextFile(config, JSON.stringify({ sources }));
    const { code, out, err, findings } = await diagnose({
      BASE_URL: "http://localhost:8000",
      DATABASE_URL: "postgres://me:secret@127.0.0.1:9/none",
      ROADMAP_CONFIG: config,
      SMTP_URL: "smtp://me:secret@127.0.0.1:9",
      MAIL_FROM: "roadmap@example.com",
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      OPENAI_API_KEY: "secret-of-the-service",
      BOUNCE_MAILBOX: "imaps://me:secret@127.0.0.1:9/Bounces",
    });
    assertEquals(code, 1);
    assertEquals(
      err,
      "6 problems found: settings, database, mail server, bounce mailbox, embeddings, sources",
    );
    const expected = {
      settings: /^fail Links in emails point to http:\/\/localhost:8000\. Set BASE_URL /,
      database: /^fail .*127\.0\.0\.1:9.*\. Start the PostgreSQL, or set DATABASE_URL /,
      extensions: /^off cannot be checked without the database$/,
      "mail server":
        /^fail No server answers at 127\.0\.0\.1:9: check the address and the port\. Set SMTP_URL /,
      "bounce mailbox":
        /^fail Cannot read BOUNCE_MAILBOX at 127\.0\.0\.1: no server answers at .*\. Set BOUNCE_MAILBOX /,
      embeddings: /^fail The embedding service at http:\/\/127\.0\.0\.1:9 cannot be reached\. See /,
      sources:
        /^fail gone: Cannot read .*gone\.csv: there is no such file\. Check the path; .* away: Cannot read .*\. Check its address/,
      disk: /^off /,
      clock: /^off nothing to compare it with$/,
    };
    for (const [name, finding] of Object.entries(expected)) match(findings[name]!, finding);
    assert(!out.includes("secret"), out);
  });
});

/** Sources that cannot be read, by the path or file that fails, with the expected advice. */
const SICK: readonly [name: string, source: Record<string, unknown>, advice: RegExp][] = [
  ["x-login", { from: "/401" }, /401 Unauthorized\. Give it a token: "headers" of the source/],
  [
    "x-token",
    { from: "/401", headers: { "Authorization": "env:DOCTOR_TOKEN" } },
    /401 Unauthorized\. Set DOCTOR_TOKEN to a token that may read it\./,
  ],
  [
    "x-unset",
    { from: "/401", headers: { "X-Key": "env:DOCTOR_UNSET" } },
    /DOCTOR_UNSET, for its header X-Key, is not set: set it, and restart\./,
  ],
  ["x-agent", { from: "/403" }, /403 Forbidden.*\. Set SOURCE_USER_AGENT, or give it a token/],
  [
    "x-moved",
    { from: "/404" },
    /404 Not Found\. Check its address, or whether a login is needed\./,
  ],
  ["x-html", { from: "/html" }, /it is an HTML page, not JSON.*\. Check its address and kind/],
  ["x-shape", { from: "/shape" }, /no column found for feature_name .*more problem.*--dry-run/],
  ["x-more", { from: "/more" }, /it is one page of more, with "isLast": false.*\./],
  [
    "x-host",
    { from: "http://roadmap.invalid/" },
    /there is no server at roadmap\.invalid: check the address\./,
  ],
  ["x-file", { from: "gone.csv" }, /there is no such file\. Check the path; in ROADMAP_CONFIG/],
  [
    "x-sheet",
    { from: "plan.xlsx", sheet: "Nope" },
    /it has no sheet "Nope"; its sheets are "Plan"/,
  ],
];

Deno.test("Doctor requests each source once, and says how to fix it", async () => {
  await withFolder(async (folder) => {
    await using server = serveSource((_request, { pathname }) => {
      if (pathname === "/html") return new Response("<html>", { status: 200 });
      if (pathname === "/feed") return new Response(writeRss([{ id: 1, title: "One" }]));
      if (pathname === "/shape") return Response.json([{ x: 1 }, { x: 2 }]);
      if (pathname === "/more") return Response.json({ isLast: false, issues: [makeItem(1)] });
      if (pathname === "/paged") {
        return Response.json({ data: [makeItem(1)], links: { next: "/never" } });
      }
      return new Response(null, { status: Number(pathname.slice(1)) || 200 });
    });
    const config = join(folder, "sources.json");
    const addressOf = (from: unknown) => `${from}`.startsWith("/") ? `${server.url}${from}` : from;
    const configure = (sources: [string, Record<string, unknown>][]) => {
      const entries = sources.map(([name, source]) => ({
        ...{ name, ...source },
        from: addressOf(source.from),
      }));
      return Deno.writeTextFile(config, JSON.stringify({ sources: entries }));
    };
    await Deno.writeFile(join(folder, "plan.xlsx"), makeSpreadsheet({ Plan: [["Title"]] }));
    const settings = {
      DATA_DIR: join(folder, "data"),
      ROADMAP_CONFIG: config,
      DOCTOR_TOKEN: "secret-of-the-source",
    };
    await configure(SICK.map(([name, source]) => [name, source]));
    // A task, because sources read their secrets from the variables of its process.
    const { code, out, findings } = await diagnose(settings, runTask);
    assertEquals(code, 1);
    for (const [name, , advice] of SICK) {
      const [, said] = findings.sources!.split(new RegExp(`(?:^fail| )${name}: `));
      match(said!, advice);
    }
    assert(!out.includes("secret"), out);
    const paths = SICK.flatMap(([name, { from }]) =>
      `${from}`.startsWith("/") && name !== "x-unset" ? [from] : []
    );
    const asked = server.asked.map((line) => line.split(" ")[0]);
    assertEquals(asked.toSorted(), ["/", ...paths].toSorted()); // one more for the clock

    const serve = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    const tls = Deno.serve({ ...serve, ...await makeCertificate() }, () => new Response("[]"));
    await configure([["x-tls", { from: `https://127.0.0.1:${tls.addr.port}/` }]]);
    const { sources } = (await diagnose(settings)).findings;
    match(
      sources!,
      /the certificate of .* is not trusted .*\. Set DENO_CERT or DENO_TLS_CA_STORE\.$/,
    );
    await tls.shutdown();

    await configure([["paged", { from: "/paged" }]]);
    const well = await diagnose(settings);
    assertEquals(well.findings.sources, "ok 1 source can be read: paged (roadcast, 1 item)");
    assert(!server.asked.some((line) => line.startsWith("/never")));

    const follow = (feed: string) =>
      configure([["paged", { from: "/paged", announcements: `${server.url}${feed}` }]]);
    await follow("/feed");
    assertEquals(
      (await diagnose(settings)).findings.sources,
      "ok 1 source can be read: paged (roadcast, 1 item), announcements of paged (1 post)",
    );
    await follow("/html");
    match(
      (await diagnose(settings)).findings.sources!,
      /^fail announcements of paged: .* it is an HTML page, not a valid RSS, Atom or JSON Feed\. Check its/,
    );
  });
});

Deno.test("Doctor detects what uses the port, and reads images anywhere like a start", async () => {
  await withFolder(async (folder) => {
    using other = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    const SITE_LOGO = join(folder, "logo.svg");
    await Deno.writeTextFile(SITE_LOGO, '<svg viewBox="0 0 9 9"></svg>');
    const settings = { DATA_DIR: join(folder, "data"), HOST: "127.0.0.1", SITE_LOGO };
    const taken = (async () => {
      for await (const connection of other) connection.close();
    })();
    const PORT = String(other.addr.port);
    const { err, findings } = await diagnose({ ...settings, PORT });
    assertEquals([err, findings.port, findings.pages], [
      "1 problem found: port",
      `fail Cannot listen on 127.0.0.1:${PORT}: another process is listening there. Stop it, or set PORT ` +
      "to a free port",
      "ok their scripts are built",
    ]);
    other.close();
    await taken;
    await copyMigrated(settings.DATA_DIR);
    await using server = await startServerByTask(settings);
    const own = { PORT: String(server.port), BASE_URL: server.url };
    const beside = await diagnose({ ...settings, ...own });
    assertEquals(
      [beside.code, beside.findings.port],
      [0, `ok a Roadcast server responds on 127.0.0.1:${server.port}`],
    );
  });
});

Deno.test({
  name: "Doctor detects a role that cannot create an extension the settings need (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const role = `roadcast_${crypto.randomUUID().slice(0, 8)}`;
    const admin = postgres(url, { max: 1, onnotice: () => {} });
    const database = await openPostgres(url);
    try {
      await migrate(database, await readMigrations());
      await admin.unsafe(`create role ${role} login; grant pg_read_all_data to ${role}`);
      const weak = new URL(url);
      weak.username = role;
      const settings = { DATABASE_URL: weak.href, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
      const { findings } = await diagnose(settings);
      assertEquals(
        findings.extensions,
        'fail permission denied to create extension "vector". ' +
          'Have an administrator run "create extension vector" there',
      );
      const own = await diagnose({ ...settings, DATABASE_URL: url });
      match(
        own.findings.extensions!,
        /^ok pg_trgm [\d.]+, vector will be installed at the next/,
      );
      await admin.unsafe("create extension vector");
      match((await diagnose(settings)).findings.extensions!, /^ok pg_trgm [\d.]+, vector [\d.]+$/);
    } finally {
      await admin.unsafe(`drop owned by ${role}; drop role ${role}`);
      await admin.end();
      await database.close();
      await drop();
    }
  },
});

Deno.test("Doctor finishes in time, whatever hangs", async () => {
  using silent = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const connections: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of silent) connections.push(connection);
  })();
  const host = `127.0.0.1:${silent.addr.port}`;
  const { code, findings } = await diagnose({
    DATABASE_URL: `postgres://me@${host}/none`,
    ROADMAP_SOURCE: `http://${host}/items`,
    SMTP_URL: `smtp://${host}`,
    MAIL_FROM: "roadmap@example.com",
    OPENAI_BASE_URL: `http://${host}/v1`,
    BOUNCE_MAILBOX: `imap://me:secret@${host}`,
  }, runTask);
  assertEquals(code, 1);
  for (const name of ["database", "mail server", "bounce mailbox", "embeddings", "sources"]) {
    match(findings[name]!, /^fail /);
  }
  match(findings.sources!, /default: no complete response in time\. Try again later/);
  for (const connection of connections) connection.close();
  silent.close();
  await accepting;
});

Deno.test({
  name: "Doctor detects an older database, a newer one and a clock difference (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const past = { date: "Tue, 20 Oct 2026 07:00:00 GMT" };
    await using source = serveSource(() => Response.json([makeItem(1)], { headers: past }));
    const database = await openPostgres(url);
    try {
      const settings = { DATABASE_URL: url, ROADMAP_SOURCE: source.url };
      match((await diagnose(settings)).findings.migrations!, /^fail The database is empty: /);
      await loadDatabaseOf030(database);
      const older = (await diagnose(settings)).findings;
      match(older.migrations!, /^fail The database is older .*`deno task migrate`$/);
      match(older.database!, /^ok PostgreSQL 17\.\d+, .*\/roadcast_test_/);
      match(older.clock!, /^fail This clock is \d+ s ahead of that of 127\..*Set both with NTP$/);
      await migrate(database, await readMigrations());
      await database.query(sql`insert into migrations (name, checksum) values ('9999_x.sql', 'x')`);
      const newer = (await diagnose(settings)).findings;
      match(newer.migrations!, /^fail The database is newer .*: run a newer version$/);
    } finally {
      await database.close();
      await drop();
    }
  },
});
