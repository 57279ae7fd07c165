import { readRecentItems } from "../lib/feeds/feed_items_sql.ts";
import { readChangesOfDay } from "../lib/roadmap/changes/api_changelog_sql.ts";
import { readHistory } from "../lib/roadmap/changes/history_sql.ts";
import type { Connection } from "../lib/database/database.ts";
import { readItems, selectIds } from "../lib/roadmap/items_sql.ts";
import { Selection } from "../lib/roadmap/releases.ts";
import { daysBefore, isoDate } from "../lib/text/dates.ts";
import { VARIANT_A } from "../lib/roadmap/variant_a.ts";
import { readPage } from "./servers/page_query.ts";

/** Runs the queries that the service needs for a path, and discards the rows. */
export async function askFor(connection: Connection, path: string): Promise<void> {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const id = searchParams.get("release_item_id");
  const product = searchParams.get("product_name");
  const product_name = product === null ? undefined : [product];
  if (pathname.includes("/history/")) {
    const id = pathname.slice(pathname.lastIndexOf("/") + 1);
    // The service finds the release and its history with one statement.
    await readItems(connection, [id]);
    await readHistory(connection, id, { variant: VARIANT_A, per: "change", end: 1_000 });
  } else if (pathname === "/api/changelog") {
    const modified_since = daysBefore(isoDate(new Date()), Number(searchParams.get("days")));
    const filters = { product_name, modified_since, include_inactive: true };
    const selection = new Selection(
      await selectIds(connection, filters, { sort: "day", order: "desc" }),
    );
    await readChangesOfDay(connection, selection.slice(0, 1_000));
  } else if (pathname === "/rss") {
    const limit = Number(searchParams.get("limit"));
    const filter = { product_name, include_inactive: false };
    await readRecentItems(connection, filter, { limit, view: VARIANT_A });
  } else if (id) {
    await readItems(connection, [id]);
  } else {
    await readPage(connection, searchParams);
  }
}
