import type { History } from "../../roadmap/changes/changes_sql.ts";
import { type DateChange, describeSlip, followDates } from "../../roadmap/changes/promise.ts";
import type { Item } from "../../roadmap/item.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { formatPlanned } from "../../text/dates.ts";
import { Day } from "../day.tsx";
import { PromiseLine } from "../promise_line.tsx";

interface DateCardProps {
  item: Item;
  history: History;
  /** The changes of its date, oldest first. */
  dates: readonly DateChange[];
  /** `YYYY-MM-DD` */
  today: string;
  variant: Variant;
}

/** When a release is planned or has shipped, and how that date has moved. */
export function DateCard({ item, history, dates, today, variant }: DateCardProps) {
  const { release_date: date } = item;
  const planned = date === null ? "No date" : formatPlanned(variant.formatDate(date));
  const shipped = item.tone === "shipped" ? findShipping(history, variant) : undefined;
  return (
    <section class="card date-card" aria-label="Planned date">
      <div>
        <p class="quiet">{labelOf(item)}</p>
        <p class="date-value">
          {shipped ? <Day day={shipped} /> : planned}{" "}
          {isOverdue(item, today) && <span class="badge kind-slipped">Overdue</span>}
        </p>
        {shipped && date !== null && <p class="quiet">Planned for {planned}</p>}
        <Moves item={item} history={history} dates={dates} variant={variant} />
      </div>
      <PromiseLine
        said={followDates(dates, history.first_day ?? item.last_modified)}
        today={today}
        variant={variant}
      />
    </section>
  );
}

function Moves({ item, history, dates, variant }: Omit<DateCardProps, "today">) {
  const slip = describeSlip(dates, variant);
  const first = dates.find(({ old_value }) => old_value !== null)?.old_value;
  if (slip !== null) {
    const isLater = first && item.release_date && item.release_date > first;
    return <p class={isLater ? "promise late" : "promise"}>{slip}</p>;
  }
  if (item.release_date === null || history.first_day === null) return null;
  return (
    <p class="quiet">
      Not moved since it was first seen on <Day day={history.first_day} />
    </p>
  );
}

/** What the date of a release is. */
export function labelOf({ active, tone }: Item): string {
  if (tone === "shipped") return "Shipped";
  return active && tone !== "stopped" ? "Expected" : "Was planned for";
}

/** The day on which it was last seen to ship, if it was. */
export function findShipping({ changes }: History, { datePrecision }: Variant): string | undefined {
  return changes.find(({ kinds }) => kinds[datePrecision].includes("shipped"))?.day;
}

/** Whether a release should have shipped by now. */
export function isOverdue({ active, tone, release_date }: Item, today: string): boolean {
  const isOpen = active && (tone === "planned" || tone === "in_progress");
  return isOpen && release_date !== null && release_date < today;
}
