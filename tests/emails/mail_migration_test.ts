import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { sql } from "../../lib/database/sql.ts";
import { createScratchDatabase, openNewEmbedded, TEST_DATABASE_URL } from "../support/databases.ts";

const OWN = "0032_mail_limits.sql";

/** The contents of a database of the previous version. */
const BEFORE = `
  insert into subscriptions (email, variant, requested_at, products) values
    ('ann+news@example.com', 'A', '2026-07-01', '{Explorer}'),
    ('bob@example.com', 'B', '2026-07-02', '{}'),
    ('+eve@example.com', 'A', '2026-07-03', '{}');
  update subscriptions set state = 'unsubscribed', unsubscribed_at = '2026-07-04'
  where email = 'bob@example.com';
  update subscriptions set state = 'unverified', requested_at = '2026-07-05'
  where email = 'bob@example.com';
  insert into outbox (subscription_id, kind, status, digest, created_at, due_at, give_up_at)
  select subscription_id, 'digest', status, '{"items": []}', now(), now(), now()
  from subscriptions, unnest('{waiting,failed,superseded}'::text[]) as status
  where email = 'ann+news@example.com';
`;

async function checkMigrating(database: Database): Promise<void> {
  const migrations = await readMigrations();
  const before = migrations.filter(({ name }) => name < OWN);
  await migrate(database, before);
  await database.script(BEFORE);
  await migrate(database, migrations.filter(({ name }) => name <= OWN));
  const people = await database.query(sql`
    select email, mailbox, state, products, mailed_since_unsubscribing_at is not null as mailed
    from subscriptions order by email collate "C"
  `);
  assertEquals(people.map((row) => ({ ...row as object })), [
    {
      email: "+eve@example.com",
      mailbox: "+eve@example.com",
      state: "unverified",
      products: [],
      mailed: false,
    },
    {
      email: "ann+news@example.com",
      mailbox: "ann@example.com",
      state: "unverified",
      products: ["Explorer"],
      mailed: false,
    },
    {
      email: "bob@example.com",
      mailbox: "bob@example.com",
      state: "unverified",
      products: [],
      mailed: true,
    },
  ]);
  const mails = await database.query<{ status: string; kept: boolean }>(sql`
    select status, digest is not null as kept from outbox order by status
  `);
  assertEquals(mails.map(({ status, kept }) => [status, kept]), [
    ["failed", false],
    ["superseded", false],
    ["waiting", true],
  ]);
  await rejects(
    () => database.query(sql`update outbox set status = 'failed' where status = 'waiting'`),
    /outbox_forgets_what_is_over/,
  );
}

Deno.test({
  name: "Subscriptions and emails of the previous version are preserved (embedded)",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const database = await openNewEmbedded();
    await checkMigrating(database);
    await database.close();
  },
});

Deno.test({
  name: "Subscriptions and emails of the previous version are preserved (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const database = await openPostgres(url);
    try {
      await checkMigrating(database);
    } finally {
      await database.close();
      await drop();
    }
  },
});
