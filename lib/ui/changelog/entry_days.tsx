import type { ChangelogEntry, Introduction } from "../../roadmap/changes/changelog_entries_sql.ts";
import { CHANGE_KINDS, countKinds, heaviestKind } from "../../roadmap/changes/kinds.ts";
import { type FilterValues, NO_FILTER } from "../../roadmap/filter/filter_values.ts";
import { groupStories, moveOf } from "../../roadmap/changes/stories.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { Variant } from "../../roadmap/variant.ts";
import { EntryLine } from "./entry_line.tsx";
import { IntroductionBlock, StoryBlock } from "./story_block.tsx";

interface EntryDaysProps {
  entries: readonly ChangelogEntry[];
  introductions: readonly Introduction[];
  /** What the entries pass; absent: there is no filter. */
  filter?: FilterValues;
  site: Site;
}

/** Changes by day, the newest first; inside a day what matters most comes first. */
export function EntryDays({ entries, introductions, filter, site }: EntryDaysProps) {
  const byDay = Map.groupBy(entries, ({ day }) => day);
  const days = new Set([...byDay.keys(), ...introductions.map(({ day }) => day)]);
  return (
    <>
      {[...days].sort().reverse().map((day, place, days) => (
        <section key={day} class="day" aria-labelledby={day}>
          <h2 id={day}>
            <a href={`${site.path}/changelog/${day}`}>
              <time dateTime={day}>
                {formatWeekday(day, { withYear: day.slice(0, 4) !== days[place - 1]?.slice(0, 4) })}
              </time>
            </a>{" "}
            {byDay.has(day) && <span class="quiet">· {headline(byDay.get(day)!)}</span>}
          </h2>
          <ul class="entries">
            <DayEntries
              entries={byDay.get(day) ?? []}
              introductions={introductions.filter((introduction) =>
                introduction.day === day
              )}
              filter={filter}
              site={site}
            />
          </ul>
        </section>
      ))}
    </>
  );
}

/** What happened on a day, such as `2 shipped, 3 slipped`. */
function headline(entries: readonly ChangelogEntry[]): string {
  const byKind = Map.groupBy(entries, ({ kinds }) => heaviestKind(kinds));
  return countKinds(new Map([...byKind].map(([kind, { length }]) => [kind, length]))).join(", ");
}

const WEEKDAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  timeZone: "UTC",
});

/** Such as `Monday, 20 July 2026`. */
export function formatWeekday(day: string, { withYear }: { withYear: boolean }): string {
  const words = WEEKDAY.format(new Date(`${day}T00:00:00Z`)).replace(" ", ", ");
  return withYear ? `${words} ${day.slice(0, 4)}` : words;
}

/** The lines of a day, the heaviest kind first; of each kind stories come before single releases. */
export function linesOf(entries: readonly ChangelogEntry[], variant: Variant) {
  const moved = entries.map((entry) => ({
    entry,
    run_id: entry.run_id,
    product_name: entry.item.product_name,
    move: moveOf(variant, entry),
  }));
  const lines = groupStories(moved);
  return CHANGE_KINDS.flatMap((kind) => [
    ...lines.filter((line) => "entries" in line && line.kind === kind),
    ...lines.filter((line) => "entry" in line && line.move.kind === kind),
  ]);
}

function DayEntries({ entries, introductions, filter = NO_FILTER, site }: EntryDaysProps) {
  return (
    <>
      {linesOf(entries, site.variant).map((line) =>
        "entries" in line
          ? <StoryBlock key={line.entries[0]!.entry.entry_id} story={line} path={site.path} />
          : <EntryLine key={line.entry.entry_id} entry={line.entry} move={line.move} site={site} />
      )}
      {introductions.map((introduction) => (
        <IntroductionBlock
          key={introduction.run_id}
          introduction={introduction}
          filter={filter}
          path={site.path}
        />
      ))}
    </>
  );
}
