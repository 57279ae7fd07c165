import { say } from "../../text/messages.ts";
import { joinParts } from "../../text/phrases.ts";
import { formatMonth, monthAt, placeOfMonth } from "../../text/dates.ts";
import { type ChangeKind, nameKind } from "../changes/kinds.ts";
import { anyOf, askedIn, type Concept, foldAsked, withoutMarks } from "./asked_words.ts";

/** A question that the changelog answers: its query there, and what it shows. */
export interface AskedChanges {
  query: string;
  words: string;
}

const EVENTS: Readonly<Partial<Record<Concept, ChangeKind | null>>> = {
  changed: null,
  added: "added",
  shipped: "shipped",
  slipped: "slipped",
  cancelled: "cancelled",
  removed: "removed",
  started: "started",
  edited: "edited",
};

/** What finds a question about changes in a language, and what its words stand for. */
const readers = askedIn((words) => {
  const meanings = <Meaning>(meant: Partial<Record<Concept, Meaning>>) =>
    new Map(
      (Object.keys(meant) as Concept[]).flatMap((concept) =>
        words.of(concept).map((way) => [way, meant[concept]!] as const)
      ),
    );
  const events = meanings(EVENTS);
  const months = meanings({ this_month: 0, last_month: -1 });
  const days = meanings({ last_week: 7, yesterday: 1 });
  const any = (...concepts: Concept[]) => anyOf(words.of(...concepts));
  const within = `(?:${any("within")}${words.isSpaced ? " " : ""})`;
  const gap = words.isSpaced ? " " : ` ?${within}? ?`;
  const period = (name: string) =>
    `${words.isSpaced ? `${within}?(?:${any("article")} ?)?` : ""}(?<${name}>${
      anyOf([...months.keys(), ...days.keys(), ...words.of("last_days")])
    })`;
  const event = (name: string) => `(?<${name}>${anyOf(events.keys())})`;
  const what = (name: string) => `(?:(?<${name}>${any("what")})${gap})?`;
  const question = `${what("what")}` +
    `(?:${event("event")}(?:${gap}${period("period")})?|${period("earlier")}${gap}${what("which")}${
      event("later")
    })`;
  const end = words.isSpaced ? " ?" : `${within}?`;
  return {
    events,
    months,
    days,
    question: new RegExp(`^¿?${question}${end}(?<mark>[?？؟])?$`, "iu"),
  };
});

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
  const folded = foldAsked(withoutMarks(q).trim().replace(/\s+/g, " ")).toLowerCase();
  for (const { question, events, months, days } of readers()) {
    const found = question.exec(folded)?.groups;
    const period = found?.period ?? found?.earlier;
    if (!found || !found.what && !period && !found.mark) continue;
    const kind = events.get((found.event ?? found.later)!)!;
    if (period === undefined) return toChanges(kind);
    const step = months.get(period);
    if (step !== undefined) return toChanges(kind, { month: monthAt(placeOfMonth(today) + step) });
    const count = days.get(period) ?? Number(/\d+/.exec(period));
    return toChanges(kind, { days: Math.min(90, Math.max(1, count)) });
  }
  return null;
}

function toChanges(
  kind: ChangeKind | null,
  { month, days }: { month?: string; days?: number } = {},
): AskedChanges {
  const query = new URLSearchParams(kind ? { kind } : {});
  const said = [kind === null ? say("preference_all.kinds") : nameKind(kind)];
  if (month !== undefined) {
    query.set("month", month);
    said.push(formatMonth(month));
  }
  if (days !== undefined) {
    query.set("days", String(days));
    said.push(say("search.last_days", { days }));
  }
  return { query: query.size > 0 ? `?${query}` : "", words: joinParts(said) };
}
