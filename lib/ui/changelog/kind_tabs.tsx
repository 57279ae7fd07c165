import { CHANGE_KINDS, type ChangeKind, KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";

/** What most people look for; the other kinds are in a menu. */
const FIRST: readonly ChangeKind[] = [
  "shipped",
  "slipped",
  "earlier",
  "added",
  "removed",
  "edited",
];

/** Links to the changes of one kind, each with its number. */
export function KindTabs({ counts, chosen, hrefOf }: {
  counts: { total: number; kinds: Partial<Record<ChangeKind, number>> };
  chosen: readonly ChangeKind[];
  /** Absent: changes of all kinds. */
  hrefOf: (kind?: ChangeKind) => string;
}) {
  const shown = [...FIRST, ...CHANGE_KINDS.filter((kind) => !FIRST.includes(kind))]
    .filter((kind) => counts.kinds[kind] || chosen.includes(kind));
  const isFirst = (kind: ChangeKind) => FIRST.includes(kind) || chosen.includes(kind);
  const later = shown.filter((kind) => !isFirst(kind));
  // A menu with one link in it saves nothing.
  const others = later.length > 1 ? later : [];
  const link = (kind: ChangeKind) => (
    <Tab
      key={kind}
      name={KINDS_IN_WORDS[kind].name}
      count={counts.kinds[kind] ?? 0}
      isChosen={chosen.includes(kind)}
      href={hrefOf(kind)}
    />
  );
  return (
    <nav aria-label="Kinds of change" data-filtered>
      <ul class="kind-tabs">
        <Tab name="All" count={counts.total} isChosen={chosen.length === 0} href={hrefOf()} />
        {shown.filter((kind) => !others.includes(kind)).map(link)}
        {others.length > 0 && (
          <li>
            <details class="sort-menu">
              <summary>More</summary>
              <ul>{others.map(link)}</ul>
            </details>
          </li>
        )}
      </ul>
    </nav>
  );
}

function Tab({ name, count, isChosen, href }: {
  name: string;
  count: number;
  isChosen: boolean;
  href: string;
}) {
  return (
    <li>
      <a href={href} rel="nofollow" aria-current={isChosen ? "true" : undefined}>
        {name} <span class="quiet">{count.toLocaleString("en")}</span>
      </a>
    </li>
  );
}
