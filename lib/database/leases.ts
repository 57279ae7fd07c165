import { type Connection, type Database, queryOne } from "./database.ts";
import { sql } from "./sql.ts";

/** A process that does not extend its claim for this long has ended. */
const LEASE_SECONDS = 60;

/** After a failure the work is due again this soon. */
const RETRY_SECONDS = 60;

/**
 * Does work that is due at most once in an interval, by one process over all that share the
 * database; false if it is not due or another process is at it. The work gets a signal that is aborted
 * if another process takes it over.
 */
export async function doWhenDue(
  database: Database,
  { name, everySeconds }: { name: string; everySeconds: number },
  work: (lost: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  await addSchedule(database, name);
  const next = await doIfDue(database, { name, maxPause: everySeconds }, async ({ lost }) => {
    await work(lost);
    return { seconds: everySeconds, failures: 0 };
  });
  return next !== null;
}

/** In how many seconds work is due again, and how often it has failed by then. */
type NextTime = { seconds: number; failures: number };

/**
 * Does scheduled work likewise, which gets what `claimWork` returns as well, and returns when it is
 * due again; null if it is not due or another process is at it.
 */
export async function doIfDue(
  database: Database,
  { name, maxPause }: { name: string; maxPause: number },
  work: (
    claimed: { failures: number; wasLeft: boolean; holder: string; lost: AbortSignal },
  ) => Promise<NextTime>,
): Promise<NextTime | null> {
  const holder = crypto.randomUUID();
  const claim = { holder, seconds: LEASE_SECONDS };
  const claimed = await claimWork(database, name, { ...claim, maxPause });
  if (claimed === null) return null;
  let next = { seconds: RETRY_SECONDS, failures: claimed.failures };
  try {
    using kept = keepClaim(database, name, claim);
    next = await work({ ...claimed, holder, lost: kept.lost });
    return next;
  } finally {
    await releaseWork(database, name, { holder, ...next });
  }
}

/**
 * Keeps extending the claim to some work until it is disposed of, which comes before its release. `lost`
 * is aborted if another process has taken the work over, as after a long outage of the database.
 */
export function keepClaim(
  database: Database,
  name: string,
  claim: { holder: string; seconds: number },
): Disposable & { readonly lost: AbortSignal } {
  const losing = new AbortController();
  async function extend(): Promise<void> {
    // While the database is away nobody can take the claim over.
    const isExtended = await extendClaim(database, name, claim).catch(() => true);
    if (isExtended) return;
    clearInterval(timer);
    losing.abort(new Error("another process has taken over this work"));
  }
  const timer = setInterval(() => void extend(), claim.seconds * 1000 / 3);
  return { lost: losing.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Schedules work that is not scheduled yet: it is due at once. */
export async function addSchedule(connection: Connection, name: string): Promise<void> {
  await connection.query(sql`insert into schedules (name) values (${name}) on conflict do nothing`);
}

/**
 * Makes the work due for whichever process claims it next, unless one is doing it now. Work that a
 * process claimed and never released keeps its due time: it may have crashed that process. Returns
 * in how many seconds the work is due, and whether it is claimed.
 */
export function makeDue(
  connection: Connection,
  name: string,
): Promise<{ seconds: number; isTaken: boolean }> {
  return queryOne(
    connection,
    sql`
      insert into schedules (name) values (${name})
      on conflict (name) do update set due_at =
        case when schedules.holder is null then least(schedules.due_at, now())
          else schedules.due_at end
      returning holder is not null as "isTaken",
        greatest(0, extract(epoch from greatest(due_at, held_until) - now()))::float8 as seconds
    `,
  );
}

/**
 * Claims due work for some seconds, and counts it as failed until it is released. Returns how often
 * it has failed before, and whether the last process never released it; null if it is not due or
 * another process has it. A time further in the future than any we write comes from a wrong clock,
 * and counts as past; what a process wrote since this transaction began does not, so the comparison
 * is with `clock_timestamp()`.
 */
export async function claimWork(
  connection: Connection,
  name: string,
  { holder, seconds, maxPause }: { holder: string; seconds: number; maxPause: number },
): Promise<{ failures: number; wasLeft: boolean } | null> {
  const [claimed] = await connection.query<{ failures: number; wasLeft: boolean }>(sql`
    with due as (
      select name, holder, failures from schedules
      where name = ${name}
        and (
          due_at <= clock_timestamp()
          or due_at > clock_timestamp() + make_interval(secs => ${maxPause}::float8)
        )
        and (
          held_until is null
          or held_until < clock_timestamp()
          or held_until > clock_timestamp() + make_interval(secs => ${seconds}::float8)
        )
      for update
    )
    update schedules
    set holder = ${holder}, held_until = now() + make_interval(secs => ${seconds}::float8),
      failures = due.failures + 1
    from due
    where schedules.name = due.name
    returning due.failures, due.holder is not null as "wasLeft"
  `);
  return claimed ?? null;
}

/** Sets when the work is due again if this process never releases it. */
export async function postponeWork(
  connection: Connection,
  name: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<void> {
  await connection.query(sql`
    update schedules set due_at = now() + make_interval(secs => ${seconds}::float8)
    where name = ${name} and holder = ${holder}
  `);
}

/** Extends the claim by some seconds; false: it is no longer this holder's. */
async function extendClaim(
  connection: Connection,
  name: string,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<boolean> {
  const extended = await connection.query(sql`
    update schedules set held_until = now() + make_interval(secs => ${seconds}::float8)
    where name = ${name} and holder = ${holder}
    returning name
  `);
  return extended.length > 0;
}

/** Releases the work, which is due again after some seconds. */
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

/** Deletes work that is no longer scheduled; false: a process is at it. */
export async function removeIdleSchedule(connection: Connection, name: string): Promise<boolean> {
  const left = await connection.query(sql`
    with gone as (
      delete from schedules
      where name = ${name} and (held_until is null or held_until < clock_timestamp())
      returning name
    )
    select name from schedules where name = ${name} and name not in (select name from gone)
  `);
  return left.length === 0;
}

/** Deletes work that is no longer scheduled. */
export async function removeSchedule(connection: Connection, name: string): Promise<void> {
  await connection.query(sql`delete from schedules where name = ${name}`);
}
