import type { Connection } from "./database.ts";
import { sql } from "./sql.ts";

/** Has the work done by whichever process asks next; one that is doing it now does it for all. */
export async function makeDue(connection: Connection, name: string): Promise<void> {
  await connection.query(sql`
    insert into schedules (name) values (${name})
    on conflict (name) do update set due_at = least(schedules.due_at, now())
  `);
}

/**
 * Takes work that is due for some seconds, and says how often it has failed before; null where it
 * is not due, or another process has it.
 */
export async function claimWork(
  connection: Connection,
  name: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<{ failures: number } | null> {
  const [claimed] = await connection.query<{ failures: number }>(sql`
    update schedules
    set holder = ${holder}, held_until = now() + make_interval(secs => ${seconds}::float8)
    where name = ${name} and due_at <= now() and (held_until is null or held_until < now())
    returning failures
  `);
  return claimed ?? null;
}

/** Keeps the work for some more seconds. */
export async function extendClaim(
  connection: Connection,
  name: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<void> {
  await connection.query(sql`
    update schedules set held_until = now() + make_interval(secs => ${seconds}::float8)
    where name = ${name} and holder = ${holder}
  `);
}

/** Gives the work back, to be done again after some seconds. */
export async function releaseWork(
  connection: Connection,
  name: string,
  { holder, seconds, failures }: { holder: string; seconds: number; failures: number },
): Promise<void> {
  await connection.query(sql`
    update schedules
    set due_at = now() + make_interval(secs => ${seconds}::float8), failures = ${failures},
      holder = null, held_until = null
    where name = ${name} and holder = ${holder}
  `);
}
