import { itemIdOf } from "../roadmap/item_id.ts";
import { asObject } from "../text/values.ts";

/**
 * The ids that items would have if the addresses which are their ids began with the other scheme: a
 * site that moves to https moves its old entries with it, and never goes back.
 */
export function otherSchemeIds(
  rows: readonly unknown[],
  sourceName: string,
): Record<string, string> {
  return Object.fromEntries(rows.flatMap((row) => {
    const id = asObject(row)?.id;
    const [, secure = "", rest = ""] = /^\s*http(s?)(:\/\/.+)$/is.exec(String(id ?? "")) ?? [];
    if (rest === "") return [];
    const other = `http${secure === "" ? "s" : ""}${rest}`;
    return [[String(itemIdOf(id, sourceName)), String(itemIdOf(other, sourceName))]];
  }));
}

interface WithIds {
  ids: string[];
  otherIds: Readonly<Record<string, string>>;
  batches: Uint8Array[];
}

/** What was read, with the ids under which its items are stored: these never change. */
export function keepStoredIds<Read extends WithIds>(
  reading: Read,
  stored: ReadonlySet<string>,
): Read {
  const given = new Set(reading.ids);
  const renamed = new Map(
    Object.entries(reading.otherIds).filter(([id, other]) =>
      !stored.has(id) && stored.has(other) && !given.has(other)
    ),
  );
  if (renamed.size === 0) return reading;
  const nameOf = (id: string) => renamed.get(id) ?? id;
  const batches = reading.batches.map((batch) => {
    const items = JSON.parse(new TextDecoder().decode(batch)) as { release_item_id: string }[];
    const kept = items.map((item) => ({ ...item, release_item_id: nameOf(item.release_item_id) }));
    return new TextEncoder().encode(JSON.stringify(kept));
  });
  return { ...reading, ids: reading.ids.map(nameOf).sort(), batches };
}
