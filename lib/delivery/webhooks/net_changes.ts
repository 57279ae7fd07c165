import { FIELD_KINDS } from "../../roadmap/changes/change_in_words.ts";
import type { TracedChange } from "../../roadmap/changes/change_entries_sql.ts";
import type { ChangeKind } from "../../roadmap/changes/kinds.ts";
import type { Field } from "../../roadmap/item.ts";
import type { Variant } from "../../roadmap/variant.ts";

/** A change of a field. */
type FieldChange = Extract<TracedChange, { kind: "changed" }>;

/** What became of a release, and what that means. */
interface NetChanges {
  kinds: ChangeKind[];
  changes: TracedChange[];
}

/**
 * Joins what several imports changed of a release: of each field it has one change, from the first
 * old value to the last new one, and none where these are the same.
 */
export function joinChanges(
  variant: Variant,
  entries: readonly { changes: readonly TracedChange[] }[],
): NetChanges {
  const all = entries.flatMap(({ changes }) => changes);
  const kinds = all.flatMap(({ kinds }) => kinds[variant.datePrecision]);
  if (entries.length === 1) return { kinds, changes: all };
  const events = all.filter(({ kind }) => kind !== "changed");
  const added = events.find(({ kind }) => kind === "added");
  const last = events.at(-1);
  const event = last?.kind === "removed" ? last : added ?? last;
  // What became of a new release meanwhile is what it is now.
  const fields = event?.kind === "added" ? [] : joinFields(all);
  const changeOf = (field: Field) => fields.find((change) => change.field === field);
  const ofStatus = kinds.filter((kind) => FIELD_KINDS.release_status!.includes(kind));
  const hasDateKind = kinds.some((kind) => FIELD_KINDS.release_date!.includes(kind));
  const found: (ChangeKind | undefined)[] = [
    event?.kind === "changed" ? undefined : event?.kind,
    changeOf("release_status") && kindOfStatus(ofStatus),
    hasDateKind ? kindOfDate(variant, changeOf("release_date")) : undefined,
    fields.some(({ field }) => !(field in FIELD_KINDS)) ? "edited" : undefined,
  ];
  return {
    changes: event ? [event, ...fields] : fields,
    kinds: found.filter((kind) => kind !== undefined),
  };
}

function joinFields(changes: readonly TracedChange[]): FieldChange[] {
  const byField = Map.groupBy(
    changes.filter((change): change is FieldChange => change.kind === "changed"),
    ({ field }) => field,
  );
  return [...byField.values()]
    .map((some) => ({ ...some.at(-1)!, old_value: some[0]!.old_value }))
    .filter(({ old_value, new_value }) => old_value !== new_value);
}

/** A step back from one that was made meanwhile takes nothing back that anybody was told of. */
function kindOfStatus(kinds: readonly ChangeKind[]): ChangeKind | undefined {
  const last = kinds.at(-1);
  return last === "taken_back" && kinds[0] !== last ? "edited" : last;
}

function kindOfDate(
  { formatDate }: Variant,
  change: FieldChange | undefined,
): ChangeKind | undefined {
  if (change === undefined) return undefined;
  const { old_value: from, new_value: to } = change;
  if (from === null) return "dated";
  if (to === null) return "undated";
  if (formatDate(from) === formatDate(to)) return "edited";
  return to > from ? "slipped" : "earlier";
}
