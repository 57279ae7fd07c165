import type { SearchQuery } from "./search_query.ts";
import { searchLink } from "./search_link.ts";

type Order = Pick<SearchQuery, "sort" | "order">;

const BY_DATE: Order = { sort: "release_date", order: "" };
const EARLIEST: Order = { sort: "release_date", order: "asc" };

interface SortMenuProps {
  path: string;
  query: SearchQuery;
  onPick(part: Partial<SearchQuery>): void;
}

/** The orders of a list, each a link. */
export function SortMenu({ path, query, onPick }: SortMenuProps) {
  const offered = ordersOf(query);
  const [, current] =
    offered.find(([{ sort, order }]) => sort === query.sort && order === query.order) ??
      [null, "Least recently modified"];
  return (
    <details class="sort-menu">
      <summary>
        <span class="visually-hidden">Sort by:</span> {current}
      </summary>
      <ul>
        {offered.map(([order, words]) => {
          const part = { ...order, page: 1 };
          return (
            <li>
              <a
                {...searchLink(path, { ...query, ...part }, (event) => {
                  const details = (event.target as Element).closest("details")!;
                  details.open = false;
                  details.querySelector("summary")!.focus();
                  onPick(part);
                })}
                aria-current={words === current ? "true" : undefined}
              >
                {words}
              </a>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** With words the default order is the best match first, without them what comes soonest. */
function ordersOf({ q }: SearchQuery): readonly (readonly [Order, string])[] {
  return [
    [{ sort: "", order: "" }, q.trim() ? "Best match" : "Soonest first"],
    [{ sort: "last_modified", order: "" }, "Recently modified"],
    [EARLIEST, "Earliest date first"],
    [BY_DATE, "Latest date first"],
  ];
}
