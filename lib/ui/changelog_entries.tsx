import { hidden, Name, strong } from "../../components/name.tsx";
import type { ChangeInWords } from "../roadmap/changes/change_in_words.ts";
import {
  type ChangelogDay,
  type ReleaseLine,
  type SentenceLine,
  toDays,
} from "../roadmap/changes/page_days.ts";
import type { Entry } from "../roadmap/changes/entries_sql.ts";
import type { Introduction } from "../roadmap/changes/page_changelog_sql.ts";
import { type ChangeKind, nameKind } from "../roadmap/changes/kinds.ts";
import { filterPairs, type FilterValues, NO_FILTER } from "../roadmap/filter/filter_values.ts";
import { formatPairs } from "../roadmap/collection.ts";
import type { Site } from "../roadmap/sites.ts";
import { formatWeekday } from "../text/dates.ts";
import { toLine } from "../text/phrases.ts";
import { ChangeText, MAX_DIFFS, WordDiff } from "./change_list.tsx";
import { ReleaseLink, ReleaseLinks } from "./release_parts.tsx";
import { rich, say } from "../text/messages.ts";

interface EntryDaysProps {
  entries: readonly Entry[];
  introductions: readonly Introduction[];
  /** Of a single day with more entries than these: all of them, by the heaviest kind of each. */
  counts?: Partial<Record<ChangeKind, number>>;
  /** What the entries pass; absent: there is no filter. */
  filter?: FilterValues;
  site: Site;
}

/** Changes by day, as one column of sentences. */
export function EntryDays({ filter = NO_FILTER, site, ...page }: EntryDaysProps) {
  const days = toDays(page, site.variant);
  const rewritten = days.flatMap(({ lines }) =>
    lines.filter((line) => "item" in line && line.isRewritten)
  );
  const compared = new Set(rewritten.slice(0, MAX_DIFFS).map(({ key }) => key));
  // Where nothing has happened yet, there is nothing else to see.
  const isOpen = page.entries.length === 0;
  return (
    <>
      {days.map(({ day, summary, lines }, place) => (
        <section key={day} class="day" aria-labelledby={day}>
          <h2 id={day}>
            <a href={`${site.path}/changelog/${day}`}>
              <time dateTime={day}>
                {formatWeekday(day, { withYear: isOtherYear(day, days[place - 1]) })}
              </time>
            </a>{" "}
            <span class="quiet">{summary}</span>
          </h2>
          <ul class="entries">
            {lines.map((line) =>
              "item" in line
                ? (
                  <EntryLine
                    key={line.key}
                    line={line}
                    site={site}
                    isCompared={compared.has(line.key)}
                  />
                )
                : <Sentence key={line.key} {...{ line, day, filter, isOpen }} path={site.path} />
            )}
          </ul>
        </section>
      ))}
    </>
  );
}

function isOtherYear(day: string, before?: ChangelogDay): boolean {
  return day.slice(0, 4) !== before?.day.slice(0, 4);
}

/** More names, and more facts, are behind a click. */
const SHOWN_AT_ONCE = { names: 4, facts: 2 };

/** Several releases: a sentence, and which they are. */
function Sentence({ line: { kind, sentence, releases, source }, day, filter, isOpen, path }: {
  line: SentenceLine;
  day: string;
  filter: FilterValues;
  isOpen: boolean;
  path: string;
}) {
  const shown = source ? (isOpen ? releases.length : 0) : SHOWN_AT_ONCE.names;
  const [first, rest] = [releases.slice(0, shown), releases.slice(shown)];
  const whole = source && { ...filter, source: [source.name], include_inactive: "" };
  return (
    <li class="entry story">
      <KindBadge kind={kind} />
      <div>
        <strong dir="auto">{sentence}</strong>
        <div class="quiet">
          {first.length > 0 && <ReleaseLinks releases={first} path={path} />}
          {rest.length > 0 && (
            <details>
              <summary>
                {first.length > 0
                  ? say("list.more", { count: rest.length })
                  : say("changelog.show")}
              </summary>
              <ReleaseLinks releases={rest} path={path} />
            </details>
          )}
          {whole && source.more > 0 && (
            <>
              {" "}
              <a
                rel="nofollow"
                href={`${path}/${formatPairs([...filterPairs(whole), ["as_of", day]])}`}
              >
                {say("list.and_more", { count: source.more })}
              </a>
            </>
          )}
        </div>
      </div>
    </li>
  );
}

