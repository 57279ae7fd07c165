import { deepStrictEqual as assertEquals, match, ok as assert, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { migrate, phaseOf, readMigrations } from "../../lib/database/migrate.ts";
import { sql } from "../../lib/database/sql.ts";
import { listMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { readSubscribers } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readRuns } from "../../lib/import/import_runs_sql.ts";
import { startApp } from "../support/app.ts";
import { openMigratedEmbedded, testOnDatabases, testOnNewDatabases } from "../support/databases.ts";
import {
  fileOf030,
  LEFT_AT,
  loadDatabaseOf030,
  loadRoadmapsOf030,
  readAnswersOf030,
  readStatementsOf030,
} from "../support/release_0_3_0.ts";
import { describeSchema } from "../support/schema.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { startWithMail, stateOf, subscribeAndRead } from "../support/subjects/subscribing.ts";

testOnNewDatabases(
  "A database of 0.3.0 gets the schema of a new one, and keeps what it holds",
  async (database, openOther) => {
    await loadDatabaseOf030(database);
    const names = (await readMigrations()).map(({ name }) => name);
    assertEquals(await migrate(database, await readMigrations()), names);
    assertEquals(await migrate(database, await readMigrations()), []);
    const other = await openOther();
    await migrate(other, await readMigrations());
    assertEquals(await describeSchema(database), await describeSchema(other));
    await other.close();
    await assertKept(database);
  },
);

/** Expects everything of version 0.3.0 to exist, and what waited to go out once. */
async function assertKept(database: Database): Promise<void> {
  const known = await readAnswersOf030();
  await using services = await startWithMail(database, {
    ROADMAP_VARIANT: "both",
  });
  const { app, mail } = services;
  app.setClock(LEFT_AT);
  for (const [path, answer] of Object.entries(known.answers)) {
    assertEquals([path, await app.json(path)], [path, answer]);
  }
  const page = { after: "", limit: 100, today: LEFT_AT.slice(0, 10) };
  assertHold(await readSubscribers(database, page), known.subscribers);
  assertHold(
    await listMails(database, { which: "all", limit: 100 }),
    known.mails,
  );
  assertHold(await readRuns(database, 100), known.imports);
  const [source] = await database.query(
    sql`select to_jsonb(s) as row from stored_sources as s`,
  );
  match(JSON.stringify(source), /"name":"tracker".*tracker\.example\.com/);

  for (let sending = 0; sending < 2; sending++) await app.sendMails();
  const addresses = mail.received.map(({ envelopeTo: [address] }) => address)
    .sort();
  assertEquals(
    addresses,
    ["ann", "bob", "gone", "waiting"].map((name) => `${name}@example.com`),
  );
  const mailTo = (name: string) =>
    mail.received.find(({ envelopeTo: [address] }) => address === `${name}@example.com`)!;
  match(mailTo("ann").text!, /Ferry times/);
  await app.fetch(linkOf(mailTo("waiting"), "/verify-email"));
  assertEquals(await stateOf(database, "waiting@example.com"), "verified");
  const { status } = await app.fetch(
    new URL(known.links["ann@example.com"]!).pathname +
      new URL(known.links["ann@example.com"]!).search,
  );
  assertEquals(status, 200);
}

/** Expects the same rows in the same order, which may have more columns today. */
function assertHold(
  actual: readonly object[],
  expected: readonly object[],
): void {
  const seen = JSON.parse(JSON.stringify(actual)) as Record<string, unknown>[];
  const kept = seen.map((row, place) =>
    Object.fromEntries(
      Object.keys(expected[place] ?? row).map((name) => [name, row[name]]),
    )
  );
  assertEquals(kept, expected);
}

testOnNewDatabases(
  "Dates that 0.3.0 did not read are no news after the upgrade",
  async (database) => {
    await loadRoadmapsOf030(database);
    await migrate(database, await readMigrations());
    await using services = await startWithMail(database, {
      ROADMAP_VARIANT: "both",
    });
    const { app, mail } = services;
    app.setClock(LEFT_AT);
    const confirm = await subscribeAndRead(services, "reader@example.com", {
      frequency: "immediate",
    });
    await app.fetch(linkOf(confirm, "/verify-email"));
    await app.sendMails();
    const sent = mail.received.length;
    const paths = [
      "/api/changes",
      "/b/api/changes",
      "/api/releases?sort=last_modified",
    ];
    const read = () => Promise.all(paths.map((path) => app.json(path)));
    const withoutDates = (answers: unknown) =>
      JSON.parse(
        JSON.stringify(answers, (key, value) => key === "dates" ? undefined : value),
      );
    const before = await read();
    const asOf = LEFT_AT.slice(0, 10);
    const importBoth = async (as: string) => [
      await importLocation(database, fileOf030("m365.json"), { asOf: as }),
      await importLocation(database, fileOf030("plan.csv"), {
        asOf: as,
        sourceName: "plan",
      }),
    ];
    for (const { added, changed, removed } of await importBoth(asOf)) {
      assertEquals([added, changed, removed], [0, 0, 0]);
    }
    assertEquals(withoutDates(await read()), before);
    const names = (await app.json("/api/filter-options")).date_names;
    assertEquals(names, [
      { name: "Preview", count: 2 },
      { name: "beta", count: 1 },
      { name: "end of life", count: 2 },
    ]);
    app.advance(7200);
    await app.sendMails();
    assertEquals(mail.received.length, sent);
  },
);

testOnNewDatabases(
  "A process of 0.3.0 is understood beside the new version",
  async (database) => {
    await loadRoadmapsOf030(database);
    await migrate(database, await readMigrations());
    // What 0043_one_secret.sql says that it cannot do any more.
    const isOfSecrets = (text: string) => /source_secrets|secrets_id/.test(text);
    const statements = (await readStatementsOf030()).filter((text) => !isOfSecrets(text));
    const refused = [];
    for (const text of statements) {
      const told = await database.script(`prepare one as ${text}; deallocate one`).catch(String);
      if (told !== undefined) refused.push({ told, text });
    }
    assertEquals(refused, []);
    assert(statements.length > 500);
  },
);

Deno.test("Each migration after the baseline says what an older version may do", async () => {
  const [, ...later] = await readMigrations();
  assertEquals(later.filter((migration) => phaseOf(migration) === null), []);
});

testOnNewDatabases(
  "An extension in a schema of its own is found, or one sentence says how",
  async (database) => {
    await database.script(
      "create schema extensions; create extension pg_trgm schema extensions",
    );
    const migrations = await readMigrations();
    const failed = await migrate(database, migrations).catch(({ message }) => String(message));
    const [, advice] = /pg_trgm is in the schema extensions, which .*: run `(.*)` there$/
      .exec(String(failed))!;
    match(
      advice!,
      /^alter database \w+ set search_path = .*public, extensions$/,
    );
    await database.script(advice!.replace(/alter database \w+/, ""));
    assertEquals(
      (await migrate(database, migrations)).length,
      migrations.length,
    );
  },
);

Deno.test("A database of a version before 0.3.0 is sent by 0.3.0", async () => {
  const database = await openMigratedEmbedded();
  await database.script(`
    delete from migrations;
    alter table migrations drop column phase;
    insert into migrations (name, checksum) values ('0001_roadmap.sql', ''), ('0037_x.sql', '')
  `);
  await rejects(async () => migrate(database, await readMigrations()), {
    name: "MigrationError",
    message: "The database is older than version 0.3.0 of Roadcast: " +
      "run `deno task migrate` of 0.3.0 first",
  });
  await database.close();
});

testOnDatabases(
  "A process goes on beside newer migrations that let it",
  async (database) => {
    await using app = await startApp(database);
    const migrations = await readMigrations();
    const ready = async () => {
      const response = await app.fetch("/ready");
      return [response.status, (await response.json()).migrations];
    };
    const add = (name: string, phase: string) =>
      database.query(
        sql`insert into migrations (name, checksum, phase) values (${name}, '', ${phase})`,
      );
    try {
      await add("9998_more.sql", "expand");
      assertEquals(await ready(), [200, "ok"]);
      assertEquals(await migrate(database, migrations), []);
      await add("9999_less.sql", "contract");
      assertEquals(await ready(), [
        503,
        "a newer version is needed since 9999_less.sql",
      ]);
      assertEquals((await app.fetch("/api/releases")).status, 200);
      await rejects(() => migrate(database, migrations), {
        message: "The database is newer than this version of Roadcast, which does not know " +
          "9999_less.sql: run a newer version",
      });
    } finally {
      await database.script("delete from migrations where name > '9'");
    }
  },
);
