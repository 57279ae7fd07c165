import type { Connection, Database } from "../../database/database.ts";
import { isoTime, json, sql } from "../../database/sql.ts";
import type { ChangesFilter } from "../../roadmap/filter/filter.ts";
import { listsOf } from "../../roadmap/filter/preference_lists.ts";
import { WHY_UNSENT } from "../outbox/mail_state_sql.ts";
import type { RequestedPreferences } from "./subscription_requests_sql.ts";
import {
  coversNothing,
  preferenceColumns,
  type Preferences,
  type SubscriptionState,
  supersedeMails,
} from "./subscriptions_sql.ts";

/** A subscription as its owner sees it. */
export interface OwnSubscription extends Preferences {
  subscription_id: string;
  email: string;
  state: SubscriptionState;
  /** `YYYY-MM-DD`; null: there is no pause, or it has ended. */
  paused_until: string | null;
  /** What was asked for by a request, and not saved yet. */
  asked: RequestedPreferences | null;
}

/** Reads a subscription as it is on a day, `YYYY-MM-DD`; null where there is none (any more). */
export async function readSubscription(
  connection: Connection,
  id: string,
  today: string,
): Promise<OwnSubscription | null> {
  const [row] = await connection.query<OwnSubscription>(sql`
    select subscription_id, email, state, ${preferenceColumns(today)}, asked
    from subscriptions
    where subscription_id = ${id}::uuid
  `);
  return row ?? null;
}

/**
 * Saves what an owner has chosen, as a whole: of two windows the last one counts. A digest that waits
 * is made of it. With a pause, or with nothing watched any more, it is taken back.
 */
export function savePreferences(
  database: Database,
  id: string,
  { preferences, pausedUntil, now }: {
    preferences: Preferences;
    pausedUntil: string | null;
    now: Date;
  },
): Promise<void> {
  const { scope, filter, releases, cadence, upcoming, reminders } = preferences;
  const endsDigests = pausedUntil !== null || coversNothing(preferences);
  return database.transaction(async (connection) => {
    await connection.query(sql`
      update subscriptions
      set scope = ${scope}, filter = ${json(filter)}, releases = ${releases}::uuid[],
        cadence = ${cadence}, upcoming = ${upcoming}, reminders = ${reminders},
        paused_until = ${pausedUntil}::date, asked = null
      where subscription_id = ${id}::uuid
    `);
    await supersedeMails(connection, id, {
      now,
      kinds: endsDigests ? ["preferences", "reminder", "digest"] : ["preferences"],
    });
  });
}

/**
 * Everything that is stored of a person, but for what signs links; null where nothing is. Lists have
 * their names of the API.
 */
export async function readStoredData(
  connection: Connection,
  id: string,
): Promise<Record<string, unknown> | null> {
  const [row] = await connection.query<{
    data: Record<string, unknown> & {
      filter: ChangesFilter;
      unconfirmed_preferences: RequestedPreferences | null;
    };
  }>(sql`
    select jsonb_build_object(
      'email', email, 'state', state, 'variant', variant,
      'scope', scope, 'filter', filter, 'releases', releases, 'cadence', cadence,
      'upcoming', upcoming, 'reminders', reminders, 'paused_until', paused_until,
      'unconfirmed_preferences', asked,
      'requested_at', ${isoTime(sql`requested_at`)}, 'verified_at', ${isoTime(sql`verified_at`)},
      'unsubscribed_at', ${isoTime(sql`unsubscribed_at`)},
      'refusals', refusals, 'refused_at', ${isoTime(sql`refused_at`)},
      'refusal_reason', refusal_reason,
      'reminders_sent', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'release_item_id', release_item_id, 'planned_on', planned_on, 'days_before', days_before
            )
            order by planned_on, release_item_id
          ),
          '[]'
        )
        from reminders
        where reminders.subscription_id = subscriptions.subscription_id
      ),
      'mails', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'kind', kind, 'status', status, 'attempts', attempts, 'last_error', ${WHY_UNSENT},
              'created_at', ${isoTime(sql`outbox.created_at`)},
              'finished_at', ${isoTime(sql`finished_at`)}
            )
            order by outbox.created_at, mail_id
          ),
          '[]'
        )
        from outbox left join mail_state on true
        where outbox.subscription_id = subscriptions.subscription_id
      )
    ) as data
    from subscriptions
    where subscription_id = ${id}::uuid
  `);
  if (!row) return null;
  const { filter, unconfirmed_preferences: asked, ...data } = row.data;
  const nameLists = ({ filter, ...others }: { filter: ChangesFilter }) => (
    { ...others, ...listsOf(filter) }
  );
  return { ...data, ...listsOf(filter), unconfirmed_preferences: asked && nameLists(asked) };
}

/** The names of the releases that a subscription covers, where it covers watched ones only. */
export async function readWatchedNames(
  connection: Connection,
  subscriptionId: string,
): Promise<string[]> {
  const rows = await connection.query<{ feature_name: string }>(sql`
    select feature_name
    from subscriptions join items on release_item_id = any(releases)
    where subscription_id = ${subscriptionId}::uuid and scope = 'watched'
    order by release_item_id
  `);
  return rows.map(({ feature_name }) => feature_name);
}

/** A release that a subscription watches, as its page names it. */
interface WatchedName {
  release_item_id: string;
  feature_name: string;
  active: boolean;
  language: string | null;
}

/** The names of releases, in the order of their ids. */
export function readNames(
  connection: Connection,
  ids: readonly string[],
): Promise<WatchedName[]> {
  return connection.query(sql`
    select release_item_id, feature_name, active, language from items
    where release_item_id = any(${[...ids]}::uuid[])
    order by release_item_id
  `);
}
