import { CHANGE_KINDS, type ChangeKind, KINDS_IN_WORDS } from "../../roadmap/changes/kinds.ts";

/** Links to the changes of one kind, each with its number. */
export function KindTabs({ counts, chosen, hrefOf }: {
  counts: { total: number; kinds: Partial<Record<ChangeKind, number>> };
  chosen: readonly ChangeKind[];
  /** Absent: changes of all kinds. */
  hrefOf: (kind?: ChangeKind) => string;
}) {
  const shown = CHANGE_KINDS.filter((kind) => counts.kinds[kind] || chosen.includes(kind));
  return (
    <nav aria-label="Kinds of change">
      <ul class="kind-tabs">
        <Tab name="All" count={counts.total} isChosen={chosen.length === 0} href={hrefOf()} />
        {shown.map((kind) => (
          <Tab
            key={kind}
            name={KINDS_IN_WORDS[kind].name}
            count={counts.kinds[kind] ?? 0}
            isChosen={chosen.includes(kind)}
            href={hrefOf(kind)}
          />
        ))}
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
      <a href={href} aria-current={isChosen ? "true" : undefined}>
        {name} <span class="quiet">{count.toLocaleString("en")}</span>
      </a>
    </li>
  );
}
