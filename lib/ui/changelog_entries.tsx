import { Name } from "../../components/name.tsx";
import { type ChangeInWords, describeChanges } from "../roadmap/changes/change_in_words.ts";
import type { ChangelogEntry, Introduction } from "../roadmap/changes/changelog_entries_sql.ts";
import {
  CHANGE_KINDS,
  countKinds,
  heaviestKind,
  KINDS_IN_WORDS,
} from "../roadmap/changes/kinds.ts";
import {
  groupStories,
  type Move,
  moveOf,
  type Story,
  storyInWords,
} from "../roadmap/changes/stories.ts";
import { filterPairs, type FilterValues, NO_FILTER } from "../roadmap/filter/filter_values.ts";
import { formatPairs } from "../roadmap/collection.ts";
import type { Site } from "../roadmap/sites.ts";
import type { Variant } from "../roadmap/variant.ts";
import { cleanName } from "../text/plain_text.ts";
import { countOf, toLine } from "../text/phrases.ts";
import { formatPlanned, formatQuarter, placeOfQuarter } from "../text/dates.ts";
import { ChangeText, MAX_DIFFS, WordDiff } from "./change_list.tsx";

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
  const compared = new Set(entries.filter(isRewritten).slice(0, MAX_DIFFS));
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
              compared={compared}
            />
          </ul>
        </section>
      ))}
    </>
  );
}

function isRewritten({ changes }: ChangelogEntry): boolean {
  return changes.some((change) =>
    change.kind === "changed" && change.field === "feature_description"
  );
}

