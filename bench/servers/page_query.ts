import type { Connection } from "../../lib/database/database.ts";
import { ITEM, orderItems, whereFilter } from "../../lib/roadmap/items_sql.ts";
import { sql } from "../../lib/database/sql.ts";
import type { Item } from "../../lib/roadmap/item.ts";

/** Queries one page of a collection and its count, as one would without a cache. */
export async function readPage(
  connection: Connection,
  query: URLSearchParams,
): Promise<{ items: Item[]; count: number }> {
  const page = Number(query.get("page") ?? 1);
  const size = Number(query.get("page_size") ?? 50);
  const sort = query.get("sort") === "release_date" ? "release_date" : "last_modified";
  const filters = {
    product_name: query.has("product_name") ? [query.get("product_name")!] : undefined,
    q: query.get("q") ?? undefined,
    include_inactive: query.get("include_inactive") === "true",
  };
  const [items, counted] = await Promise.all([
    connection.query<Item>(sql`
      select ${ITEM}
      from items
      where ${whereFilter(filters)}
      order by ${orderItems({ sort, order: "desc" })}
      limit ${size} offset ${(page - 1) * size}
    `),
    connection.query<{ count: number }>(sql`
      select count(*)::int as count from items where ${whereFilter(filters)}
    `),
  ]);
  return { items, count: counted[0]!.count };
}
