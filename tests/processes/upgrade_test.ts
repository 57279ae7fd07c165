import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { join } from "node:path";
import postgres from "postgres";
import type { Database } from "../../lib/database/database.ts";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { readRuns } from "../../lib/import/import_runs_sql.ts";
import { listMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { readSubscribers } from "../../lib/delivery/subscriptions/subscribers_sql.ts";
import { queueDigests } from "../../lib/delivery/digests/queue_digests.ts";
import { listWebhooks } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { withFolder } from "../support/folder.ts";
import { listsOf } from "../../lib/roadmap/filter/preference_lists.ts";
import { runCommand } from "../support/command.ts";
import { createScratchDatabase, TEST_DATABASE_URL } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { linkOf, type ReceivedMail } from "../support/servers/mail_server.ts";
import { embedAll } from "../support/subjects/semantic.ts";
import { startWithMail, stateOf } from "../support/subjects/subscribing.ts";

/**
 * Databases as version 0.1.0 left them on 2026-07-20 at 12:00 UTC, each with the responses of that
 * version and the links that it had emailed: a backup of the embedded one (compressed more), and a
 * `pg_dump --inserts` without psql's own commands.
 */
const FIXTURES = new URL("../fixtures/upgrade/", import.meta.url);
const NOW = "2026-07-20T12:00:00Z";

interface Fixture {
  links: Record<string, string>;
  /** By path. */
  answers: Record<string, unknown>;
  subscribers: Record<string, unknown>[];
  mails: { status: string; email: string }[];
  imports: Record<string, unknown>[];
  webhooks?: Record<string, unknown>[];
}

async function readFixture(name: string): Promise<Fixture> {
  return JSON.parse(await Deno.readTextFile(new URL(name, FIXTURES)));
}

Deno.test("A backup of version 0.1.0 is restored and migrated without losing data", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const settings = { DATA_DIR: join(folder, "data") };
    const file = join(folder, "backup");
    const tar = brotliDecompressSync(await Deno.readFile(new URL("embedded.tar.br", FIXTURES)));
    await Deno.writeFile(file, gzipSync(tar, { level: 1 }));
    const restored = await runCommand(["restore", file], settings);
    assertEquals([restored.code, restored.err], [0, ""]);
    match(restored.out, /^Restored 5 items to /);
    const migrated = await runCommand(["migrate"], settings);
    assertEquals([migrated.code, migrated.err], [0, ""]);
    const database = await openEmbedded(settings.DATA_DIR);
    try {
      await assertWhole(database, await readFixture("embedded.json"));
    } finally {
      await database.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "A dump of version 0.1.0 is migrated without losing data (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    try {
      const loading = postgres(url, { max: 1, onnotice: () => {} });
      await loading.unsafe(await Deno.readTextFile(new URL("postgres.sql", FIXTURES)));
      await loading.end();
      const migrated = await runCommand(["migrate"], { DATABASE_URL: url });
      assertEquals([migrated.code, migrated.err], [0, ""]);
      const database = await openPostgres(url);
      try {
        await assertWhole(database, await readFixture("postgres.json"));
      } finally {
        await database.close();
      }
    } finally {
      await drop();
    }
  },
});

/**
 * A database as version 0.2.0 left it on 2026-11-20 at 12:00 UTC, as `deno task backup --sql` wrote it:
 * with the imports of the sample before its own, digests that wait, and a webhook with a cadence.
 */
const NOW_0_2_0 = "2026-11-20T12:00:00Z";

Deno.test("A backup of version 0.2.0 is restored and migrated without losing data", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data") };
    const file = join(folder, "backup.sql");
    await Deno.writeFile(file, await readSql());
    const restored = await runCommand(["restore", file], settings);
    assertEquals([restored.code, restored.err], [0, ""]);
    const migrated = await runCommand(["migrate"], settings);
    assertEquals([migrated.code, migrated.err], [0, ""]);
    const database = await openEmbedded(settings.DATA_DIR);
    try {
      await assertKept(database);
    } finally {
      await database.close();
    }
  }));

