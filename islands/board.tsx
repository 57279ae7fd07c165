import { quarterOf } from "../lib/text/dates.ts";
import { decodeEntities } from "../lib/text/plain_text.ts";
import { statusTone } from "../lib/roadmap/status_tone.ts";
import { Marked } from "./release_card.tsx";
import type { FoundItem, SearchAnswer } from "./search_answer.ts";
import type { SearchQuery } from "./search_query.ts";

const UNDATED = "No date";

interface BoardProps {
  path: string;
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
}

/**
 * Releases by quarter, one column each: current and next quarters, and below them the past ones.
 */
export function Board({ path, quarter, query, answer }: BoardProps) {
  const columns = [...Map.groupBy(answer.items, (item) => columnOf(item))]
    .map(([name, items]) => ({ name, items }));
  const byTime = (a: { name: string }, b: { name: string }) => order(a.name) - order(b.name);
  const isPast = ({ name }: { name: string }) => order(name) < order(quarter);
  const rows = [
    { title: "Now and next", columns: columns.filter((one) => !isPast(one)).sort(byTime) },
    { title: "Before", columns: columns.filter(isPast).sort(byTime).reverse() },
  ];
  return (
    <div class="boards">
      {answer.totalPages > 1 && (
        <p class="notice">
          The board shows {answer.items.length} of {answer.total}{" "}
          releases, the latest dates first. Narrow the search to see all at once.
        </p>
      )}
      {rows.filter(({ columns }) => columns.length > 0).map(({ title, columns }) => (
        <section key={title} aria-label={title}>
          <h3 class="board-title">{title}</h3>
          <div class="board" role="group" tabIndex={0} aria-label={`${title}, by quarter`}>
            {columns.map(({ name, items }) => (
              <section key={name} class={name === quarter ? "column current" : "column"}>
                <h4>
                  {name} {name === quarter && <span class="badge tone-now">now</span>}
                  <span class="quiet">{items.length}</span>
                </h4>
                <ul>
                  {items.map((item) => (
                    <li key={item.release_item_id} class={item.active === false ? "removed" : ""}>
                      <a href={`${path}/release/${item.release_item_id}`}>
                        <Marked
                          text={decodeEntities(item.feature_name)}
                          q={query.q.trim() || undefined}
                        />
                      </a>
                      <p class="facts">
                        <span class={`badge tone-${statusTone(item.release_status)}`}>
                          {item.release_status}
                        </span>
                        <span class="quiet">{item.product_name}</span>
                      </p>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

function columnOf({ release_date }: FoundItem): string {
  return release_date === null ? UNDATED : quarterOf(release_date);
}

/** A number that grows with the quarter; releases without a date come last. */
function order(name: string): number {
  return name === UNDATED ? Infinity : Number(name.slice(3)) * 4 + Number(name[1]);
}
