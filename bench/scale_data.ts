import { type Connection, queryOne } from "../lib/database/database.ts";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { sql } from "../lib/database/sql.ts";
import { addSubscribers } from "./delivery.ts";
import { generateItems } from "./generate_items.ts";
import { createDatabase, dropDatabase } from "./scratch.ts";

/** A filled database, of which each run gets a copy. */
export interface Prepared extends AsyncDisposable {
  copy(): Promise<{ url: string } & AsyncDisposable>;
}

/** Fills a database with releases, and with daily subscribers who have been told all of them. */
export async function prepareDatabase(
  server: string,
  { items, subscribers }: { items: number; subscribers: number },
): Promise<Prepared> {
  const url = await createDatabase(server);
  const database = await openDatabase({ databaseUrl: url.href, dataDir: "" });
  try {
    await migrate(database, await readMigrations());
    await generateItems(database, items);
    await addSubscribers(database, subscribers);
    await database.query(sql`
      update subscriptions
      set cadence = 'daily', last_notified_change = (select max(change_id) from changes)
    `);
    await database.query(sql`
      insert into digest_runs (cadence, slot) values ('daily', now()), ('weekly', now())
    `);
    await database.script("vacuum analyze subscriptions");
  } finally {
    await database.close();
  }
  return {
    async copy() {
      const copied = await createDatabase(server, url);
      return {
        url: copied.href,
        [Symbol.asyncDispose]: () => dropDatabase(server, copied),
      };
    },
    [Symbol.asyncDispose]: () => dropDatabase(server, url),
  };
}

/**
 * Makes the daily digests due, as after a stop of all servers over the moment of the schedule.
 */
export async function makeDigestsDue(connection: Connection): Promise<void> {
  await connection.query(sql`
    update digest_runs set slot = slot - interval '1 day' where cadence = 'daily'
  `);
}

/** How far the daily digests are. */
export async function readDigestRun(
  connection: Connection,
): Promise<{ isBegun: boolean; isQueued: boolean }> {
  const { is_begun, is_running } = await queryOne<{ is_begun: boolean; is_running: boolean }>(
    connection,
    sql`
      select slot > now() - interval '1 day' as is_begun, changes_up_to is not null as is_running
      from digest_runs
      where cadence = 'daily'
    `,
  );
  return { isBegun: is_begun, isQueued: is_begun && !is_running };
}
