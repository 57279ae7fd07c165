import { say } from "../../text/messages.ts";
import { joinParts } from "../../text/phrases.ts";
import { formatMonth } from "../../text/dates.ts";
import { type ChangeKind, nameKind } from "../changes/kinds.ts";

/** A question that the changelog answers: its query there, and what it shows. */
export interface AskedChanges {
  query: string;
  words: string;
}

/** What happened, as people write it; null: anything. */
const EVENTS: Readonly<Record<string, ChangeKind | null>> = {
  changed: null,
  new: "added",
  added: "added",
  shipped: "shipped",
  released: "shipped",
  slipped: "slipped",
  delayed: "slipped",
  cancelled: "cancelled",
  canceled: "cancelled",
  removed: "removed",
  started: "started",
  edited: "edited",
};
const WHAT = String.raw`what(?:['’]s| is| was| has| have| got)? `;
const EVENT = `(${Object.keys(EVENTS).join("|")})`;
const PERIOD = String
  .raw` (?:(?:in|during|over|within) )?(?:the )?(?:this|last|past) (?:(\d{1,2}) days|(week|month))`;
const QUESTION = new RegExp(`^(?:${WHAT}${EVENT}(?:${PERIOD})?|${EVENT}${PERIOD})\\??$`, "i");

/**
 * Reads a question about what changed, which the changelog answers; null: it asks something else.
 *
 * ```ts
 * const { query, words } = readChangesInWords("shipped last month", "2026-01-20")!;
 * if (query !== "?kind=shipped&month=2025-12") throw new Error(query);
 * if (words !== "Shipped, Dec 2025") throw new Error(words);
 * if (readChangesInWords("what changed last week?", "2026-01-20")?.query !== "?days=7") throw 0;
 * if (readChangesInWords("new copilot", "2026-01-20") !== null) throw new Error();
 * ```
 */
export function readChangesInWords(q: string, today: string): AskedChanges | null {
  const found = QUESTION.exec(q.trim().replace(/\s+/g, " "));
  if (found === null) return null;
  const [whole, ...groups] = found;
  const [event, days, unit] = groups[0] === undefined ? groups.slice(3) : groups;
  const kind = EVENTS[event!.toLowerCase()]!;
  const query = new URLSearchParams(kind ? { kind } : {});
  const said = [kind === null ? say("changelog.all_changes") : nameKind(kind)];
  if (unit?.toLowerCase() === "month") {
    const month = monthOf(today, / this /i.test(whole) ? 0 : -1);
    query.set("month", month);
    said.push(formatMonth(month));
  } else if (unit !== undefined || days !== undefined) {
    const count = Math.min(90, Math.max(1, Number(days ?? 7)));
    query.set("days", String(count));
    said.push(say("search.last_days", { days: count }));
  }
  return { query: query.size > 0 ? `?${query}` : "", words: joinParts(said) };
}

/** The month of a day, or another one, as `2026-01`. */
function monthOf(day: string, step: number): string {
  const place = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + step;
  return `${Math.floor(place / 12)}-${String(place % 12 + 1).padStart(2, "0")}`;
}
