import type { Connection } from "../database/database.ts";
import { isoTime, sql } from "../database/sql.ts";
import type { SubscriptionState } from "../delivery/subscriptions/subscriptions_sql.ts";
import type { Cadence } from "../text/cadence.ts";

/** What a list of subscribers is narrowed to; null: by nothing. */
export interface SubscriberFilter {
  /** A part of the address. */
  text: string;
  state: SubscriptionState | null;
  cadence: Cadence | null;
}

/** A subscriber as they are listed. */
export interface ListedSubscriber {
  subscription_id: string;
  email: string;
  state: SubscriptionState;
  cadence: Cadence;
  /** ISO 8601, UTC. */
  requested_at: string;
  refusal_reason: string | null;
}

/** The subscribers after an address, in the order of their addresses. */
export function browseSubscribers(
  connection: Connection,
  { text, state, cadence }: SubscriberFilter,
  { after, limit }: { after: string; limit: number },
): Promise<ListedSubscriber[]> {
  return connection.query(sql`
    select subscription_id, email, state, cadence,
      ${isoTime(sql`requested_at`)} as requested_at, refusal_reason
    from subscriptions
    where email collate "C" > ${after}
      and strpos(lower(email), lower(${text}::text)) > 0
      and (${state}::text is null or state = ${state})
      and (${cadence}::text is null or cadence = ${cadence})
    order by email collate "C"
    limit ${limit}
  `);
}
