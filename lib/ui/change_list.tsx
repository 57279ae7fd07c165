import {
  type ChangeInWords,
  describeChanges,
  type KindedChange,
} from "../roadmap/changes/change_in_words.ts";
import { heaviestKind, KINDS_IN_WORDS } from "../roadmap/changes/kinds.ts";
import type { Field } from "../roadmap/item.ts";
import type { Variant } from "../roadmap/variant.ts";
import { formatDay } from "../text/dates.ts";
import { Day } from "./day.tsx";
import { WordDiff } from "./word_diff.tsx";

/** The changes of one import, as a timeline entry; null if the variant hides them. */
export function ChangeList({ variant, changes, day, id, showsDiff }: {
  variant: Variant;
  changes: readonly KindedChange[];
  day: string;
  /** Of the entry, to link to it. */
  id: string;
  /** It shows what was rewritten, word by word. */
  showsDiff: boolean;
}) {
  const described = describeOnPage(variant, changes);
  if (described.length === 0) return null;
  return (
    <li class={`at-${heaviestKind(described.map(({ kind }) => kind))}`} id={id}>
      <Day day={day} />{" "}
      <a class="anchor" href={`#${id}`} aria-label={`Link to ${formatDay(day)}`}>#</a>
      <ChangesInWords changes={described} showsDiffs={showsDiff} />
    </li>
  );
}

/**
 * Changes in words, without the address of a new blog post: it says nothing that its title, which
 * links there, does not say to a person.
 */
export function describeOnPage(
  variant: Variant,
  changes: readonly KindedChange[],
): ChangeInWords[] {
  const hasTitle = changes.some((change) => isOfField(change, "blog_title"));
  return describeChanges(
    variant,
    changes.filter((change) => !hasTitle || !isOfField(change, "blog_url")),
  );
}

function isOfField(change: KindedChange, field: Field): boolean {
  return change.kind === "changed" && change.field === field;
}

/** Changes, each with a badge that names its kind, and with what was rewritten if that is wanted. */
function ChangesInWords(
  { changes, showsDiffs }: { changes: readonly ChangeInWords[]; showsDiffs: boolean },
) {
  return (
    <ul class="changes">
      {changes.map(({ kind, text, rewritten }) => (
        <li key={text}>
          <span class={`badge kind-${kind}`}>{KINDS_IN_WORDS[kind].name}</span>{" "}
          <span dir="auto">{text}</span>
          {showsDiffs && rewritten && <WordDiff {...rewritten} length="long" />}
        </li>
      ))}
    </ul>
  );
}
