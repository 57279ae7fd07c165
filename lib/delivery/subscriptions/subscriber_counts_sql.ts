import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { ChangeKind } from "../../roadmap/changes/kinds.ts";
import type { Scope } from "../../roadmap/filter/preference_list.ts";
import type { Cadence } from "../../text/cadence.ts";

/** How many verified subscribers get what, and how often. */
export interface SubscriberCounts {
  cadences: Partial<Record<Cadence, number>>;
  scopes: Partial<Record<Scope, number>>;
  /** Of those who chose kinds of changes. */
  kinds: Partial<Record<ChangeKind, number>>;
}

/** Counts the verified subscribers by what they chose. */
export function countChosen(connection: Connection): Promise<SubscriberCounts> {
  return queryOne(
    connection,
    sql`
      with verified as (select cadence, scope, kinds from subscriptions where state = 'verified')
      select
        (
          select coalesce(jsonb_object_agg(cadence, count), '{}')
          from (select cadence, count(*)::int as count from verified group by cadence) as counted
        ) as cadences,
        (
          select coalesce(jsonb_object_agg(scope, count), '{}')
          from (select scope, count(*)::int as count from verified group by scope) as counted
        ) as scopes,
        (
          select coalesce(jsonb_object_agg(kind, count), '{}')
          from (
            select kind, count(*)::int as count
            from verified cross join unnest(kinds) as kind
            group by kind
          ) as counted
        ) as kinds
    `,
  );
}