Deno.test({
  name: "A backup of version 0.2.0 is migrated without losing data (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    try {
      const loading = postgres(url, { max: 1, onnotice: () => {} });
      const text = new TextDecoder().decode(await readSql());
      await loading.unsafe(text.replace(/^\\.*$/gm, ""));
      await loading.end();
      const migrated = await runCommand(["migrate"], { DATABASE_URL: url });
      assertEquals([migrated.code, migrated.err], [0, ""]);
      const database = await openPostgres(url);
      try {
        await assertKept(database);
      } finally {
        await database.close();
      }
    } finally {
      await drop();
    }
  },
});

async function readSql(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    brotliDecompressSync(await Deno.readFile(new URL("0.2.0.sql.br", FIXTURES))),
  );
}

/** Expects everything of version 0.2.0 to exist, and nobody to be told anything for the upgrade. */
async function assertKept(database: Database): Promise<void> {
  const fixture: Fixture = await readFixture("0.2.0.json");
  const settings = { ROADMAP_VARIANT: "both" };
  await using services = await startWithMail(database, settings);
  const { app, mail } = services;
  app.setClock(NOW_0_2_0);
  for (const [path, answer] of Object.entries(fixture.answers)) {
    assertEquals([path, await app.json(path)], [path, answer]);
  }
  const subscribers = await readSubscribers(database, {
    after: "",
    limit: 100,
    today: NOW_0_2_0.slice(0, 10),
  });
  // Who marked an email as spam has unsubscribed.
  const expected = fixture.subscribers.map((row) =>
    row.state === "bounced" ? { ...row, unsubscribed_at: row.refused_at } : row
  );
  assertHold(subscribers, expected);
  assertHold(await listMails(database, { which: "all", limit: 100 }), fixture.mails);
  // The imports of the sample are nobody's past.
  assertHold(await readRuns(database, 100), fixture.imports);
  assertEquals((await app.json("/api/insights")).watched, [
    { source: "default", from: "2026-11-10", to: "2026-11-20" },
  ]);
  assertHold(await listWebhooks(database), fixture.webhooks!);

  // What waited goes out, what changed since is told, and nothing is told twice.
  const texts: Record<string, string> = {};
  const send = async () => {
    await app.sendMails();
    for (const { envelopeTo: [email], text } of mail.received.splice(0)) {
      texts[email!] = (texts[email!] ?? "") + text;
    }
  };
  await send();
  assertEquals(Object.keys(texts).sort(), [
    "told@example.com",
    "verified@example.com",
    "waiting@example.com",
    "weekly@example.com",
  ]);
  await queueDigests(database, { now: new Date(NOW_0_2_0), zone: "UTC" });
  await send();
  assertEquals(Object.keys(texts).length, 4);
  for (const email of ["told@example.com", "verified@example.com", "weekly@example.com"]) {
    const times = (name: string) => texts[email]!.split(`* ${name}\n`).length - 1;
    const removed = email === "verified@example.com" ? 0 : 1; // it chose Maps
    assertEquals([email, times("Ferry times"), times("Night mode"), times("Offline maps")], [
      email,
      1,
      1,
      removed,
    ]);
  }
  const { links } = fixture;
  const verifying = linkOf({ text: texts["waiting@example.com"]! }, "/verify-email");
  for (const path of [links.followed!, verifying, links["unsubscribe-told"]!]) {
    assertEquals([path, await app.fetch(path).then(({ status }) => status)], [path, 200]);
  }
  for (
    const [name, state] of [["verified", "verified"], ["waiting", "verified"], [
      "told",
      "unsubscribed",
    ], ["gone", "unsubscribed"]] as const
  ) assertEquals([name, await stateOf(database, `${name}@example.com`)], [name, state]);
}

