import { Name } from "../../../components/name.tsx";
import type { ChangeInWords } from "../../roadmap/changes/change_in_words.ts";
import type { ChangelogEntry } from "../../roadmap/changes/changelog_entries_sql.ts";
import { KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";
import type { Move } from "../../roadmap/changes/stories.ts";
import type { Variant } from "../../roadmap/variant.ts";
import type { Site } from "../../roadmap/sites.ts";
import { cleanName } from "../../text/clean_name.ts";
import { countOf } from "../../text/count_of.ts";
import { formatPlanned, formatQuarter, placeOfQuarter } from "../../text/dates.ts";
import { describeOnPage } from "../change_list.tsx";
import { WordDiff } from "../word_diff.tsx";

/** A change in one line: its kind, the release, and what became of its date. */
export function EntryLine({ entry, move, site }: {
  entry: ChangelogEntry;
  move: Move;
  site: Site;
}) {
  const { item } = entry;
  const others = describeOnPage(site.variant, entry.changes)
    .filter(({ kind }) => !SAID_BY_LINE.has(kind) || kind !== move.kind);
  return (
    <li class={item.active ? "entry" : "entry removed"}>
      <KindBadge kind={move.kind} />
      <div>
        <a href={`${site.path}/release/${item.release_item_id}`}>
          <Name text={cleanName(item.feature_name)} />
        </a>{" "}
        <span class="quiet">
          · <Name text={item.product_name} />
        </span>
        {others.map((change) => <OtherChange key={change.text} change={change} />)}
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

function OtherChange({ change: { text, rewritten } }: { change: ChangeInWords }) {
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
        : <span class="quiet" dir="auto">{text}</span>}
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
