import { type ChangeInWords, KIND_NAMES, tellChanges } from "../roadmap/change_in_words.ts";
import type { Change } from "../roadmap/item.ts";
import type { Variant } from "../roadmap/variant.ts";
import { Day } from "./day.tsx";

/** The changes of a release on one day, as a timeline entry; null if the variant hides them. */
export function ChangeList(
  { variant, changes, day }: { variant: Variant; changes: readonly Change[]; day: string },
) {
  const told = tellChanges(variant, changes);
  if (told.length === 0) return null;
  return (
    <li class={`at-${told[0]!.kind}`}>
      <Day day={day} />
      <ChangesInWords changes={told} />
    </li>
  );
}

/** Changes, each with a badge that names its kind. */
export function ChangesInWords({ changes }: { changes: readonly ChangeInWords[] }) {
  return (
    <ul class="changes">
      {changes.map(({ kind, text }) => (
        <li key={text}>
          <span class={`badge kind-${kind}`}>{KIND_NAMES[kind]}</span> <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
