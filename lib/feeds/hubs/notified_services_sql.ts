import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";

/** What a service has not been notified of. */
export interface Unseen {
  /** The last change. */
  until: string;
  /** The releases that changed, active or not; those that changed last come first. */
  releases: string[];
}

/**
 * The changes behind those that a service was notified of; null: there are none. A service that is new
 * is notified of what changes from now on.
 */
export async function readUnseen(
  connection: Connection,
  service: string,
  { most }: { most: number },
): Promise<Unseen | null> {
  const { until, releases } = await queryOne<{ until: string | null; releases: string[] }>(
    connection,
    sql`
      with newest as (
        select coalesce(max(change_id), 0) as change_id from changes
      ), begun as (
        insert into notified_services (service, change_id)
        select ${service}, change_id from newest
        on conflict do nothing
      ), unseen as (
        select release_item_id, max(change_id) as change_id
        from changes
        where change_id > (select change_id from notified_services where service = ${service})
        group by release_item_id
        order by max(change_id) desc
        limit ${most}
      )
      select max(change_id)::text as until,
        coalesce(array_agg(release_item_id::text order by change_id desc), '{}') as releases
      from unseen
    `,
  );
  return until === null ? null : { until, releases };
}

/** Notes up to which change a service has been notified. */
export async function noteSeen(
  connection: Connection,
  service: string,
  until: string,
): Promise<void> {
  await connection.query(sql`
    update notified_services set change_id = greatest(change_id, ${until}::bigint)
    where service = ${service}
  `);
}
