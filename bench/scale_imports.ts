import type { Connection } from "../lib/database/database.ts";
import { sql } from "../lib/database/sql.ts";
import { ITEM } from "../lib/roadmap/items_sql.ts";

/** The part of the active items that each import changes. */
const SHARE = 0.01;

type Item = Record<string, unknown> & { release_item_id: string; feature_name: string };

/** An import that renames some items: the names that they have before and after it. */
export interface PlannedImport {
  readonly items: readonly Item[];
  readonly before: ReadonlyMap<string, string>;
}

/** Every item as it is stored, and the last change. */
export interface StoredState {
  readonly items: ReadonlyMap<string, string>;
  readonly lastChange: string;
}

/** Plans imports of a hundredth of the active items each; half of them are those of the one before. */
export async function planImports(connection: Connection, count: number): Promise<PlannedImport[]> {
  const items = await connection.query<Item>(sql`
    select ${ITEM} from items where active order by release_item_id
  `);
  const size = Math.max(2, Math.floor(items.length * SHARE));
  const names = new Map(items.map((item) => [item.release_item_id, item.feature_name]));
  return Array.from({ length: count }, (_, number) => {
    const from = number * Math.ceil(size / 2);
    const chosen = items.slice(from, from + size);
    const before = new Map(chosen.map(({ release_item_id: id }) => [id, names.get(id)!]));
    const renamed = chosen.map((item) => ({
      ...item,
      feature_name: `${item.feature_name}, import ${number + 1}`,
    }));
    for (const { release_item_id, feature_name } of renamed) {
      names.set(release_item_id, feature_name);
    }
    return { items: renamed, before };
  });
}

/** Reads the state before or after the imports. */
export async function readState(connection: Connection): Promise<StoredState> {
  const items = await connection.query<{ id: string; hash: string }>(sql`
    select release_item_id::text as id, md5(items::text) as hash from items
  `);
  const [{ last } = { last: "0" }] = await connection.query<{ last: string }>(sql`
    select max(change_id)::text as last from changes
  `);
  return { items: new Map(items.map(({ id, hash }) => [id, hash])), lastChange: last };
}

/** Compares what is stored with what the imports had to change; returns what is wrong. */
export async function checkImports(
  connection: Connection,
  imports: readonly PlannedImport[],
  before: StoredState,
): Promise<string[]> {
  const stored = await connection.query<{ change: string }>(sql`
    select concat_ws(chr(31), dense_rank() over (order by run_id), release_item_id, kind, field,
      old_value, new_value) as change
    from changes
    where change_id > ${before.lastChange}::bigint
  `);
  const wanted = imports.flatMap(({ items, before }, number) =>
    items.map(({ release_item_id: id, feature_name }) =>
      [number + 1, id, "changed", "feature_name", before.get(id), feature_name].join("\u001f")
    )
  );
  const names = await connection.query<{ id: string; name: string }>(sql`
    select release_item_id::text as id, feature_name as name from items
  `);
  const last = new Map(
    imports.flatMap(({ items }) =>
      items.map(({ release_item_id, feature_name }) => [release_item_id, feature_name] as const)
    ),
  );
  const wrongNames = names.filter(({ id, name }) => last.has(id) && last.get(id) !== name);
  const after = await readState(connection);
  const touched = [...new Set([...before.items.keys(), ...after.items.keys()])]
    .filter((id) => !last.has(id) && before.items.get(id) !== after.items.get(id));
  return [
    ...compare("changes", stored.map(({ change }) => change), wanted),
    ...wrongNames.length > 0 ? [`${wrongNames.length} items have another name than the last`] : [],
    ...touched.length > 0 ? [`${touched.length} items changed that no import had`] : [],
  ];
}

/** Says how many of these are missing, unexpected or there twice. */
export function compare(
  what: string,
  found: readonly string[],
  wanted: readonly string[],
): string[] {
  const [isFound, isWanted] = [new Set(found), new Set(wanted)];
  const counts = {
    missing: [...isWanted].filter((one) => !isFound.has(one)).length,
    unexpected: [...isFound].filter((one) => !isWanted.has(one)).length,
    doubled: found.length - isFound.size,
  };
  return Object.entries(counts).filter(([, count]) => count > 0)
    .map(([how, count]) => `${count} of ${wanted.length} ${what} ${how}`);
}
