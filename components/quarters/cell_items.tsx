import type { CellItem } from "../../lib/roadmap/quarters/quarter_grid.ts";
import type { Marks } from "../../lib/text/mark_words.ts";
import { Marked } from "../search/release_row.tsx";

/** The releases of a cell of a board or a timeline. */
export function CellItems({ path, marks, items }: {
  path: string;
  marks: Marks | undefined;
  items: readonly CellItem[];
}) {
  if (items.length === 0) return null;
  return (
    <ul class="cell-items">
      {items.map((item) => (
        <li
          key={item.release_item_id}
          class={`at-${item.tone}${item.active === false ? " removed" : ""}`}
        >
          <a href={`${path}/release/${item.release_item_id}`}>
            <Marked text={item.feature_name} marks={marks} />
          </a>{" "}
          <span class="status">{item.release_status}</span>
          {item.slipped_from && (
            <span class="slipped">
              <span aria-hidden="true">↷</span> <span class="visually-hidden">slipped</span> from
              {" "}
              {item.slipped_from}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
