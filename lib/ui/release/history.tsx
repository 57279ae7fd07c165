import type { History } from "../../roadmap/changes/changes_sql.ts";
import type { Item } from "../../roadmap/item.ts";
import type { Site } from "../../roadmap/sites.ts";
import { ChangeList } from "../change_list.tsx";

/** The most history on a page, in imports that changed something. */
export const HISTORY_LENGTH = 100;
/** The most imports whose rewritten description is compared word by word, the newest ones. */
const MAX_DIFFS = 20;

/** What became of a release, the newest first. */
export function HistorySection({ item, history: { changes, total }, site: { variant, path } }: {
  item: Item;
  history: History;
  site: Site;
}) {
  const runs = [...Map.groupBy(changes, ({ run_id }) => run_id).values()];
  const ids = nameByDay(runs.map(([change]) => change!.day));
  return (
    <section class="history" aria-labelledby="history-heading">
      <h2 id="history-heading">History</h2>
      <ol>
        {runs.map((changes, place) => (
          <ChangeList
            key={changes[0]!.run_id}
            variant={variant}
            changes={changes}
            day={changes[0]!.day}
            id={ids[place]!}
            showsDiff={place < MAX_DIFFS}
          />
        ))}
      </ol>
      {total > HISTORY_LENGTH && (
        <p class="notice">
          Showing the last {HISTORY_LENGTH} of {total} changes.{" "}
          <a href={`${path}/api/releases/history/${item.release_item_id}`}>Full history (JSON)</a>
        </p>
      )}
    </section>
  );
}

/** A name for each entry, the newest first: its day, and a number from the second of a day on. */
function nameByDay(days: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return days.toReversed().map((day) => {
    const count = (counts.get(day) ?? 0) + 1;
    counts.set(day, count);
    return count === 1 ? day : `${day}-${count}`;
  }).toReversed();
}
