import type { Connection } from "../../database/database.ts";
import { isoTime, sql } from "../../database/sql.ts";
import type { Cadence } from "../../text/cadence.ts";
import type { SubscriptionState } from "./subscriptions_sql.ts";

/** A subscriber as found by the address; times in UTC, ISO 8601. */
export interface FoundSubscriber {
  subscription_id: string;
  email: string;
  state: SubscriptionState;
  cadence: Cadence;
  requested_at: string;
}

/** The first subscribers whose address has a text in it, by their address. */
export function findSubscribers(
  connection: Connection,
  { text, limit }: { text: string; limit: number },
): Promise<FoundSubscriber[]> {
  return connection.query(sql`
    select subscription_id, email, state, cadence,
      ${isoTime(sql`requested_at`)} as requested_at
    from subscriptions
    where strpos(lower(email), lower(${text}::text)) > 0
    order by email collate "C"
    limit ${limit}
  `);
}
