import { formatPlanned } from "../../text/dates.ts";
import type { Change } from "../item.ts";
import type { Variant } from "../variant.ts";
import { type ChangeInWords, FIELD_KINDS, kindOfField, splitLists } from "./change_in_words.ts";
import { type ChangeKind, heaviestKind } from "./kinds.ts";
import { say } from "../../text/messages.ts";

/** This many releases with the same change share one line. */
const MIN_RELEASES = 3;

/** The heaviest of what happened to a release, and from what to what; null: no value matters. */
export interface Move {
  kind: ChangeKind;
  from: string | null;
  to: string | null;
  /** The named date that it is about; null: none. */
  name: string | null;
}

/** Releases of one product to which one import did the same. */
export interface Story<Entry> extends Move {
  product_name: string;
  entries: Entry[];
}

interface StoryEntry {
  product_name: string;
  move: Move;
  /** Entries of one import are shown together. */
  run_id?: number;
}

/** What matters most of what happened to a release, in the words of a variant. */
export function moveOf(
  { formatDate }: Pick<Variant, "formatDate">,
  { kinds, changes }: { kinds: readonly ChangeKind[]; changes: readonly Change[] },
): Move {
  const kind = heaviestKind(kinds);
  const values = (field: string) =>
    changes.find((change) => change.kind === "changed" && change.field === field) as
      | Extract<Change, { kind: "changed" }>
      | undefined;
  if (FIELD_KINDS.release_date!.includes(kind)) {
    const show = (day: string | null) => day ? formatPlanned(formatDate(day)) : null;
    const [date, dates] = [values("release_date"), values("dates")];
    const named = dates &&
      splitLists(dates).find((part) => kindOfField({ ...part, field: "dates" }, [kind]) === kind);
    const { group = null, old_value = null, new_value = null } = date
      ? { ...date, group: null }
      : named ?? {};
    return { kind, from: show(old_value), to: show(new_value), name: group };
  }
  const status = FIELD_KINDS.release_status!.includes(kind) ? values("release_status") : undefined;
  return { kind, from: status?.old_value ?? null, to: status?.new_value ?? null, name: null };
}

/** Kinds whose name and dates say less than all of a change. */
const SAID_IN_PART: readonly ChangeKind[] = ["taken_back", "started", "edited"];

/** Whether the name of a kind, and a move, say already what is said of a release. */
export function isSaidBy(
  { kind, name }: Pick<Move, "kind" | "name">,
  fact: Pick<ChangeInWords, "kind" | "name">,
): boolean {
  return !SAID_IN_PART.includes(kind) && fact.kind === kind && (fact.name ?? null) === name;
}

/**
 * Joins entries that say the same of at least three releases of one product in one import, at the
 * place of the first of them. Edits, and moves of named dates, are never the same.
 */
export function groupStories<Entry extends StoryEntry>(
  entries: readonly Entry[],
): (Entry | Story<Entry>)[] {
  const keyOf = ({ product_name, run_id, move: { kind, from, to } }: Entry) =>
    JSON.stringify([product_name, run_id, kind, from, to]);
  const groups = Map.groupBy(entries, keyOf);
  return entries.flatMap((entry): (Entry | Story<Entry>)[] => {
    const { kind, name } = entry.move;
    const group = groups.get(keyOf(entry))!;
    if (group.length < MIN_RELEASES || kind === "edited" || name !== null) return [entry];
    if (group[0] !== entry) return [];
    return [{ ...entry.move, product_name: entry.product_name, entries: group }];
  });
}

/** A story in one sentence, such as `3 releases of Maps slipped from Q3 2026 to Q1 2027`. */
export function storyInWords(
  { kind, from, to, product_name, entries }: Story<unknown>,
): string {
  const values = { count: entries.length, product: product_name, from: from ?? "", to: to ?? "" };
  return say(`story.${kind}`, values);
}
