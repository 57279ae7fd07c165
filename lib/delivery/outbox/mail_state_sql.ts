import { type Connection, queryOne } from "../../database/database.ts";
import { isoTime, type Sql, sql, timestamp } from "../../database/sql.ts";

/**
 * Why no email leaves: the server cannot be reached, refuses us whoever an email is for, or asks to
 * come back later.
 */
export type PauseKind = "away" | "refused" | "busy";

/** What the log says of each. */
export const PAUSED: Readonly<Record<PauseKind, string>> = {
  away: "Cannot reach the mail server, emails wait and are retried: {error}",
  refused: "The mail server refuses this service, so emails wait and are retried: {error}",
  busy: "The mail server asks to slow down, so emails wait a little and are retried: {error}",
};

/** The first pause and the longest, in seconds; each lasts twice as long as the one before. */
const PAUSES: Readonly<Record<PauseKind, { first: number; longest: number }>> = {
  away: { first: 60, longest: 4 * 3600 },
  refused: { first: 60, longest: 4 * 3600 },
  busy: { first: 5, longest: 300 },
};

/** A rate has nobody wait for longer than this, in seconds: a clock was wrong. */
const LONGEST_TURN = 45;

/** A pause lasts: one that is further ahead than any we note comes from a wrong clock. */
function isPaused(now: Date): Sql {
  return sql`(
    mail_state.paused_until > ${timestamp(now)}
    and mail_state.paused_until <= ${
    timestamp(now)
  } + make_interval(secs => ${PAUSES.away.longest}::float8)
  )`;
}

/** Whether an email of `outbox` waits for what all wait for; `mail_state` stands beside it. */
export const IS_HELD = sql`(status = 'waiting' and mail_state.paused_until > due_at)`;

/** Why an email of `outbox` waits or was given up: what all wait for, or its own last failure. */
export const WHY_UNSENT = sql`
  case when ${IS_HELD} then 'Emails are not being sent: ' || pause_reason else last_error end
`;

/** Why emails wait together. */
export interface MailPause {
  kind: PauseKind;
  reason: string;
  /** When one is tried for all, in UTC, ISO 8601. */
  until: string;
  /** False: one is to be tried now. */
  lasts: boolean;
}

/** Why emails wait together; null: they do not. */
export async function readPause(connection: Connection, now: Date): Promise<MailPause | null> {
  const [pause] = await connection.query<MailPause>(sql`
    select pause_kind as kind, pause_reason as reason, ${isoTime(sql`paused_until`)} as until,
      ${isPaused(now)} as lasts
    from mail_state
    where pause_kind is not null
  `);
  return pause ?? null;
}

/**
 * Has all emails wait, for longer each time that the one that is tried for all fails. Several that
 * fail together count once. Returns the end of the pause.
 */
export async function notePause(
  connection: Connection,
  { kind, reason, now }: { kind: PauseKind; reason: string; now: Date },
): Promise<Date> {
  const { first, longest } = PAUSES[kind];
  const count = sql`
    case
      when ${isPaused(now)} then mail_state.pauses
      when mail_state.pause_kind = ${kind} then mail_state.pauses + 1
      else 1
    end
  `;
  const { until } = await queryOne<{ until: number }>(
    connection,
    sql`
      insert into mail_state (paused_until, pause_kind, pause_reason, pauses)
      values (
        ${timestamp(now)} + make_interval(secs => ${first}::float8), ${kind}, ${reason}, 1
      )
      on conflict (only_row) do update
      set pauses = ${count}, pause_kind = ${kind}, pause_reason = ${reason},
        paused_until = case
          when ${isPaused(now)} then mail_state.paused_until
          else ${timestamp(now)} + make_interval(
            secs => least(${first} * 2 ^ (least(${count}, 30) - 1), ${longest}::float8)
          )
        end
      returning (extract(epoch from paused_until) * 1000)::float8 as until
    `,
  );
  return new Date(until);
}

/** Has one email be tried at once for those that wait together. */
export async function tryNow(connection: Connection, now: Date): Promise<void> {
  await connection.query(sql`
    update mail_state set paused_until = ${timestamp(now)}, pauses = 0 where pause_kind is not null
  `);
}

/** Has emails be sent again; false where they were. */
export async function endPause(connection: Connection): Promise<boolean> {
  const ended = await connection.query(sql`
    update mail_state
    set paused_until = null, pause_kind = null, pause_reason = null, pauses = 0
    where pause_kind is not null
    returning 1
  `);
  return ended.length > 0;
}

/**
 * Has some emails go out at a rate of all processes together. Returns in how many
 * milliseconds the first one may go out; the others follow at the rate.
 */
export async function throttle(
  connection: Connection,
  { count, seconds }: { count: number; seconds: number },
): Promise<number> {
  const taken = sql`make_interval(secs => ${count * seconds}::float8)`;
  const { wait } = await queryOne<{ wait: number }>(
    connection,
    sql`
      insert into mail_state (next_turn_at) values (clock_timestamp() + ${taken})
      on conflict (only_row) do update
      set next_turn_at = ${taken} + greatest(
        clock_timestamp(),
        least(
          mail_state.next_turn_at, clock_timestamp() + make_interval(secs => ${LONGEST_TURN}::float8)
        )
      )
      returning extract(epoch from next_turn_at - ${taken} - clock_timestamp())::float8 as wait
    `,
  );
  return Math.max(0, wait * 1000);
}