/** What happened on a day, such as `2 shipped, 3 slipped`. */
function headline(entries: readonly ChangelogEntry[]): string {
  const byKind = Map.groupBy(entries, ({ kinds }) => heaviestKind(kinds));
  return countKinds(Object.fromEntries([...byKind].map(([kind, { length }]) => [kind, length])))
    .join(", ");
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

function DayEntries(
  { entries, introductions, filter = NO_FILTER, site, compared }: EntryDaysProps & {
    /** Of these it is shown which words were rewritten. */
    compared: ReadonlySet<ChangelogEntry>;
  },
) {
  return (
    <>
      {linesOf(entries, site.variant).map((line) =>
        "entries" in line
          ? <StoryBlock key={line.entries[0]!.entry.entry_id} story={line} path={site.path} />
          : (
            <EntryLine
              key={line.entry.entry_id}
              entry={line.entry}
              move={line.move}
              site={site}
              isCompared={compared.has(line.entry)}
            />
          )
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

/** Releases to which the same happened: a headline, and the releases below it. */
function StoryBlock(
  { story, path }: { story: Story<{ entry: ChangelogEntry }>; path: string },
) {
  const product_name = toLine(story.product_name);
  const items = story.entries.map(({ entry }) => entry.item);
  const more = items.slice(SHOWN_AT_ONCE);
  return (
    <li class={`entry story kind-${story.kind}`}>
      <h3 dir="auto">{storyInWords({ ...story, product_name })}</h3>
      <ReleaseNames items={more.length > 1 ? items.slice(0, SHOWN_AT_ONCE) : items} path={path} />
      {more.length > 1 && (
        <details>
          <summary>{more.length} more</summary>
          <ReleaseNames items={more} path={path} />
        </details>
      )}
    </li>
  );
}

/** The most names that are shown without a click. */
const SHOWN_AT_ONCE = 7;

/** A source that is followed from this day on, with the releases that it brought. */
function IntroductionBlock(
  { introduction: { source, day, count, items }, filter, path }: {
    introduction: Introduction;
    /** That of the page. */
    filter: FilterValues;
    path: string;
  },
) {
  const more = count - items.length;
  const whole = { ...filter, source: [source], include_inactive: "" };
  return (
    <li class="entry story kind-added">
      <h3 dir="auto">
        {introductionInWords({ source, count })}
      </h3>
      <details>
        <summary>Show</summary>
        <ReleaseNames items={items} path={path} />
        {more > 0 && (
          <p>
            <a
              rel="nofollow"
              href={`${path}/${formatPairs([...filterPairs(whole), ["as_of", day]])}`}
            >
              and {more.toLocaleString("en")} more
            </a>
          </p>
        )}
      </details>
    </li>
  );
}

/** How many releases the first import of a source brought, in words. */
export function introductionInWords({ source, count }: Pick<Introduction, "source" | "count">) {
  return source === "default"
    ? `We started with ${countOf(count, "release")}`
    : `Now also following ${source}: ${countOf(count, "release")}`;
}

function ReleaseNames({ items, path }: {
  items: readonly { release_item_id: string; feature_name: string }[];
  path: string;
}) {
  return (
    <ul>
      {items.map(({ release_item_id, feature_name }) => (
        <li key={release_item_id}>
          <a href={`${path}/release/${release_item_id}`}>
            <Name text={cleanName(feature_name)} />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A change in one line: its kind, the release, and what became of its date. */
function EntryLine({ entry, move, site, isCompared }: {
  entry: ChangelogEntry;
  move: Move;
  site: Site;
  isCompared: boolean;
}) {
  const { item } = entry;
  const page = `${site.path}/release/${item.release_item_id}`;
  const others = describeChanges(site.variant, entry.changes)
    .filter(({ kind }) => !SAID_BY_LINE.has(kind) || kind !== move.kind);
  return (
    <li class={item.active ? "entry" : "entry removed"}>
      <KindBadge kind={move.kind} />
      <div>
        <a href={page}>
          <Name text={cleanName(item.feature_name)} />
        </a>{" "}
        <span class="quiet">
          · <Name text={item.product_name} />
        </span>
        {others.map((change) => (
          <OtherChange key={change.text} change={change} page={isCompared ? null : page} />
        ))}
      </div>
      <p class="entry-date">
        <Outcome move={move} entry={entry} variant={site.variant} />
      </p>
    </li>
  );
}

/** Kinds that a badge and a date show without more words. */
export const SAID_BY_LINE: ReadonlySet<string> = new Set([
  "shipped",
  "cancelled",
  "removed",
  "slipped",
  "earlier",
  "added",
  "restored",
  "dated",
  "undated",
]);

/** The name of a kind as a badge. */
function KindBadge({ kind }: Pick<Move, "kind">) {
  return <span class={`badge kind-${kind}`}>{KINDS_IN_WORDS[kind].name}</span>;
}

function OtherChange({ change: { text, link, rewritten }, page }: {
  change: ChangeInWords;
  /** That of the release, which shows what was rewritten; null: it is shown here. */
  page: string | null;
}) {
  if (rewritten && page !== null) {
    return (
      <>
        {" "}
        <span class="quiet" aria-hidden="true">·</span> <a href={page}>{text}</a>
      </>
    );
  }
  return (
    <>
      {" "}
      <span class="quiet" aria-hidden="true">·</span> {rewritten
        ? (
          <details>
            <summary>{text}</summary>
            <WordDiff {...rewritten} length="short" />
          </details>
        )
        : <ChangeText text={text} link={link} />}
    </>
  );
}

/** The date that a release had, struck out, and the one that it has; or the one that it has. */
function Outcome({ move: { kind, from, to }, entry, variant }: {
  move: Move;
  entry: ChangelogEntry;
  variant: Variant;
}) {
  const isMoved = kind === "slipped" || kind === "earlier" || kind === "undated";
  if (isMoved) return <MovedDate from={from} to={to} />;
  if (kind === "dated") return <>{to}</>;
  const { release_date: date } = entry.item;
  if (date === null) return null;
  const planned = formatPlanned(variant.formatDate(date));
  const late = kind === "shipped" ? quartersLate(entry) : null;
  if (late === null) return <>{planned}</>;
  if (late > 0) {
    return (
      <>
        {planned}, <strong class="late">{countOf(late, "quarter")} late</strong>
      </>
    );
  }
  return (
    <>
      <strong>{late === 0 ? "as planned" : "early"}</strong>, {planned}
    </>
  );
}

/** How many quarters after its date a release shipped; null: it has not shipped, or had no date. */
export function quartersLate({ item: { release_date: date, tone }, day }: ChangelogEntry) {
  if (date === null || tone !== "shipped") return null;
  return placeOfQuarter(formatQuarter(day)) - placeOfQuarter(formatQuarter(date));
}

/** A planned date that has become another one; null: no date. */
export function MovedDate({ from, to }: Pick<Move, "from" | "to">) {
  return (
    <>
      {from !== null && (
        <del>
          <span class="visually-hidden">from</span> {from}
        </del>
      )} {to === null ? "no date" : <ins>→ {to}</ins>}
    </>
  );
}