/** The values of lists are sorted since: their order means nothing. */
function sortLists(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map((
      [name, value],
    ) => [name, Array.isArray(value) ? value.toSorted() : value]),
  );
}

/** Expects everything of a fixture to exist, and work to continue where it stopped. */
async function assertWhole(database: Database, fixture: Fixture): Promise<void> {
  await using embedding = startEmbeddingServer();
  const settings = {
    ROADMAP_VARIANT: "both",
    OPENAI_BASE_URL: embedding.url,
    EMBEDDING_DIMENSIONS: "16",
  };
  await using services = await startWithMail(database, settings);
  const { app, mail } = services;
  app.setClock(NOW);

  // The day of one addition was its last change; the migration has it from its import.
  for (const [path, answer] of Object.entries(fixture.answers)) {
    assertEquals([path, await app.json(path)], [path, answer]);
  }
  assertEquals(embedding.requests.length, 0, "vectors of items and questions are still there");
  assertEquals(await embedAll(database, settings), { embedded: 1, refused: 0 });
  const subscribers = await readSubscribers(database, {
    after: "",
    limit: 100,
    today: NOW.slice(0, 10),
  });
  assertHold(
    subscribers.map(({ filter, ...row }) => ({ ...row, ...listsOf(filter) })),
    fixture.subscribers.map(sortLists),
  );
  assertHold(await listMails(database, { which: "all", limit: 100 }), fixture.mails);
  assertHold(await readRuns(database, 100), fixture.imports);

  const { links } = fixture;
  const statusOf = async (path: string) => {
    const response = await app.fetch(path);
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await statusOf(links.superseded!), 404);
  assertEquals(await statusOf(links.gone!), 404);
  assertEquals(await statusOf(links.followed!), 200);
  assertEquals(await statusOf(links.pending!), 200);
  assertEquals(await stateOf(database, "pending@example.com"), "verified");

  await app.sendMails();
  const subjects = (mails: readonly ReceivedMail[]) =>
    mails.map(({ envelopeTo, subject }) => `${envelopeTo}: ${subject}`).sort();
  assertEquals(subjects(mail.received), [
    "told@example.com: 1 started, 1 new: Night mode and 1 other",
    "verified@example.com: 1 started, 1 new: Night mode and 1 other",
    "waiting@example.com: Confirm your subscription to Roadcast",
  ]);
  const mailTo = (email: string) =>
    mail.received.find(({ envelopeTo }) => envelopeTo[0] === email)!;
  // What waited is made anew as it is sent, with what changed since.
  for (const email of ["told@example.com", "verified@example.com"]) {
    match(mailTo(email).text!, /\* Night mode\n/);
    match(mailTo(email).text!, /\* Walking routes\n/);
  }
  assertEquals(await statusOf(linkOf(mailTo("waiting@example.com"), "/verify-email")), 200);

  mail.received.length = 0;
  const { queued } = await queueDigests(database, { now: new Date(NOW), zone: "UTC" });
  assertEquals(queued, 0);
  await app.sendMails();
  assertEquals(mail.received.length, 0, "nothing is told twice");

  for (
    const [link, email] of [
      [links.unsubscribeTold, "told@example.com"],
      [links.unsubscribeVerified, "verified@example.com"],
      [links.unsubscribeGone, "gone@example.com"],
      [links.unsubscribePending, "pending@example.com"],
    ] as const
  ) {
    assertEquals(await statusOf(link!), 200);
    assertEquals([email, await stateOf(database, email)], [email, "unsubscribed"]);
  }
}

/** Expects the same rows in the same order, which may have more columns today. */
function assertHold(actual: readonly object[], expected: readonly object[]): void {
  const seen = actual.map((row, index) =>
    Object.fromEntries(
      Object.keys(expected[index] ?? row).map((name) => [name, row[name as keyof typeof row]]),
    )
  );
  assertEquals(seen, expected);
}