/** One release: what happened, its name, what became of its date, and below it what else changed. */
function EntryLine({ line: { kind, item, facts, ...dates }, site, isCompared }: {
  line: ReleaseLine;
  site: Site;
  isCompared: boolean;
}) {
  const page = `${site.path}/release/${item.release_item_id}`;
  const [first, rest] = [
    facts.slice(0, SHOWN_AT_ONCE.facts),
    facts.slice(SHOWN_AT_ONCE.facts),
  ];
  const factOf = (fact: ChangeInWords) => (
    <Fact key={fact.text} fact={fact} page={isCompared ? null : page} />
  );
  return (
    <li class={item.active ? "entry" : "entry removed"}>
      <KindBadge kind={kind} />
      <div>
        <ReleaseLink class="name" release={item} path={site.path} />{" "}
        <span class="quiet">
          <Name text={item.product_name} />
        </span>
        {facts.length > 0 && (
          <div class="facts quiet">
            {first.flatMap((fact) => [factOf(fact), " "])}
            {rest.length > 0 && (
              <details>
                <summary>{say("changelog.plus_more", { count: rest.length })}</summary>
                {rest.flatMap((fact) => [factOf(fact), " "])}
              </details>
            )}
          </div>
        )}
      </div>
      <p class="entry-date">
        <Outcome {...dates} />
      </p>
    </li>
  );
}

/** The name of a kind as a badge, which is narrow. */
function KindBadge({ kind }: { kind: ChangeKind }) {
  const name = kind === "taken_back" ? say("changelog.back") : nameKind(kind);
  return <span class={`badge kind-${kind}`}>{name}</span>;
}

function Fact({ fact: { text, short, link, rewritten }, page }: {
  fact: ChangeInWords;
  /** That of the release, which shows what was rewritten; null: it is shown here. */
  page: string | null;
}) {
  if (!rewritten) return <ChangeText text={short ?? text} link={link} />;
  if (page !== null) return <a href={page}>{text}</a>;
  return (
    <details>
      <summary>{text}</summary>
      <WordDiff {...rewritten} length="short" />
    </details>
  );
}

/** The date that a release had, struck out, and the one that it has; or the one that it has. */
function Outcome(
  { name, from, to, planned, late }: Pick<
    ReleaseLine,
    "name" | "from" | "to" | "planned" | "late"
  >,
) {
  if (planned === null) {
    return from ?? to
      ? (
        <>
          {name !== null && <Name text={toLine(name)} />} <MovedDate from={from} to={to} />
        </>
      )
      : null;
  }
  if (late === null) return <>{planned}</>;
  if (late > 0) {
    return (
      <>
        {rich("changelog.late", {
          date: planned,
          quarters: late,
          b: (words) => <strong class="late">{words}</strong>,
        })}
      </>
    );
  }
  return (
    <>
      {rich(late === 0 ? "changelog.as_planned" : "changelog.early", { date: planned, b: strong })}
    </>
  );
}

/** A planned date that has become another one; null: no date. */
export function MovedDate({ from, to }: { from: string | null; to: string | null }) {
  return (
    <>
      {from !== null && (
        <del>
          {rich("changelog.from", { hidden, date: from })}
        </del>
      )} {to === null ? say("changelog.no_date") : <ins>{say("changelog.to", { date: to })}</ins>}
    </>
  );
}
