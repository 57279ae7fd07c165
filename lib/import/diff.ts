import {
  type Change,
  type Difference,
  FIELDS,
  type IncomingItem,
  type Item,
} from "../roadmap/item.ts";

/**
 * Compares an item of a snapshot with what is stored of it; null where nothing differs.
 *
 * Every change moves `last_modified` forward, never back: to the source's own day where that did
 * move, else to the as-of day.
 */
export function diffItem(
  stored: Item | null,
  incoming: IncomingItem,
  asOf: string,
): Difference | null {
  const { release_item_id } = incoming;
  if (stored === null) {
    const fields = FIELDS.filter((field) => incoming[field] !== null);
    const last_modified = incoming.last_modified ?? asOf;
    return {
      release_item_id,
      outcome: "added",
      last_modified,
      changes: [{ kind: "added", fields }],
    };
  }
  const changes = diffFields(stored, incoming);
  if (!stored.active) changes.unshift({ kind: "restored" });
  const moved = incoming.last_modified !== null && incoming.last_modified > stored.last_modified;
  if (changes.length === 0 && !moved) return null;
  return {
    release_item_id,
    outcome: stored.active ? "changed" : "restored",
    last_modified: moved ? incoming.last_modified! : later(stored.last_modified, asOf),
    changes,
  };
}

/** The later of two days `YYYY-MM-DD`. */
export function later(day: string, other: string): string {
  return day > other ? day : other;
}

function diffFields(stored: Item, incoming: IncomingItem): Change[] {
  return FIELDS.filter((field) => stored[field] !== incoming[field]).map((field) => ({
    kind: "changed",
    field,
    old_value: stored[field],
    new_value: incoming[field],
  }));
}
