import { PRODUCTS, VOCABULARY } from "./generate_items.ts";
import { seedRandom } from "./seed_random.ts";

/** One item of a snapshot, with the field names of the interface. */
export interface SnapshotRow {
  release_item_id: string;
  feature_name: string;
  release_date: string;
  release_type: string;
  release_status: string;
  product_name: string;
  feature_description: string;
  last_modified: string;
}

const DESCRIPTION = 1_000;

/** This many items of some 1.2 KB, the same in each run. */
export function* makeRows(count: number): Generator<SnapshotRow> {
  const random = seedRandom(1);
  const word = () => VOCABULARY[Math.floor(random() ** 2 * VOCABULARY.length)]!;
  for (let number = 1; number <= count; number++) {
    let text = word();
    while (text.length < DESCRIPTION) text += ` ${word()}`;
    yield {
      release_item_id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
      feature_name: `${word()} ${word()} ${word()} ${number}`,
      release_date: `2027-${String(1 + number % 12).padStart(2, "0")}-15`,
      release_type: number % 3 ? "General availability" : "Preview",
      release_status: number % 2 ? "Planned" : "Rolling out",
      product_name: PRODUCTS[number % PRODUCTS.length]!,
      feature_description: text,
      last_modified: `2026-0${1 + number % 9}-1${number % 10}`,
    };
  }
}

/** Writes items as NDJSON. */
export async function writeSnapshot(path: string, rows: Iterable<unknown>): Promise<void> {
  const lines = Iterator.from(rows).map((row) => `${JSON.stringify(row)}\n`);
  await Deno.writeTextFile(path, ReadableStream.from(lines));
}
